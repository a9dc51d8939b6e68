// SPDX-License-Identifier: Apache-2.0
// Counts the survivors after every filter. Within a quadruple, what survives the first k
// filters is a product over the parts; each part is walked alone, and in it a node is left
// where no filter further in comes earlier in the list than one that has failed already: what
// hangs below it is counted by multiplication.
#include "planner/nd/strategies/filters.h"
#include "planner/nd/strategies/walk.h"

#include <string.h>

// Of the combinations of a part: how many fail at each place first; at [n of the list]: none.
struct tally {
    uint64_t fails[ND_N_FILTERS + 1];
};

static bool is_product(const struct nd_walk *w, const struct nd_part *part, int from)
{
    if (!w->domains.op_of_ep)
        return true;
    for (int l = from; l < part->n_levels; l++)
        if (part->levels[l].dimension == ND_OP)
            return false;
    return true;
}

static void tally_level(struct nd_walk *w, const struct nd_part *part, int l, int first,
                        struct tally *tally)
{
    const struct nd_level *level = &part->levels[l];
    if (l == part->n_levels) {
        tally->fails[first]++;
        return;
    }
    if (first <= level->earliest && is_product(w, part, l)) {
        uint64_t below = 1;
        for (int k = l; k < part->n_levels; k++)
            below *= (uint64_t)nd_walk_size(w, part->levels[k].dimension);
        tally->fails[first] += below;
        return;
    }
    for (int k = 0, n = nd_walk_size(w, level->dimension); k < n; k++)
        if (nd_walk_take(w, level->dimension, k))
            tally_level(w, part, l + 1, nd_walk_decide(w, level, first), tally);
}

static void count_quad(struct nd_walk *w, const struct nd_quad *quad, struct nd_counts *counts)
{
    const int n = w->filters->n;
    uint64_t left[ND_N_FILTERS + 1] = {0}; // survivors of the first k filters
    nd_walk_enter(w, quad);
    const int first = nd_walk_decide_quad(w);
    for (int k = 0; k <= first; k++)
        left[k] = 1;
    for (int p = 0; p < w->n_parts; p++) {
        struct tally tally = {{0}};
        uint64_t kept = 0;
        tally_level(w, &w->parts[p], 0, first, &tally);
        for (int k = first; k >= 0; k--) {
            kept += tally.fails[k];
            left[k] *= kept;
        }
    }
    counts->points += left[0];
    for (int k = 0; k < n; k++)
        counts->after[k] += left[k + 1];
}

static bool count_one(void *context, const struct nd_strategy *point)
{
    (void)point;
    ++*(uint64_t *)context;
    return true;
}

void nd_count(const struct nd_space *space, const struct nd_filters *filters,
              struct nd_counts *counts)
{
    struct nd_walk w;
    struct nd_quads quads = {.space = space};
    struct nd_quad quad;
    memset(counts, 0, sizeof *counts);
    nd_walk_begin(&w, space, filters);
    while (nd_quads_next(&quads, &quad))
        count_quad(&w, &quad, counts);
    counts->survivors = filters->n > 0 ? counts->after[filters->n - 1] : counts->points;
    nd_tuples(space, filters, count_one, &counts->tuples);
}
