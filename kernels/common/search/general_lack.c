// SPDX-License-Identifier: Apache-2.0
// Decides whether memory alone forbids all splits, and how much is missing: for every pattern,
// finds the split whose worst stage lacks the least memory with full recompute.
#include "kernels/common/search/general_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERNS_MOST = 200 }; // examined

// The least lack of memory so far, over patterns.
struct lack {
    double mb;
    int32_t stage;
    double *least;  // [2][layers + 1]: of the worst stage so far, with this number of layers
    int32_t *worst; // [2][layers + 1]: the worst stage
};

static double lacks(const struct nd_general *g, int32_t i, int32_t layers)
{
    return nd_stage_least_mb(g->program, &g->flights, &g->pattern, i, layers) -
           nd_program_budget(g->program, i);
}

// Returns the memory that the worst stage of an even split lacks, MiB: an upper limit of the search.
static double even_lack(const struct nd_general *g)
{
    const struct nd_program *p = g->program;
    double most = 0;
    for (int32_t i = 0; i < p->stages; i++)
        most = nd_greater(most, lacks(g, i,
                                      p->layers[1] / p->stages +
                                          (i >= p->stages - p->layers[1] % p->stages)));
    return most;
}

// Extends the table from the first i stages to the first i + 1.
static void add_stage(struct nd_general *g, struct lack *lack, int32_t i, double even)
{
    const int32_t layers = g->program->layers[1], columns = layers + 1;
    double *before = lack->least, *after = before + columns;
    int32_t *worst_before = lack->worst, *worst_after = worst_before + columns;
    for (int32_t n = 0; n < columns; n++)
        after[n] = HUGE_VAL;
    for (int32_t x = 0; x <= layers && !nd_watch_now(&g->watch); x++) {
        const double own = lacks(g, i, x);
        if (own == HUGE_VAL)
            continue; // too few for the chunks
        if (own > even)
            break; // more layers need more
        for (int32_t n = 0; n + x <= layers; n++)
            if (nd_greater(before[n], own) < after[n + x]) {
                after[n + x] = nd_greater(before[n], own);
                worst_after[n + x] = own >= before[n] ? i : worst_before[n];
            }
    }
    memcpy(before, after, (size_t)columns * sizeof *before);
    memcpy(worst_before, worst_after, (size_t)columns * sizeof *worst_before);
}

static bool visit(struct nd_general *g, void *self)
{
    struct lack *lack = self;
    const int32_t layers = g->program->layers[1];
    const double even = nd_lesser(even_lack(g), lack->mb);
    for (int32_t n = 0; n <= layers; n++)
        lack->least[n] = n == 0 ? -HUGE_VAL : HUGE_VAL;
    lack->worst[0] = -1;
    for (int32_t i = 0; i < g->program->stages; i++)
        add_stage(g, lack, i, even);
    g->search.over = g->search.over || nd_watch_now(&g->watch);
    if (!g->search.over && lack->least[layers] < lack->mb) {
        lack->mb = lack->least[layers];
        lack->stage = lack->worst[layers];
    }
    return true;
}

bool nd_general_lack(struct nd_general *g, double *mb, int32_t *stage, bool *decided)
{
    const size_t columns = (size_t)g->program->layers[1] + 1;
    struct lack lack = {.mb = HUGE_VAL, .stage = -1};
    lack.least = malloc(2 * columns * sizeof *lack.least);
    lack.worst = malloc(2 * columns * sizeof *lack.worst);
    const bool done = lack.least != NULL && lack.worst != NULL &&
                      nd_general_patterns(g, visit, &lack, PATTERNS_MOST);
    free(lack.least);
    free(lack.worst);
    *mb = lack.mb;
    *stage = lack.stage;
    *decided = !g->search.over;
    g->search.over = false;
    g->bound = HUGE_VAL;
    return done;
}
