// SPDX-License-Identifier: Apache-2.0
// Fills the tables of the cache.
#include "kernels/common/estimate/estimate_cache.h"

#include <math.h>

size_t nd_cache_bytes(void)
{
    return sizeof(struct nd_cache);
}

// ---- keys ---------------------------------------------------------------------------------------

static uint64_t pair(int64_t high, int64_t low)
{
    return (uint64_t)high << 32 | (uint64_t)low;
}

static size_t place_of(const struct nd_key *key, size_t places)
{
    uint64_t h = key->word[0] * 0x9e3779b97f4a7c15u + key->word[1] * 0xbf58476d1ce4e5b9u +
                 key->word[2] * 0x94d049bb133111ebu + key->word[3] * 0xd6e8feb86659fd93u;
    return (size_t)((h ^ h >> 29) * 0x9e3779b97f4a7c15u >> 40) & (places - 1);
}

// Returns the number of the place that a new entry takes: the older one of the pair.
static size_t take_place(uint8_t *newer, size_t at)
{
    uint8_t *which = &newer[at / 2];
    *which = !*which;
    return (at & ~(size_t)1) | *which;
}

static bool same(const struct nd_key *a, const struct nd_key *b)
{
    return ((a->word[0] ^ b->word[0]) | (a->word[1] ^ b->word[1]) | (a->word[2] ^ b->word[2]) |
            (a->word[3] ^ b->word[3])) == 0;
}

// ---- shapes -------------------------------------------------------------------------------------

static struct nd_layer layer_of(const struct layercost *cost)
{
    struct nd_layer layer = {.parameters = cost->parameters,
                             .routed = cost->routed,
                             .tp = cost->parts.tp,
                             .ep = cost->parts.ep,
                             .cp = cost->parts.cp,
                             .again_tp = cost->select_again.tp,
                             .again_ep = cost->select_again.ep};
    for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
        layer.stored[mode] = cost->stored[mode];
        layer.times[mode] = cost->forward + cost->backward[mode];
    }
    return layer;
}

static void fill_layers(const struct nd_estimate *e, struct nd_shape_place *place)
{
    const struct layercost_set *set = &place->rest->set;
    const int kinds = layercost_kinds(&e->layers);
    place->layer[1] = (struct nd_layer){.parameters = 0};
    for (int k = 0; k < kinds && k < ND_TWO; k++)
        place->layer[k] = layer_of(&set->kind[k]);
    for (int k = ND_TWO; k < kinds; k++)
        place->rest->further[k - ND_TWO] = layer_of(&set->kind[k]);
}

static void fill_times(const struct nd_estimate *e, double seq, struct nd_shape_place *place)
{
    const struct layercost_set *set = &place->rest->set;
    const double mtp = (double)e->mtp_depth;
    place->head_time = (1 + mtp) * (set->head.forward + set->head.backward) +
                       mtp * (2 * set->mtp_forward + set->mtp_weights);
    place->p2p_intra = set->p2p_intra;
    place->p2p_inter = set->p2p_inter;
    place->token_flops = nd_token_flops(e, seq);
    for (int mode = 0; mode < LAYERCOST_MODES; mode++)
        place->made_flops[mode] = nd_made_flops(e, (enum nd_recompute)mode, seq);
}

static void fill_parameters(const struct nd_estimate *e, struct nd_shape_place *place)
{
    const struct layercost_set *set = &place->rest->set;
    bool tied = e->layers.model.tied;
    double mtp = (double)e->mtp_depth;
    double last = (double)e->layers.counts.final_norm + mtp * set->mtp_parameters;
    // MTP modules embed the tokens that they continue with.
    double copy = e->mtp_depth > 0 && !tied ? set->embedding : 0;
    place->ends[0] = 0;
    place->ends[ND_FIRST] = set->embedding;
    place->ends[ND_LAST] = last + set->head.parameters + copy;
    place->ends[ND_FIRST | ND_LAST] = last + set->embedding + (tied ? 0 : set->head.parameters);
}

struct nd_passing nd_passing_of(const struct nd_estimate *e, const struct layercost_set *set,
                                unsigned holds)
{
    const double buffer = e->dummy_wgrad ? 2 : 0;             // bytes a parameter of a matrix
    double shapes = holds != 0 ? set->attention_matrices : 0; // parameters, one of each shape
    double again = 0, buffers = 0, largest = 0;               // of the largest layer
    for (int k = 0; k < layercost_kinds(&e->layers); k++) {
        const struct layercost *cost = &set->kind[k];
        if (!(holds & 1U << k))
            continue;
        shapes += cost->matrices;
        again = fmax(again, cost->working);
        buffers = fmax(buffers, cost->buffers);
        largest = fmax(largest, cost->parameters + cost->routed);
    }
    const double common = buffer * shapes + buffers;
    return (struct nd_passing){common, common + again, 2 * e->bytes_param * largest};
}

static void fill_transients(const struct nd_estimate *e, struct nd_shape_place *place)
{
    const struct layercost_set *set = &place->rest->set;
    const int kinds = layercost_kinds(&e->layers);
    const double buffer = e->dummy_wgrad ? 2 : 0;
    place->logits =
        (double)(1 + e->mtp_depth) * set->head.logits + buffer * set->head.parameters;
    for (unsigned holds = 0; holds < ND_HOLDS && holds >> kinds == 0; holds++)
        place->passing[holds] = nd_passing_of(e, set, holds);
}

void nd_fill_shape(const struct nd_estimate *e, const struct nd_point *point,
                   struct nd_shape_place *place)
{
    const struct nd_strategy *s = &point->strategy;
    struct layercost_shape shape = {s->tp, s->cp, s->ep, s->mbs, point->seq_length, s->sp};
    layercost_of(&e->layers, &shape, &place->rest->set);
    fill_layers(e, place);
    fill_times(e, (double)point->seq_length, place);
    fill_parameters(e, place);
    fill_transients(e, place);
}

const struct nd_shape_place *nd_shape_of(const struct nd_estimate *e, struct nd_cache *cache,
                                         const struct nd_point *point)
{
    const struct nd_strategy *s = &point->strategy;
    const struct nd_key key = {{pair(s->mbs, s->ep), pair(s->tp, s->cp), pair(e->id, s->sp),
                                (uint64_t)point->seq_length}};
    size_t at = place_of(&key, ND_SHAPE_PLACES);
    if (same(&cache->shape[at].key, &key))
        return &cache->shape[at];
    if (same(&cache->shape[at ^ 1].key, &key))
        return &cache->shape[at ^ 1];
    at = take_place(cache->newer_shape, at);
    cache->shape[at].rest = &cache->rest[at];
    nd_fill_shape(e, point, &cache->shape[at]);
    cache->shape[at].key = key;
    return &cache->shape[at];
}

// ---- pipelines ----------------------------------------------------------------------------------

const struct nd_kinds *nd_kinds_of(const struct nd_estimate *e, struct nd_cache *cache,
                                   const struct nd_pipeline *p)
{
    const struct nd_key key = {
        {pair(p->stages, p->chunks), (uint64_t)p->micro_batches, pair(e->id, 0), 0}};
    size_t at = place_of(&key, ND_PIPELINE_PLACES);
    if (same(&cache->pipeline[at].key, &key))
        return &cache->pipeline[at].kinds;
    if (same(&cache->pipeline[at ^ 1].key, &key))
        return &cache->pipeline[at ^ 1].kinds;
    at = take_place(cache->newer_pipeline, at);
    cache->pipeline[at].kinds.more = &cache->more[at];
    nd_find_kinds(p, cache->begin, &cache->pipeline[at].kinds);
    cache->pipeline[at].key = key;
    return &cache->pipeline[at].kinds;
}

// ---- replicas -----------------------------------------------------------------------------------

static double parameter_bytes(const struct nd_sharing *sharing, double shards)
{
    const double shared = 1 / shards;
    return sharing->param * (sharing->parameters ? shared : 1) +
           sharing->grad * (sharing->gradients ? shared : 1) +
           sharing->optim * (sharing->optimizer ? shared : 1);
}

void nd_fill_replicas(const struct nd_estimate *e, const struct nd_strategy *s,
                      int64_t micro_batches, struct nd_replica_place *place)
{
    const struct nd_replicas shards = nd_shards_of(e, s);
    const struct nd_held held = nd_held_of(e, s);
    place->stages = nd_stages_of(e, s);
    place->sharing = nd_sharing_of(e, s, micro_batches);
    place->common_shards = (double)shards.common;
    place->common_bytes = parameter_bytes(&place->sharing, place->common_shards);
    place->routed_shards = 1;
    place->routed_bytes = 0;
    if (e->routed_parameters > 0) {
        place->routed_shards = (double)shards.routed;
        place->routed_bytes = parameter_bytes(&place->sharing, place->routed_shards);
    }
    place->exchanges = nd_exchanges_of(e, s, &held, (double)micro_batches);
    place->optimizer = nd_optimizer_of(e, s, &held);
}

const struct nd_replica_place *nd_replicas_at(const struct nd_estimate *e,
                                              struct nd_cache *cache,
                                              const struct nd_strategy *s,
                                              int64_t micro_batches)
{
    const int several = micro_batches > 1;
    const struct nd_key key = {{pair(s->dp, s->tp), pair(s->cp, s->pp), pair(s->ep, s->op),
                                pair(e->id, 2 * nd_stages_of(e, s) + several)}};
    size_t at = place_of(&key, ND_REPLICA_PLACES);
    if (same(&cache->replica[at].key, &key))
        return &cache->replica[at];
    if (same(&cache->replica[at ^ 1].key, &key))
        return &cache->replica[at ^ 1];
    at = take_place(cache->newer_replica, at);
    nd_fill_replicas(e, s, 1 + several, &cache->replica[at]);
    cache->replica[at].key = key;
    return &cache->replica[at];
}
