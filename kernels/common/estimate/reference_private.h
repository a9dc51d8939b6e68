// SPDX-License-Identifier: Apache-2.0
// What the stages and the whole step of the reference share.
#pragma once

#include "kernels/common/estimate/reference.h"

// A strategy, its chunks, and the costs of its layers.
struct reference_view {
    const struct nd_estimate *e;
    const struct nd_strategy *s;
    const struct nd_chunk *chunk;
    const struct layercost_set *set;
    int64_t micro_batches;
};

static inline int reference_kinds(const struct reference_view *w)
{
    return layercost_kinds(&w->e->layers);
}

static inline const struct nd_chunk *reference_chunk(const struct reference_view *w, int32_t i,
                                                     int32_t v)
{
    return &w->chunk[v * w->s->pp + i];
}

static inline bool reference_has_two_stages(const struct reference_view *w)
{
    return w->e->schedule == TRAINING_DUALPIPE && w->s->pp > 1 && w->s->vp == 1;
}

static inline bool reference_has_pairs(const struct reference_view *w)
{
    return reference_has_two_stages(w) && w->s->pp % 2 == 0;
}

// Ranks that share the optimizer state of other layers.
static inline int64_t reference_dense_shards(const struct nd_strategy *s)
{
    return s->op > 0 ? s->op : s->dp;
}

// Ranks that share the optimizer state of experts.
int64_t reference_expert_shards(const struct nd_estimate *e, const struct nd_strategy *s);

// Describes stage i.
void reference_stage(const struct reference_view *w, int32_t i, struct nd_stage *stage);
