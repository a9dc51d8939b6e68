// SPDX-License-Identifier: Apache-2.0
// Finds a short path through points: exactly for few, by a search for many.
#include "kernels/dynapipe/split/path_private.h"

#include <stdlib.h>

void split_path_take(struct split_path *path, int32_t points, struct room *room)
{
    const size_t n = (size_t)points, few = n < SPLIT_EXACT_POINTS ? n : SPLIT_EXACT_POINTS,
                 subsets = ((size_t)1 << few) * few;
    path->best = room_take(room, subsets, sizeof *path->best);
    path->before = room_take(room, subsets, sizeof *path->before);
    path->keys = room_take(room, n, sizeof *path->keys);
    path->trial = room_take(room, n, sizeof *path->trial);
    path->place = room_take(room, n, sizeof *path->place);
    path->near = room_take(room, n * SPLIT_NEAR, sizeof *path->near);
    path->queue = room_take(room, n, sizeof *path->queue);
    path->is_queued = room_take(room, n, sizeof *path->is_queued);
}

// Returns the total of a path that is one step longer.
static int64_t longer(enum split_total total, int64_t path, int64_t step)
{
    if (total == SPLIT_TOTAL_SUM)
        return path + step;
    return path > step ? path : step;
}

int64_t split_path_length(const struct split_point *points, const int32_t *sequence, int32_t n,
                          enum split_measure measure, enum split_total total)
{
    int64_t length = 0;
    for (int32_t p = 1; p < n; p++)
        length =
            longer(total, length,
                   split_distance(measure, &points[sequence[p - 1]], &points[sequence[p]]));
    return length;
}

// Sets the best path through a subset that ends at a point of it.
static void best_of(const struct path_task *t, uint32_t subset, int32_t end)
{
    const uint32_t rest = subset & ~(1u << end);
    int64_t best = rest == 0 ? 0 : INT64_MAX;
    int32_t before = -1;
    for (int32_t i = 0; i < t->n; i++) {
        if ((rest >> i & 1) == 0)
            continue;
        const int64_t total = longer(
            t->total, t->path->best[rest * (uint32_t)t->n + (uint32_t)i], path_step(t, i, end));
        if (total < best) {
            best = total;
            before = i;
        }
    }
    t->path->best[subset * (uint32_t)t->n + (uint32_t)end] = best;
    t->path->before[subset * (uint32_t)t->n + (uint32_t)end] = (int8_t)before;
}

static bool find_exactly(const struct path_task *t, struct poll *poll, int32_t *sequence)
{
    const uint32_t n = (uint32_t)t->n, all = (1u << n) - 1;
    for (uint32_t subset = 1; subset <= all; subset++) {
        for (int32_t end = 0; end < t->n; end++)
            if (subset >> end & 1)
                best_of(t, subset, end);
        if (poll_over_after(poll, n * n))
            return false;
    }
    uint32_t end = 0, subset = all;
    for (uint32_t i = 1; i < n; i++)
        if (t->path->best[all * n + i] < t->path->best[all * n + end])
            end = i;
    for (uint32_t p = n; p-- > 0;) {
        const int32_t before = t->path->before[subset * n + end];
        sequence[p] = (int32_t)end;
        subset &= ~(1u << end);
        end = (uint32_t)before;
    }
    return true;
}

bool split_path_find(struct split_path *path, const struct split_point *points, int32_t n,
                     enum split_measure measure, enum split_total total, struct poll *poll,
                     int32_t *sequence)
{
    const struct path_task task = {path, points, n, measure, total};
    if (n <= 0)
        return true;
    return n <= SPLIT_EXACT_POINTS ? find_exactly(&task, poll, sequence)
                                   : path_search(&task, poll, sequence);
}
