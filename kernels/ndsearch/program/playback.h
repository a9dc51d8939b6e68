// SPDX-License-Identifier: Apache-2.0
// A choice of the pipeline program played through: when every task of every stage runs, what the
// stage holds from then on, and where the idle time comes from. For pictures and reports.
#ifndef PPS_NDSEARCH_PLAYBACK_H
#define PPS_NDSEARCH_PLAYBACK_H

#include "kernels/common/bubble.h"
#include "program.h"

struct nd_played {
    struct orders_task task;
    int32_t stage;
    double start, end; // forwards of a type-2 layer
    double held_mb;    // of the stage: from the start of a forward, the end of a backward on
    bool recomputes;   // a backward of a chunk in which something is recomputed
};

struct nd_playback {
    struct orders_shape shape;
    int32_t n;
    struct nd_played *tasks; // [n]: stage after stage, each in its order
    double *fixed_mb;        // [stages]: held before the first forward
    double *limit_mb;        // [stages]: that must not be exceeded
    double makespan;         // of all micro-batches
};

// To be freed whatever comes back. The program has as many micro-batches as stages at least.
enum nd_outcome nd_play(const struct nd_program *program,
                        const struct nd_choice *choice,
                        struct nd_playback *playback);
void nd_playback_free(struct nd_playback *playback);

// What part of the device time is idle, and why.
enum nd_outcome nd_bubble(const struct nd_program *program,
                          const struct nd_choice *choice,
                          struct bubble *bubble);

#endif
