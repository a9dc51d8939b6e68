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
    double ends[ND_ENDS];                // bytes beyond layers
    // Kinds 0 and 1; figures of others are taken from the set.
    double dense_bytes, moe_bytes;   // a layer's parameters
    double dense_stored, moe_stored; // a layer and micro-batch
    double passing[ND_HOLDS];
    bool gathers; // ZeRO level 3
    int mode;
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

static inline double layer_bytes(const struct memory_view *w, const struct layercost *layer)
{
    return (layer->parameters * w->common_bytes + layer->routed * w->routed_bytes) * w->stages;
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
    if (e->routed_parameters > 0) {
        w->routed_shards = (double)nd_shards_of(e, s).routed;
        w->routed_bytes = parameter_bytes(w, w->routed_shards);
    }
    w->stages = nd_stages_of(e, s);
    w->dense_bytes = layer_bytes(w, &at->set.dense);
    w->moe_bytes = layer_bytes(w, &at->set.moe);
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
    w->gathers = gathers;
    w->mode = mode;
    for (int i = 0; i < ND_HOLDS; i++)
        w->passing[i] = factor * (passing[i] + (gathers ? w->at->gathered[i] : 0));
}

// Temporary bytes of a stage with a table of kinds.
static double passing_of_table(const struct memory_view *w, unsigned holds)
{
    const struct nd_held_kinds of = nd_held_kinds_of(w->e, &w->at->set, holds);
    return allocated(w->e) * ((w->e->dummy_wgrad ? 2 : 0) * of.shapes + of.buffers +
                              (w->mode == LAYERCOST_FULL ? of.again : 0) +
                              (w->gathers ? 2 * w->e->bytes_param * of.largest : 0));
}

static double passing_of(const struct memory_view *w, unsigned holds)
{
    return w->e->kinds > 0 ? passing_of_table(w, holds) : w->passing[holds];
}

// What micro-batches keep of the layers of a stage.
static double live(const struct memory_view *w,
                   const struct nd_kind *k,
                   const struct nd_more *more)
{
    double sum = 0;
    for (int i = ND_TWO; i < w->e->kinds; i++)
        sum += more->of[i - ND_TWO].live * w->at->set.kind[i].stored[w->mode];
    return k->live_dense * w->dense_stored + k->live_moe * w->moe_stored +
           allocated(w->e) * sum;
}

static double total_of_table(const struct memory_view *w,
                             const struct nd_kind *k,
                             const struct nd_more *more)
{
    double layers = k->dense * w->dense_bytes + k->moe * w->moe_bytes;
    for (int i = ND_TWO; i < w->e->kinds; i++)
        layers += more->of[i - ND_TWO].layers * layer_bytes(w, &w->at->set.kind[i]);
    return layers + live(w, k, more) + (w->ends[k->ends] + passing_of_table(w, k->holds));
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
    const struct nd_more *more;
};

// For pipelines whose kinds are not kept.
struct walked {
    struct worst *worst;
    struct nd_peak *peak; // the worst one, scratch of the cache
};

static void consider(void *self, const struct nd_peak *peak)
{
    const struct walked *walked = self;
    struct worst *worst = walked->worst;
    const struct memory_view *w = worst->view;
    double sum =
        w->e->kinds > 0 ? total_of_table(w, &peak->kind, &peak->more) : total(w, &peak->kind);
    if (sum > worst->total) {
        worst->total = sum;
        *walked->peak = *peak;
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
        struct walked walked = {worst, &cache->worst[worst->view->mode]};
        nd_walk_kinds(p, cache->begin, consider, &walked);
        worst->kind = &walked.peak->kind;
        worst->more = &walked.peak->more;
        return;
    }
    const bool table = worst->view->e->kinds > 0;
    int at = 0;
    for (int i = 0; table && i < kinds->n_memory; i++) {
        double sum = total_of_table(worst->view, &kinds->memory[i], &kinds->more->memory[i]);
        at = sum > worst->total ? i : at;
        worst->total = sum > worst->total ? sum : worst->total;
    }
    for (int i = 0; !table && i < kinds->n_memory; i++) {
        double sum = total(worst->view, &kinds->memory[i]);
        at = sum > worst->total ? i : at;
        worst->total = sum > worst->total ? sum : worst->total;
    }
    worst->kind = &kinds->memory[at];
    worst->more = &kinds->more->memory[at];
}

static void tell_memory(const struct worst *worst, struct nd_memory *memory)
{
    const struct memory_view *w = worst->view;
    const struct nd_estimate *e = w->e;
    const struct layercost_set *set = &w->at->set;
    const struct nd_kind *k = worst->kind;
    const int ends = held_ends(w, k->ends);
    double layers = k->dense * set->dense.parameters + k->moe * set->moe.parameters;
    double experts = k->dense * set->dense.routed + k->moe * set->moe.routed;
    for (int i = ND_TWO; i < e->kinds; i++) {
        layers += worst->more->of[i - ND_TWO].layers * set->kind[i].parameters;
        experts += worst->more->of[i - ND_TWO].layers * set->kind[i].routed;
    }
    double common = w->stages * layers + w->at->ends[ends];
    double routed = w->stages * experts, whole = common + routed;
    double shared = common / w->common_shards + routed / w->routed_shards;
    memory->parameters = w->sharing.param * (w->sharing.parameters ? shared : whole);
    memory->gradients = e->bytes_grad * (w->sharing.gradients ? shared : whole);
    memory->optimizer = e->bytes_optim * (w->sharing.optimizer ? shared : whole);
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
    double ends[ND_ENDS];
    double time;
    const struct nd_kind *kind;
    const struct nd_more *more;
    struct nd_peak *walked; // scratch of the cache
    double
        share; // of the kind's layers that a micro-batch goes through: half of a pair of stages
};

static double more_time(const struct longest *longest, const struct nd_more *more)
{
    double sum = 0;
    for (int k = ND_TWO; k < longest->kinds; k++)
        sum += more->of[k - ND_TWO].layers * longest->at->times[k][longest->mode];
    return sum;
}

static inline double length(const struct longest *longest,
                            const struct nd_kind *k,
                            const struct nd_more *more)
{
    double layers = k->dense * longest->dense + k->moe * longest->moe;
    if (more != NULL)
        layers += more_time(longest, more);
    return layers + longest->ends[k->ends];
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

static void find_longest(struct longest *longest,
                         const struct nd_shape_place *at,
                         int mode,
                         const struct nd_kinds *kinds,
                         struct nd_cache *cache,
                         const struct nd_pipeline *p)
{
    longest->at = at;
    longest->mode = mode;
    longest->kinds = nd_layer_kinds(p);
    longest->walked = &cache->longest;
    longest->dense = at->times[0][mode];
    longest->moe = longest->kinds > 1 ? at->times[1][mode] : 0;
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
    const struct nd_more *more = longest->kinds > ND_TWO ? kinds->more->time : NULL;
    int which = 0;
    for (int i = 0; i < kinds->n_time; i++) {
        double time = length(longest, &kinds->time[i], more != NULL ? &more[i] : NULL);
        const bool longer = nd_is_longer(time, longest->time);
        which = longer ? i : which;
        longest->time = longer ? time : longest->time;
    }
    longest->kind = &kinds->time[which];
    longest->more = &kinds->more->time[which];
}

// Exchanges within layers: forward and backward, and forward again where layers are made again.
static void tell_exchanges(const struct nd_shape_place *at,
                           const struct longest *longest,
                           int mode,
                           double micro_batches,
                           struct nd_time *time)
{
    const double passes = (mode == LAYERCOST_FULL ? 3 : 2) * micro_batches * longest->share;
    const double share = mode == LAYERCOST_SELECT ? micro_batches * longest->share : 0;
    double tp = 0, ep = 0, cp = 0, again = 0, ep_again = 0;
    for (int k = 0; k < longest->kinds; k++) {
        const struct layercost *cost = &at->set.kind[k];
        const double layers = layers_of(longest, k), n = layers * passes;
        tp += n * cost->parts.tp;
        ep += n * cost->parts.ep;
        cp += n * cost->parts.cp;
        again += layers * cost->select_again.tp;
        ep_again += share * layers * cost->select_again.ep;
    }
    time->exchange[0] = tp + share * again;
    time->exchange[1] = ep + ep_again;
    time->exchange[2] = cp;
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

static void tell_time(const struct nd_estimate *e,
                      const struct nd_shape_place *at,
                      const struct longest *longest,
                      int mode,
                      double micro_batches,
                      const struct nd_point *point,
                      struct nd_time *time)
{
    const struct nd_strategy *s = &point->strategy;
    double sum = e->n_of[0] * longest->dense + e->n_of[1] * longest->moe;
    for (int k = ND_TWO; k < longest->kinds; k++)
        sum += e->n_of[k] * at->times[k][mode];
    sum += longest->ends[ND_LAST];
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
    struct nd_more_kinds more;
    struct nd_kinds kinds = {.more = &more};
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
