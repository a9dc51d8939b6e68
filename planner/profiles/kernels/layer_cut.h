// SPDX-License-Identifier: Apache-2.0
// Cuts the attention kernels of one rank into steps, micro-batches and layers, and measures layers.
//
// A rank of stage s of P runs micro-batches in the 1F1B order: P - 1 - s forward passes (warm-up),
// then forward and backward passes in turn, then the remaining backward passes. A forward pass
// starts the attention of every layer once, a backward pass starts the backward attention of every
// layer from the last to the first. A recomputed layer starts its forward attention again, within
// the backward pass and before its backward attention. Nothing else starts attention, so that the
// order of the kernels gives the number of layers, the recomputed layers and, unless there is no
// warm-up, the micro-batches per step. Schedules with several chunks per stage have another order and
// are not recognised.
//
// The time between the starts of attention of two neighbouring layers, in one pass, is the time of a
// layer: forward, of the earlier layer; backward, of the layer whose backward attention starts at the
// end of the time, with its recompute.
#pragma once

#include "planner/profiles/kernels/kernel_events.h"

// What is known of a rank before its kernels are read. 0: unknown.
struct layer_request {
    int32_t stage, stages; // stage -1: unknown
    int32_t layers;        // of the stage
    int32_t micro_batches; // per step
    int32_t steps;         // in the trace
    int32_t skip_steps;    // at the start of the trace
};

struct layer_shape {
    int32_t layers;
    int32_t recomputed; // layers whose forward runs again
    int32_t per_layer;  // attention kernels per layer and pass, more than 1 with ring attention
    int32_t warm_up;    // forward passes before the first backward pass
    int32_t micro_batches; // per step; 0: the trace does not show where steps begin
    int32_t steps;         // with at least one backward pass
    int32_t passes;        // backward passes
    bool is_partial;       // the order fits only up to some pass; later kernels are not used
};

enum layer_pass {
    LAYER_FORWARD,
    LAYER_BACKWARD,      // nothing recomputed
    LAYER_BACKWARD_FULL, // recomputed
    LAYER_PERIOD, // from one micro-batch's first attention to the next's, in the same step
};

struct layer_time {
    double us;
    int32_t layer; // of the stage, from 0; -1: of a period
    enum layer_pass pass;
};

struct layer_cut {
    struct layer_shape shape;
    bool *has_experts; // of each layer of the stage
    struct layer_time *times;
    size_t n, room;
};

enum layer_cut_status { LAYER_CUT_DONE, LAYER_CUT_NO_ORDER, LAYER_CUT_NO_MEMORY };

// Cuts sorted events. Warm-up micro-batches and skipped steps give no times. LAYER_CUT_NO_ORDER: the
// kernels do not follow the order above; `why` says what was found. The caller calls
// layer_cut_free() after LAYER_CUT_DONE.
enum layer_cut_status layer_cut_find(struct layer_cut *cut, const struct kernel_events *events,
                                     const struct layer_request *request, char *why,
                                     size_t why_size);
void layer_cut_free(struct layer_cut *cut);
