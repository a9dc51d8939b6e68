// SPDX-License-Identifier: Apache-2.0
// Computes the sizes that the rows of an experiment need: scratch of a worker, points of a
// block.
#include "engine/run/row_maker.h"

#include "base/system/machine.h"

#include <math.h>

enum {
    WORK_TARGET_NS = 20 * 1000 * 1000, // of a block
    FAIR_BLOCKS = 64,
    SAMPLES = 64,
};

enum pps_status pps_scratch_bytes(const struct pps_experiment *experiment, int threads,
                                  size_t *bytes, struct pps_error *err)
{
    const double memory = 0.8 * pps_machine_memory();
    *bytes = experiment->kernel->scratch_bytes(experiment->space.highest,
                                               experiment->kernel->shared);
    if (*bytes == SIZE_MAX || (double)*bytes * threads > memory)
        return pps_fail(err, PPS_E_INPUT,
                        "the largest point of this experiment needs %.3g GiB per thread, and "
                        "%d threads have %.3g GiB; take smaller values or fewer threads (-j)",
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

// Estimates for the points of an experiment, from a few evenly spread points.
struct estimate {
    double cost_ns, row_bytes; // means
    int together;              // most points that hardly take longer than one
};

static struct estimate estimate(const struct pps_experiment *experiment)
{
    const struct pps_kernel *kernel = experiment->kernel;
    struct pps_cursor cursor;
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    const uint64_t n = experiment->n_points;
    const uint64_t samples = n < SAMPLES ? n : SAMPLES;
    struct estimate e = {.together = 1};
    uint64_t seen = 0;
    for (uint64_t s = 0; s < samples; s++) {
        const uint64_t index = n / samples * s + n / samples / 2;
        pps_cursor_seek(&cursor, &experiment->space, index);
        if (!pps_cursor_next(&cursor, index + 1, left_out))
            continue;
        e.cost_ns += kernel->cost(cursor.point, kernel->shared);
        e.row_bytes += (double)(cursor.prefix_n + results_bytes(experiment));
        const int together =
            kernel->together != NULL ? kernel->together(cursor.point, kernel->shared) : 1;
        e.together = together > e.together ? together : e.together;
        seen++;
    }
    e.cost_ns = seen > 0 ? e.cost_ns / (double)seen : 1000;
    e.row_bytes = seen > 0 ? e.row_bytes / (double)seen : 100;
    return e;
}

// Fewer points would leave a kernel that runs some together short of them. More than these few gain
// a little, where enough blocks remain for many threads.
static double fewest(const struct pps_experiment *experiment, int together)
{
    const double fair = (double)experiment->n_points / (FAIR_BLOCKS * together);
    return together > 1 ? together * fmin(fmax(floor(fair), 1), 4) : 1;
}

uint64_t pps_block_points(const struct pps_experiment *experiment)
{
    const struct estimate e = estimate(experiment);
    const double work =
        fmax(WORK_TARGET_NS / fmax(e.cost_ns, 1), fewest(experiment, e.together));
    const double points = fmin(PPS_TEXT_TARGET / e.row_bytes, work);
    return points > 1 ? (uint64_t)points : 1;
}
