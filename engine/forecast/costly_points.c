// SPDX-License-Identifier: Apache-2.0
// Evaluates the kernel's `cost` at spread points and keeps the highest costs.
#include "engine/forecast/costly_points.h"

#include "base/math/random.h"
#include "engine/experiment/point_text.h"

#include <stdlib.h>
#include <string.h>

enum { PURPOSE = 0xc057 };

// A point of piece i of n, at random within it; all points where there are no more than n.
static uint64_t point_of_piece(uint64_t n_points, uint64_t i, uint64_t n)
{
    const uint64_t first = (uint64_t)((__uint128_t)n_points * i / n);
    const uint64_t end = (uint64_t)((__uint128_t)n_points * (i + 1) / n);
    return first + pps_random_bits(0, i, PURPOSE) % (end - first);
}

// Where a point of this cost belongs; PPS_COSTLY_POINTS: nowhere.
static int place_of(const struct pps_costly *costly, double cost)
{
    int at = 0;
    while (at < costly->n && costly->points[at].cost > cost)
        at++;
    if (at < costly->n && costly->points[at].cost >= cost)
        return PPS_COSTLY_POINTS; // one of equal cost stands for all
    return at;
}

static void take(struct pps_costly *costly, const struct pps_experiment *e, const double *point,
                 double cost)
{
    const int at = place_of(costly, cost);
    if (at >= PPS_COSTLY_POINTS)
        return;
    costly->n += costly->n < PPS_COSTLY_POINTS;
    memmove(&costly->points[at + 1], &costly->points[at],
            (size_t)(costly->n - 1 - at) * sizeof *costly->points);
    costly->points[at].cost = cost;
    pps_point_text(e, point, costly->points[at].text, PPS_COSTLY_TEXT);
}

void pps_costly_find(struct pps_costly *costly, const struct pps_experiment *e)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    const uint64_t n = e->n_points < PPS_COSTLY_LOOKS ? e->n_points : PPS_COSTLY_LOOKS;
    double sum = 0, looked = 0;
    *costly = (struct pps_costly){.n = 0};
    if (cursor == NULL)
        return;
    for (uint64_t i = 0; i < n; i++) {
        struct pps_left_out unused[PPS_MAX_REASONS] = {{0, 0}};
        const uint64_t index = point_of_piece(e->n_points, i, n);
        pps_cursor_seek(cursor, &e->space, index);
        if (!pps_cursor_next(cursor, index + 1, unused))
            continue;
        const double cost = e->kernel->cost(cursor->point, e->kernel->shared);
        sum += cost;
        looked++;
        take(costly, e, cursor->point, cost);
    }
    costly->mean = looked > 0 ? sum / looked : 0;
    free(cursor);
}
