// SPDX-License-Identifier: Apache-2.0
// Evaluates the step of all stages in plain loops.
#include "kernels/common/estimate/reference_private.h"

#include "kernels/common/pipeline/collectives.h"

#include <math.h>
#include <string.h>

static void worst_stage(const struct nd_stage *stage, int32_t n, struct nd_memory *memory)
{
    int32_t worst = 0;
    for (int32_t i = 1; i < n; i++)
        if (stage[i].total > stage[worst].total)
            worst = i;
    const struct nd_stage *s = &stage[worst];
    *memory = (struct nd_memory){s->parameters, s->gradients, s->optimizer, s->activations,
                                 s->transient,  s->reserve,   s->total,     worst};
}

// Exchanges of kind k of the longest stage in one micro-batch: forward, backward, and forward again
// where layers are made again.
static double exchanged(const struct reference_view *w, int32_t i, int which)
{
    double sum = 0;
    for (int32_t v = 0; v < w->s->vp; v++) {
        const struct nd_chunk *c = reference_chunk(w, i, v);
        double each = 0, again = 0;
        for (int k = 0; k < reference_kinds(w); k++) {
            const struct layercost_parts *p = &w->set->kind[k].parts;
            const struct layercost_parts *a = &w->set->kind[k].select_again;
            each += (which == 0   ? p->tp
                     : which == 1 ? p->ep
                                  : p->cp) *
                    (2 * c->layers.of[k] + c->full.of[k]);
            again += (which == 0 ? a->tp : which == 1 ? a->ep : 0) * c->select.of[k];
        }
        sum += each;
        sum += again;
    }
    return sum;
}

// The exchange of gradients or parameters between replicas of which `shards` share a state.
static double gather_time(const struct reference_view *w, double bytes, int64_t shards,
                          int64_t stride)
{
    return hardware_buckets(&w->e->layers.hardware, shards, stride, bytes);
}

// The exchange of `parameters` that one micro-batch causes; the last one of a step ends with what is
// exchanged once. Levels 1 to 3 of ZeRO shard within groups of `shards` devices.
static double exchange_time(const struct reference_view *w, double parameters, int64_t ranks,
                            int64_t shards, int64_t stride, bool once)
{
    const int zero = w->e->zero_level;
    int64_t group = zero >= 1 ? shards : ranks;
    double gather = gather_time(w, w->e->bytes_param * parameters, group, stride);
    double scatter = gather_time(w, w->e->bytes_grad * parameters, group, stride);
    if (zero >= 1 && shards < ranks) {
        double shard = w->e->bytes_grad * parameters / (double)shards;
        scatter += 2 * gather_time(w, shard, ranks / shards, stride * shards);
    }
    // PyTorch keeps parameters of a stage whole during a step with a pipeline, and may keep gradients
    // whole until the last micro-batch: then both are exchanged once.
    const struct stack *stack = &w->e->layers.stack;
    const bool piped = stack->pipeline_whole && w->s->pp > 1;
    const bool late = piped || (stack->accumulation_whole && w->micro_batches > 1);
    const bool gathers_often = zero >= 3 && !piped, scatters_often = zero >= 2 && !late;
    if (gathers_often && w->e->offload_parameters) { // shards come from the host and go back
        const struct hardware *hw = &w->e->layers.hardware;
        gather += hardware_host(hw, w->e->bytes_param * parameters / (double)shards);
        scatter += hardware_host(hw, w->e->bytes_grad * parameters / (double)shards);
    }
    if (once)
        return (gathers_often ? 0 : w->e->trained * gather) + (scatters_often ? 0 : scatter);
    return (scatters_often ? scatter : 0) + (gathers_often ? 2 * gather : 0);
}

static void exchange_times(const struct reference_view *w, double common, double routed,
                           struct nd_time *time)
{
    const struct nd_strategy *s = w->s;
    const struct stack *stack = &w->e->layers.stack;
    const int64_t etp = w->e->layers.expert_tensor_parallel ? s->tp : 1;
    int64_t ranks = (int64_t)s->dp * s->cp, experts = ranks * s->tp / (s->ep * etp);
    if (experts < 1)
        experts = 1;
    double parts[2], late = 0;
    if (w->e->zero_level == 1) {
        late = gather_time(w, w->e->bytes_param * common, reference_dense_shards(s), s->tp);
        if (routed > 0)
            late += gather_time(w, w->e->bytes_param * routed, reference_expert_shards(w->e, s),
                                s->ep * etp);
        late *= w->e->trained * stack->gather_exposed;
    }
    for (int once = 0; once < 2; once++) {
        parts[once] = exchange_time(w, common, ranks, reference_dense_shards(s), s->tp, once);
        if (routed > 0)
            parts[once] += exchange_time(w, routed, experts, reference_expert_shards(w->e, s),
                                         s->ep * etp, once);
    }
    for (int64_t m = 0; m < w->micro_batches; m++) {
        time->dp += parts[0];
        time->dp_exposed +=
            fmax(stack->zero_exposed * parts[0], parts[0] - stack->zero_hidden * time->stage);
    }
    time->dp += parts[1];
    const double rest = parts[1] - late;
    time->dp_exposed +=
        late + fmax(stack->dp_exposed * rest, rest - stack->dp_hidden * time->stage);
}

// The time of the optimizer: the device reads and writes at the rate of its memory, the host at that of the link, over
// which gradients come and parameters go.
static double update_time(const struct reference_view *w, double updated)
{
    const struct nd_estimate *e = w->e;
    const bool piped = e->layers.stack.pipeline_whole && w->s->pp > 1;
    const bool host = e->offload_parameters && e->zero_level >= 3 && !piped;
    const double by_host = (host ? 1 : e->offload_optimizer) * updated;
    double bytes = 2 * e->bytes_optim + e->bytes_grad + e->bytes_param;
    if (!host)
        bytes += e->bytes_grad + e->bytes_param;
    return hardware_stream(&e->layers.hardware,
                           (updated - by_host) * (2 * e->bytes_optim + e->bytes_grad)) +
           hardware_host(&e->layers.hardware, by_host * bytes);
}

static double boundary_time(const struct reference_view *w)
{
    if (w->s->pp == 1)
        return 0;
    int64_t apart = (int64_t)w->s->dp * w->s->tp * w->s->cp;
    bool across = apart >= w->e->layers.hardware.node;
    return across ? w->set->p2p_inter : w->set->p2p_intra;
}

static double weights_of(const struct reference_view *w, const struct nd_stage *stage,
                         int32_t i)
{
    const struct layercost_set *set = w->set;
    const double mtp = (double)w->e->mtp_depth;
    double sum = 0;
    for (int k = 0; k < reference_kinds(w); k++)
        sum += stage->layers.of[k] * set->kind[k].weights;
    if (i == w->s->pp - 1)
        sum += (1 + mtp) * set->head.weights + mtp * set->mtp_weights;
    return sum;
}

// Bubbles of schedules that split the backward pass: tables of the two papers, summed over the other
// stages (model.md).
static double split_bubble(const struct reference_view *w, const struct nd_stage *stage,
                           int32_t longest)
{
    double forward = 0, backward = 0, weights = 0;
    for (int32_t i = 0; i < w->s->pp; i++) {
        const bool pair =
            reference_has_pairs(w) && (i == longest || i == w->s->pp - 1 - longest);
        const double others = pair ? 0.5 : i == longest ? 0 : 1;
        forward += others * stage[i].forward;
        backward += others * stage[i].backward;
        weights += others * weights_of(w, &stage[i], i);
    }
    if (!reference_has_two_stages(w))
        return fmax(0, forward + backward - 2 * weights);
    return (0.5 * w->s->pp - 1) / (w->s->pp - 1.0) *
           fmax(0, forward + 2 * backward - 3 * weights);
}

// The time of one micro-batch on a device. With DualPipe a device has two opposite stages, and half
// of the micro-batches go through each.
static double lasts(const struct reference_view *w, const struct nd_stage *stage, int32_t i)
{
    const double own = stage[i].forward + stage[i].backward;
    const struct nd_stage *other = &stage[w->s->pp - 1 - i];
    return reference_has_pairs(w) ? (own + other->forward + other->backward) / 2 : own;
}

static void whole_step(const struct reference_view *w, const struct nd_point *point,
                       const struct nd_stage *stage, struct nd_time *time)
{
    const struct nd_estimate *e = w->e;
    const struct nd_strategy *s = w->s;
    double m = (double)w->micro_batches, sum = 0;
    int32_t longest = 0;
    memset(time, 0, sizeof *time);
    for (int32_t i = 0; i < s->pp; i++) {
        const double length = lasts(w, stage, i);
        sum += stage[i].forward + stage[i].backward;
        if (nd_is_longer(length, time->stage)) {
            time->stage = length;
            longest = i;
        }
    }
    time->pipe = m * time->stage;
    time->bubble = (sum - time->stage) / s->vp;
    if (s->vp == 1 && (e->schedule == TRAINING_ZERO_BUBBLE || e->schedule == TRAINING_DUALPIPE))
        time->bubble = split_bubble(w, stage, longest);
    time->p2p = 2 * (double)(s->pp - 1) * boundary_time(w);
    for (int32_t v = 0; v < s->vp; v++)
        time->p2p += m * e->layers.stack.pp_exposed * boundary_time(w);

    double etp = e->layers.expert_tensor_parallel ? s->tp : 1;
    double common = e->common_parameters / ((double)s->pp * s->tp);
    double routed = e->routed_parameters / ((double)s->pp * s->ep * etp);
    if (reference_has_two_stages(w)) {
        common *= 2;
        routed *= 2;
    }
    exchange_times(w, common, routed, time);
    double updated = common + routed;
    if (e->zero_level >= 1)
        updated = common / (double)reference_dense_shards(s) +
                  routed / (double)reference_expert_shards(e, s);
    time->optimizer = update_time(w, updated);
    time->step = time->pipe + time->bubble + time->p2p + time->dp_exposed + time->optimizer;

    const bool pairs = reference_has_pairs(w);
    const int32_t opposite = s->pp - 1 - longest;
    for (int k = 0; k < 3; k++)
        time->exchange[k] = pairs
                                ? m / 2 * (exchanged(w, longest, k) + exchanged(w, opposite, k))
                                : m * exchanged(w, longest, k);
    double mtp = (double)e->mtp_depth;
    const struct layercost_head *head = &w->set->head;
    if (longest == s->pp - 1 || (pairs && longest == 0))
        time->head = (pairs ? 0.5 : 1) * m *
                     ((1 + mtp) * (head->forward + head->backward) +
                      mtp * (2 * w->set->mtp_forward + w->set->mtp_weights));
    double devices = (double)s->dp * s->tp * s->cp * s->pp, seq = (double)point->seq_length;
    double tokens = (double)point->gbs * seq;
    time->tokens_per_s = tokens / time->step;
    double offered = time->step * devices * e->layers.hardware.peak;
    time->mfu = nd_token_flops(e, seq) * tokens / offered;
    time->hfu = nd_made_flops(e, s->recompute, seq) * tokens / offered;
}

void nd_reference(const struct nd_estimate *e, const struct nd_point *point,
                  const struct nd_chunk *chunk, struct nd_stage *stage,
                  struct nd_memory *memory, struct nd_time *time)
{
    const struct nd_strategy *s = &point->strategy;
    struct layercost_shape shape = {s->tp, s->cp, s->ep, s->mbs, point->seq_length, s->sp};
    struct layercost_set set;
    layercost_of(&e->layers, &shape, &set);
    int64_t micro_batches = nd_micro_batches(point);
    struct reference_view w = {e, s, chunk, &set, micro_batches < 1 ? 1 : micro_batches};
    for (int32_t i = 0; i < s->pp; i++)
        reference_stage(&w, i, &stage[i]);
    if (memory != NULL)
        worst_stage(stage, s->pp, memory);
    if (time != NULL)
        whole_step(&w, point, stage, time);
}
