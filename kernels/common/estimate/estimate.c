// SPDX-License-Identifier: Apache-2.0
// Estimates a point: looks up the figures of its layers and the kinds of its stages, then computes
// a few sums for each kind.
#include "kernels/common/estimate/estimate.h"

#include "kernels/common/estimate/estimate_cache.h"
#include "kernels/common/estimate/replicas.h"
#include "kernels/common/estimate/stage_layers.h"
#include "kernels/common/pipeline/collectives.h"

#include <math.h>
#include <string.h>

// ---- memory -------------------------------------------------------------------------------------

// The terms of a point's memory, for one mode of recompute.
struct memory_view {
    const struct nd_estimate *e;
    const struct nd_shape_place *at;
    struct nd_sharing sharing;
    int stages;                          // of a device: two with DualPipe
    double common_shards, routed_shards; // devices that share an optimizer state
    double common_bytes, routed_bytes;   // a parameter, all together
    double dense_bytes, moe_bytes;       // a layer's parameters
    double dense_stored, moe_stored;     // a layer and micro-batch
    double ends[ND_ENDS];                // bytes beyond layers
    double passing[ND_HOLDS];
};

static int64_t dense_shards(const struct nd_strategy *s)
{
    return s->op > 0 ? s->op : s->dp;
}

static double parameter_bytes(const struct memory_view *w, double shards)
{
    const struct nd_estimate *e = w->e;
    const double shared = 1 / shards;
    return w->sharing.param * (w->sharing.parameters ? shared : 1) +
           e->bytes_grad * (w->sharing.gradients ? shared : 1) +
           e->bytes_optim * (w->sharing.optimizer ? shared : 1);
}

// What activations and transient memory take, with what the allocator adds.
static double allocated(const struct nd_estimate *e)
{
    return 1 + e->layers.stack.fragmentation;
}

// With DualPipe the first and the last stage are on one device.
static int held_ends(const struct memory_view *w, int ends)
{
    return w->stages > 1 && ends != 0 ? ND_FIRST | ND_LAST : ends;
}

static void view_shards(struct memory_view *w,
                        const struct nd_strategy *s,
                        int64_t micro_batches)
{
    const struct nd_estimate *e = w->e;
    const struct nd_shape_place *at = w->at;
    w->sharing = nd_sharing_of(e, s, micro_batches);
    w->common_shards = (double)dense_shards(s);
    w->common_bytes = parameter_bytes(w, w->common_shards);
    w->routed_shards = 1;
    w->routed_bytes = 0;
    if (e->n_dense < e->n_layers) {
        w->routed_shards = (double)nd_shards_of(e, s).routed;
        w->routed_bytes = parameter_bytes(w, w->routed_shards);
    }
    w->dense_bytes = at->set.dense.parameters * w->common_bytes;
    w->moe_bytes =
        at->set.moe.parameters * w->common_bytes + at->set.moe.routed * w->routed_bytes;
    w->stages = nd_stages_of(e, s);
    w->dense_bytes *= w->stages;
    w->moe_bytes *= w->stages;
    for (int i = 0; i < ND_ENDS; i++) {
        const int ends = held_ends(w, i);
        w->ends[i] = at->ends[ends] * w->common_bytes + e->reserve +
                     (ends & ND_LAST ? allocated(e) * at->logits : 0);
    }
}

static void view_mode(struct memory_view *w, int mode)
{
    const double *passing = mode == LAYERCOST_FULL ? w->at->passing_full : w->at->passing;
    const double factor = allocated(w->e);
    const bool gathers = w->sharing.parameters && w->common_shards > 1;
    w->dense_stored = factor * w->at->set.dense.stored[mode];
    w->moe_stored = factor * w->at->set.moe.stored[mode];
    for (int i = 0; i < ND_HOLDS; i++)
        w->passing[i] = factor * (passing[i] + (gathers ? w->at->gathered[i] : 0));
}

static inline double total(const struct memory_view *w, const struct nd_kind *k)
{
    return (k->dense * w->dense_bytes + k->moe * w->moe_bytes) +
           (k->live_dense * w->dense_stored + k->live_moe * w->moe_stored) +
           (w->ends[k->ends] + w->passing[k->holds]);
}

// The largest total seen so far and whose it is.
struct worst {
    const struct memory_view *view;
    double total;
    const struct nd_kind *kind;
    struct nd_kind walked; // where kinds are not kept
};

static void consider(void *self, const struct nd_kind *kind)
{
    struct worst *worst = self;
    double sum = total(worst->view, kind);
    if (sum > worst->total) {
        worst->total = sum;
        worst->walked = *kind;
        worst->kind = &worst->walked;
    }
}

// Finds the kind of stage with the largest memory; of equal kinds, the one of the lowest stage.
static void find_worst(struct worst *worst,
                       const struct nd_kinds *kinds,
                       struct nd_cache *cache,
                       const struct nd_pipeline *p)
{
    worst->total = -1;
    if (kinds->n_memory > ND_KINDS) {
        nd_walk_kinds(p, cache->begin, consider, worst);
        return;
    }
    int at = 0;
    for (int i = 0; i < kinds->n_memory; i++) {
        double sum = total(worst->view, &kinds->memory[i]);
        at = sum > worst->total ? i : at;
        worst->total = sum > worst->total ? sum : worst->total;
    }
    worst->kind = &kinds->memory[at];
}

static void tell_memory(const struct worst *worst, struct nd_memory *memory)
{
    const struct memory_view *w = worst->view;
    const struct nd_estimate *e = w->e;
    const struct layercost_set *set = &w->at->set;
    const struct nd_kind *k = worst->kind;
    const int ends = held_ends(w, k->ends);
    double common =
        w->stages * (k->dense * set->dense.parameters + k->moe * set->moe.parameters) +
        w->at->ends[ends];
    double routed = w->stages * k->moe * set->moe.routed, whole = common + routed;
    double shared = common / w->common_shards + routed / w->routed_shards;
    memory->parameters = w->sharing.param * (w->sharing.parameters ? shared : whole);
    memory->gradients = e->bytes_grad * (w->sharing.gradients ? shared : whole);
    memory->optimizer = e->bytes_optim * (w->sharing.optimizer ? shared : whole);
    const double live = k->live_dense * w->dense_stored + k->live_moe * w->moe_stored;
    const double passing =
        w->passing[k->holds] + (ends & ND_LAST ? allocated(e) * w->at->logits : 0);
    memory->activations = live / allocated(e);
    memory->transient = passing / allocated(e);
    memory->reserve = e->reserve + (1 - 1 / allocated(e)) * (live + passing);
    memory->total = worst->total;
    memory->stage = k->stage;
}

// ---- time ---------------------------------------------------------------------------------------

struct longest {
    double dense, moe; // forward and backward of a layer
    double ends[ND_ENDS];
    double time;
    const struct nd_kind *kind;
    struct nd_kind walked;
    double
        share; // of the kind's layers that a micro-batch goes through: half of a pair of stages
};

static inline double length(const struct longest *longest, const struct nd_kind *k)
{
    return k->dense * longest->dense + k->moe * longest->moe + longest->ends[k->ends];
}

static void consider_time(void *self, const struct nd_kind *kind)
{
    struct longest *longest = self;
    double time = length(longest, kind);
    if (time > longest->time) {
        longest->time = time;
        longest->walked = *kind;
        longest->kind = &longest->walked;
    }
}

static int64_t dense_between(const struct nd_pipeline *p, int64_t begin, int64_t end)
{
    const int64_t last = p->dense < end ? p->dense : end;
    return last > begin ? last - begin : 0;
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
        const int64_t dense =
            dense_between(p, front, front + first) + dense_between(p, back - last, back);
        const struct nd_kind pair = {.dense = (int32_t)dense,
                                     .moe = (int32_t)(first + last - dense),
                                     .ends = i == 0 ? ND_FIRST | ND_LAST : 0};
        consider_time(longest, &pair);
        front += first;
        back -= last;
    }
    longest->time *= longest->share;
}

static void find_longest(struct longest *longest,
                         const struct nd_shape_place *at,
                         int mode,
                         const struct nd_kinds *kinds,
                         struct nd_cache *cache,
                         const struct nd_pipeline *p)
{
    longest->dense = at->dense_time[mode];
    longest->moe = at->moe_time[mode];
    longest->ends[0] = longest->ends[ND_FIRST] = 0;
    longest->ends[ND_LAST] = longest->ends[ND_FIRST | ND_LAST] = at->head_time;
    longest->time = -1;
    longest->share = 1;
    if (p->dualpipe && p->stages % 2 == 0) {
        find_longest_pair(longest, p);
        return;
    }
    if (kinds->n_time > ND_KINDS) {
        nd_walk_kinds(p, cache->begin, consider_time, longest);
        return;
    }
    int which = 0;
    for (int i = 0; i < kinds->n_time; i++) {
        double time = length(longest, &kinds->time[i]);
        which = time > longest->time ? i : which;
        longest->time = time > longest->time ? time : longest->time;
    }
    longest->kind = &kinds->time[which];
}

// Exchanges within layers: forward and backward, and forward again where layers are made again.
static void tell_exchanges(const struct nd_shape_place *at,
                           const struct longest *longest,
                           int mode,
                           double micro_batches,
                           struct nd_time *time)
{
    const struct layercost_parts *d = &at->set.dense.parts, *m = &at->set.moe.parts;
    double passes = (mode == LAYERCOST_FULL ? 3 : 2) * micro_batches * longest->share;
    double dense = longest->kind->dense * passes, moe = longest->kind->moe * passes;
    time->exchange[0] = dense * d->tp + moe * m->tp;
    time->exchange[1] = dense * d->ep + moe * m->ep;
    time->exchange[2] = dense * d->cp + moe * m->cp;
    if (mode != LAYERCOST_SELECT)
        return;
    const double share = micro_batches * longest->share;
    const struct layercost *dense_layer = &at->set.dense, *moe_layer = &at->set.moe;
    time->exchange[0] += share * (longest->kind->dense * dense_layer->select_again.tp +
                                  longest->kind->moe * moe_layer->select_again.tp);
    time->exchange[1] += share * longest->kind->moe * moe_layer->select_again.ep;
}

static double boundary(const struct nd_estimate *e,
                       const struct nd_shape_place *at,
                       const struct nd_strategy *s)
{
    bool across = (int64_t)s->dp * s->tp * s->cp >= e->layers.hardware.node;
    return across ? at->set.p2p_inter : at->set.p2p_intra;
}

static void after_pipeline(const struct nd_estimate *e,
                           const struct nd_strategy *s,
                           const struct nd_held *held,
                           double micro_batches,
                           struct nd_time *time)
{
    nd_exchange_replicas(e, s, held, micro_batches, time);
    time->optimizer = nd_optimizer_of(e, s, held);
}

// How long the longest stage waits; `others` is the time of all other stages for one micro-batch.
// Zero bubble: F + B - 2 W of each other stage, where B includes W, the gradients of weights (Qi et
// al., "Zero Bubble Pipeline Parallelism", 2024, table 2: ZB-H1). DualPipe: (P / 2 - 1)
// (F + 2 B - 3 W) (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, table 2).
static double bubble(const struct nd_estimate *e,
                     const struct nd_shape_place *at,
                     const struct longest *longest,
                     const struct nd_strategy *s,
                     double others)
{
    const struct layercost_set *set = &at->set;
    const struct nd_kind *k = longest->kind;
    const double mtp = (double)e->mtp_depth;
    const double dense = (double)e->n_dense - longest->share * k->dense;
    const double moe = (double)(e->n_layers - e->n_dense) - longest->share * k->moe;
    const double heads = k->ends & ND_LAST ? 1 - longest->share : 1;
    if (s->vp > 1 || (e->schedule != TRAINING_ZERO_BUBBLE && e->schedule != TRAINING_DUALPIPE))
        return others / s->vp;
    const double weights = dense * set->dense.weights + moe * set->moe.weights +
                           heads * ((1 + mtp) * set->head.weights + mtp * set->mtp_forward);
    if (e->schedule == TRAINING_ZERO_BUBBLE || s->pp == 1)
        return fmax(0, others - 2 * weights);
    const double forward = dense * set->dense.forward + moe * set->moe.forward +
                           heads * ((1 + mtp) * set->head.forward + mtp * set->mtp_forward);
    const double share = (0.5 * s->pp - 1) / (double)(s->pp - 1);
    return share * fmax(0, 2 * others - forward - 3 * weights);
}

static void tell_time(const struct nd_estimate *e,
                      const struct nd_shape_place *at,
                      const struct longest *longest,
                      int mode,
                      double micro_batches,
                      const struct nd_point *point,
                      struct nd_time *time)
{
    const struct nd_strategy *s = &point->strategy;
    double sum = (double)e->n_dense * longest->dense +
                 (double)(e->n_layers - e->n_dense) * longest->moe + longest->ends[ND_LAST];
    time->stage = longest->time;
    time->pipe = micro_batches * time->stage;
    time->bubble = bubble(e, at, longest, s, sum - time->stage);
    const double hops =
        2 * (double)(s->pp - 1) + e->layers.stack.pp_exposed * micro_batches * s->vp;
    time->p2p = s->pp > 1 ? hops * boundary(e, at, s) : 0;
    // With DualPipe a device has the parameters of two stages.
    const int stages = nd_stages_of(e, s);
    const struct nd_held held = {stages * at->held / s->pp, stages * at->held_routed / s->pp};
    after_pipeline(e, s, &held, micro_batches, time);
    time->step = time->pipe + time->bubble + time->p2p + time->dp_exposed + time->optimizer;
    tell_exchanges(at, longest, mode, micro_batches, time);
    time->head = micro_batches * longest->share * longest->ends[longest->kind->ends];
    double seq = (double)point->seq_length, tokens = (double)point->gbs * seq;
    double devices = (double)s->dp * s->tp * s->cp * s->pp;
    time->tokens_per_s = tokens / time->step;
    double rate = time->tokens_per_s / (devices * e->layers.hardware.peak);
    time->mfu = nd_token_flops(e, seq) * rate;
    time->hfu = nd_made_flops(e, (enum nd_recompute)mode, seq) * rate;
}

// ---- a point ------------------------------------------------------------------------------------

static int64_t some_micro_batches(const struct nd_point *point)
{
    int64_t n = nd_micro_batches(point);
    return n < 1 ? 1 : n;
}

void nd_estimate(const struct nd_estimate *e,
                 struct nd_cache *cache,
                 const struct nd_point *point,
                 struct nd_memory *memory,
                 struct nd_time *time)
{
    const struct nd_strategy *s = &point->strategy;
    const struct nd_shape_place *at = nd_shape_of(e, cache, point);
    int64_t n = some_micro_batches(point);
    const struct nd_pipeline p = nd_pipeline_of(e, s, n);
    const struct nd_kinds *kinds = nd_kinds_of(e, cache, &p);
    int mode = (int)s->recompute;
    if (memory != NULL) {
        struct memory_view w = {.e = e, .at = at};
        struct worst worst = {.view = &w};
        view_shards(&w, s, n);
        view_mode(&w, mode);
        find_worst(&worst, kinds, cache, &p);
        tell_memory(&worst, memory);
    }
    if (time != NULL) {
        struct longest longest;
        find_longest(&longest, at, mode, kinds, cache, &p);
        tell_time(e, at, &longest, mode, (double)n, point, time);
    }
}

void nd_time_of(const struct nd_estimate *e,
                struct nd_cache *cache,
                const struct nd_point *point,
                struct nd_time *time)
{
    int64_t n = some_micro_batches(point);
    const struct nd_pipeline p = nd_pipeline_of(e, &point->strategy, n);
    struct nd_shape_place at;
    struct nd_kinds kinds;
    struct longest longest;
    nd_fill_shape(e, point, &at);
    nd_find_kinds(&p, cache->begin, &kinds);
    int mode = (int)point->strategy.recompute;
    find_longest(&longest, &at, mode, &kinds, cache, &p);
    tell_time(e, &at, &longest, mode, (double)n, point, time);
}

void nd_memory_modes(const struct nd_estimate *e,
                     struct nd_cache *cache,
                     const struct nd_point *point,
                     double totals[LAYERCOST_MODES])
{
    const struct nd_strategy *s = &point->strategy;
    struct memory_view w = {.e = e, .at = nd_shape_of(e, cache, point)};
    struct worst worst = {.view = &w};
    const int64_t n = some_micro_batches(point);
    const struct nd_pipeline p = nd_pipeline_of(e, s, n);
    const struct nd_kinds *kinds = nd_kinds_of(e, cache, &p);
    view_shards(&w, s, n);
    for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
        view_mode(&w, mode);
        find_worst(&worst, kinds, cache, &p);
        totals[mode] = worst.total;
    }
}

enum nd_recompute nd_estimate_fitting(const struct nd_estimate *e,
                                      struct nd_cache *cache,
                                      const struct nd_point *point,
                                      double limit,
                                      double totals[LAYERCOST_MODES],
                                      struct nd_memory *memory,
                                      struct nd_time *time)
{
    const struct nd_strategy *s = &point->strategy;
    struct memory_view w[LAYERCOST_MODES] = {{.e = e, .at = nd_shape_of(e, cache, point)}};
    struct worst worst[LAYERCOST_MODES];
    int64_t n = some_micro_batches(point);
    const struct nd_pipeline p = nd_pipeline_of(e, s, n);
    const struct nd_kinds *kinds = nd_kinds_of(e, cache, &p);
    view_shards(&w[0], s, n);
    w[1] = w[2] = w[0];
    int mode = isnan(limit) ? (int)s->recompute : LAYERCOST_MODES;
    for (int k = 0; k < LAYERCOST_MODES; k++) {
        worst[k].view = &w[k];
        view_mode(&w[k], k);
        find_worst(&worst[k], kinds, cache, &p);
        totals[k] = worst[k].total;
        mode = mode == LAYERCOST_MODES && totals[k] <= limit ? k : mode;
    }
    mode = mode < LAYERCOST_MODES ? mode : LAYERCOST_FULL;
    if (memory != NULL)
        tell_memory(&worst[mode], memory);
    if (time != NULL) {
        struct longest longest;
        find_longest(&longest, w[0].at, mode, kinds, cache, &p);
        tell_time(e, w[0].at, &longest, mode, (double)n, point, time);
    }
    return (enum nd_recompute)mode;
}
