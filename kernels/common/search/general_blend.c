// SPDX-License-Identifier: Apache-2.0
// Blends cuts: any weighted mean of cuts is a cut. A single cut is low for some choice that is
// high for other cuts; the best mean is the solution of a game in which one side picks the
// choice and the other side the cut. Fictitious play (Brown 1951) approximates this mean: find
// the choice with the least value of the present mean, then the cut with the greatest value for
// this choice, and add the cut to the mean. The choices found are evaluated, too: they may be
// good, and their longest paths are new cuts.
#include "kernels/common/search/general_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60 };

// Finds the choice with the least value of a cut.
static bool least_choice(struct nd_general *g, int32_t cut)
{
    const struct nd_options *o = &g->options;
    const struct nd_cut *of = &g->cuts.all[cut];
    int32_t left = g->program->layers[1];
    for (int32_t i = 0; i < o->stages; i++) {
        double least = HUGE_VAL;
        for (int32_t x = 0; x <= o->most && x <= left; x++) {
            const double rest = nd_cut_rest(&g->cuts, cut, i + 1, left - x);
            if (rest == HUGE_VAL)
                continue;
            for (int32_t k = nd_options_first(o, i, x); k < nd_options_first(o, i, x + 1); k++)
                if (of->cost[k] + rest < least) {
                    least = of->cost[k] + rest;
                    g->choice[i] = k;
                }
        }
        if (least == HUGE_VAL)
            return false;
        left -= o->layers[g->choice[i]];
    }
    return true;
}

// Returns the cut with the greatest value for the choice, except the blend.
static int32_t greatest_cut(const struct nd_general *g, int32_t blend, double *greatest)
{
    int32_t found = -1;
    *greatest = -HUGE_VAL;
    for (int32_t c = 0; c < g->cuts.n; c++) {
        double sum = g->cuts.all[c].constant;
        for (int32_t i = 0; i < g->program->stages; i++)
            sum += g->cuts.all[c].cost[g->choice[i]];
        if (c != blend && sum > *greatest) {
            *greatest = sum;
            found = c;
        }
    }
    return found;
}

// into = (1 - share) into + share from
static void mix(struct nd_cut *into, const struct nd_cut *from, int32_t n, double share)
{
    for (int32_t k = 0; k < n; k++) {
        into->forwards[k] += share * (from->forwards[k] - into->forwards[k]);
        into->backwards[k] += share * (from->backwards[k] - into->backwards[k]);
    }
    into->constant += share * (from->constant - into->constant);
}

static void praise(struct nd_general *g, int32_t cut)
{
    for (int32_t k = 0; k < g->cuts.n; k++)
        if (g->cuts.order[k] == cut) {
            nd_cuts_praise(&g->cuts, k);
            return;
        }
}

static bool play(struct nd_general *g, int32_t blend, struct nd_cut *best)
{
    const int32_t n = g->program->stages * g->program->chunks;
    double highest = -HUGE_VAL, known;
    for (int32_t step = 1; step <= STEPS && !g->over; step++) {
        struct nd_cut *cut = &g->cuts.all[blend];
        if (!nd_cut_price(&g->cuts, blend, &g->options))
            return false;
        const double bound = cut->constant + nd_cut_rest(&g->cuts, blend, 0, g->cuts.layers);
        if (bound > highest) {
            highest = bound;
            mix(best, cut, n, 1);
        }
        if (bound >= nd_general_limit(g) || !least_choice(g, blend))
            break;
        praise(g, blend); // so that no new cut takes its place
        greatest_cut(g, blend, &known);
        if (isnan(nd_general_value(g, known)))
            return false;
        mix(cut, &g->cuts.all[greatest_cut(g, blend, &known)], n, 1.0 / (step + 1));
        g->over = g->over || nd_watch_over(&g->watch, g->draft->nodes);
    }
    mix(&g->cuts.all[blend], best, n, 1);
    return nd_cut_price(&g->cuts, blend, &g->options);
}

bool nd_general_blend(struct nd_general *g)
{
    const int32_t n = g->program->stages * g->program->chunks;
    double *room = calloc(2 * (size_t)n, sizeof *room);
    struct nd_cut best = {.forwards = room, .backwards = room + n};
    const int32_t blend = room != NULL && g->cuts.n > 0 ? nd_cuts_add(&g->cuts) : -1;
    bool done = blend >= 0;
    if (done) {
        const int32_t other = blend == 0 ? 1 : 0;
        memcpy(g->cuts.all[blend].forwards, g->cuts.all[other].forwards,
               (size_t)n * sizeof(double));
        memcpy(g->cuts.all[blend].backwards, g->cuts.all[other].backwards,
               (size_t)n * sizeof(double));
        g->cuts.all[blend].constant = g->cuts.all[other].constant;
        done = play(g, blend, &best);
    }
    free(room);
    return done;
}
