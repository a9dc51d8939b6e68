// SPDX-License-Identifier: Apache-2.0
// Enumerates patterns: the ways in which the leading layers, of type 1, can fill the first chunks.
#include "kernels/common/search/general_private.h"

enum { PATTERNS_BOUNDED = 16 }; // patterns that get a bound even after the stop

// Returns the time of a stage for all micro-batches with this number of layers of type 2.
double nd_general_stage_bound(const struct nd_general *g, int32_t i, double layers)
{
    const struct nd_program *p = g->program;
    for (int32_t v = 0; v < p->chunks; v++)
        layers += p->layer_ratio * g->pattern.dense[v * p->stages + i];
    return p->micro_batches *
           ((1 + p->backward_ratio) * layers + (i == p->stages - 1 ? nd_program_head(p) : 0));
}

struct patterns {
    struct nd_general *g;
    bool (*visit)(struct nd_general *g, void *self);
    void *self;
    int32_t n, most; // visited
};

// Visits a pattern: all layers are placed, in chunks 0 ... k - 1.
static bool visit(struct patterns *all, int32_t k)
{
    struct nd_general *g = all->g;
    g->pattern.n = k;
    if (g->program->stages * g->program->chunks - k > g->program->layers[1])
        return true; // a chunk would be left without a layer
    if (++all->n > (g->search.over ? PATTERNS_BOUNDED : all->most) || nd_watch_now(&g->watch)) {
        g->search.over = true;
        g->bound = 0;
        return true;
    }
    return all->visit(g, all->self);
}

// Places `left` layers in the chunks from k on.
static bool place(struct patterns *all, int32_t k, int32_t left)
{
    struct nd_general *g = all->g;
    const struct nd_program *p = g->program;
    if (g->bound == 0)
        return true;
    if (left == 0)
        return visit(all, k);
    if (k == p->stages * p->chunks)
        return true;
    const int32_t most = p->compat == ND_ORIG && left > ND_ORIG_LAYERS ? ND_ORIG_LAYERS : left;
    bool done = true;
    for (int32_t x = most; done && x >= 1; x--) {
        g->pattern.dense[k] = x;
        if (nd_general_stage_bound(g, k % p->stages, 0) < nd_general_limit(g))
            done = place(all, k + 1, left - x);
    }
    g->pattern.dense[k] = 0;
    return done;
}

bool nd_general_patterns(struct nd_general *g,
                         bool (*visit_one)(struct nd_general *g, void *self), void *self,
                         int32_t most)
{
    struct patterns all = {.g = g, .visit = visit_one, .self = self, .most = most};
    return place(&all, 0, g->program->layers[0]);
}
