// SPDX-License-Identifier: Apache-2.0
// Plans one training step: divides the samples of a global batch into micro-batches, deals them to the replicas, and plans
// every replica. Times are in us unless a name says ms, memory in MB (10^6 bytes). The answers depend on the task only.
#pragma once

#include "kernels/dynapipe/costs/network.h"
#include "kernels/dynapipe/search/plan_search.h"
#include "kernels/dynapipe/split/baselines.h"
#include "kernels/dynapipe/split/deal.h"
#include "kernels/dynapipe/split/split.h"

// Writes one micro-batch, as network_fill. Returns false if its shape has no costs.
struct step_fill {
    bool (*fill)(void *self, enum dynapipe_recompute recompute,
                 const struct network_shape *shape, int32_t micro_batch,
                 struct micro_batches *batches);
    void *self;
};

// What all steps of a training have in common. The caller owns everything.
struct step_setup {
    const struct network *network;
    const struct network_stages *stages;
    const struct network_links *links;
    struct cost_tables *tables;
    int32_t replicas; // data-parallel
    int32_t zero;     // stage of sharding
    double limit;     // of every device; INFINITY: none
    // Of a training whose stages are priced themselves: micro-batches, and the state of every device, [devices]. Zeroed:
    // of the network and the tables, which always price the division.
    struct step_fill fill;
    const double *fixed;
    // Set by step_setup_open:
    struct dynapipe_pipeline pipeline;
    double state[DYNAPIPE_DEVICES_MAX];
    double limits[DYNAPIPE_DEVICES_MAX];
    int32_t tensors[DYNAPIPE_STAGES_MAX]; // of the output of every stage
    struct split_pipeline split;
};

// Computes states, limits, tensors and the pipeline of a setup. Returns the first device whose state does not fit; -1: all fit.
int32_t step_setup_open(struct step_setup *setup);

// How samples are divided. The simple rules are for comparison.
enum step_rule {
    STEP_OPTIMAL, // split_run
    STEP_TOKENS,  // split_by_tokens
    STEP_UNIFORM, // split_uniformly
};

// How a step is divided and planned.
struct step_choice {
    enum step_rule rule;
    int64_t rule_size; // tokens or rows of a micro-batch
    enum split_order order;
    enum split_measure measure;
    double
        fraction; // of the available memory for the activations of a micro-batch; 0: 1 / devices
    bool pack;
    bool recomputes; // the division lets all micro-batches recompute
    int32_t offset;  // tokens by which the network shortens a sequence
    bool keeps_order;
    enum plan_mode mode;
    int method;     // enum method, or PLAN_ANY_METHOD
    int64_t budget; // 0: that of the mode
    uint64_t seed;
    bool as_published;
};

// ---- division -------------------------------------------------------------------------------------

struct step_division; // memory for one thread

// Takes the memory for so many samples, of a setup that step_setup_open has opened; NULL if the room only counts. packs: of
// the choice.
struct step_division *step_division_take(const struct step_setup *setup, int32_t samples,
                                         bool packs, struct room *room);

// A stricter division, for when the micro-batches of the usual one are too large for any plan: the division sees layers of
// average cost. Zeroed at first.
struct step_caution {
    int round;
    double withheld; // MB of every device that stay free
};

// Makes the next division stricter. `lacks` is how many MB the plans of the last division exceeded the memory by, at
// least. Returns false after many rounds.
bool step_caution_grow(struct step_caution *caution, double lacks);

// Divides the samples into micro-batches and deals these to the replicas. Without samples there are no micro-batches.
enum split_outcome step_divide(struct step_division *division, const struct step_setup *setup,
                               const struct step_choice *choice,
                               const struct split_samples *samples, struct step_caution caution,
                               struct poll *poll);

// Of the last division.
struct step_divided {
    const struct split_result *split;
    const int32_t *replica; // [split->count]: of a micro-batch
    int32_t most;           // micro-batches of the replica with most of them
    bool deal_is_proven;
};

struct step_divided step_divided(const struct step_division *division);

// Returns the micro-batches of a replica.
int32_t step_count_of(const struct step_division *division, int32_t replica);

// ---- replicas -------------------------------------------------------------------------------------

// The plan of a replica. Its memory is that of the room it was taken from.
struct step_replica {
    int32_t count;
    struct micro_batches of[DYNAPIPE_RECOMPUTE_TYPES];
    struct plan_search *search;
    int32_t *group; // [count]: micro-batch of the division
    struct plan_task task;
    struct plan_answer answer;
    enum plan_outcome outcome;
};

// Takes the memory for a replica of size->count micro-batches.
void step_replica_take(struct step_replica *replica, const struct plan_size *size,
                       struct room *room);

// Fills the micro-batches of replica k of a division and plans them.
enum plan_outcome step_plan(struct step_replica *replica, const struct step_setup *setup,
                            const struct step_choice *choice,
                            const struct step_division *division, int32_t k, struct poll *poll);

// Plans micro-batches that the caller has filled, [DYNAPIPE_KEEP] at least; has[]: types that may be used.
enum plan_outcome step_plan_filled(struct step_replica *replica, const struct step_setup *setup,
                                   const struct step_choice *choice,
                                   const bool has[DYNAPIPE_RECOMPUTE_TYPES],
                                   enum dynapipe_recompute start, struct poll *poll);
