// SPDX-License-Identifier: Apache-2.0
// Solves by Householder reflections; with x >= 0, columns enter one at a time (Lawson and Hanson).
#include "base/math/least_squares.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// A remainder of a column below this fraction of the column's length counts as zero.
static const double NOTHING = 1e-11;

// The columns in use, made triangular. Columns are scaled to length 1 first, so that the test for
// zero does not depend on units.
struct work {
    int rows, columns;
    double a[LEAST_SQUARES_ROWS][LEAST_SQUARES_COLUMNS];
    double b[LEAST_SQUARES_ROWS];
    int original[LEAST_SQUARES_COLUMNS]; // of the problem
    double scale[LEAST_SQUARES_COLUMNS];
};

static double column_length(const struct work *work, int column, int from)
{
    double sum = 0.0;
    for (int i = from; i < work->rows; i++)
        sum += work->a[i][column] * work->a[i][column];
    return sqrt(sum);
}

static void load(struct work *work, const struct least_squares *problem, const bool *in_use)
{
    work->rows = problem->rows;
    work->columns = 0;
    memcpy(work->b, problem->b, (size_t)problem->rows * sizeof *work->b);
    for (int j = 0; j < problem->columns; j++) {
        const int c = work->columns;
        if (in_use != NULL && !in_use[j])
            continue;
        for (int i = 0; i < work->rows; i++)
            work->a[i][c] = problem->a[i * problem->columns + j];
        const double length = column_length(work, c, 0);
        if (length == 0.0)
            continue;
        for (int i = 0; i < work->rows; i++)
            work->a[i][c] /= length;
        work->scale[c] = length;
        work->original[c] = j;
        work->columns++;
    }
}

static void exchange(struct work *work, int p, int q)
{
    for (int i = 0; i < work->rows; i++) {
        const double kept = work->a[i][p];
        work->a[i][p] = work->a[i][q];
        work->a[i][q] = kept;
    }
    const int original = work->original[p];
    work->original[p] = work->original[q];
    work->original[q] = original;
    const double scale = work->scale[p];
    work->scale[p] = work->scale[q];
    work->scale[q] = scale;
}

// Reflects column k onto its diagonal, and applies the reflection to all later columns and to b.
static void reflect(struct work *work, int k, double length)
{
    double v[LEAST_SQUARES_ROWS];
    const double diagonal = work->a[k][k] > 0.0 ? -length : length;
    double square = 0.0;
    for (int i = k; i < work->rows; i++) {
        v[i] = work->a[i][k] - (i == k ? diagonal : 0.0);
        square += v[i] * v[i];
    }
    for (int j = k; j <= work->columns; j++) {
        double dot = 0.0;
        for (int i = k; i < work->rows; i++)
            dot += v[i] * (j < work->columns ? work->a[i][j] : work->b[i]);
        const double factor = 2.0 * dot / square;
        for (int i = k; i < work->rows; i++)
            *(j < work->columns ? &work->a[i][j] : &work->b[i]) -= factor * v[i];
    }
    work->a[k][k] = diagonal;
}

// Returns the number of linearly independent columns.
static int make_triangle(struct work *work)
{
    int k = 0;
    for (; k < work->columns && k < work->rows; k++) {
        int longest = k;
        double best = column_length(work, k, k);
        for (int j = k + 1; j < work->columns; j++) {
            const double length = column_length(work, j, k);
            if (length > best) {
                best = length;
                longest = j;
            }
        }
        if (best <= NOTHING)
            break;
        exchange(work, k, longest);
        reflect(work, k, best);
    }
    return k;
}

// Solves for the columns in use; the others are 0. Returns the rank.
static int solve(const struct least_squares *problem, const bool *in_use, double *x)
{
    struct work work;
    double solved[LEAST_SQUARES_COLUMNS];
    load(&work, problem, in_use);
    const int rank = make_triangle(&work);
    for (int j = 0; j < problem->columns; j++)
        x[j] = 0.0;
    for (int k = rank - 1; k >= 0; k--) {
        double sum = work.b[k];
        for (int j = k + 1; j < rank; j++)
            sum -= work.a[k][j] * solved[j];
        solved[k] = sum / work.a[k][k];
        x[work.original[k]] = solved[k] / work.scale[k];
    }
    return rank;
}

static void take_residual(const struct least_squares *problem, const double *x,
                          double *residual)
{
    for (int i = 0; i < problem->rows; i++) {
        residual[i] = problem->b[i];
        for (int j = 0; j < problem->columns; j++)
            residual[i] -= problem->a[i * problem->columns + j] * x[j];
    }
}

static double length_of(const double *v, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

void least_squares_plain(const struct least_squares *problem,
                         struct least_squares_result *result)
{
    double residual[LEAST_SQUARES_ROWS];
    assert(problem->rows >= 1 && problem->rows <= LEAST_SQUARES_ROWS);
    assert(problem->columns >= 1 && problem->columns <= LEAST_SQUARES_COLUMNS);
    result->rank = solve(problem, NULL, result->x);
    take_residual(problem, result->x, residual);
    result->residual = length_of(residual, problem->rows);
}

// ---- x >= 0 -----------------------------------------------------------------------------------

struct active {
    const struct least_squares *problem;
    bool in_use[LEAST_SQUARES_COLUMNS];
    bool useless[LEAST_SQUARES_COLUMNS]; // rejected since x last moved
    double x[LEAST_SQUARES_COLUMNS];
};

// Returns the inactive column that lowers the residual most, relative to its length; -1: none.
static int steepest(const struct active *active)
{
    const struct least_squares *problem = active->problem;
    double residual[LEAST_SQUARES_ROWS];
    take_residual(problem, active->x, residual);
    const double size = length_of(problem->b, problem->rows);
    double best = NOTHING * size;
    int steepest = -1;
    for (int j = 0; j < problem->columns; j++) {
        double dot = 0.0, square = 0.0;
        for (int i = 0; i < problem->rows; i++) {
            const double a = problem->a[i * problem->columns + j];
            dot += a * residual[i];
            square += a * a;
        }
        if (active->in_use[j] || active->useless[j] || square == 0.0 ||
            dot <= best * sqrt(square))
            continue;
        best = dot / sqrt(square);
        steepest = j;
    }
    return steepest;
}

// Moves from x towards z until the first unknown reaches 0, and drops the unknowns that do.
// false: x reached z.
static bool step_towards(struct active *active, const double *z)
{
    double alpha = 2.0;
    int first = -1;
    for (int j = 0; j < active->problem->columns; j++) {
        if (!active->in_use[j] || z[j] > 0.0)
            continue;
        const double reach = active->x[j] / (active->x[j] - z[j]);
        if (active->x[j] <= 0.0 || reach < alpha) {
            alpha = active->x[j] <= 0.0 ? 0.0 : reach;
            first = j;
        }
    }
    for (int j = 0; j < active->problem->columns; j++)
        if (active->in_use[j])
            active->x[j] = first < 0 ? z[j] : active->x[j] + alpha * (z[j] - active->x[j]);
    for (int j = 0; j < active->problem->columns; j++)
        if (active->in_use[j] && first >= 0 && (j == first || active->x[j] <= 0.0)) {
            active->in_use[j] = false;
            active->x[j] = 0.0;
        }
    return first >= 0;
}

static int count_in_use(const struct active *active)
{
    int n = 0;
    for (int j = 0; j < active->problem->columns; j++)
        n += active->in_use[j];
    return n;
}

// Activates column j; false: it depends on the columns in use, or its unknown would not be positive.
static bool take_in(struct active *active, int j)
{
    double z[LEAST_SQUARES_COLUMNS];
    active->in_use[j] = true;
    const int rank = solve(active->problem, active->in_use, z);
    if (rank < count_in_use(active) || z[j] <= 0.0) {
        active->in_use[j] = false;
        active->useless[j] = true;
        return false;
    }
    while (step_towards(active, z))
        solve(active->problem, active->in_use, z);
    memset(active->useless, 0, sizeof active->useless);
    return true;
}

bool least_squares_nonnegative(const struct least_squares *problem,
                               struct least_squares_result *result)
{
    struct active active = {.problem = problem};
    double residual[LEAST_SQUARES_ROWS];
    assert(problem->rows >= 1 && problem->rows <= LEAST_SQUARES_ROWS);
    assert(problem->columns >= 1 && problem->columns <= LEAST_SQUARES_COLUMNS);
    int left = 10 * problem->columns;
    for (int j = steepest(&active); j >= 0 && left > 0; j = steepest(&active))
        left -= take_in(&active, j);
    memcpy(result->x, active.x, sizeof result->x);
    take_residual(problem, active.x, residual);
    result->residual = length_of(residual, problem->rows);
    result->rank = count_in_use(&active);
    return left > 0;
}
