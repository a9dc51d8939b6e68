// SPDX-License-Identifier: Apache-2.0
// How large things are that an experiment's rows need: scratch of a worker, points of a block.
#include "rows.h"

#include "machine.h"

#include <math.h>

enum {
    WORK_TARGET_NS = 20 * 1000 * 1000, // of a block
    SAMPLES = 64,
};

enum pps_status pps_scratch_bytes(const struct pps_experiment *experiment,
                                  int threads,
                                  size_t *bytes,
                                  struct pps_error *err)
{
    const double memory = 0.8 * pps_machine_memory();
    *bytes = experiment->kernel->scratch_bytes(experiment->space.highest,
                                               experiment->kernel->shared);
    if (*bytes == SIZE_MAX || (double)*bytes * threads > memory)
        return pps_fail(err, PPS_E_INPUT,
                        "the largest point of this experiment needs %.3g GiB a thread, and %d "
                        "threads have %.3g GiB; take smaller values or fewer threads (-j)",
                        (double)*bytes / 0x1p30, threads, memory / 0x1p30);
    return PPS_OK;
}

// ---- blocks -----------------------------------------------------------------------------------

static size_t results_bytes(const struct pps_experiment *experiment)
{
    size_t n = experiment->status ? 3 : 0;
    for (int c = 0; c < experiment->kernel->n_columns; c++)
        if (experiment->wanted[c])
            n += 8;
    return n;
}

// Mean of the kernel's cost over a few points spread evenly, in ns, and of a row's bytes.
static void estimate(const struct pps_experiment *experiment,
                     double *cost_ns,
                     double *row_bytes)
{
    struct pps_cursor cursor;
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    const uint64_t n = experiment->n_points;
    const uint64_t samples = n < SAMPLES ? n : SAMPLES;
    uint64_t seen = 0;
    *cost_ns = *row_bytes = 0;
    for (uint64_t s = 0; s < samples; s++) {
        const uint64_t index = n / samples * s + n / samples / 2;
        pps_cursor_seek(&cursor, &experiment->space, index);
        if (!pps_cursor_next(&cursor, index + 1, left_out))
            continue;
        *cost_ns += experiment->kernel->cost(cursor.point, experiment->kernel->shared);
        *row_bytes += (double)(cursor.prefix_n + results_bytes(experiment));
        seen++;
    }
    *cost_ns = seen > 0 ? *cost_ns / (double)seen : 1000;
    *row_bytes = seen > 0 ? *row_bytes / (double)seen : 100;
}

uint64_t pps_block_points(const struct pps_experiment *experiment)
{
    double cost_ns, row_bytes;
    estimate(experiment, &cost_ns, &row_bytes);
    const double points = fmin(PPS_TEXT_TARGET / row_bytes, WORK_TARGET_NS / fmax(cost_ns, 1));
    return points > 1 ? (uint64_t)points : 1;
}
