// SPDX-License-Identifier: Apache-2.0
// Tries all ways to recompute in one chunk, two counts at a time.
#include "kernels/common/split/cheapest_recompute.h"

#include "kernels/common/interleaved/memory_line.h"

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
static bool fill(const struct nd_program *p, const struct way *way, double kept_most,
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

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- fixed numbers ------------------------------------------------------------------------------

bool nd_again_is_fixed(const struct nd_program *p)
{
    return p->again == ND_AGAIN_EACH || p->again == ND_AGAIN_EVERY ||
           p->again == ND_AGAIN_DEALT || p->again == ND_AGAIN_PARTS;
}

// Returns the layers of a chunk that are made again wholly.
static int32_t wholly(const struct nd_program *p, struct nd_again_place place, int32_t all)
{
    const int32_t left = p->again_n - place.number;
    if (p->again == ND_AGAIN_PARTS)
        return 0;
    if (p->again == ND_AGAIN_EACH)
        return least(p->again_n, all);
    if (p->again == ND_AGAIN_DEALT)
        return left > 0 ? least((left + p->chunks - 1) / p->chunks, all) : 0;
    return (place.before + all) / p->again_n - place.before / p->again_n;
}

void nd_again_set(const struct nd_program *p, struct nd_again_place place,
                  struct nd_chunk_plan *chunk)
{
    const int32_t *layers = chunk->layers;
    const bool parts = p->again == ND_AGAIN_PARTS;
    const int32_t n = wholly(p, place, layers[0] + layers[1]);
    for (int t = 0; t < 2; t++) {
        chunk->full[t] = t == 0 ? least(n, layers[0]) : n - chunk->full[0];
        chunk->part[t] = parts ? layers[t] : 0;
    }
}

bool nd_again_allows(const struct nd_program *p, struct nd_again_place place,
                     const struct nd_chunk_plan *chunk)
{
    struct nd_chunk_plan wanted = *chunk;
    bool same = true;
    if (p->again == ND_AGAIN_ANY)
        return true;
    if (p->again == ND_AGAIN_FIRST)
        return (chunk->full[1] == 0 && chunk->part[1] == 0) ||
               chunk->full[0] + chunk->part[0] == chunk->layers[0];
    nd_again_set(p, place, &wanted);
    for (int t = 0; t < 2; t++)
        same = same && wanted.full[t] == chunk->full[t] && wanted.part[t] == chunk->part[t];
    return same;
}

// ---- the cheapest numbers -----------------------------------------------------------------------

// Tries all counts of type 1, each with the fewest of type 2.
static void try_way(const struct nd_program *p, const struct way *way, double kept_most,
                    struct nd_chunk_plan chunk, struct nd_chunk_plan *best, double *cost)
{
    for (int32_t n = 0; n <= chunk.layers[0]; n++) {
        counts_of(way, &chunk)[0] = n;
        if (!fill(p, way, kept_most, &chunk))
            continue;
        if (p->again == ND_AGAIN_FIRST && counts_of(way, &chunk)[1] > 0 && n < chunk.layers[0])
            continue;
        const double growth = nd_chunk_growth(p, &chunk);
        if (growth < *cost) {
            *cost = growth;
            *best = chunk;
        }
        if (counts_of(way, &chunk)[1] == 0)
            return; // more of type 1 only costs
    }
}

static bool cheapest_fixed(const struct nd_program *p, double kept_most, double spare,
                           struct nd_chunk_plan *chunk)
{
    nd_again_set(p, (struct nd_again_place){0, 0}, chunk);
    return nd_chunk_kept(p, chunk) <=
           kept_most + (chunk->full[0] + chunk->full[1] == 0 ? spare : 0);
}

bool nd_cheapest(const struct nd_program *p, double kept_most, double spare, bool head,
                 struct nd_chunk_plan *chunk)
{
    const struct nd_figures *m = &p->memory;
    const struct way full = {true,
                             {m->act_mem0 - m->re_comp_mem0, m->act_mem - m->re_comp_mem}};
    const struct way part = {false, {m->act_mem0 - m->select_mem0, m->act_mem - m->select_mem}};
    struct nd_chunk_plan bare = {.layers = {chunk->layers[0], chunk->layers[1]}};
    double cost = HUGE_VAL;
    if (nd_again_is_fixed(p))
        return cheapest_fixed(p, kept_most, spare, chunk);
    if (p->compat == ND_ORIG)
        kept_most = fmin(kept_most, ND_ORIG_KEPT);
    if (nd_chunk_kept(p, &bare) <= kept_most + spare) {
        *chunk = bare;
        return nd_chunk_within(p, chunk, head);
    }
    if (p->allow_full)
        try_way(p, &full, kept_most, bare, chunk, &cost);
    if (p->allow_select)
        try_way(p, &part, kept_most + spare, bare, chunk, &cost);
    return cost < HUGE_VAL && nd_chunk_within(p, chunk, head);
}

bool nd_cheapest_1f1b(const struct nd_program *p, int32_t stage, struct nd_chunk_plan *chunk)
{
    const double live = memline_1f1b(p->stages, p->micro_batches, stage);
    const double room =
        nd_program_budget(p, stage) + 0.5 * ND_SLACK_MB - nd_chunk_layers_mb(p, chunk);
    return nd_cheapest(p, room / live, p->working / live, stage == p->stages - 1, chunk);
}

double nd_least_kept(const struct nd_program *p, const struct nd_chunk_plan *chunk)
{
    const struct nd_figures *m = &p->memory;
    const double act = m->act_mem0 * chunk->layers[0] + m->act_mem * chunk->layers[1];
    double kept = act;
    if (p->allow_full)
        kept = fmin(kept, fmin(m->act_mem0, m->re_comp_mem0) * chunk->layers[0] +
                              fmin(m->act_mem, m->re_comp_mem) * chunk->layers[1]);
    if (p->allow_select)
        kept = fmin(kept, fmin(m->act_mem0, m->select_mem0) * chunk->layers[0] +
                              fmin(m->act_mem, m->select_mem) * chunk->layers[1]);
    return kept;
}
