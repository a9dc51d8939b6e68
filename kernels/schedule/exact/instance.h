// SPDX-License-Identifier: Apache-2.0
// Prepares a pipeline of one direction for the exact search: times, delays, which operations the memory
// limits force before others, and what must follow each operation.
//
// Arrays over F's or B's have [stage * M + micro-batch]. The W's of a device run in the order of its
// B's, whatever their stage; arrays over them have [w_first[device] + number].
#pragma once

#include "kernels/schedule/families/family.h"

enum { EXACT_CHUNKS_MOST = 8 }; // stages of a device

// The least time at which a device can have run a set of operations, which grows one by one: a lower
// bound, exact if the operations come in the order of their releases.
struct exact_load {
    double end;   // of the set
    double block; // start of the last stretch without idle time
    double idle;  // before that stretch
};

static inline void exact_load_add(struct exact_load *load, double release, double time)
{
    if (release > load->end) {
        load->idle += release - load->end;
        load->block = release;
        load->end = release + time;
    } else if (release >= load->block) {
        load->end += time;
    } else { // may fit before the stretch
        const double before = load->idle < time ? load->idle : time;
        load->idle -= before;
        load->end += time - before;
    }
}

// What must follow the next F and the next B of a stage, and the next W of the device with the number
// of the stage, while tails are computed from the last micro-batch to the first.
struct exact_followers {
    struct exact_load f, b, w;
    int32_t b_next;               // the first forward of the stage that waits for memory of a B
    int32_t w_next;               // of a W
    int32_t w_added_f, w_added_b; // W's in the loads, from the last one
};

struct exact_instance {
    const struct pipeline *pipeline;
    int32_t P, S, M; // devices, stages, micro-batches
    int32_t *device; // [S]
    int32_t *rank;   // [S]: among the stages of its device
    int32_t *
        first; // [P + 1]: the stages of a device are stages[first[d] ... first[d + 1]), ascending
    int32_t *stages;
    int32_t *w_first; // [P + 1]
    double *f, *b;    // [S]: times
    double *w;        // [P]: times; of all stages of the device
    double *delay[2]; // [S]: of the forward to stage s + 1; of the gradient to stage s - 1
    // [P]: start of the device's first forward if the objective is the span, otherwise 0. The objective
    // is the largest end of a device less its origin.
    double *origin;
    // [S * M]: the number of B's of the stage, and of W's of its device, that must end before a forward.
    int32_t *b_before, *w_before;
    // [S * M]: the least time from the end of an operation to the largest end, less the origins.
    double *f_tail, *b_tail, *w_tail;
    struct exact_followers *followers; // [S]: scratch
};

void exact_instance_take(struct exact_instance *instance, const struct pipeline_shape *shape,
                         struct room *room);

// Returns whether the W's of each device have equal times and memory, so that their order is of no
// importance.
bool exact_instance_suits(const struct pipeline *pipeline);

// Returns false if a device cannot hold a micro-batch.
bool exact_instance_set(struct exact_instance *instance, const struct pipeline *pipeline,
                        enum family_objective objective);

static inline int32_t exact_chunks(const struct exact_instance *instance, int32_t device)
{
    return instance->first[device + 1] - instance->first[device];
}

// Returns whether memory `held` by operations is within the limit of the device.
bool exact_instance_fits(const struct exact_instance *instance, int32_t device, double held);
