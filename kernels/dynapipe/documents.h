// SPDX-License-Identifier: Apache-2.0
// Holds the documents of an experiment: cost tables, clusters and batches.
#pragma once

#include "kernels/dynapipe/costs/network.h"
#include "kernels/dynapipe/documents/batch_reader.h"
#include "kernels/dynapipe/output/plan_read.h"
#include "kernels/dynapipe/table.h"

enum { SLOT_COSTS, SLOT_CLUSTER, SLOT_BATCHES, SLOT_PLAN, N_SLOTS };

enum { SHARED_DEGREES = 64 };

// A document of cost tables.
struct shared_costs {
    struct network network;     // hidden 0: not described
    struct cost_tables *tables; // [n], one for each tensor-parallel degree
    int n;
};

struct shared_cluster {
    struct network_links links;
    double memory;       // MB; INFINITY: not given
    bool counts_devices; // its nodes have devices of tensor parallelism, too
};

struct shared_batches {
    struct batch *list; // [n]
    int32_t n;
    size_t room;
    int32_t most; // samples of a batch
};

// A plan of which the pipeline and the micro-batches are planned again.
struct shared_plan {
    struct plan_pipeline *pipeline;
    struct micro_batches *replicas; // [n]: in the order in which they were numbered
    void **memory;                  // [n]
    int32_t n, most;                // most: micro-batches of a replica
};

struct dynapipe_shared {
    struct shared_costs *costs; // [n_costs]
    int n_costs;
    struct shared_cluster *clusters; // [n_clusters]
    int n_clusters;
    struct shared_batches *batches; // [n_batches]
    int n_batches;
    struct shared_plan *plans; // [n_plans]
    int n_plans;
};

// Returns the tables of a tensor-parallel degree; NULL: there are none.
struct cost_tables *shared_tables(const struct shared_costs *costs, int32_t tensor_parallel);

// Of pps_kernel.
bool dynapipe_open(const struct pps_document *documents, int n, void **shared,
                   struct pps_fault *fault);
void dynapipe_close(void *shared);
void dynapipe_values(const void *shared, int slot, int i, double *values);
