// SPDX-License-Identifier: Apache-2.0
// Estimates a point: looks up the figures of its layers and the kinds of its stages, then computes
// a few sums for each kind.
#include "kernels/common/estimate/estimate.h"

#include "kernels/common/estimate/estimate_cache.h"
#include "kernels/common/estimate/replicas.h"
#include "kernels/common/estimate/stage_layers.h"

#include <math.h>
#include <string.h>

// ---- what is looked up --------------------------------------------------------------------------

// A point with its entries in the cache.
struct view {
    const struct nd_estimate *e;
    const struct nd_strategy *s;
    struct nd_cache *cache;
    const struct nd_shape_place *at;
    const struct nd_replica_place *replicas;
    const struct nd_kinds *kinds;
    struct nd_pipeline pipeline;
    double micro_batches;
};

static int64_t some_micro_batches(const struct nd_point *point)
{
    int64_t n = nd_micro_batches(point);
    return n < 1 ? 1 : n;
}

static inline void look_up(struct view *view, const struct nd_estimate *e,
                           struct nd_cache *cache, const struct nd_point *point)
{
    const int64_t n = some_micro_batches(point);
    view->e = e;
    view->s = &point->strategy;
    view->cache = cache;
    view->at = nd_shape_of(e, cache, point);
    view->replicas = nd_replicas_at(e, cache, &point->strategy, n);
    view->pipeline = nd_pipeline_of(e, &point->strategy, n);
    view->kinds = nd_kinds_of(e, cache, &view->pipeline);
    view->micro_batches = (double)n;
}

// ---- memory -------------------------------------------------------------------------------------

// The terms of a point's memory.
struct memory_view {
    const struct nd_estimate *e;
    const struct nd_shape_place *at;
    const struct nd_replica_place *replicas;
    bool gathers;          // ZeRO level 3
    double ends[ND_ENDS];  // bytes beyond layers
    double bytes[ND_TWO];  // of the parameters of a layer of kinds 0 and 1
    double stored[ND_TWO]; // of a layer and micro-batch, for one mode of recompute
    int mode;
};

// What activations and transient memory take, with what the allocator adds.
static double allocated(const struct nd_estimate *e)
{
    return 1 + e->layers.stack.fragmentation;
}

// With DualPipe the first and the last stage are on one device.
static int held_ends(const struct memory_view *w, int ends)
{
    return w->replicas->stages > 1 && ends != 0 ? ND_FIRST | ND_LAST : ends;
}

static inline double layer_bytes(const struct memory_view *w, int kind)
{
    const struct nd_layer *layer = nd_layer_at(w->at, kind);
    const struct nd_replica_place *of = w->replicas;
    return (layer->parameters * of->common_bytes + layer->routed * of->routed_bytes) *
           of->stages;
}

static inline void view_memory(struct memory_view *w, const struct view *view)
{
    const struct nd_shape_place *at = view->at;
    w->e = view->e;
    w->at = at;
    w->replicas = view->replicas;
    w->gathers = w->replicas->sharing.parameters && w->replicas->common_shards > 1;
    for (int k = 0; k < ND_TWO; k++)
        w->bytes[k] = layer_bytes(w, k);
    for (int i = 0; i < ND_ENDS; i++) {
        const int ends = held_ends(w, i);
        w->ends[i] = at->ends[ends] * w->replicas->common_bytes + w->e->reserve +
                     (ends & ND_LAST ? allocated(w->e) * at->logits : 0);
    }
}

static inline void view_mode(struct memory_view *w, int mode)
{
    w->mode = mode;
    for (int k = 0; k < ND_TWO; k++)
        w->stored[k] = allocated(w->e) * w->at->layer[k].stored[mode];
}

// Temporary bytes of a stage.
static inline double passing_of(const struct memory_view *w, unsigned holds)
{
    const struct nd_passing of = holds < ND_HOLDS
                                     ? w->at->passing[holds]
                                     : nd_passing_of(w->e, &w->at->rest->set, holds);
    return allocated(w->e) *
           ((w->mode == LAYERCOST_FULL ? of.full : of.common) + (w->gathers ? of.gathered : 0));
}

// What micro-batches keep of the layers of a stage; more: NULL with up to two kinds.
static inline double live(const struct memory_view *w, const struct nd_kind *k,
                          const struct nd_more *more)
{
    const double of_two = k->live_dense * w->stored[0] + k->live_moe * w->stored[1];
    double sum = 0;
    if (more == NULL)
        return of_two;
    for (int i = ND_TWO; i < w->e->kinds; i++)
        sum += more->of[i - ND_TWO].live * nd_layer_at(w->at, i)->stored[w->mode];
    return of_two + allocated(w->e) * sum;
}

static inline double total(const struct memory_view *w, const struct nd_kind *k,
                           const struct nd_more *more)
{
    double layers = k->dense * w->bytes[0] + k->moe * w->bytes[1];
    for (int i = ND_TWO; more != NULL && i < w->e->kinds; i++)
        layers += more->of[i - ND_TWO].layers * layer_bytes(w, i);
    return layers + live(w, k, more) + (w->ends[k->ends] + passing_of(w, k->holds));
}

// The largest total seen so far and whose it is.
struct worst {
    const struct memory_view *view;
    double total;
    const struct nd_kind *kind;
    const struct nd_more *more;
};

// For pipelines whose kinds are not kept.
struct walked {
    struct worst *worst;
    struct nd_peak *peak; // the worst one, scratch of the cache
};

static const struct nd_more *further(const struct nd_estimate *e, const struct nd_more *more)
{
    return e->kinds > ND_TWO ? more : NULL;
}

static void consider(void *self, const struct nd_peak *peak)
{
    const struct walked *walked = self;
    struct worst *worst = walked->worst;
    const double sum = total(worst->view, &peak->kind, further(worst->view->e, &peak->more));
    if (sum > worst->total) {
        worst->total = sum;
        *walked->peak = *peak;
    }
}

static inline int worst_of(struct worst *worst, const struct nd_kinds *kinds, bool with_more)
{
    int at = 0;
    for (int i = 0; i < kinds->n_memory; i++) {
        const double sum =
            total(worst->view, &kinds->memory[i], with_more ? &kinds->more->memory[i] : NULL);
        at = sum > worst->total ? i : at;
        worst->total = sum > worst->total ? sum : worst->total;
    }
    return at;
}

// Finds the kind of stage with the largest memory; of equal kinds, the one of the lowest stage.
static inline void find_worst(struct worst *worst, const struct view *view)
{
    const struct nd_kinds *kinds = view->kinds;
    worst->total = -1;
    if (kinds->n_memory > ND_KINDS) {
        struct walked walked = {worst, &view->cache->worst[worst->view->mode]};
        nd_walk_kinds(&view->pipeline, view->cache->begin, consider, &walked);
        worst->kind = &walked.peak->kind;
        worst->more = further(view->e, &walked.peak->more);
        return;
    }
    const int at =
        view->e->kinds > ND_TWO ? worst_of(worst, kinds, true) : worst_of(worst, kinds, false);
    worst->kind = &kinds->memory[at];
    worst->more = further(view->e, &kinds->more->memory[at]);
}

static inline void tell_memory(const struct worst *worst, struct nd_memory *memory)
{
    const struct memory_view *w = worst->view;
    const struct nd_estimate *e = w->e;
    const struct nd_replica_place *of = w->replicas;
    const struct nd_layer *layer = w->at->layer;
    const struct nd_kind *k = worst->kind;
    const int ends = held_ends(w, k->ends);
    double layers = k->dense * layer[0].parameters + k->moe * layer[1].parameters;
    double experts = k->dense * layer[0].routed + k->moe * layer[1].routed;
    for (int i = ND_TWO; i < e->kinds; i++) {
        layers += worst->more->of[i - ND_TWO].layers * nd_layer_at(w->at, i)->parameters;
        experts += worst->more->of[i - ND_TWO].layers * nd_layer_at(w->at, i)->routed;
    }
    double common = of->stages * layers + w->at->ends[ends];
    double routed = of->stages * experts, whole = common + routed;
    double shared = common / of->common_shards + routed / of->routed_shards;
    memory->parameters = of->sharing.param * (of->sharing.parameters ? shared : whole);
    memory->gradients = of->sharing.grad * (of->sharing.gradients ? shared : whole);
    memory->optimizer = of->sharing.optim * (of->sharing.optimizer ? shared : whole);
    const double kept = live(w, k, worst->more);
    const double passing =
        passing_of(w, k->holds) + (ends & ND_LAST ? allocated(e) * w->at->logits : 0);
    memory->activations = kept / allocated(e);
    memory->transient = passing / allocated(e);
    memory->reserve = e->reserve + (1 - 1 / allocated(e)) * (kept + passing);
    memory->total = worst->total;
    memory->stage = k->stage;
}

// ---- time ---------------------------------------------------------------------------------------

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

static inline void find_longest(struct longest *longest, const struct view *view, int mode)
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

static inline void tell_replicas(const struct view *view, struct nd_time *time)
{
    struct nd_exchanges x = view->replicas->exchanges;
    x.micro_batches = view->micro_batches;
    time->dp = x.micro_batches * x.each + x.once;
    time->dp_exposed = nd_exchanges_exposed(&x, time->stage);
    time->optimizer = view->replicas->optimizer;
}

static inline void tell_time(const struct view *view, const struct longest *longest,
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

// ---- a point ------------------------------------------------------------------------------------

void nd_estimate(const struct nd_estimate *e, struct nd_cache *cache,
                 const struct nd_point *point, struct nd_memory *memory, struct nd_time *time)
{
    struct view view;
    look_up(&view, e, cache, point);
    const int mode = (int)point->strategy.recompute;
    if (memory != NULL) {
        struct memory_view w;
        struct worst worst = {.view = &w};
        view_memory(&w, &view);
        view_mode(&w, mode);
        find_worst(&worst, &view);
        tell_memory(&worst, memory);
    }
    if (time != NULL) {
        struct longest longest;
        find_longest(&longest, &view, mode);
        tell_time(&view, &longest, point, time);
    }
}

void nd_time_of(const struct nd_estimate *e, struct nd_cache *cache,
                const struct nd_point *point, struct nd_time *time)
{
    const int64_t n = some_micro_batches(point);
    struct nd_shape_rest rest;
    struct nd_shape_place at = {.rest = &rest};
    struct nd_replica_place replicas;
    struct nd_more_kinds more;
    struct nd_kinds kinds = {.more = &more};
    struct longest longest;
    const struct view view = {.e = e,
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
    find_longest(&longest, &view, (int)point->strategy.recompute);
    tell_time(&view, &longest, point, time);
}

void nd_memory_modes(const struct nd_estimate *e, struct nd_cache *cache,
                     const struct nd_point *point, double totals[LAYERCOST_MODES])
{
    nd_estimate_fitting(e, cache, point, (double)NAN, totals, NULL, NULL);
}

enum nd_recompute nd_estimate_fitting(const struct nd_estimate *e, struct nd_cache *cache,
                                      const struct nd_point *point, double limit,
                                      double totals[LAYERCOST_MODES], struct nd_memory *memory,
                                      struct nd_time *time)
{
    struct view view;
    look_up(&view, e, cache, point);
    struct memory_view w;
    struct worst worst[LAYERCOST_MODES];
    view_memory(&w, &view);
    int mode = isnan(limit) ? (int)point->strategy.recompute : LAYERCOST_MODES;
    for (int k = 0; k < LAYERCOST_MODES; k++) {
        worst[k].view = &w;
        view_mode(&w, k);
        find_worst(&worst[k], &view);
        totals[k] = worst[k].total;
        mode = mode == LAYERCOST_MODES && totals[k] <= limit ? k : mode;
    }
    mode = mode < LAYERCOST_MODES ? mode : LAYERCOST_FULL;
    if (memory != NULL) {
        view_mode(&w, mode);
        tell_memory(&worst[mode], memory);
    }
    if (time != NULL) {
        struct longest longest;
        find_longest(&longest, &view, mode);
        tell_time(&view, &longest, point, time);
    }
    return (enum nd_recompute)mode;
}
