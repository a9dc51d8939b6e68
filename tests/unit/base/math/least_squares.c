// SPDX-License-Identifier: Apache-2.0
// Least squares, plain and with x >= 0, compared with solutions known by construction and with
// the conditions that a solution fulfils.
#include "base/math/least_squares.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// In -1..1.
static double next_real(struct random *state)
{
    return (double)(int64_t)random_bits(state) / 9223372036854775808.0;
}

struct random_problem {
    double a[LEAST_SQUARES_ROWS * LEAST_SQUARES_COLUMNS], b[LEAST_SQUARES_ROWS];
    struct least_squares problem;
};

static void draw(struct random_problem *drawn, struct random *state, int rows, int columns)
{
    for (int i = 0; i < rows * columns; i++)
        drawn->a[i] = next_real(state) * (i % columns == 1 ? 1e6 : 1.0);
    for (int i = 0; i < rows; i++)
        drawn->b[i] = next_real(state);
    drawn->problem = (struct least_squares){rows, columns, drawn->a, drawn->b};
}

// How much the residual falls per unit of column j, over the column's length.
static double slope(const struct least_squares *problem, const double *x, int j)
{
    double dot = 0.0, square = 0.0;
    for (int i = 0; i < problem->rows; i++) {
        double residual = problem->b[i];
        for (int k = 0; k < problem->columns; k++)
            residual -= problem->a[i * problem->columns + k] * x[k];
        const double a = problem->a[i * problem->columns + j];
        dot += a * residual;
        square += a * a;
    }
    return dot / sqrt(square);
}

// At the optimum no column can lower the residual. Catches wrong reflections and exchanges.
Test(least_squares, plain_leaves_no_slope)
{
    struct random state = {7};
    static struct random_problem drawn;
    for (int round = 0; round < 300; round++) {
        const int columns = 1 + round % LEAST_SQUARES_COLUMNS;
        draw(&drawn, &state, columns + round % 40, columns);
        struct least_squares_result result;
        least_squares_plain(&drawn.problem, &result);
        cr_assert_eq(result.rank, columns);
        for (int j = 0; j < columns; j++)
            cr_assert_float_eq(slope(&drawn.problem, result.x, j), 0.0, 1e-9);
    }
}

// The conditions of Karush, Kuhn and Tucker: x >= 0; no slope where x > 0, none upward where x = 0.
Test(least_squares, nonnegative_fulfils_its_conditions)
{
    struct random state = {8};
    static struct random_problem drawn;
    for (int round = 0; round < 500; round++) {
        const int columns = 1 + round % LEAST_SQUARES_COLUMNS;
        draw(&drawn, &state, 1 + round % 50, columns);
        struct least_squares_result result;
        cr_assert(least_squares_nonnegative(&drawn.problem, &result), "round %d", round);
        for (int j = 0; j < columns; j++) {
            const double up = slope(&drawn.problem, result.x, j);
            cr_assert(result.x[j] >= 0.0);
            cr_assert(up < 1e-8, "round %d: column %d could grow: %g", round, j, up);
            cr_assert(result.x[j] == 0.0 || up > -1e-8, "round %d: column %d: %g", round, j,
                      up);
        }
    }
}

Test(least_squares, finds_what_made_the_figures)
{
    struct random state = {9};
    static struct random_problem drawn;
    for (int round = 0; round < 100; round++) {
        const int columns = 1 + round % 12, rows = columns + 4;
        double made[LEAST_SQUARES_COLUMNS];
        draw(&drawn, &state, rows, columns);
        for (int j = 0; j < columns; j++)
            made[j] = j % 3 == 2 ? 0.0 : 1.0 + next_real(&state);
        for (int i = 0; i < rows; i++) {
            drawn.b[i] = 0.0;
            for (int j = 0; j < columns; j++)
                drawn.b[i] += drawn.a[i * columns + j] * made[j];
        }
        struct least_squares_result result;
        cr_assert(least_squares_nonnegative(&drawn.problem, &result));
        for (int j = 0; j < columns; j++)
            cr_assert_float_eq(result.x[j], made[j], 1e-6, "round %d", round);
    }
}

// Columns that depend on each other, and columns of nothing.
Test(least_squares, dependent_columns)
{
    const double a[] = {1, 2, 0, 1, 2, 0, 3, 6, 0};
    const double b[] = {2, 2, 6};
    const struct least_squares problem = {3, 3, a, b};
    struct least_squares_result result;
    least_squares_plain(&problem, &result);
    cr_assert_eq(result.rank, 1);
    cr_assert_float_eq(result.residual, 0.0, 1e-12);
    cr_assert(least_squares_nonnegative(&problem, &result));
    cr_assert_eq(result.rank, 1);
    cr_assert_float_eq(result.residual, 0.0, 1e-12);
    cr_assert(result.x[2] == 0.0);
}

// The solution for a b that points away is 0, at any scale.
Test(least_squares, nothing_to_gain)
{
    const double a[] = {1, 2, 3};
    const double b[] = {-1, -1, -1};
    const struct least_squares problem = {3, 1, a, b};
    struct least_squares_result result;
    cr_assert(least_squares_nonnegative(&problem, &result));
    cr_assert(result.x[0] == 0.0);
    cr_assert_float_eq(result.residual, sqrt(3.0), 1e-15);
}
