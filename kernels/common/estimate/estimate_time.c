// SPDX-License-Identifier: Apache-2.0
// Estimates the time of a point: that of its longest stage, of the waits for others, and of the replicas.
#include "kernels/common/estimate/estimate_private.h"

#include "kernels/common/estimate/stage_layers.h"

#include <math.h>

// ---- the longest stage --------------------------------------------------------------------------

struct longest {
    const struct nd_shape_place *at;
    int mode;
    int kinds;         // of layers
    double dense, moe; // forward and backward of a layer of kinds 0 and 1
    double time;
    const struct nd_kind *kind;
    const struct nd_more *more;
    struct nd_peak *walked; // scratch of the cache
    double
        share; // of the kind's layers that a micro-batch goes through: half of a pair of stages
};

// What a stage takes beyond its layers.
static inline double end_time(const struct longest *longest, const struct nd_kind *k)
{
    return k->ends & ND_LAST ? longest->at->head_time : 0;
}

static double more_time(const struct longest *longest, const struct nd_more *more)
{
    double sum = 0;
    for (int k = ND_TWO; k < longest->kinds; k++)
        sum += more->of[k - ND_TWO].layers * nd_layer_at(longest->at, k)->times[longest->mode];
    return sum;
}

static inline double length(const struct longest *longest, const struct nd_kind *k,
                            const struct nd_more *more)
{
    double layers = k->dense * longest->dense + k->moe * longest->moe;
    if (more != NULL)
        layers += more_time(longest, more);
    return layers + end_time(longest, k);
}

static void consider_time(void *self, const struct nd_peak *peak)
{
    struct longest *longest = self;
    double time = length(longest, &peak->kind, longest->kinds > ND_TWO ? &peak->more : NULL);
    if (nd_is_longer(time, longest->time)) {
        longest->time = time;
        *longest->walked = *peak;
        longest->kind = &longest->walked->kind;
        longest->more = &longest->walked->more;
    }
}

// Layers of kind k of the longest stage.
static inline int32_t layers_of(const struct longest *longest, int k)
{
    return k == 0   ? longest->kind->dense
           : k == 1 ? longest->kind->moe
                    : longest->more->of[k - ND_TWO].layers;
}

// DualPipe: a device works for half of the micro-batches on a stage, and for the other half on the
// opposite stage.
static void find_longest_pair(struct longest *longest, const struct nd_pipeline *p)
{
    int64_t front = 0, back = p->layers;
    longest->share = 0.5;
    for (int32_t i = 0; i < p->stages / 2; i++) {
        const int64_t first = nd_stage_layers(p->layers, p->stages, i);
        const int64_t last = nd_stage_layers(p->layers, p->stages, p->stages - 1 - i);
        int64_t at_front[MODELDESC_KINDS], at_back[MODELDESC_KINDS];
        struct nd_peak pair = {.kind.ends = i == 0 ? ND_FIRST | ND_LAST : 0};
        nd_count_layers(p, front, first, at_front);
        nd_count_layers(p, back - last, last, at_back);
        for (int k = 0; k < longest->kinds; k++)
            *nd_peak_layers(&pair, k) = (int32_t)(at_front[k] + at_back[k]);
        consider_time(longest, &pair);
        front += first;
        back -= last;
    }
    longest->time *= longest->share;
}

static inline int longest_of(struct longest *longest, const struct nd_kinds *kinds,
                             bool with_more)
{
    int which = 0;
    for (int i = 0; i < kinds->n_time; i++) {
        const double time =
            length(longest, &kinds->time[i], with_more ? &kinds->more->time[i] : NULL);
        const bool longer = nd_is_longer(time, longest->time);
        which = longer ? i : which;
        longest->time = longer ? time : longest->time;
    }
    return which;
}

static inline void find_longest(struct longest *longest, const struct nd_view *view, int mode)
{
    const struct nd_pipeline *p = &view->pipeline;
    const struct nd_kinds *kinds = view->kinds;
    *longest = (struct longest){.at = view->at,
                                .mode = mode,
                                .kinds = nd_layer_kinds(p),
                                .walked = &view->cache->longest,
                                .dense = view->at->layer[0].times[mode],
                                .moe = view->at->layer[1].times[mode],
                                .time = -1,
                                .share = 1};
    if (p->dualpipe && p->stages % 2 == 0) {
        find_longest_pair(longest, p);
        return;
    }
    if (kinds->n_time > ND_KINDS) {
        nd_walk_kinds(p, view->cache->begin, consider_time, longest);
        return;
    }
    const int which = longest->kinds > ND_TWO ? longest_of(longest, kinds, true)
                                              : longest_of(longest, kinds, false);
    longest->kind = &kinds->time[which];
    longest->more = &kinds->more->time[which];
}

// ---- the step -----------------------------------------------------------------------------------

// Exchanges within layers: forward and backward, and forward again where layers are made again.
static inline void tell_exchanges(const struct longest *longest, int mode, double micro_batches,
                                  struct nd_time *time)
{
    const double passes = (mode == LAYERCOST_FULL ? 3 : 2) * micro_batches * longest->share;
    const double share = mode == LAYERCOST_SELECT ? micro_batches * longest->share : 0;
    double tp = 0, ep = 0, cp = 0, again = 0, ep_again = 0;
    for (int k = 0; k < longest->kinds; k++) {
        const struct nd_layer *layer = nd_layer_at(longest->at, k);
        const double layers = layers_of(longest, k), n = layers * passes;
        tp += n * layer->tp;
        ep += n * layer->ep;
        cp += n * layer->cp;
        again += layers * layer->again_tp;
        ep_again += share * layers * layer->again_ep;
    }
    time->exchange[0] = tp + share * again;
    time->exchange[1] = ep + ep_again;
    time->exchange[2] = cp;
}

static double boundary(const struct nd_estimate *e, const struct nd_shape_place *at,
                       const struct nd_strategy *s)
{
    bool across = (int64_t)s->dp * s->tp * s->cp >= e->layers.hardware.node;
    return across ? at->p2p_inter : at->p2p_intra;
}

// How long the longest stage waits; `others` is the time of all other stages for one micro-batch.
// Zero bubble: F + B - 2 W of each other stage, where B includes W, the gradients of weights (Qi et
// al., "Zero Bubble Pipeline Parallelism", 2024, table 2: ZB-H1). DualPipe: (P / 2 - 1)
// (F + 2 B - 3 W) (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, table 2).
static double bubble(const struct nd_estimate *e, const struct longest *longest,
                     const struct nd_strategy *s, double others)
{
    const struct layercost_set *set = &longest->at->rest->set;
    const struct nd_kind *k = longest->kind;
    const double mtp = (double)e->mtp_depth;
    const double heads = k->ends & ND_LAST ? 1 - longest->share : 1;
    if (s->vp > 1 || (e->schedule != TRAINING_ZERO_BUBBLE && e->schedule != TRAINING_DUALPIPE))
        return others / s->vp;
    double of_weights = 0, of_forward = 0;
    for (int i = 0; i < longest->kinds; i++) {
        const double n = e->n_of[i] - longest->share * layers_of(longest, i);
        of_weights += n * set->kind[i].weights;
        of_forward += n * set->kind[i].forward;
    }
    const double weights =
        of_weights + heads * ((1 + mtp) * set->head.weights + mtp * set->mtp_weights);
    if (e->schedule == TRAINING_ZERO_BUBBLE || s->pp == 1)
        return fmax(0, others - 2 * weights);
    const double forward =
        of_forward + heads * ((1 + mtp) * set->head.forward + mtp * set->mtp_forward);
    const double share = (0.5 * s->pp - 1) / (double)(s->pp - 1);
    return share * fmax(0, 2 * others - forward - 3 * weights);
}

static inline void tell_replicas(const struct nd_view *view, struct nd_time *time)
{
    struct nd_exchanges x = view->replicas->exchanges;
    x.micro_batches = view->micro_batches;
    time->dp = x.micro_batches * x.each + x.once;
    time->dp_exposed = nd_exchanges_exposed(&x, time->stage);
    time->optimizer = view->replicas->optimizer;
}

static inline void tell_time(const struct nd_view *view, const struct longest *longest,
                             const struct nd_point *point, struct nd_time *time)
{
    const struct nd_estimate *e = view->e;
    const struct nd_shape_place *at = view->at;
    const struct nd_strategy *s = view->s;
    const double micro_batches = view->micro_batches;
    double sum = e->n_of[0] * longest->dense + e->n_of[1] * longest->moe;
    for (int k = ND_TWO; k < longest->kinds; k++)
        sum += e->n_of[k] * nd_layer_at(at, k)->times[longest->mode];
    sum += at->head_time;
    time->stage = longest->time;
    time->pipe = micro_batches * time->stage;
    time->bubble = bubble(e, longest, s, sum - time->stage);
    const double hops =
        2 * (double)(s->pp - 1) + e->layers.stack.pp_exposed * micro_batches * s->vp;
    time->p2p = s->pp > 1 ? hops * boundary(e, at, s) : 0;
    tell_replicas(view, time);
    time->step = time->pipe + time->bubble + time->p2p + time->dp_exposed + time->optimizer;
    tell_exchanges(longest, longest->mode, micro_batches, time);
    time->head = micro_batches * longest->share * end_time(longest, longest->kind);
    double seq = (double)point->seq_length, tokens = (double)point->gbs * seq;
    double devices = (double)s->dp * s->tp * s->cp * s->pp;
    time->tokens_per_s = tokens / time->step;
    double rate = time->tokens_per_s / (devices * e->layers.hardware.peak);
    time->mfu = at->token_flops * rate;
    time->hfu = at->made_flops[longest->mode] * rate;
}

void nd_view_time(const struct nd_view *view, int mode, const struct nd_point *point,
                  struct nd_time *time)
{
    struct longest longest;
    find_longest(&longest, view, mode);
    tell_time(view, &longest, point, time);
}

void nd_time_of(const struct nd_estimate *e, struct nd_cache *cache,
                const struct nd_point *point, struct nd_time *time)
{
    const int64_t n = nd_some_micro_batches(point);
    struct nd_shape_rest rest;
    struct nd_shape_place at = {.rest = &rest};
    struct nd_replica_place replicas;
    struct nd_more_kinds more;
    struct nd_kinds kinds = {.more = &more};
    const struct nd_view view = {.e = e,
                                 .s = &point->strategy,
                                 .cache = cache,
                                 .at = &at,
                                 .replicas = &replicas,
                                 .kinds = &kinds,
                                 .pipeline = nd_pipeline_of(e, &point->strategy, n),
                                 .micro_batches = (double)n};
    nd_fill_shape(e, point, &at);
    nd_fill_replicas(e, &point->strategy, n, &replicas);
    nd_find_kinds(&view.pipeline, cache->begin, &kinds);
    nd_view_time(&view, (int)point->strategy.recompute, point, time);
}
