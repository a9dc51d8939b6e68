// SPDX-License-Identifier: Apache-2.0
// Samples a random point of every piece: points at equal distances would always have the same
// value on some inner axes.
#include "engine/forecast/workload.h"

#include "base/math/random.h"

#include <stdlib.h>

// Fitted to sweeps of our kernels on a server of 2023.
enum {
    LEFT_OUT_NS = 20, // per skipped point
    PASSED_NS = 150,  // per other point: visiting it, and deciding whether to compute it
    ROW_NS = 300,     // per computed point, in addition to the kernel
    PURPOSE = 0x10ad,
};

static uint64_t point_of_piece(uint64_t n_points, uint64_t piece, uint64_t n)
{
    const uint64_t first = (uint64_t)((__uint128_t)n_points * piece / n);
    const uint64_t end = (uint64_t)((__uint128_t)n_points * (piece + 1) / n);
    return first + pps_random_bits(0, piece, PURPOSE) % (end - first);
}

struct pps_work pps_work_of_point(struct pps_cursor *cursor, const struct pps_experiment *e,
                                  uint64_t index)
{
    struct pps_left_out unused[PPS_MAX_REASONS] = {{0, 0}};
    pps_cursor_seek(cursor, &e->space, index);
    if (!pps_cursor_next(cursor, index + 1, unused))
        return (struct pps_work){LEFT_OUT_NS, 0};
    return (struct pps_work){PASSED_NS,
                             ROW_NS + e->kernel->cost(cursor->point, e->kernel->shared)};
}

void pps_workload_measure(struct pps_workload *workload, const struct pps_experiment *e)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    const uint64_t n =
        e->n_points < PPS_WORKLOAD_PIECES ? e->n_points : (uint64_t)PPS_WORKLOAD_PIECES;
    workload->n = 0;
    if (cursor == NULL)
        return;
    workload->before[0] = (struct pps_work){0, 0};
    for (uint64_t i = 0; i < n; i++) {
        const struct pps_work work =
            pps_work_of_point(cursor, e, point_of_piece(e->n_points, i, n));
        workload->before[i + 1].passing = workload->before[i].passing + work.passing;
        workload->before[i + 1].computing = workload->before[i].computing + work.computing;
    }
    workload->n = (int)n;
    free(cursor);
}

struct pps_work pps_workload_before(const struct pps_workload *workload, double part)
{
    const int n = workload->n;
    if (n == 0)
        return (struct pps_work){part, 0};
    const int i = part * n < n - 1 ? (int)(part * n) : n - 1;
    const struct pps_work *before = &workload->before[i];
    const double inside = part * n - i;
    return (struct pps_work){
        (before[0].passing + inside * (before[1].passing - before[0].passing)) / n,
        (before[0].computing + inside * (before[1].computing - before[0].computing)) / n};
}
