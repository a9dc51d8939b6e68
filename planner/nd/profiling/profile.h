// SPDX-License-Identifier: Apache-2.0
// Chooses the configurations to profile: candidates reduced to the devices available for profiling,
// so that a small run measures the figures that rank the large ones.
#pragma once

#include "planner/nd/strategies/enumerate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nd_profile_style {
    ND_PROFILE_GRAPH,    // pipeline shrinks first, then dp
    ND_PROFILE_MEGATRON, // two stages, dp shrinks
    ND_PROFILE_FSDP,     // one stage, dp and op shrink
};

enum { ND_PROFILE_STAGES_MAX = 8 };

// A reduced configuration: its degrees, and the small model that runs on it. `layers` is the
// number in the run's configuration file; graph: an MTP layer is added to this number.
struct nd_profile_run {
    struct nd_strategy strategy;          // reduced; ep 0: the candidate has none
    int32_t layers;                       // 0: the model as it is (fsdp)
    int n_stages;                         // of the two lists; 0: the scalar 0 in their place
    int32_t split[ND_PROFILE_STAGES_MAX]; // graph: offsets; megatron: layers
    int32_t recompute[ND_PROFILE_STAGES_MAX]; // recomputed layers of each stage
    int32_t nodes, node_devices;              // megatron
    int32_t record_ranks[2];                  // megatron: the first of each stage
    size_t candidate;                         // the first it stands for
};

struct nd_profile_options {
    enum nd_profile_style style;
    bool orig;
    int32_t rank_num; // devices for profiling
    int32_t devices;  // of the cluster
    int n_max;        // configurations at most; 0: 10 (orig), 20
    bool dense;       // the model has no experts; orig: ep 0 means this
    // Whether the reduced configuration is legal and fits a device; NULL: not asked. Not orig.
    bool (*fits)(void *context, const struct nd_profile_run *profile);
    // Seconds of a step of the candidate: the best of each group goes first; NULL: input order.
    double (*seconds)(void *context, const struct nd_strategy *candidate);
    void *context;
};

enum nd_profile_status {
    ND_PROFILE_OK,
    ND_PROFILE_RANKS,    // rank_num < 1; not orig
    ND_PROFILE_DIVISION, // orig only: the rule divides by zero
    ND_PROFILE_MEMORY,   // there is none
};

// Chooses among candidates (sorted by dp, tp, pp, ep, cp, op, as equal ones keep their order).
// profiles has room for nd_profile_max(options). text (may be NULL) receives what was wrong, which
// starts with "error".
//
// orig: reduces every candidate, drops doubles, sorts by (tp, cp, ep descending) and cuts where
// there are too many. Otherwise candidates that the same ratios describe (tp, cp, ep, mbs, sp) form
// groups, and the quickest groups are represented once each.
enum nd_profile_status nd_profile_choose(const struct nd_profile_options *options,
                                         const struct nd_strategy *candidates, size_t n,
                                         struct nd_profile_run *profiles, int *n_profiles,
                                         char text[160]);
int nd_profile_max(const struct nd_profile_options *options);

const char *nd_profile_style_name(enum nd_profile_style style);

// ---- shrink -------------------------------------------------------------------------------------

enum nd_reduction {
    ND_REDUCED,
    ND_REJECTED, // the rule has no smaller configuration for it
    ND_DIVIDED,  // by zero; orig only
};

enum nd_reduction nd_reduce(const struct nd_profile_options *options,
                            const struct nd_strategy *candidate,
                            struct nd_profile_run *profile);
