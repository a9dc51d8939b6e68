// SPDX-License-Identifier: Apache-2.0
// Orders samples with an input and a target length: similar samples form clusters, and a short path through the
// centres of the clusters gives their order.
#ifndef PPS_DYNAPIPE_SPLIT_PATH_ORDER_H
#define PPS_DYNAPIPE_SPLIT_PATH_ORDER_H

#include "kernels/dynapipe/split/clusters.h"
#include "kernels/dynapipe/split/path.h"

struct split_path_order {
    struct split_clusters clusters;
    struct split_path path;
    struct split_point *centres; // [samples]
    int32_t *sequence;           // [samples]: clusters along the path
};

void split_path_order_take(struct split_path_order *memory, int32_t samples, struct room *room);

// Writes the samples cluster by cluster, in index order inside a cluster. samples->target is not NULL. order:
// [samples]. Returns false if the poll (may be NULL) ended the loop.
bool split_path_order(struct split_path_order *memory,
                      const struct split_samples *samples,
                      enum split_measure measure,
                      enum split_total total,
                      struct poll *poll,
                      int32_t *order);

#endif
