// SPDX-License-Identifier: Apache-2.0
// Orders samples with an input and a target length: similar samples form clusters, and a short path through the
// centres of the clusters gives their order.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/dynapipe/split/samples.h"

enum { SPLIT_CLUSTER_DISTANCE = 16 };

struct split_point {
    int64_t x, y;
};

// A cluster while clusters grow. It is named by its lowest sample.
struct split_cluster {
    struct split_point point; // of its lowest sample
    int32_t next_in_cell;     // the next cluster in the list of the cell; -1: none
    int32_t next_point;       // the next sample of the cluster with another point; -1: none
    int32_t last_point;       // of the cluster
    int32_t nearest;          // cluster with a higher name; -1: none within the distance
};

struct split_clusters {
    int32_t count;  // of clusters, in ascending order of their lowest samples
    int32_t *first; // [count]: the lowest sample of a cluster
    int32_t *next;  // [samples]: the next sample of the cluster, ascending; -1: none
    // Temporary.
    struct split_key *keys;        // [samples]
    struct split_cluster *growing; // [samples]
    int32_t *distance2; // [samples]: squared, of the cluster with this name to its nearest
    int32_t *twin;      // [samples]: the lowest sample with the same point
    int32_t *of;        // [samples]: cluster of a sample
    int32_t *cells;     // [n_cells]: heads of lists of clusters
    uint32_t n_cells;   // a power of two
};

void split_clusters_take(struct split_clusters *clusters, int32_t samples, struct room *room);

// Merges the two closest clusters while their farthest points are closer than SPLIT_CLUSTER_DISTANCE; of equal
// distances those with the lowest first, then the lowest second number. samples->target is not NULL.
// Returns false if the poll (may be NULL) ended the loop.
bool split_clusters_find(struct split_clusters *clusters, const struct split_samples *samples,
                         struct poll *poll);

// Returns the mean of a cluster's samples, truncated to whole numbers.
struct split_point split_clusters_centre(const struct split_clusters *clusters,
                                         const struct split_samples *samples, int32_t cluster);

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

static inline int64_t split_distance(enum split_measure measure, const struct split_point *a,
                                     const struct split_point *b)
{
    const int64_t x = a->x - b->x, y = a->y - b->y, dx = x < 0 ? -x : x, dy = y < 0 ? -y : y;
    if (measure == SPLIT_MEASURE_SUM)
        return dx + dy;
    return measure == SPLIT_MEASURE_SQUARES ? dx * dx + dy * dy : dx > dy ? dx : dy;
}

struct split_path_key {
    int64_t x;
    int32_t point;
};

// Memory of the search.
struct split_path {
    struct split_path_key *keys; // [points], sorted by x
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
bool split_path_find(struct split_path *path, const struct split_point *points, int32_t n,
                     enum split_measure measure, enum split_total total, struct poll *poll,
                     int32_t *sequence);

// Returns the sum or the largest of the steps along a sequence.
int64_t split_path_length(const struct split_point *points, const int32_t *sequence, int32_t n,
                          enum split_measure measure, enum split_total total);

struct split_path_order {
    struct split_clusters clusters;
    struct split_path path;
    struct split_point *centres; // [samples]
    int32_t *sequence;           // [samples]: clusters along the path
};

void split_path_order_take(struct split_path_order *memory, int32_t samples, struct room *room);

// Writes the samples cluster by cluster, in index order inside a cluster. samples->target is not NULL. order:
// [samples]. Returns false if the poll (may be NULL) ended the loop.
bool split_path_order(struct split_path_order *memory, const struct split_samples *samples,
                      enum split_measure measure, enum split_total total, struct poll *poll,
                      int32_t *order);
