// SPDX-License-Identifier: Apache-2.0
// Searches depth-first over stages, and evaluates a choice of options.
#include "kernels/common/search/general_private.h"

#include <math.h>
#include <string.h>

// ---- choices ------------------------------------------------------------------------------------

static void keep(struct nd_general *g, double value)
{
    const int32_t stages = g->program->stages, chunks = g->program->chunks;
    g->draft->objective = value;
    for (int32_t i = 0; i < stages; i++)
        for (int32_t v = 0; v < chunks; v++)
            g->draft->chunks[v * stages + i] = g->options.chunk[g->choice[i] * chunks + v];
}

static void find_slowest(const struct nd_general *g, int32_t *stage)
{
    double most = -1;
    for (int32_t i = 0; i < g->program->stages; i++) {
        double sum = 0;
        for (int32_t v = 0; v < g->program->chunks; v++)
            sum += g->forward[v * g->program->stages + i] +
                   g->backward[v * g->program->stages + i];
        if (sum > most) {
            most = sum;
            *stage = i;
        }
    }
}

// Computes the sums of a new cut over the decided stages.
static void fill_partial(struct nd_general *g, int32_t cut)
{
    const struct nd_cut *of = &g->cuts.all[cut];
    g->partial[cut] = of->constant;
    for (int32_t i = 0; i < g->program->stages; i++)
        g->partial[(i + 1) * CUTS_MOST + cut] =
            g->partial[i * CUTS_MOST + cut] + of->cost[g->choice[i]];
}

// Adds the longest path of g->forward and g->backward as a cut. A period that is not laid out
// costs at least the time of the slowest stage.
static bool add_path(struct nd_general *g, double known)
{
    const struct nd_program *p = g->program;
    const int32_t n = p->chunks * p->stages, periods = nd_program_residue(p) * p->stages;
    int32_t slowest = 0;
    double constant, sum;
    if (nd_evaluator_path(g->evaluator, g->forward, g->backward, g->forwards, g->backwards,
                          &constant) != ND_DONE)
        return false;
    find_slowest(g, &slowest);
    for (int32_t v = 0; v < p->chunks; v++) {
        g->forwards[v * p->stages + slowest] += periods;
        g->backwards[v * p->stages + slowest] += periods;
    }
    sum = constant;
    for (int32_t k = 0; k < n; k++)
        sum += g->forwards[k] * g->forward[k] + g->backwards[k] * g->backward[k];
    if (sum <= known)
        return true;
    const int32_t cut = nd_cuts_add(&g->cuts);
    if (cut < 0)
        return false;
    memcpy(g->cuts.all[cut].forwards, g->forwards, (size_t)n * sizeof *g->forwards);
    memcpy(g->cuts.all[cut].backwards, g->backwards, (size_t)n * sizeof *g->backwards);
    g->cuts.all[cut].constant = constant;
    if (!nd_cut_price(&g->cuts, cut, &g->options))
        return false;
    fill_partial(g, cut);
    for (int32_t k = 0; k < g->cuts.n; k++)
        if (g->cuts.order[k] == cut) {
            nd_cuts_praise(&g->cuts, k);
            break;
        }
    return true;
}

double nd_general_value(struct nd_general *g, double known)
{
    const int32_t stages = g->program->stages, chunks = g->program->chunks;
    for (int32_t i = 0; i < stages; i++)
        for (int32_t v = 0; v < chunks; v++) {
            g->forward[v * stages + i] = g->options.forward[g->choice[i] * chunks + v];
            g->backward[v * stages + i] = g->options.backward[g->choice[i] * chunks + v];
        }
    const double value = nd_evaluator_objective(g->evaluator, g->forward, g->backward);
    if (value < nd_general_limit(g))
        keep(g, value);
    g->draft->nodes++;
    g->over = g->over || nd_watch_now(&g->watch);
    if (!g->over && !add_path(g, known)) {
        g->over = nd_watch_now(&g->watch); // the poll ended the evaluation of the path
        if (!g->over)
            return (double)NAN;
    }
    return isnan(value) ? HUGE_VAL : value; // isnan: the poll ended the evaluation
}

// ---- the search ---------------------------------------------------------------------------------

// Adds the option to the sums of the previous stages; returns whether it can be part of a
// better choice.
static bool is_promising(struct nd_general *g,
                         int32_t i,
                         int32_t option,
                         int32_t left,
                         double limit)
{
    const double *before = &g->partial[i * CUTS_MOST];
    double *after = &g->partial[(i + 1) * CUTS_MOST];
    for (int32_t k = 0; k < g->cuts.n; k++) {
        const int32_t cut = g->cuts.order[k];
        after[cut] = before[cut] + g->cuts.all[cut].cost[option];
        if (after[cut] + nd_cut_rest(&g->cuts, cut, i + 1, left) >= limit) {
            nd_cuts_praise(&g->cuts, k);
            return false;
        }
    }
    return true;
}

static double most_known(const struct nd_general *g)
{
    const double *sums = &g->partial[g->program->stages * CUTS_MOST];
    double most = 0;
    for (int32_t k = 0; k < g->cuts.n; k++)
        most = nd_greater(most, sums[k]);
    return most;
}

// Decides the stages from i on, with `left` layers. false: out of memory.
static bool descend(struct nd_general *g, int32_t i, int32_t left)
{
    const struct nd_options *o = &g->options;
    if (i == g->program->stages)
        return !isnan(nd_general_value(g, most_known(g)));
    for (int32_t x = 0; x <= o->most && x <= left; x++)
        for (int32_t k = nd_options_first(o, i, x); k < nd_options_first(o, i, x + 1); k++) {
            g->over = g->over || nd_watch_over(&g->watch, ++g->draft->nodes);
            if (nd_general_round_over(g))
                return true;
            g->choice[i] = k;
            if (is_promising(g, i, k, left - x, nd_general_limit(g)) &&
                !descend(g, i + 1, left - x))
                return false;
        }
    return true;
}

bool nd_general_search(struct nd_general *g)
{
    for (int32_t k = 0; k < g->cuts.n; k++)
        g->partial[k] = g->cuts.all[k].constant;
    return descend(g, 0, g->program->layers[1]);
}
