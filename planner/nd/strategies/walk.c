// SPDX-License-Identifier: Apache-2.0
// Walks by levels: a filter decided at one level is not evaluated again below that level.
#include "planner/nd/strategies/walk.h"

// ---- survivors ----------------------------------------------------------------------------------

struct survivors {
    struct nd_walk walk;
    nd_visit *visit;
    void *context;
};

static bool visit_level(struct survivors *s, int l)
{
    struct nd_walk *w = &s->walk;
    const struct nd_level *level = &w->whole.levels[l];
    if (l == ND_DIMENSIONS)
        return s->visit(s->context, &w->point);
    for (int k = 0, n = nd_walk_size(w, level->dimension); k < n; k++)
        if (nd_walk_take(w, level->dimension, k) &&
            nd_walk_decide(w, level, w->filters->n) == w->filters->n && !visit_level(s, l + 1))
            return false;
    return true;
}

static bool visit_quad(struct survivors *s, const struct nd_quad *quad)
{
    s->walk.point = nd_quad_point(quad);
    if (nd_walk_decide_quad(&s->walk) < s->walk.filters->n)
        return true;
    nd_walk_enter(&s->walk, quad);
    return visit_level(s, 0);
}

bool nd_survivors(const struct nd_space *space, const struct nd_filters *filters,
                  nd_visit *visit, void *context)
{
    struct survivors s = {.visit = visit, .context = context};
    struct nd_quads quads = {.space = space};
    struct nd_quad quad;
    nd_walk_begin(&s.walk, space, filters);
    while (nd_quads_next(&quads, &quad))
        if (!visit_quad(&s, &quad))
            return false;
    return true;
}

// ---- tuples -------------------------------------------------------------------------------------

// Whether something survives from level l on; leaves the first survivor in the point.
static bool any_from(struct nd_walk *w, int l)
{
    const struct nd_level *level = &w->whole.levels[l];
    if (l == ND_DIMENSIONS)
        return true;
    for (int k = 0, n = nd_walk_size(w, level->dimension); k < n; k++)
        if (nd_walk_take(w, level->dimension, k) &&
            nd_walk_decide(w, level, w->filters->n) == w->filters->n && any_from(w, l + 1))
            return true;
    return false;
}

// Some filter reads ep or op together with vp, mbs or sp.
static bool is_coupled(const struct nd_walk *w)
{
    const unsigned tuple = 1U << ND_EP | 1U << ND_OP;
    for (int k = 0; k < w->n_parts; k++)
        if ((w->parts[k].dimensions & tuple) != 0 && (w->parts[k].dimensions & ~tuple) != 0)
            return true;
    return false;
}

// op of the walk's point; ep is taken. -1 may stand there more than once and counts once.
static bool visit_op(struct survivors *s, bool coupled)
{
    struct nd_walk *w = &s->walk;
    const struct nd_level *level = &w->whole.levels[ND_OP];
    bool marked = false;
    for (int k = 0; k < w->domains.n_op; k++) {
        if (!nd_walk_take(w, ND_OP, k) || (marked && w->point.op == -1) ||
            nd_walk_decide(w, level, w->filters->n) < w->filters->n ||
            (coupled && !any_from(w, ND_VP)))
            continue;
        marked = marked || w->point.op == -1;
        if (!s->visit(s->context, &w->point))
            return false;
    }
    return true;
}

static bool visit_tuples(struct survivors *s, const struct nd_quad *quad, bool coupled)
{
    struct nd_walk *w = &s->walk;
    w->point = nd_quad_point(quad);
    if (nd_walk_decide_quad(w) < w->filters->n)
        return true;
    nd_walk_enter(w, quad);
    if (!coupled && !any_from(w, ND_VP))
        return true;
    for (int k = 0; k < w->domains.n_ep; k++)
        if (nd_walk_take(w, ND_EP, k) &&
            nd_walk_decide(w, &w->whole.levels[ND_EP], w->filters->n) == w->filters->n &&
            !visit_op(s, coupled))
            return false;
    return true;
}

bool nd_tuples(const struct nd_space *space, const struct nd_filters *filters, nd_visit *visit,
               void *context)
{
    struct survivors s = {.visit = visit, .context = context};
    struct nd_quads quads = {.space = space};
    struct nd_quad quad;
    nd_walk_begin(&s.walk, space, filters);
    const bool coupled = is_coupled(&s.walk);
    while (nd_quads_next(&quads, &quad))
        if (!visit_tuples(&s, &quad, coupled))
            return false;
    return true;
}
