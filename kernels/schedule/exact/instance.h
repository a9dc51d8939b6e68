// SPDX-License-Identifier: Apache-2.0
// Prepares a pipeline with one stage per device for the exact search: times, delays, which operations
// the memory limits force before others, and what must follow each operation.
//
// Arrays over operations of one type have [stage * M + micro-batch].
#ifndef PPS_SCHEDULE_EXACT_INSTANCE_H
#define PPS_SCHEDULE_EXACT_INSTANCE_H

#include "kernels/schedule/families/family.h"

enum { EXACT_TYPES = 3 }; // F, B, W: the first values of enum operation_type

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

// What must follow the operations of a stage, while tails are computed from the last micro-batch to the
// first. b_next, w_next: the first forward that a B, or W, of memory precedes.
struct exact_followers {
    struct exact_load load[EXACT_TYPES];
    int32_t b_next, w_next;
};

struct exact_instance {
    int32_t P, M;
    double *time[EXACT_TYPES]; // [P]
    double *delay[2]; // [P]: of the forward to stage s + 1; of the gradient to stage s - 1
    // [P]: start of the stage's first forward if the objective is the span, otherwise 0. The
    // objective is the largest end of a stage less its origin.
    double *origin;
    const struct pipeline *pipeline;
    // [P * M]: the number of B's, and of W's, that must end before forward m of the stage starts.
    int32_t *b_before, *w_before;
    // [P * M]: the least time from the end of an operation to the largest end, less the origins.
    double *tail[EXACT_TYPES];
    struct exact_followers *followers; // [P]: scratch
};

void exact_instance_take(struct exact_instance *instance,
                         const struct pipeline_shape *shape,
                         struct room *room);

// Returns false if a device cannot hold a micro-batch.
bool exact_instance_set(struct exact_instance *instance,
                        const struct pipeline *pipeline,
                        enum family_objective objective);

// Returns whether the memory limit of the stage admits `forwards` forwards started, after b B's and w
// W's have ended.
bool exact_instance_fits(const struct exact_instance *instance,
                         int32_t stage,
                         int32_t forwards,
                         int32_t b,
                         int32_t w);

#endif
