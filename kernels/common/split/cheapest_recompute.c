// SPDX-License-Identifier: Apache-2.0
// Tries all ways to recompute in one chunk, two counts at a time.
#include "kernels/common/split/cheapest_recompute.h"

#include <math.h>

struct nd_chunk_plan nd_segment(const struct nd_program *program, int32_t first, int32_t n)
{
    int32_t dense = program->layers[0] - first;
    dense = dense < 0 ? 0 : dense > n ? n : dense;
    return (struct nd_chunk_plan){.layers = {dense, n - dense}};
}

// A way to recompute: what it saves of either type, and which counts it sets.
struct way {
    bool full;
    double saves[2];
};

static int32_t *counts_of(const struct way *way, struct nd_chunk_plan *chunk)
{
    return way->full ? chunk->full : chunk->part;
}

// Sets the fewest layers of type 2 with which the chunk keeps at most kept_most; false: even all
// of them are too few.
static bool fill(const struct nd_program *p,
                 const struct way *way,
                 double kept_most,
                 struct nd_chunk_plan *chunk)
{
    int32_t *count = &counts_of(way, chunk)[1];
    *count = 0;
    const double excess = nd_chunk_kept(p, chunk) - kept_most;
    if (excess <= 0)
        return true;
    if (way->saves[1] <= 0 || excess > way->saves[1] * (chunk->layers[1] + 1.0))
        return false;
    *count = (int32_t)fmin(ceil(excess / way->saves[1]), chunk->layers[1]);
    if (nd_chunk_kept(p, chunk) > kept_most && *count < chunk->layers[1])
        ++*count; // the quotient was rounded down
    if (nd_chunk_kept(p, chunk) > kept_most)
        return false;
    if (*count > 0) {
        --*count; // or up
        if (nd_chunk_kept(p, chunk) > kept_most)
            ++*count;
    }
    return true;
}

// Tries all counts of type 1, each with the fewest of type 2.
static void try_way(const struct nd_program *p,
                    const struct way *way,
                    double kept_most,
                    struct nd_chunk_plan chunk,
                    struct nd_chunk_plan *best,
                    double *least)
{
    for (int32_t n = 0; n <= chunk.layers[0]; n++) {
        counts_of(way, &chunk)[0] = n;
        if (!fill(p, way, kept_most, &chunk))
            continue;
        const double growth = nd_chunk_growth(p, &chunk);
        if (growth < *least) {
            *least = growth;
            *best = chunk;
        }
        if (counts_of(way, &chunk)[1] == 0)
            return; // more of type 1 only costs
    }
}

bool nd_cheapest(const struct nd_program *p,
                 double kept_most,
                 bool head,
                 struct nd_chunk_plan *chunk)
{
    const struct nd_figures *m = &p->memory;
    const struct way full = {true,
                             {m->act_mem0 - m->re_comp_mem0, m->act_mem - m->re_comp_mem}};
    const struct way part = {false, {m->act_mem0 - m->select_mem0, m->act_mem - m->select_mem}};
    struct nd_chunk_plan bare = {.layers = {chunk->layers[0], chunk->layers[1]}};
    double least = HUGE_VAL;
    if (p->compat == ND_ORIG)
        kept_most = fmin(kept_most, ND_ORIG_KEPT);
    if (nd_chunk_kept(p, &bare) <= kept_most) {
        *chunk = bare;
        return nd_chunk_within(p, chunk, head);
    }
    if (p->allow_full)
        try_way(p, &full, kept_most, bare, chunk, &least);
    if (p->allow_select)
        try_way(p, &part, kept_most, bare, chunk, &least);
    return least < HUGE_VAL && nd_chunk_within(p, chunk, head);
}

double nd_least_kept(const struct nd_program *p, const struct nd_chunk_plan *chunk)
{
    const struct nd_figures *m = &p->memory;
    const double act = m->act_mem0 * chunk->layers[0] + m->act_mem * chunk->layers[1];
    double least = act;
    if (p->allow_full)
        least = fmin(least, fmin(m->act_mem0, m->re_comp_mem0) * chunk->layers[0] +
                                fmin(m->act_mem, m->re_comp_mem) * chunk->layers[1]);
    if (p->allow_select)
        least = fmin(least, fmin(m->act_mem0, m->select_mem0) * chunk->layers[0] +
                                fmin(m->act_mem, m->select_mem) * chunk->layers[1]);
    return least;
}
