// SPDX-License-Identifier: Apache-2.0
// Divides the samples of a global batch into micro-batches: tries orders of samples, limits of memory and recompute
// types, and keeps the division with the smallest objective. The answer depends on the task only.
#pragma once

#include "kernels/dynapipe/split/division.h"
#include "kernels/dynapipe/split/path_order.h"

enum split_order {
    SPLIT_ORDER_BEST, // the better of length and path
    SPLIT_ORDER_LENGTH,
    SPLIT_ORDER_PATH,  // length without a decoder
    SPLIT_ORDER_GIVEN, // of ready micro-batches, in results only
};

enum split_limit {
    SPLIT_LIMIT_MICRO_BATCH, // memory of one micro-batch
    SPLIT_LIMIT_AVAILABLE,   // all memory that the state leaves
    SPLIT_LIMITS,
};

struct split_task {
    const struct split_samples *samples;
    struct split_pipeline pipeline;
    struct split_costs costs;
    double
        available; // MB: limit of the device less split_state_of_first_device; INFINITY: no limit
    double fraction; // of `available`, for the activations of one micro-batch; 0: 1 / devices
    bool pack;
    enum split_order order;
    enum split_measure measure; // of path order
    enum split_total total;
    bool is_barred[DYNAPIPE_RECOMPUTE_TYPES]; // recompute types that must not be used
};

// What an infeasible task lacks: the first sample, in the order by length, that does not fit alone, with all
// available memory and the recompute type that needs the least memory.
struct split_lack {
    int32_t
        sample; // -1: each sample fits with some recompute type, but not all of them with the same type
    bool is_outside; // the cost tables; then `needed` is not set
    enum dynapipe_recompute recompute;
    double needed, available; // MB
};

// A division of all samples. The arrays belong to the struct split_memory.
struct split_result {
    int32_t count;  // micro-batches
    int32_t *order; // [samples]: the samples, micro-batch by micro-batch
    int32_t *start; // [count + 1]: where a micro-batch starts in `order`
    int32_t *row; // [samples]: row, in its micro-batch, of the sample at this place of `order`
    struct split_group *groups;     // [count]
    double objective, longest, sum; // ms
    enum split_order ordered;       // length or path
    enum split_limit limit;
    enum dynapipe_recompute recompute;
    double stored_limit, peak_limit; // MB
    struct split_lack lack;          // of SPLIT_INFEASIBLE
};

struct split_memory; // for one thread

// Takes the memory for so many samples and groups of at most `width` samples; NULL if the room only counts.
// A good width is the largest number of rows of the cost tables, with packing the number of samples.
struct split_memory *split_memory_take(int32_t samples, int32_t width, struct room *room);

// Divides the samples: at most as many as the memory has room for. poll: may be NULL.
enum split_outcome split_run(struct split_memory *memory, const struct split_task *task,
                             struct poll *poll, struct split_result *result);
