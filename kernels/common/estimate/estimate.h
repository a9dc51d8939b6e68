// SPDX-License-Identifier: Apache-2.0
// Estimates the memory of a strategy's worst stage and the time of a training step in closed form.
// A point costs a few dozen operations. The caller's cache holds the figures that depend only on
// (tp, cp, ep, mbs, sp, seq_length), and the kinds of stages of each pipeline depth; no loop goes
// over all stages of a known depth. Plain version: reference.h.
//
// Equations and sources: model.md. Times in s, sizes in bytes.
#pragma once

#include "kernels/common/estimate/strategy.h"

#include "kernels/common/pipeline/layer_cost.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A model on a cluster under a training: const once it is open, and shared by all threads. What may
// vary from point to point beside the strategy is in nd_point.
struct nd_estimate {
    struct layercost_model layers;
    uint32_t id;                  // of this estimate among the estimates that share a cache
    int kinds;                    // of the table of kinds of layers; 0: none
    int64_t n_layers;             // with MTP layers
    int64_t n_dense;              // leading ones; 0 with a table of kinds
    double n_of[MODELDESC_KINDS]; // layers of each kind
    int64_t mtp_depth;            // of the last stage
    double reserve;
    // A parameter. If only adapters are trained, the states that they alone have are spread over all parameters, and
    // `trained` is their share.
    double bytes_param, bytes_grad, bytes_optim, trained;
    int zero_level; // 0 also without a distributed optimizer
    double
        offload_optimizer;   // share of the optimizer state, which is in the memory of the host
    bool offload_parameters; // where level 3 of ZeRO shares parameters, all states are there
    enum training_schedule schedule;
    bool low_mem_vpp, dummy_wgrad;
    double common_parameters; // of the whole model without routed experts, with MTP modules
    double routed_parameters; // of the whole model
    double active_flops;      // a token and step: 6 times what it uses of the parameters
    double attention_flops;   // a token, step and position, causal: times seq_length
    double
        attention_of[MODELDESC_KINDS]; // the same of the kinds of a table, for all their layers
    double made_flops[LAYERCOST_MODES];     // what devices execute, recomputation included:
    double made_attention[LAYERCOST_MODES]; // as the two above, by recompute mode
};

struct nd_point {
    struct nd_strategy strategy;
    int64_t seq_length;
    int64_t gbs; // sequences a step; micro-batches a step: gbs / mbs / dp
};

// Memory of the stage that needs most; the lowest stage if several are equal.
struct nd_memory {
    double parameters, gradients, optimizer;
    double activations; // of all micro-batches in flight
    // Logits, one layer that is made again, gradient buffers of fused accumulation.
    double transient;
    double reserve; // of the cluster, and what the allocator of the stack adds
    double total;
    int32_t stage;
};

struct nd_time {
    double pipe;       // the stage that takes longest, all its micro-batches
    double bubble;     // that stage waits
    double p2p;        // transfers between stages that are exposed
    double dp;         // exchange of gradients and parameters between replicas
    double dp_exposed; // the part of dp that the backward pass does not hide
    double optimizer;
    double step;        // sum of pipe, bubble, p2p, dp_exposed, optimizer
    double stage;       // longest stage, one micro-batch, forward and backward
    double exchange[3]; // part of `pipe`: exchanges of tp, ep, cp
    double head;        // part of `pipe`: 0 where another stage than the last takes longest
    double mfu;         // model FLOPs a second, of the peak
    double hfu;         // executed FLOPs a second, of the peak
    double tokens_per_s;
};

// Returns whether a stage takes longer than another by more than rounding. Of equally long stages, as where launches
// of kernels limit all layers, the first one counts as the longest.
static inline bool nd_is_longer(double time, double than)
{
    return time > than * (1 + 1e-12);
}

// Scratch of one thread, 64-byte aligned. Initialise with zeros; keep between calls for the same
// set of open estimates. The cache saves work and never changes a result.
size_t nd_cache_bytes(void);
struct nd_cache;

// `id` distinguishes estimates that share a cache.
void nd_estimate_open(struct nd_estimate *e, const struct modeldesc *model,
                      const struct cluster *cluster, const struct training *training,
                      uint32_t id);

// Estimates memory and time of a point. nd_stage_layers splits layers over stages; a stage splits
// its layers over its vp chunks as equally as possible, later chunks larger. Either result may be
// NULL.
void nd_estimate(const struct nd_estimate *e, struct nd_cache *cache,
                 const struct nd_point *point, struct nd_memory *memory, struct nd_time *time);

// Total memory of the worst stage for each of the three recompute modes.
void nd_memory_modes(const struct nd_estimate *e, struct nd_cache *cache,
                     const struct nd_point *point, double total[LAYERCOST_MODES]);

// Computes the totals of the three modes, and memory and time (either may be NULL) in the mode that it
// returns: the least recomputation that fits the limit, or FULL. It costs less than two separate calls.
// limit NAN: the strategy's own mode.
enum nd_recompute nd_estimate_fitting(const struct nd_estimate *e, struct nd_cache *cache,
                                      const struct nd_point *point, double limit,
                                      double total[LAYERCOST_MODES], struct nd_memory *memory,
                                      struct nd_time *time);

// Returns twice the mean number of positions to which a token attends: all positions without a window.
// With a table of kinds it is the mean over the layers, weighted by their FLOPs.
static inline double nd_seen_positions(const struct nd_estimate *e, double seq_length)
{
    if (e->layers.model.n_kinds == 0)
        return 2 * modeldesc_seen(&e->layers.model, seq_length) * seq_length;
    double sum = 0;
    for (int k = 0; k < e->layers.model.n_kinds; k++)
        sum += e->attention_of[k] * modeldesc_seen_of(e->layers.model.kinds[k].window,
                                                      e->layers.model.kinds[k].chunked,
                                                      seq_length);
    return e->attention_flops > 0 ? 2 * sum / e->attention_flops * seq_length : 0;
}

// Returns the model FLOPs per token and step, forward and backward, without recomputation.
static inline double nd_token_flops(const struct nd_estimate *e, double seq_length)
{
    return e->active_flops + e->attention_flops * nd_seen_positions(e, seq_length);
}

// FLOPs of matrix products and attention that devices execute for a token and step.
static inline double nd_made_flops(const struct nd_estimate *e, enum nd_recompute recompute,
                                   double seq_length)
{
    const double positions =
        e->layers.flash ? nd_seen_positions(e, seq_length) : seq_length; // a mask hides nothing
    return e->made_flops[recompute] + e->made_attention[recompute] * positions;
}

// Micro-batches of a step: gbs / mbs / dp.
static inline int64_t nd_micro_batches(const struct nd_point *point)
{
    return point->gbs / point->strategy.mbs / point->strategy.dp;
}
