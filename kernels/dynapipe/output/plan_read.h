// SPDX-License-Identifier: Apache-2.0
// Reads parts of plans of steps: the pipeline, and the times and memory of a replica as simulated.
#pragma once

#include "kernels/dynapipe/model/micro_batches.h"
#include "ppsweep/fault.h"

struct cJSON;

// The pipeline of a plan; `pipeline` points to the arrays: do not copy.
struct plan_pipeline {
    struct dynapipe_pipeline pipeline;
    int32_t device_of[DYNAPIPE_STAGES_MAX];
    double state[DYNAPIPE_DEVICES_MAX], limit[DYNAPIPE_DEVICES_MAX];
    int32_t first_layer[DYNAPIPE_STAGES_MAX + 1];
    int32_t tensors[DYNAPIPE_STAGES_MAX]; // of the output of every stage
    int32_t hidden;
    int32_t widest; // stages of the device with most of them
};

// All functions return false with a fault.
bool plan_pipeline_read(const struct cJSON *root, struct plan_pipeline *plan,
                        struct pps_fault *fault);

// Reads the number of micro-batches of a replica.
bool plan_count_read(const struct cJSON *replica, int32_t *count, struct pps_fault *fault);

// Reads the tables of a replica, by position, into batches of the right size.
bool plan_tables_read(const struct cJSON *replica, struct micro_batches *batches,
                      struct pps_fault *fault);

// Reads the backward times without recomputation, [count * stages]; without them in the document, those of the batches. Returns
// false with a fault.
bool plan_plain_read(const struct cJSON *replica, const struct micro_batches *batches,
                     double *values, struct pps_fault *fault);

// Reads the order of a replica: a permutation of its micro-batches, [count].
bool plan_order_read(const struct cJSON *replica, int32_t count, int32_t *order,
                     struct pps_fault *fault);

// Returns whether an item is a whole number within limits.
bool plan_whole_read(const struct cJSON *item, int32_t least, int32_t most, int32_t *value);
