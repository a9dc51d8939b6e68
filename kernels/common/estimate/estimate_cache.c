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

static bool same(const struct nd_key *a, const struct nd_key *b)
{
    return ((a->word[0] ^ b->word[0]) | (a->word[1] ^ b->word[1]) | (a->word[2] ^ b->word[2]) |
            (a->word[3] ^ b->word[3])) == 0;
}

// ---- shapes -------------------------------------------------------------------------------------

static void fill_times(const struct nd_estimate *e, struct nd_shape_place *place)
{
    const struct layercost_set *set = &place->set;
    double mtp = (double)e->mtp_depth;
    for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
        for (int k = 0; k < layercost_kinds(&e->layers); k++)
            place->times[k][mode] = set->kind[k].forward + set->kind[k].backward[mode];
    }
    place->head_time =
        (1 + mtp) * (set->head.forward + set->head.backward) + 3 * mtp * set->mtp_forward;
}

static void fill_parameters(const struct nd_estimate *e, struct nd_shape_place *place)
{
    const struct layercost_set *set = &place->set;
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

static void fill_transients(const struct nd_estimate *e, struct nd_shape_place *place)
{
    const struct layercost_set *set = &place->set;
    double buffer = e->dummy_wgrad ? 2 : 0; // bytes a parameter of a matrix
    place->logits =
        (double)(1 + e->mtp_depth) * set->head.logits + buffer * set->head.parameters;
    if (e->kinds > 0)
        return;
    for (unsigned holds = 0; holds < ND_HOLDS; holds++) {
        const struct nd_held_kinds of = nd_held_kinds_of(e, set, holds);
        place->passing[holds] = buffer * of.shapes;
        place->passing_full[holds] = buffer * of.shapes + of.again;
        place->gathered[holds] = 2 * e->bytes_param * of.largest;
    }
}

struct nd_held_kinds nd_held_kinds_of(const struct nd_estimate *e,
                                      const struct layercost_set *set,
                                      unsigned holds)
{
    struct nd_held_kinds of = {.shapes = holds != 0 ? set->attention_matrices : 0};
    for (int k = 0; k < layercost_kinds(&e->layers); k++) {
        const struct layercost *cost = &set->kind[k];
        if (!(holds & 1U << k))
            continue;
        of.shapes += cost->matrices;
        of.again = fmax(of.again, cost->stored[LAYERCOST_NONE]);
        of.largest = fmax(of.largest, cost->parameters + cost->routed);
    }
    return of;
}

void nd_fill_shape(const struct nd_estimate *e,
                   const struct nd_point *point,
                   struct nd_shape_place *place)
{
    const struct nd_strategy *s = &point->strategy;
    struct layercost_shape shape = {s->tp, s->cp, s->ep, s->mbs, point->seq_length, s->sp};
    layercost_of(&e->layers, &shape, &place->set);
    fill_times(e, place);
    fill_parameters(e, place);
    fill_transients(e, place);
    double etp = e->layers.expert_tensor_parallel ? s->tp : 1;
    place->held = e->common_parameters / s->tp;
    place->held_routed = e->routed_parameters / (s->ep * etp);
}

const struct nd_shape_place *nd_shape_of(const struct nd_estimate *e,
                                         struct nd_cache *cache,
                                         const struct nd_point *point)
{
    const struct nd_strategy *s = &point->strategy;
    struct nd_key key = {{pair(s->mbs, s->ep), pair(s->tp, s->cp), pair(e->id, s->sp),
                          (uint64_t)point->seq_length}};
    size_t at = place_of(&key, ND_SHAPE_PLACES);
    struct nd_shape_place *place = &cache->shape[at], *other = &cache->shape[at ^ 1];
    if (same(&place->key, &key))
        return place;
    if (same(&other->key, &key))
        return other;
    *other = *place;
    nd_fill_shape(e, point, place);
    place->key = key;
    return place;
}

// ---- pipelines ----------------------------------------------------------------------------------

struct nd_pipeline nd_pipeline_of(const struct nd_estimate *e,
                                  const struct nd_strategy *s,
                                  int64_t micro_batches)
{
    struct nd_pipeline p = {.layers = e->n_layers,
                            .model = e->kinds > 0 ? &e->layers.model : NULL,
                            .dense = e->n_dense,
                            .stages = s->pp,
                            .chunks = s->vp,
                            .low_mem = e->low_mem_vpp,
                            .dualpipe =
                                e->schedule == TRAINING_DUALPIPE && s->pp > 1 && s->vp == 1};
    p.micro_batches = nd_few_micro_batches(micro_batches, &p);
    return p;
}

const struct nd_kinds *nd_kinds_of(const struct nd_estimate *e,
                                   struct nd_cache *cache,
                                   const struct nd_pipeline *p)
{
    struct nd_key key = {
        {pair(p->stages, p->chunks), (uint64_t)p->micro_batches, pair(e->id, 0), 0}};
    size_t at = place_of(&key, ND_PIPELINE_PLACES);
    struct nd_pipeline_place *place = &cache->pipeline[at], *other = &cache->pipeline[at ^ 1];
    if (same(&place->key, &key))
        return &place->kinds;
    if (same(&other->key, &key))
        return &other->kinds;
    // What was there moves; the two places exchange their further figures.
    struct nd_more_kinds *more = other->kinds.more;
    if (place->kinds.more == NULL) {
        place->kinds.more = &cache->more[at];
        more = &cache->more[at ^ 1];
    }
    *other = *place;
    place->kinds.more = more;
    nd_find_kinds(p, cache->begin, &place->kinds);
    place->key = key;
    return &place->kinds;
}
