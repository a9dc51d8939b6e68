// SPDX-License-Identifier: Apache-2.0
// A point of the contention model: its parameters, and the work of its synchronisations. The
// fast simulators, the lower bound and the keys of equal points take lengths and work from here.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum contention_pipeline {
    CONTENTION_1F1B,
    CONTENTION_GPIPE,
};

enum contention_channels {
    CONTENTION_SHARED, // one port per GPU
    CONTENTION_DUPLEX, // one port downstream, one upstream
    CONTENTION_IDEAL,  // every transfer at rate 1, no impact on compute
};

// Kinds of task. The first three use the port; their order is the last tie-break.
enum contention_kind {
    CONTENTION_FWD_PROP,
    CONTENTION_GRAD_PROP,
    CONTENTION_GRAD_SYNC,
    CONTENTION_FORWARD,
    CONTENTION_BACKWARD,
};
#define CONTENTION_N_SHARING 3 // kinds that use the port

// The parameters of the kernel, in the order of its table.
enum contention_param {
    PARAM_N,
    PARAM_GPUS,
    PARAM_SYNC_FREQ,
    PARAM_FWD_LEN,
    PARAM_BWD_LEN,
    PARAM_PROP_LEN,
    PARAM_SYNC_BASE_LEN,
    PARAM_FWD_IMPACT,
    PARAM_BWD_IMPACT,
    PARAM_PIPELINE,
    PARAM_CONGESTION,
    PARAM_CHANNELS,
    PARAM_P_FWD_PROP,
    PARAM_P_GRAD_PROP,
    PARAM_P_GRAD_SYNC,
    N_PARAMS,
};

enum {
    CONTENTION_N_LENGTHS = PARAM_FWD_IMPACT - PARAM_FWD_LEN,
    CONTENTION_N_SLOPES = PARAM_PIPELINE - PARAM_FWD_LEN, // lengths, then impacts
};

struct contention_point {
    int32_t n;         // micro-batches, 1 ... 1,000,000
    int32_t gpus;      // stages, 1 ... 4096
    int32_t sync_freq; // micro-batches per gradient synchronisation, 1 ... n
    union {
        struct {
            double fwd_len;       // > 0
            double bwd_len;       // > 0
            double prop_len;      // >= 0, one activation or gradient transfer
            double sync_base_len; // >= 0, synchronisation per micro-batch covered
        };
        double length[CONTENTION_N_LENGTHS]; // all of them
    };
    double fwd_impact, bwd_impact; // [0, 1): slowdown of compute by a full-rate synchronisation
    enum contention_pipeline pipeline;
    enum contention_channels channels;
    bool congestion; // receivers accept at most 1 (shared channels, more than 2 GPUs)
    double priority[CONTENTION_N_SHARING]; // a weight >= 0; or a tier: -1 is a, -2 is b ...
    int64_t
        most_events; // a simulation that takes more gives up (CONTENTION_LIMITED); 0: none does
};

// Returns the longest length.
static inline double contention_longest(const struct contention_point *p)
{
    double longest = p->length[0];
    for (int k = 1; k < CONTENTION_N_LENGTHS; k++)
        longest = longest < p->length[k] ? p->length[k] : longest;
    return longest;
}

// Returns the work of a synchronisation that covers this number of micro-batches.
static inline double contention_sync_work(const struct contention_point *p, int32_t covered)
{
    return p->sync_base_len * covered;
}

// Returns the work of all synchronisations of all stages.
static inline double contention_all_sync_work(const struct contention_point *p)
{
    return (double)p->gpus * p->n * p->sync_base_len;
}
