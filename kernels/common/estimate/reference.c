// SPDX-License-Identifier: Apache-2.0
// Evaluates every chunk and every task of the order of each stage in plain loops.
#include "kernels/common/estimate/reference_private.h"

#include "kernels/common/estimate/stage_layers.h"

#include <math.h>
#include <string.h>

// ---- layers -------------------------------------------------------------------------------------

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// A stage's layers over its chunks: the last `layers mod chunks` of them have one more.
static int64_t chunk_layers(int64_t layers, int32_t chunks, int32_t chunk)
{
    return layers / chunks + (chunk >= chunks - layers % chunks);
}

static int kind_of(const struct nd_estimate *e, int64_t layer)
{
    if (e->layers.model.n_kinds > 0)
        return e->layers.model.pattern[layer];
    return layer < e->n_dense ? 0 : 1;
}

void nd_reference_split(const struct nd_estimate *e, const struct nd_point *point,
                        struct nd_chunk *chunk)
{
    const struct nd_strategy *s = &point->strategy;
    int64_t begin = 0;
    for (int32_t v = 0; v < s->vp; v++)
        for (int32_t i = 0; i < s->pp; i++) {
            int64_t n = chunk_layers(nd_stage_layers(e->n_layers, s->pp, i), s->vp, v);
            struct nd_chunk *c = &chunk[v * s->pp + i];
            *c = (struct nd_chunk){.layers = {.of = {0}}};
            for (int64_t l = begin; l < begin + n; l++)
                c->layers.of[kind_of(e, l)]++;
            if (s->recompute == ND_RECOMPUTE_SELECT)
                c->select = c->layers;
            else if (s->recompute == ND_RECOMPUTE_FULL)
                c->full = c->layers;
            begin += n;
        }
}

// ---- one stage ----------------------------------------------------------------------------------

static double by_mode(const double values[LAYERCOST_MODES], int32_t n, int32_t sel,
                      int32_t full)
{
    return values[LAYERCOST_NONE] * (n - sel - full) + values[LAYERCOST_SELECT] * sel +
           values[LAYERCOST_FULL] * full;
}

// Bytes that one micro-batch leaves on a chunk between its forward and its backward pass.
static double chunk_stored(const struct reference_view *w, const struct nd_chunk *c)
{
    double sum = 0;
    for (int k = 0; k < reference_kinds(w); k++)
        sum += by_mode(w->set->kind[k].stored, c->layers.of[k], c->select.of[k], c->full.of[k]);
    return sum;
}

// ---- order of tasks: chunk of the n-th forward or backward pass of a stage ----------------------

static int64_t first_part(const struct reference_view *w)
{
    int64_t p = w->s->pp, m = w->micro_batches;
    return m < p ? m : p + m % p;
}

static int32_t chunk_of(const struct reference_view *w, int64_t n)
{
    int64_t first = first_part(w), v = w->s->vp, p = w->s->pp;
    if (n < first * v)
        return (int32_t)(n / first);
    return (int32_t)((n - first * v) % (p * v) / p);
}

// DualPipe: every device has a stage and its opposite, and pp + 1 micro-batches are alive.
static int64_t warm_up(const struct reference_view *w, int32_t stage)
{
    int64_t after = w->s->pp - 1 - stage, v = w->s->vp;
    if (reference_has_two_stages(w))
        return least(w->s->pp, w->micro_batches);
    bool low = v == 1 || w->e->low_mem_vpp;
    return least((v - 1) * first_part(w) + (low ? after : 2 * after), v * w->micro_batches);
}

// Largest number of bytes that live at once, and the micro-batches that live then.
static double peak_stored(const struct reference_view *w, int32_t stage, double *in_flight)
{
    int64_t all = w->s->vp * w->micro_batches, ahead = warm_up(w, stage);
    double live = 0, most = 0;
    *in_flight = 0;
    for (int64_t n = 0; n < all; n++) {
        live += chunk_stored(w, reference_chunk(w, stage, chunk_of(w, n)));
        int64_t done = n - ahead;
        if (done > 0) {
            int32_t v = w->s->vp - 1 - chunk_of(w, done - 1);
            live -= chunk_stored(w, reference_chunk(w, stage, v));
        }
        if (live > most) {
            most = live;
            *in_flight = (double)(done > 0 ? n + 1 - done : n + 1) / w->s->vp;
        }
    }
    return most;
}

// ---- memory of a stage --------------------------------------------------------------------------

int64_t reference_expert_shards(const struct nd_estimate *e, const struct nd_strategy *s)
{
    int64_t replicas = (int64_t)s->dp * s->cp, op = reference_dense_shards(s);
    int64_t share = s->ep * (e->layers.expert_tensor_parallel ? (int64_t)s->tp : 1);
    int64_t most = replicas * s->tp / share;
    if (most < 1)
        most = 1;
    int64_t shards = op == replicas ? most : least(most, op * s->tp / share);
    return shards < 1 ? 1 : shards;
}

static bool remakes(const struct reference_view *w, int32_t stage, int kind)
{
    for (int32_t v = 0; v < w->s->vp; v++)
        if (reference_chunk(w, stage, v)->full.of[kind] > 0)
            return true;
    return false;
}

static void add_parameters(const struct reference_view *w, int32_t i, struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    const struct modeldesc *d = &w->e->layers.model;
    const double stages = reference_has_two_stages(w) ? 2 : 1;
    bool first = i == 0, last = i == w->s->pp - 1;
    if (reference_has_two_stages(w))
        first = last = first || last;
    double layers = 0, experts = 0;
    for (int k = 0; k < reference_kinds(w); k++) {
        layers += stage->layers.of[k] * set->kind[k].parameters;
        experts += stage->layers.of[k] * set->kind[k].routed;
    }
    stage->common = stages * layers;
    stage->routed = stages * experts;
    if (first)
        stage->common += set->embedding;
    if (last) {
        stage->common += (double)w->e->layers.counts.final_norm;
        if (!d->tied || !first)
            stage->common += set->head.parameters;
        stage->common += (double)w->e->mtp_depth * set->mtp_parameters;
        if (w->e->mtp_depth > 0 && !first && !d->tied)
            stage->common += set->embedding; // a copy: MTP modules embed the next tokens
    }
}

static void add_static(const struct reference_view *w, struct nd_stage *stage)
{
    const struct nd_estimate *e = w->e;
    double dense = (double)reference_dense_shards(w->s),
           expert = (double)reference_expert_shards(e, w->s);
    double whole = stage->common + stage->routed;
    double sharded = stage->common / dense + stage->routed / expert;
    const bool stages = e->layers.stack.pipeline_whole && w->s->pp > 1;
    const bool accumulates = e->layers.stack.accumulation_whole && w->micro_batches > 1;
    const bool shares_gradients = e->zero_level >= 2 && !stages && !accumulates;
    const bool shares = e->zero_level >= 3 && !stages;
    const double copy = e->layers.fp8 && e->bytes_param >= 2 && !shares ? 1 : 0;
    const bool host = shares && e->offload_parameters;
    stage->parameters = host ? 0 : (e->bytes_param + copy) * (shares ? sharded : whole);
    stage->gradients =
        host && shares_gradients ? 0 : e->bytes_grad * (shares_gradients ? sharded : whole);
    stage->optimizer = host ? 0
                            : (1 - e->offload_optimizer) * e->bytes_optim *
                                  (e->zero_level >= 1 ? sharded : whole);
}

// Level 3 of ZeRO: parameters of a layer in use and of one fetched in advance, bytes.
static double gathered(const struct reference_view *w, const struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    double largest = 0;
    for (int k = 0; k < reference_kinds(w); k++)
        if (stage->layers.of[k] > 0)
            largest = fmax(largest, set->kind[k].parameters + set->kind[k].routed);
    return 2 * w->e->bytes_param * largest;
}

static void add_transient(const struct reference_view *w, int32_t i, struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    bool last = i == w->s->pp - 1 || (reference_has_two_stages(w) && i == 0);
    double again = 0, shapes = 0, buffers = 0;
    if (nd_layers_all(&stage->layers) > 0)
        shapes += set->attention_matrices;
    for (int k = 0; k < reference_kinds(w); k++) {
        if (remakes(w, i, k))
            again = fmax(again, set->kind[k].working);
        if (stage->layers.of[k] == 0)
            continue;
        shapes += set->kind[k].matrices;
        buffers = fmax(buffers, set->kind[k].buffers);
    }
    if (last)
        shapes += set->head.parameters;
    stage->transient = again + buffers;
    if (last)
        stage->transient += (double)(1 + w->e->mtp_depth) * set->head.logits;
    if (w->e->dummy_wgrad)
        stage->transient += 2 * shapes;
    const bool whole = w->e->layers.stack.pipeline_whole && w->s->pp > 1;
    if (w->e->zero_level >= 3 && !whole && reference_dense_shards(w->s) > 1)
        stage->transient += gathered(w, stage);
}

// ---- time of a stage ----------------------------------------------------------------------------

static void add_times(const struct reference_view *w, int32_t i, struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    for (int32_t v = 0; v < w->s->vp; v++) {
        const struct nd_chunk *c = reference_chunk(w, i, v);
        double forward = 0, backward = 0;
        for (int k = 0; k < reference_kinds(w); k++) {
            const struct layercost *cost = &set->kind[k];
            forward += c->layers.of[k] * cost->forward;
            backward +=
                by_mode(cost->backward, c->layers.of[k], c->select.of[k], c->full.of[k]);
        }
        stage->forward += forward;
        stage->backward += backward;
    }
    if (i < w->s->pp - 1)
        return;
    double mtp = (double)w->e->mtp_depth;
    stage->forward += (1 + mtp) * set->head.forward + mtp * set->mtp_forward;
    stage->backward +=
        (1 + mtp) * set->head.backward + mtp * (set->mtp_forward + set->mtp_weights);
}

void reference_stage(const struct reference_view *w, int32_t i, struct nd_stage *stage)
{
    memset(stage, 0, sizeof *stage);
    for (int32_t v = 0; v < w->s->vp; v++)
        for (int k = 0; k < reference_kinds(w); k++)
            stage->layers.of[k] += reference_chunk(w, i, v)->layers.of[k];
    add_parameters(w, i, stage);
    add_static(w, stage);
    stage->activations = peak_stored(w, i, &stage->in_flight);
    add_transient(w, i, stage);
    stage->reserve = w->e->reserve +
                     w->e->layers.stack.fragmentation * (stage->activations + stage->transient);
    stage->total = stage->parameters + stage->gradients + stage->optimizer +
                   stage->activations + stage->transient + stage->reserve;
    add_times(w, i, stage);
}
