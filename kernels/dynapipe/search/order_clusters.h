// SPDX-License-Identifier: Apache-2.0
// Groups similar micro-batches for the published search: k-means over the times of the first and the last stage.
#ifndef PPS_DYNAPIPE_SEARCH_ORDER_CLUSTERS_H
#define PPS_DYNAPIPE_SEARCH_ORDER_CLUSTERS_H

#include "kernels/dynapipe/search/plan_task.h"

// Returns the clusters of the published search: four for at most 20 micro-batches, else three.
int32_t order_clusters_of(int32_t count);

// Writes the cluster of every micro-batch: Lloyd's algorithm with centres far from each other at the start. Some clusters
// may be empty. The result depends on the micro-batches only. cluster: [count].
void order_clusters_find(const struct plan_task *task, int32_t clusters, int32_t *cluster);

#endif
