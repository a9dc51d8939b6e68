// SPDX-License-Identifier: Apache-2.0
// Clusters samples by (input, target) length: agglomerative, with complete linkage and Euclidean distance.
#ifndef PPS_DYNAPIPE_SPLIT_CLUSTERS_H
#define PPS_DYNAPIPE_SPLIT_CLUSTERS_H

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
    int64_t distance2;        // to it
};

struct split_clusters {
    int32_t count;  // of clusters, in ascending order of their lowest samples
    int32_t *first; // [count]: the lowest sample of a cluster
    int32_t *next;  // [samples]: the next sample of the cluster, ascending; -1: none
    // Temporary.
    struct split_key *keys;        // [samples]
    struct split_cluster *growing; // [samples]
    int32_t *twin;                 // [samples]: the lowest sample with the same point
    int32_t *of;                   // [samples]: cluster of a sample
    int32_t *cells;                // [n_cells]: heads of lists of clusters
    uint32_t n_cells;              // a power of two
};

void split_clusters_take(struct split_clusters *clusters, int32_t samples, struct room *room);

// Merges the two closest clusters while their farthest points are closer than SPLIT_CLUSTER_DISTANCE; of equal
// distances those with the lowest first, then the lowest second number. samples->target is not NULL.
// Returns false if the poll (may be NULL) ended the loop.
bool split_clusters_find(struct split_clusters *clusters,
                         const struct split_samples *samples,
                         struct poll *poll);

// Returns the mean of a cluster's samples, truncated to whole numbers.
struct split_point split_clusters_centre(const struct split_clusters *clusters,
                                         const struct split_samples *samples,
                                         int32_t cluster);

#endif
