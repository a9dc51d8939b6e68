// SPDX-License-Identifier: Apache-2.0
// Builds the experiments of a benchmark.
#include "engine/measure/benchmark_private.h"

#include <math.h>
#include <stdio.h>

static bool in_composite(const struct pps_kernel *kernel, int p)
{
    for (int m = 0; kernel->composite != NULL && m < kernel->composite->n_members; m++)
        if (kernel->composite->members[m] == p)
            return true;
    return false;
}

// Returns the first integer parameter that a document does not set.
static const struct pps_param *first_number(const struct pps_kernel *kernel)
{
    int p = 0;
    while (p < kernel->n_params - 1 &&
           (kernel->params[p].kind != PPS_INTEGER || kernel->params[p].fixed))
        p++;
    return &kernel->params[p];
}

// A long axis: the first real parameter from its default to twice its default, in steps of 1e-5
// of the default. If there is no real parameter, or `first` is set: the values of the first
// integer parameter from its default upwards.
static void long_axis(const struct pps_kernel *kernel, bool first, const char **name,
                      char *text, size_t n)
{
    for (int p = 0; !first && p < kernel->n_params; p++) {
        const struct pps_param *param = &kernel->params[p];
        const double from = param->fallback;
        if (param->kind != PPS_REAL || in_composite(kernel, p) || !(from > 0) ||
            2 * from > param->max)
            continue;
        *name = param->name;
        snprintf(text, n, "%.15g..%.15g step %.15g", from, 2 * from, from * 1e-5);
        return;
    }
    const struct pps_param *param = first_number(kernel);
    *name = param->name;
    snprintf(text, n, "%.15g..%.15g", param->fallback,
             fmin(param->max, param->fallback + 99999));
}

static struct pps_input_words inputs_of(const struct pps_bench *b,
                                        const struct pps_kernel *kernel)
{
    return kernel->n_slots > 0 ? b->ask->inputs : (struct pps_input_words){NULL, 0};
}

enum pps_status pps_bench_load_long(const struct pps_bench *b, const struct pps_kernel *kernel,
                                    bool first, uint64_t limit, struct pps_experiment **e)
{
    const struct pps_kernel *const kernels[] = {kernel, NULL};
    char text[128];
    struct pps_override override = {NULL, text, false};
    const char *experiment = first ? NULL : kernel->bench_experiment;
    long_axis(kernel, first, &override.key, text, sizeof text);
    const struct pps_request request = {.kernels = kernels,
                                        .text = experiment,
                                        .overrides = &override,
                                        .n_overrides = 1,
                                        .digits = PPS_DEFAULT_DIGITS,
                                        .inputs = inputs_of(b, kernel),
                                        .limit = limit};
    return pps_experiment_load(e, &request, b->err);
}

enum pps_status pps_bench_load_cell(const struct pps_bench *b,
                                    const struct pps_bench_cell *cell,
                                    struct pps_experiment **e)
{
    const struct pps_kernel *const kernels[] = {b->kernel, NULL};
    struct pps_override overrides[PPS_BENCH_AXES];
    char text[PPS_BENCH_AXES][32];
    for (int a = 0; a < b->out->n_axes; a++) {
        snprintf(text[a], sizeof text[a], "%.0f", cell->value[a]);
        overrides[a] = (struct pps_override){b->kernel->bench_axes[a].param, text[a], false};
    }
    if (b->out->n_axes == 0)
        return pps_bench_load_long(b, b->kernel, false, PPS_BENCH_POINTS, e);
    const struct pps_request request = {.kernels = kernels,
                                        .text = b->kernel->bench_experiment,
                                        .overrides = overrides,
                                        .n_overrides = b->out->n_axes,
                                        .inputs = inputs_of(b, b->kernel),
                                        .digits = PPS_DEFAULT_DIGITS};
    return pps_experiment_load(e, &request, b->err);
}
