// SPDX-License-Identifier: Apache-2.0
// Finds the dimensions that filters couple.
#include "planner/nd/strategies/filter_parts.h"

// ---- parts --------------------------------------------------------------------------------------

static enum nd_dimension last_of(unsigned reads)
{
    enum nd_dimension last = ND_EP;
    for (int d = ND_EP; d < ND_DIMENSIONS; d++)
        if (reads & 1U << d)
            last = (enum nd_dimension)d;
    return last;
}

static void set_levels(struct nd_walk *w, struct nd_part *part)
{
    const struct nd_filters *f = w->filters;
    part->n_levels = 0;
    for (int d = ND_EP; d < ND_DIMENSIONS; d++)
        if (part->dimensions & 1U << d) {
            struct nd_level *level = &part->levels[part->n_levels++];
            level->dimension = (enum nd_dimension)d;
            level->n = 0;
            for (int k = 0; k < f->n; k++) {
                const unsigned reads = nd_filter_reads(f->list[k]);
                if (reads != ND_READS_QUAD && last_of(reads) == level->dimension)
                    level->places[level->n++] = k;
            }
        }
    for (int l = part->n_levels - 1, earliest = f->n; l >= 0; l--) {
        struct nd_level *level = &part->levels[l];
        if (level->n > 0 && level->places[0] < earliest)
            earliest = level->places[0];
        level->earliest = earliest;
    }
}

// Joins all parts that have one of these dimensions.
static void join(unsigned masks[], int *n, unsigned dimensions)
{
    unsigned joined = 0;
    int kept = 0;
    for (int k = 0; k < *n; k++)
        if (masks[k] & dimensions)
            joined |= masks[k];
        else
            masks[kept++] = masks[k];
    masks[kept++] = joined;
    *n = kept;
}

void nd_walk_begin(struct nd_walk *w,
                   const struct nd_space *space,
                   const struct nd_filters *filters)
{
    unsigned masks[ND_DIMENSIONS] = {1U << ND_EP, 1U << ND_OP, 1U << ND_VP, 1U << ND_MBS,
                                     1U << ND_SP};
    w->space = space;
    w->filters = filters;
    w->n_parts = ND_DIMENSIONS;
    if (space->preset == ND_CLASSIC)
        join(masks, &w->n_parts, 1U << ND_EP | 1U << ND_OP);
    for (int k = 0; k < filters->n; k++)
        if (nd_filter_reads(filters->list[k]) != ND_READS_QUAD)
            join(masks, &w->n_parts, nd_filter_reads(filters->list[k]));
    w->whole.dimensions = (1U << ND_DIMENSIONS) - 1;
    set_levels(w, &w->whole);
    for (int k = 0; k < w->n_parts; k++) {
        w->parts[k].dimensions = masks[k];
        set_levels(w, &w->parts[k]);
    }
}

void nd_walk_enter(struct nd_walk *w, const struct nd_quad *quad)
{
    nd_domains_of(w->space, quad, &w->domains);
    w->point = nd_quad_point(quad);
}

// ---- one dimension ------------------------------------------------------------------------------

int nd_walk_size(const struct nd_walk *w, enum nd_dimension d)
{
    const struct nd_domains *domains = &w->domains;
    switch ((int)d) {
    case ND_EP:
        return domains->n_ep;
    case ND_OP:
        return domains->n_op;
    case ND_VP:
        return domains->last_vp < domains->first_vp ? 0
                                                    : domains->last_vp - domains->first_vp + 1;
    case ND_MBS:
        return w->space->n_mbs;
    default:
        return domains->sp_off + domains->sp_on;
    }
}

bool nd_walk_take(struct nd_walk *w, enum nd_dimension d, int k)
{
    struct nd_strategy *p = &w->point;
    switch ((int)d) {
    case ND_EP:
        p->ep = w->domains.ep[k];
        return true;
    case ND_OP:
        p->op = w->domains.op[k];
        return !w->domains.op_of_ep ||
               nd_op_follows(&(struct nd_quad){p->dp, p->tp, p->cp, p->pp}, p->ep, p->op);
    case ND_VP:
        p->vp = w->domains.first_vp + k;
        return true;
    case ND_MBS:
        p->mbs = w->space->mbs[k];
        return true;
    default:
        p->sp = k == 1 || !w->domains.sp_off;
        return true;
    }
}

int nd_walk_decide(const struct nd_walk *w, const struct nd_level *level, int first)
{
    for (int k = 0; k < level->n && level->places[k] < first; k++)
        if (!nd_filter_keeps(w->filters->list[level->places[k]], w->filters, w->space,
                             &w->point))
            return level->places[k];
    return first;
}

int nd_walk_decide_quad(const struct nd_walk *w)
{
    const struct nd_filters *f = w->filters;
    for (int k = 0; k < f->n; k++)
        if (nd_filter_reads(f->list[k]) == ND_READS_QUAD &&
            !nd_filter_keeps(f->list[k], f, w->space, &w->point))
            return k;
    return f->n;
}
