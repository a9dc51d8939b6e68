// SPDX-License-Identifier: Apache-2.0
// Prices the exchange of one micro-batch, and the exchange of the last micro-batch of a step.
#include "kernels/common/estimate/replicas.h"

#include "kernels/common/pipeline/collectives.h"

// ---- groups -------------------------------------------------------------------------------------

static int64_t expert_ranks(const struct nd_estimate *e, const struct nd_strategy *s)
{
    return (int64_t)s->ep * (e->layers.expert_tensor_parallel ? s->tp : 1);
}

struct nd_held nd_held_of(const struct nd_estimate *e, const struct nd_strategy *s)
{
    const int stages = nd_stages_of(e, s);
    return (struct nd_held){stages * (e->common_parameters / s->tp) / s->pp,
                            stages * (e->routed_parameters / (double)expert_ranks(e, s)) /
                                s->pp};
}

static struct nd_replicas nd_replicas_of(const struct nd_estimate *e,
                                         const struct nd_strategy *s)
{
    const int64_t common = (int64_t)s->dp * s->cp;
    const int64_t routed = common * s->tp / expert_ranks(e, s);
    return (struct nd_replicas){common, routed < 1 ? 1 : routed};
}

// Optimizer shards of experts lie within the replicas of experts.
struct nd_replicas nd_shards_of(const struct nd_estimate *e, const struct nd_strategy *s)
{
    const struct nd_replicas replicas = nd_replicas_of(e, s);
    const int64_t shards = s->op > 0 ? s->op : s->dp;
    int64_t routed =
        shards == replicas.common ? replicas.routed : shards * s->tp / expert_ranks(e, s);
    if (routed > replicas.routed)
        routed = replicas.routed;
    return (struct nd_replicas){shards, routed < 1 ? 1 : routed};
}

struct nd_sharing nd_sharing_of(const struct nd_estimate *e, const struct nd_strategy *s,
                                int64_t micro_batches)
{
    const struct stack *stack = &e->layers.stack;
    const bool stages = stack->pipeline_whole && s->pp > 1;
    const bool accumulates = stack->accumulation_whole && micro_batches > 1;
    const bool copies = e->layers.fp8 && e->bytes_param >= 2;
    const bool shares = e->zero_level >= 3 && !stages;
    const bool gradients = e->zero_level >= 2 && !stages && !accumulates;
    const bool host = shares && e->offload_parameters;
    return (struct nd_sharing){
        .parameters = shares,
        .gradients = gradients,
        .optimizer = e->zero_level >= 1,
        .on_host = host,
        .param = host ? 0 : e->bytes_param + (copies && !shares ? 1 : 0),
        .grad = host && gradients ? 0 : e->bytes_grad,
        .optim = host ? 0 : e->bytes_optim * (1 - e->offload_optimizer),
    };
}

// ---- exchanges ----------------------------------------------------------------------------------

// Times of the parts of an exchange, s.
struct parts {
    double gather, scatter;
};

// Shards lie within groups; what each device holds after the scatter is summed over the groups.
static struct parts exchange(const struct nd_estimate *e, double held, int64_t replicas,
                             int64_t shards, int64_t stride)
{
    const struct hardware *hw = &e->layers.hardware;
    const double gradients = e->bytes_grad * held;
    if (held <= 0)
        return (struct parts){0, 0};
    struct parts parts = {hardware_buckets(hw, shards, stride, e->bytes_param * held),
                          hardware_buckets(hw, shards, stride, gradients)};
    if (shards < replicas)
        parts.scatter += 2 * hardware_buckets(hw, replicas / shards, stride * shards,
                                              gradients / (double)shards);
    return parts;
}

static struct parts both(const struct nd_estimate *e, const struct nd_strategy *s,
                         const struct nd_held *held, const struct nd_replicas *shards)
{
    const struct nd_replicas replicas = nd_replicas_of(e, s);
    const struct parts common =
        exchange(e, held->common, replicas.common, shards->common, s->tp);
    const struct parts routed =
        exchange(e, held->routed, replicas.routed, shards->routed, expert_ranks(e, s));
    return (struct parts){common.gather + routed.gather, common.scatter + routed.scatter};
}

// Returns the parameters that a device updates.
static double updated_of(const struct nd_estimate *e, const struct nd_strategy *s,
                         const struct nd_held *held)
{
    if (e->zero_level < 1)
        return held->common + held->routed;
    const struct nd_replicas shards = nd_shards_of(e, s);
    return held->common / (double)shards.common + held->routed / (double)shards.routed;
}

struct nd_exchanges nd_exchanges_of(const struct nd_estimate *e, const struct nd_strategy *s,
                                    const struct nd_held *held, double micro_batches)
{
    const struct stack *stack = &e->layers.stack;
    struct nd_exchanges x = {.micro_batches = micro_batches,
                             .each_hidden = stack->zero_hidden,
                             .each_exposed = stack->zero_exposed,
                             .once_hidden = stack->dp_hidden,
                             .once_exposed = stack->dp_exposed};
    const struct nd_replicas shards =
        e->zero_level >= 1 ? nd_shards_of(e, s) : nd_replicas_of(e, s);
    const struct parts parts = both(e, s, held, &shards);
    // What a stack keeps whole during a step is exchanged once.
    const struct nd_sharing sharing = nd_sharing_of(e, s, (int64_t)micro_batches);
    x.each =
        (sharing.gradients ? parts.scatter : 0) + (sharing.parameters ? 2 * parts.gather : 0);
    x.once = (sharing.gradients ? 0 : parts.scatter) +
             (sharing.parameters ? 0 : e->trained * parts.gather);
    x.late = e->zero_level == 1 ? stack->gather_exposed * e->trained * parts.gather : 0;
    if (sharing.on_host) {
        const double updated = updated_of(e, s, held);
        const double gradients = hardware_host(&e->layers.hardware, e->bytes_grad * updated);
        x.each += 2 * hardware_host(&e->layers.hardware, e->bytes_param * updated);
        *(sharing.gradients ? &x.each : &x.once) += gradients;
    }
    return x;
}

double nd_optimizer_of(const struct nd_estimate *e, const struct nd_strategy *s,
                       const struct nd_held *held)
{
    const struct hardware *hw = &e->layers.hardware;
    const double updated = updated_of(e, s, held), moved = e->bytes_grad + e->bytes_param;
    const double bytes = 2 * e->bytes_optim + e->bytes_grad;
    if (nd_sharing_of(e, s, 1).on_host)
        return hardware_host(hw, updated * (bytes + e->bytes_param));
    const double share = e->offload_optimizer;
    return hardware_stream(hw, (1 - share) * updated * bytes) +
           hardware_host(hw, share * updated * (bytes + e->bytes_param + moved));
}
