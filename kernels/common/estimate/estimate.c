// SPDX-License-Identifier: Apache-2.0
// Estimates a point: looks up the figures of its layers and the kinds of its stages, then computes
// a few sums of memory for each kind.
#include "kernels/common/estimate/estimate_private.h"

#include <math.h>
#include <string.h>

static inline void look_up(struct nd_view *view, const struct nd_estimate *e,
                           struct nd_cache *cache, const struct nd_point *point)
{
    const int64_t n = nd_some_micro_batches(point);
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

static inline void view_memory(struct memory_view *w, const struct nd_view *view)
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
static inline void find_worst(struct worst *worst, const struct nd_view *view)
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

// ---- a point ------------------------------------------------------------------------------------

void nd_estimate(const struct nd_estimate *e, struct nd_cache *cache,
                 const struct nd_point *point, struct nd_memory *memory, struct nd_time *time)
{
    struct nd_view view;
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
    if (time != NULL)
        nd_view_time(&view, mode, point, time);
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
    struct nd_view view;
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
    if (time != NULL)
        nd_view_time(&view, mode, point, time);
    return (enum nd_recompute)mode;
}
