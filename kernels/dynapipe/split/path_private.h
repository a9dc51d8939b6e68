// SPDX-License-Identifier: Apache-2.0
// Searches short paths through many points locally.
#pragma once

#include "kernels/dynapipe/split/path_order.h"

struct path_task {
    struct split_path *path;
    const struct split_point *points;
    int32_t n;
    enum split_measure measure;
    enum split_total total;
};

static inline int64_t path_step(const struct path_task *t, int32_t a, int32_t b)
{
    return split_distance(t->measure, &t->points[a], &t->points[b]);
}

// Writes the best of several paths: each follows the nearest points from another start, and is improved by 2-opt and
// or-opt until no step improves it. Returns false if the poll (may be NULL) ended the search.
bool path_search(const struct path_task *t, struct poll *poll, int32_t *sequence);
