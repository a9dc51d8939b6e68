// SPDX-License-Identifier: Apache-2.0
// Finds short open paths through points: the shortest up to SPLIT_EXACT_POINTS points, beyond by local search.
#ifndef PPS_DYNAPIPE_SPLIT_PATH_H
#define PPS_DYNAPIPE_SPLIT_PATH_H

#include "kernels/dynapipe/split/clusters.h"

#include <stdbool.h>

enum {
    SPLIT_EXACT_POINTS = 13,
    SPLIT_NEAR = 10, // nearest points that the local search tries as neighbours
};

enum split_measure {
    SPLIT_MEASURE_SUM, // |x| + |y|
    SPLIT_MEASURE_MAX,
    SPLIT_MEASURE_SQUARES,
};

// What is smallest for the path.
enum split_total {
    SPLIT_TOTAL_SUM,        // of the steps
    SPLIT_TOTAL_BOTTLENECK, // the largest step
};

int64_t split_distance(enum split_measure measure,
                       const struct split_point *a,
                       const struct split_point *b);

// Memory of the search.
struct split_path {
    int64_t *
        best; // [subsets][points]: the smallest total of a path through a subset that ends at a point
    int8_t *before;         // [subsets][points]: the point before the last of that path
    int32_t *trial, *place; // [points]: a path, and where it has a point
    int32_t *near;   // [points][SPLIT_NEAR]: the nearest points, -1 where there are fewer
    int32_t *queue;  // [points]: points whose steps changed
    bool *is_queued; // [points]
};

void split_path_take(struct split_path *path, int32_t points, struct room *room);

// Writes the points along the path. sequence: [n]. Returns false if the poll (may be NULL) ended the loop.
bool split_path_find(struct split_path *path,
                     const struct split_point *points,
                     int32_t n,
                     enum split_measure measure,
                     enum split_total total,
                     struct poll *poll,
                     int32_t *sequence);

// Returns the sum or the largest of the steps along a sequence.
int64_t split_path_length(const struct split_point *points,
                          const int32_t *sequence,
                          int32_t n,
                          enum split_measure measure,
                          enum split_total total);

#endif
