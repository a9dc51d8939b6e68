// SPDX-License-Identifier: Apache-2.0
// Converts layer figures and the plain estimate to the numbers of a pipeline program.
#include "planner/figures/modelled.h"

#include "kernels/common/estimate/estimate.h"
#include "kernels/common/pipeline/collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nd_analytic_model {
    struct nd_estimate estimate;
    struct nd_cache *cache;
};

struct nd_analytic_model *nd_analytic_open(const struct modeldesc *model,
                                           const struct cluster *cluster,
                                           const struct training *training)
{
    const size_t bytes = (nd_cache_bytes() + 63) / 64 * 64;
    struct nd_analytic_model *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return NULL;
    opened->cache = aligned_alloc(64, bytes);
    if (opened->cache == NULL) {
        free(opened);
        return NULL;
    }
    memset(opened->cache, 0, bytes);
    nd_estimate_open(&opened->estimate, model, cluster, training, 1);
    return opened;
}

void nd_analytic_free(struct nd_analytic_model *model)
{
    if (model == NULL)
        return;
    free(model->cache);
    free(model);
}

// ---- memory of parameters -----------------------------------------------------------------------

// What a strategy makes of the bytes of a device.
struct setting {
    const struct nd_estimate *e;
    const struct nd_strategy *s;
    struct nd_replicas shards;
    struct nd_sharing sharing;
    double allocated; // bytes that the allocator takes for a byte of activations
};

static double held(const struct setting *w, double common, double routed)
{
    const struct nd_estimate *e = w->e;
    const double whole = common + routed;
    const double shared = common / (double)w->shards.common + routed / (double)w->shards.routed;
    return w->sharing.param * (w->sharing.parameters ? shared : whole) +
           e->bytes_grad * (w->sharing.gradients ? shared : whole) +
           e->bytes_optim * (w->sharing.optimizer ? shared : whole);
}

static struct nd_analytic_layer layer_of(const struct setting *w, const struct layercost *cost)
{
    return (struct nd_analytic_layer){
        .forward = cost->forward,
        .backward = cost->backward[LAYERCOST_NONE],
        .backward_select = cost->backward[LAYERCOST_SELECT],
        .backward_full = cost->backward[LAYERCOST_FULL],
        .weights = cost->weights,
        .kept_for_weights = w->allocated * cost->kept_for_weights,
        .none = w->allocated * cost->stored[LAYERCOST_NONE],
        .select = w->allocated * cost->stored[LAYERCOST_SELECT],
        .full = w->allocated * cost->stored[LAYERCOST_FULL],
        .held = held(w, cost->parameters, cost->routed),
    };
}

// Returns the bytes of the layer in use and of one fetched in advance, where devices share
// parameters.
static double gathered(const struct setting *w, const struct layercost_set *set)
{
    const double largest = fmax(set->dense.parameters, set->moe.parameters + set->moe.routed);
    return w->sharing.parameters && w->shards.common > 1 ? 2.0 * w->e->bytes_param * largest
                                                         : 0.0;
}

// ---- figures besides the layers -----------------------------------------------------------------

// Returns the parameters of the last stage besides its layers, as the memory model counts them.
static double head_parameters(const struct nd_estimate *e,
                              const struct layercost_set *set,
                              const struct nd_strategy *s)
{
    const struct modeldesc *model = &e->layers.model;
    const bool first = s->pp == 1;
    double n = (double)e->layers.counts.final_norm + (double)e->mtp_depth * set->mtp_parameters;
    if (!model->tied || !first)
        n += set->head.parameters;
    if (e->mtp_depth > 0 && !first && !model->tied)
        n += set->embedding; // MTP modules embed the next tokens
    return n;
}

static void take_rest(struct nd_analytic *figures,
                      const struct setting *w,
                      const struct layercost_set *set)
{
    const struct nd_estimate *e = w->e;
    const struct nd_strategy *s = w->s;
    const double mtp = (double)e->mtp_depth;
    const bool across = (int64_t)s->dp * s->tp * s->cp >= e->layers.hardware.node;
    figures->head_forward = (1.0 + mtp) * set->head.forward + mtp * set->mtp_forward;
    figures->head_backward = (1.0 + mtp) * set->head.backward + 2.0 * mtp * set->mtp_forward;
    figures->hop = s->pp > 1 ? (across ? set->p2p_inter : set->p2p_intra) / 2.0 : 0.0;
    figures->embedding = held(w, set->embedding, 0.0);
    figures->head = held(w, head_parameters(e, set, s), 0.0);
    if (s->pp ==
        1) // the stage is first and last; the program takes the greater of both figures
        figures->embedding = figures->head = figures->embedding + figures->head;
    double logits = (1.0 + mtp) * set->head.logits, passing = gathered(w, set);
    if (e->dummy_wgrad) {
        passing += 2.0 * (set->attention_matrices + set->dense.matrices + set->moe.matrices);
        logits += 2.0 * set->head.parameters;
    }
    figures->logits = w->allocated * logits;
    figures->working = fmax(figures->dense.none, figures->usual.none) + w->allocated * passing;
    figures->reserve = e->reserve;
}

// Returns the seconds of the embedding's memory traffic: every micro-batch reads and writes its
// rows of the table, two bytes per element, in the forward and again in the backward.
static double embedding_time(const struct nd_estimate *e, const struct nd_point *point)
{
    const struct nd_strategy *s = &point->strategy;
    const double tokens = (double)s->mbs * (double)point->seq_length / s->cp;
    const double bytes = 8.0 * tokens * (double)e->layers.model.hidden / (s->sp ? s->tp : 1);
    return (double)nd_micro_batches(point) * hardware_stream(&e->layers.hardware, bytes);
}

static int64_t some_micro_batches(const struct nd_point *point)
{
    const int64_t n = nd_micro_batches(point);
    return n < 1 ? 1 : n;
}

void nd_analytic_of(struct nd_analytic_model *model,
                    const struct nd_strategy *strategy,
                    int64_t seq_length,
                    int64_t gbs,
                    struct nd_analytic *figures)
{
    const struct nd_estimate *e = &model->estimate;
    struct nd_point point = {.strategy = *strategy, .seq_length = seq_length, .gbs = gbs};
    struct nd_time time;
    point.strategy.vp = 1;
    point.strategy.recompute = ND_RECOMPUTE_FULL;
    nd_estimate(e, model->cache, &point, NULL, &time);
    const struct layercost_set *set = nd_layer_figures(e, model->cache, &point);
    const int64_t micro_batches = some_micro_batches(&point);
    const struct setting w = {.e = e,
                              .s = strategy,
                              .shards = nd_shards_of(e, strategy),
                              .sharing = nd_sharing_of(e, strategy, micro_batches),
                              .allocated = 1.0 + e->layers.stack.fragmentation};
    const bool has_experts = e->layers.model.experts > 0;
    const struct nd_held whole = nd_held_of(e, strategy);
    *figures =
        (struct nd_analytic){.dp = nd_exchanges_of(e, strategy, &whole, (double)micro_batches),
                             .optimizer = time.optimizer};
    figures->usual = layer_of(&w, has_experts ? &set->moe : &set->dense);
    if (has_experts && e->layers.model.dense_layers > 0)
        figures->dense = layer_of(&w, &set->dense);
    take_rest(figures, &w, set);
    figures->embedding_time = embedding_time(e, &point);
}
