// SPDX-License-Identifier: Apache-2.0
// Caches the results of one thread: figures of layers by shape, kinds of stages by depth. Each hash
// has two places in its table: a new entry takes the first, the previous entry moves to the second.
#ifndef PPS_COMMON_ESTIMATE_ESTIMATE_CACHE_H
#define PPS_COMMON_ESTIMATE_ESTIMATE_CACHE_H

#include "kernels/common/estimate/estimate.h"
#include "kernels/common/estimate/stage_kinds.h"

enum {
    ND_SHAPE_PLACES = 512, // powers of two
    ND_PIPELINE_PLACES = 1024,
    ND_KEY_WORDS = 4,
};

struct nd_key {
    uint64_t word[ND_KEY_WORDS]; // the first one is never 0
};

// Figures of layers, and sums of them that every point needs.
struct nd_shape_place {
    struct nd_key key;
    double head_time; // of the last stage, MTP modules included
    // Parameters beyond layers; a single stage with tied embeddings has fewer.
    double ends[ND_ENDS];
    double logits; // bytes on the last stage, and buffers of the head
    // Without a table of kinds: temporary bytes of a stage with these kinds of layers: a layer that is recomputed, and
    // buffers of gradients; passing_full: in mode full.
    double passing[ND_HOLDS], passing_full[ND_HOLDS];
    double gathered[ND_HOLDS]; // bytes of two layers' parameters, which ZeRO level 3 gathers
    double held, held_routed;  // of the whole model: parameters a device exchanges, times pp
    double times[MODELDESC_KINDS]
                [LAYERCOST_MODES]; // forward and backward of a layer of each kind
    struct layercost_set set;
};

struct nd_pipeline_place {
    struct nd_key key;
    struct nd_kinds kinds;
};

struct nd_cache {
    struct nd_shape_place shape[ND_SHAPE_PLACES];
    struct nd_pipeline_place pipeline[ND_PIPELINE_PLACES];
    int64_t begin[ND_MAX_CHUNKS];
    struct nd_more_kinds more[ND_PIPELINE_PLACES];
    struct nd_peak worst[LAYERCOST_MODES], longest; // of pipelines that are walked each time
};

// What matters of the kinds of layers that a stage has, bit k of `holds` for kind k.
struct nd_held_kinds {
    double shapes;  // parameters of matrices, one of each shape
    double again;   // bytes of the largest layer, made again
    double buffers; // bytes of the largest ones of a layer
    double largest; // parameters of the largest layer
};
struct nd_held_kinds nd_held_kinds_of(const struct nd_estimate *e,
                                      const struct layercost_set *set,
                                      unsigned holds);

// A place without its key.
void nd_fill_shape(const struct nd_estimate *e,
                   const struct nd_point *point,
                   struct nd_shape_place *place);

const struct nd_shape_place *nd_shape_of(const struct nd_estimate *e,
                                         struct nd_cache *cache,
                                         const struct nd_point *point);

struct nd_pipeline nd_pipeline_of(const struct nd_estimate *e,
                                  const struct nd_strategy *s,
                                  int64_t micro_batches);

const struct nd_kinds *nd_kinds_of(const struct nd_estimate *e,
                                   struct nd_cache *cache,
                                   const struct nd_pipeline *p);

// The time of a point with nothing looked up or kept: of the cache only scratch is used. For
// callers that change what an estimate stands for from call to call.
void nd_time_of(const struct nd_estimate *e,
                struct nd_cache *cache,
                const struct nd_point *point,
                struct nd_time *time);

#endif
