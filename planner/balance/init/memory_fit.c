// SPDX-License-Identifier: Apache-2.0
// Decomposes measured memory.
#include "planner/balance/init/memory_fit.h"

#include "base/document/fault.h"
#include "base/math/condition.h"
#include "base/math/least_squares.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 160 };

// ---- equations ----------------------------------------------------------------------------------

int memory_fit_row(const struct memory_fit *fit, int32_t stages, int32_t stage, int32_t layers,
                   const int32_t count[BALANCE_KINDS], double row[MEMORY_UNKNOWNS_MAX])
{
    int n = 0;
    if (fit->has_constant)
        row[n++] = 1;
    row[n++] = layers;
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (fit->has[k])
            row[n++] = (double)(stages - stage) * count[k];
    return n;
}

struct equations {
    int rows, columns;
    double a[LEAST_SQUARES_ROWS * MEMORY_UNKNOWNS_MAX], b[LEAST_SQUARES_ROWS];
    double length[MEMORY_UNKNOWNS_MAX]; // of the columns, which are divided by it
};

static void set_equations(const struct balance_init *init, const struct memory_fit *fit,
                          struct equations *equations)
{
    equations->rows = init->n;
    equations->columns = fit->unknowns;
    for (int i = 0; i < init->n; i++) {
        const struct init_measure *m = &init->middle[i];
        memory_fit_row(fit, init->stages, m->stage, m->layers, m->count,
                       &equations->a[i * fit->unknowns]);
        equations->b[i] = m->memory_mb;
    }
    for (int k = 0; k < fit->unknowns; k++) {
        double sum = 0;
        for (int i = 0; i < init->n; i++)
            sum += equations->a[i * fit->unknowns + k] * equations->a[i * fit->unknowns + k];
        equations->length[k] = sqrt(sum) > 0 ? sqrt(sum) : 1;
        for (int i = 0; i < init->n; i++)
            equations->a[i * fit->unknowns + k] /= equations->length[k];
    }
}

static const char *unknown_name(const struct memory_fit *fit, int column)
{
    const int first = fit->has_constant ? 1 : 0;
    if (column < first)
        return "constant";
    int k = 0;
    for (int left = column - first; left > 0; k++)
        left -= fit->has[k];
    return column == first ? "parameters" : balance_kind_names[k - 1];
}

static int rank_without(const struct equations *equations, int column)
{
    double a[LEAST_SQUARES_ROWS * MEMORY_UNKNOWNS_MAX];
    int n = 0;
    for (int i = 0; i < equations->rows; i++)
        for (int k = 0; k < equations->columns; k++)
            if (k != column)
                a[n++] = equations->a[i * equations->columns + k];
    struct least_squares_result result;
    least_squares_plain(&(struct least_squares){.rows = equations->rows,
                                                .columns = equations->columns - 1,
                                                .a = a,
                                                .b = equations->b},
                        &result);
    return result.rank;
}

// Names the unknowns that depend on each other: the rank is the same without one of them.
static bool fail_rank(const struct memory_fit *fit, const struct equations *equations, int rank,
                      struct pps_fault *fault)
{
    char names[NAMES] = "";
    size_t n = 0;
    for (int k = 0; k < fit->unknowns; k++)
        if (rank_without(equations, k) == rank && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "",
                                  unknown_name(fit, k));
    return pps_fault_set(fault, NULL, false,
                         "memory_usage: the measured stages cannot tell these apart: %s; "
                         "measure configurations of ppsweep balance guide",
                         names);
}

// ---- unknowns -----------------------------------------------------------------------------------

static bool all_layers_equal(const struct balance_init *init)
{
    for (int i = 1; i < init->n; i++)
        if (init->middle[i].layers != init->middle[0].layers)
            return false;
    return true;
}

static bool choose_unknowns(const struct balance_init *init, struct memory_fit *fit,
                            struct pps_fault *fault)
{
    int kinds = 1;
    fit->has[BALANCE_NONE] = true;
    for (int k = 1; k < BALANCE_KINDS; k++) {
        bool in_middle = false;
        for (int i = 0; i < init->n; i++)
            in_middle = in_middle || init->middle[i].count[k] > 0;
        fit->has[k] = in_middle;
        kinds += in_middle;
        if (!in_middle && init->head.count[k] + init->tail.count[k] > 0)
            return pps_fault_set(fault, NULL, false,
                                 "recompute_config: kind %s is on stage %d, but on no measured "
                                 "middle stage: its memory has no equation",
                                 balance_kind_names[k],
                                 init->head.count[k] > 0 ? 0 : init->stages - 1);
    }
    if (init->n < kinds + 1)
        return pps_fault_set(
            fault, NULL, false,
            "memory_usage: %d measured middle stages, expected at least %d for "
            "parameters and %d %s of activations",
            init->n, kinds + 1, kinds, kinds == 1 ? "kind" : "kinds");
    if (init->n > LEAST_SQUARES_ROWS)
        return pps_fault_set(fault, NULL, false, "memory_usage: more than %d measured stages",
                             LEAST_SQUARES_ROWS);
    fit->has_constant = init->n >= kinds + 2;
    if (fit->has_constant && all_layers_equal(init))
        return pps_fault_set(fault, NULL, false,
                             "offset: all measured middle stages have %d layers, so that "
                             "parameters and the constant cannot be told apart; give stages "
                             "different numbers of layers",
                             init->middle[0].layers);
    fit->equations = init->n;
    fit->unknowns = kinds + 1 + (fit->has_constant ? 1 : 0);
    return true;
}

// ---- the decomposition --------------------------------------------------------------------------

double memory_fit_of(const struct balance_init *init, const struct memory_fit *fit,
                     const struct init_measure *m)
{
    double mb = m->layers * fit->parameter_mb + fit->constant_mb;
    for (int k = 0; k < BALANCE_KINDS; k++)
        mb += (double)(init->stages - m->stage) * m->count[k] * fit->activation_mb[k];
    if (m->stage == 0)
        mb += fit->head_mb;
    return m->stage == init->stages - 1 ? mb + fit->tail_mb : mb;
}

static void take_solution(struct memory_fit *fit, const struct equations *equations,
                          const struct least_squares_result *result)
{
    double x[MEMORY_UNKNOWNS_MAX];
    int n = 0;
    for (int k = 0; k < fit->unknowns; k++)
        x[k] = result->x[k] / equations->length[k];
    fit->constant_mb = fit->has_constant ? x[n++] : 0;
    fit->parameter_mb = x[n++];
    for (int k = 0; k < BALANCE_KINDS; k++)
        fit->activation_mb[k] = fit->has[k] ? x[n++] : 0;
}

static void judge(const struct balance_init *init, struct memory_fit *fit)
{
    double squares = 0;
    for (int i = 0; i < init->n; i++) {
        const double residual =
            init->middle[i].memory_mb - memory_fit_of(init, fit, &init->middle[i]);
        squares += residual * residual;
        fit->largest = fmax(fit->largest, fabs(residual));
        fit->underestimated = fmax(fit->underestimated, residual);
    }
    fit->rms = sqrt(squares / init->n);
}

bool memory_fit_find(const struct balance_init *init, struct memory_fit *fit,
                     struct pps_fault *fault)
{
    struct equations equations;
    struct least_squares_result result;
    *fit = (struct memory_fit){.unknowns = 0};
    *fault = (struct pps_fault){.document = 0};
    if (!choose_unknowns(init, fit, fault))
        return false;
    set_equations(init, fit, &equations);
    least_squares_plain(&(struct least_squares){.rows = equations.rows,
                                                .columns = equations.columns,
                                                .a = equations.a,
                                                .b = equations.b},
                        &result);
    if (result.rank < fit->unknowns)
        return fail_rank(fit, &equations, result.rank, fault);
    take_solution(fit, &equations, &result);
    fit->head_mb = init->head.memory_mb - memory_fit_of(init, fit, &init->head);
    fit->tail_mb = init->tail.memory_mb - memory_fit_of(init, fit, &init->tail);
    fit->condition = condition_number(equations.rows, equations.columns, equations.a);
    judge(init, fit);
    return true;
}
