// SPDX-License-Identifier: Apache-2.0
// Caches the results of one thread: figures of layers by shape, kinds of stages by depth, and what replicas exchange.
// A point reads a few cache lines of each; what only some models or callers need lies apart (struct nd_shape_rest, struct nd_more_kinds).
#pragma once

#include "kernels/common/estimate/estimate.h"
#include "kernels/common/estimate/replicas.h"
#include "kernels/common/estimate/stage_kinds.h"

enum {
    ND_SHAPE_PLACES = 512, // powers of two
    ND_PIPELINE_PLACES = 1024,
    ND_REPLICA_PLACES = 256,
    ND_KEY_WORDS = 4,
};

struct nd_key {
    uint64_t word[ND_KEY_WORDS]; // the first one is never 0
};

// What a point needs of a layer of one kind.
struct nd_layer {
    double parameters, routed;      // per device
    double stored[LAYERCOST_MODES]; // bytes a micro-batch
    double times[LAYERCOST_MODES];  // forward and backward
    double tp, ep, cp;              // exchanges of a forward
    double again_tp, again_ep;      // exchanges that mode select repeats
};

// Temporary bytes of a stage: a layer that is made again, and buffers of gradients.
struct nd_passing {
    double common, full; // without and with the layer that mode full makes again
    double gathered;     // bytes of two layers' parameters, which ZeRO level 3 gathers
};

// Figures of a shape that only few points need.
struct nd_shape_rest {
    struct layercost_set set;
    struct nd_layer further[MODELDESC_KINDS - ND_TWO]; // layers of kinds 2, 3, ...
};

// Figures of layers, and sums of them that every point needs.
struct nd_shape_place {
    struct nd_key key;
    struct nd_shape_rest *rest;
    double head_time; // of the last stage, MTP modules included
    // Parameters beyond layers; a single stage with tied embeddings has fewer.
    double ends[ND_ENDS];
    double logits; // bytes on the last stage, and buffers of the head
    double p2p_intra, p2p_inter;
    double token_flops, made_flops[LAYERCOST_MODES]; // see nd_token_flops and nd_made_flops
    struct nd_layer layer[ND_TWO];
    struct nd_passing passing[ND_HOLDS]; // by the kinds of layers that a stage has
};

struct nd_pipeline_place {
    struct nd_key key;
    struct nd_kinds kinds;
};

// What does not depend on the micro-batches of a strategy, except on whether a step has several.
struct nd_replica_place {
    struct nd_key key;
    struct nd_sharing sharing;
    double common_shards, routed_shards; // devices that share an optimizer state
    double common_bytes, routed_bytes;   // a parameter, all together
    double optimizer;                    // time
    struct nd_exchanges exchanges;       // of one micro-batch
    int stages;                          // of a device: two with DualPipe
};

// A key has two places, which differ in the lowest bit of their number; a new entry takes the older one.
struct nd_cache {
    struct nd_shape_place shape[ND_SHAPE_PLACES];
    struct nd_pipeline_place pipeline[ND_PIPELINE_PLACES];
    struct nd_replica_place replica[ND_REPLICA_PLACES];
    uint8_t newer_shape[ND_SHAPE_PLACES / 2], newer_pipeline[ND_PIPELINE_PLACES / 2];
    uint8_t newer_replica[ND_REPLICA_PLACES / 2];
    int64_t begin[ND_MAX_CHUNKS];
    struct nd_shape_rest rest[ND_SHAPE_PLACES];
    struct nd_more_kinds more[ND_PIPELINE_PLACES];
    struct nd_peak worst[LAYERCOST_MODES], longest; // of pipelines that are walked each time
};

// `holds`: bit k where the stage has layers of kind k.
struct nd_passing nd_passing_of(const struct nd_estimate *e, const struct layercost_set *set,
                                unsigned holds);

// Fills a place except for its key; place->rest is the caller's.
void nd_fill_shape(const struct nd_estimate *e, const struct nd_point *point,
                   struct nd_shape_place *place);
void nd_fill_replicas(const struct nd_estimate *e, const struct nd_strategy *s,
                      int64_t micro_batches, struct nd_replica_place *place);

const struct nd_shape_place *nd_shape_of(const struct nd_estimate *e, struct nd_cache *cache,
                                         const struct nd_point *point);

const struct nd_kinds *nd_kinds_of(const struct nd_estimate *e, struct nd_cache *cache,
                                   const struct nd_pipeline *p);

const struct nd_replica_place *nd_replicas_at(const struct nd_estimate *e,
                                              struct nd_cache *cache,
                                              const struct nd_strategy *s,
                                              int64_t micro_batches);

// Inline, as the next one: a structure that is returned through memory costs more than it takes to compute.
static inline struct nd_pipeline nd_pipeline_of(const struct nd_estimate *e,
                                                const struct nd_strategy *s,
                                                int64_t micro_batches)
{
    struct nd_pipeline p = {.layers = e->n_layers,
                            .model = e->kinds > 0 ? &e->layers.model : NULL,
                            .dense = e->n_dense,
                            .stages = s->pp,
                            .chunks = s->vp,
                            .low_mem = e->low_mem_vpp,
                            .dualpipe = nd_stages_of(e, s) > 1};
    p.micro_batches = nd_few_micro_batches(micro_batches, &p);
    return p;
}

static inline const struct nd_layer *nd_layer_at(const struct nd_shape_place *place, int k)
{
    return k < ND_TWO ? &place->layer[k] : &place->rest->further[k - ND_TWO];
}

// The time of a point with nothing looked up or kept: of the cache only scratch is used. For
// callers that change what an estimate stands for from call to call.
void nd_time_of(const struct nd_estimate *e, struct nd_cache *cache,
                const struct nd_point *point, struct nd_time *time);
