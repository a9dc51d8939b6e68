// SPDX-License-Identifier: Apache-2.0
// Improves a choice by local moves: starts where the slowest stage is as fast as possible, then
// changes the option of one stage, or moves a layer between two stages, while the objective
// improves.
#include "kernels/common/search/general_private.h"

#include <math.h>
#include <stdlib.h>

enum { VALUES_MOST = 20000 }; // choices evaluated in one call

// ---- the start ----------------------------------------------------------------------------------

static double unevenness(const struct nd_options *o, int32_t option)
{
    double squares = 0;
    for (int32_t v = 0; v < o->chunks; v++) {
        const double f = o->forward[option * o->chunks + v];
        squares += f * f;
    }
    return squares;
}

// Returns the quality of an option before other stages are known: the time of the stage, and
// how even its chunks are.
static double merit(const struct nd_options *o, int32_t option)
{
    double sum = 0;
    for (int32_t v = 0; v < o->chunks; v++)
        sum += o->forward[option * o->chunks + v] + o->backward[option * o->chunks + v];
    return sum + 1e-6 * unevenness(o, option);
}

static int32_t best_option(const struct nd_options *o, int32_t i, int32_t layers, double *best)
{
    int32_t found = -1;
    *best = HUGE_VAL;
    for (int32_t k = nd_options_first(o, i, layers); k < nd_options_first(o, i, layers + 1);
         k++)
        if (merit(o, k) < *best) {
            *best = merit(o, k);
            found = k;
        }
    return found;
}

// worst[i][n]: least of the slowest of the first i stages with n layers; taken[i][n]: option of
// stage i - 1 then.
static bool find_start(struct nd_general *g, double *worst, int32_t *taken)
{
    const struct nd_options *o = &g->options;
    const int32_t layers = g->program->layers[1], columns = layers + 1;
    for (int32_t k = 0; k < (o->stages + 1) * columns; k++)
        worst[k] = k == 0 ? 0 : HUGE_VAL;
    for (int32_t i = 0; i < o->stages; i++)
        for (int32_t x = 0; x <= o->most && x <= layers; x++) {
            double own;
            const int32_t option = best_option(o, i, x, &own);
            for (int32_t n = 0; option >= 0 && n + x <= layers; n++) {
                const double slowest = nd_greater(worst[i * columns + n], own);
                const int32_t to = (i + 1) * columns + n + x;
                if (slowest < worst[to]) {
                    worst[to] = slowest;
                    taken[to] = option;
                }
            }
        }
    if (worst[o->stages * columns + layers] == HUGE_VAL)
        return false;
    for (int32_t i = o->stages, n = layers; i > 0; i--) {
        g->choice[i - 1] = taken[i * columns + n];
        n -= o->layers[g->choice[i - 1]];
    }
    return true;
}

// ---- moves --------------------------------------------------------------------------------------

struct mover {
    struct nd_general *g;
    double here;  // objective of g->choice
    double *sums; // [CUTS_MOST]: of g->choice
    int32_t values;
    bool no_memory;
};

static void sum_up(struct mover *m)
{
    const struct nd_cuts *cuts = &m->g->cuts;
    for (int32_t c = 0; c < cuts->n; c++) {
        m->sums[c] = cuts->all[c].constant;
        for (int32_t i = 0; i < cuts->stages; i++)
            m->sums[c] += cuts->all[c].cost[m->g->choice[i]];
    }
}

// Returns the greatest bound of the cuts for the choice with two stages changed.
static double bound_of(const struct mover *m, int32_t i, int32_t at_i, int32_t j, int32_t at_j)
{
    const struct nd_cuts *cuts = &m->g->cuts;
    double most = 0;
    for (int32_t k = 0; k < cuts->n && most < m->here; k++) {
        const struct nd_cut *cut = &cuts->all[cuts->order[k]];
        double there = m->sums[cuts->order[k]] + cut->cost[at_i] - cut->cost[m->g->choice[i]];
        if (j != i)
            there += cut->cost[at_j] - cut->cost[m->g->choice[j]];
        most = nd_greater(most, there);
    }
    return most;
}

// Changes two stages (or one: i = j) if the objective improves; returns whether it does.
static bool try_move(struct mover *m, int32_t i, int32_t at_i, int32_t j, int32_t at_j)
{
    struct nd_general *g = m->g;
    const int32_t was_i = g->choice[i], was_j = g->choice[j];
    const double bound = bound_of(m, i, at_i, j, at_j);
    if (bound >= m->here * (1 - ND_SAME))
        return false;
    m->values++;
    g->choice[i] = at_i;
    g->choice[j] = at_j;
    const double value = nd_general_value(g, bound);
    m->no_memory = isnan(value);
    const bool better = value < m->here * (1 - ND_SAME);
    if (better) {
        m->here = value;
    } else {
        g->choice[i] = was_i;
        g->choice[j] = was_j;
    }
    sum_up(m); // there may be a new cut
    return better;
}

static bool is_done(struct mover *m)
{
    struct nd_general *g = m->g;
    g->over = g->over || nd_watch_over(&g->watch, g->draft->nodes);
    return m->no_memory || m->values >= VALUES_MOST || g->over;
}

static bool move_one(struct mover *m)
{
    const struct nd_options *o = &m->g->options;
    bool moved = false;
    for (int32_t i = 0; i < o->stages; i++) {
        const int32_t x = o->layers[m->g->choice[i]];
        for (int32_t k = nd_options_first(o, i, x); k < nd_options_first(o, i, x + 1); k++)
            if (!is_done(m) && k != m->g->choice[i])
                moved |= try_move(m, i, k, i, k);
    }
    return moved;
}

static bool move_layer(struct mover *m, int32_t i, int32_t j)
{
    const struct nd_options *o = &m->g->options;
    const int32_t from = o->layers[m->g->choice[i]] - 1, to = o->layers[m->g->choice[j]] + 1;
    if (from < 0 || to > o->most)
        return false;
    for (int32_t a = nd_options_first(o, i, from); a < nd_options_first(o, i, from + 1); a++)
        for (int32_t b = nd_options_first(o, j, to); b < nd_options_first(o, j, to + 1); b++) {
            if (is_done(m))
                return false;
            if (try_move(m, i, a, j, b))
                return true;
        }
    return false;
}

static bool move_two(struct mover *m)
{
    bool moved = false;
    for (int32_t i = 0; i < m->g->options.stages; i++)
        for (int32_t j = 0; j < m->g->options.stages; j++)
            if (i != j && !is_done(m))
                moved |= move_layer(m, i, j);
    return moved;
}

bool nd_general_improve(struct nd_general *g, bool *found)
{
    const size_t cells = ((size_t)g->program->stages + 1) * ((size_t)g->program->layers[1] + 1);
    double *worst = malloc(cells * sizeof *worst);
    int32_t *taken = malloc(cells * sizeof *taken);
    struct mover m = {.g = g, .sums = malloc(CUTS_MOST * sizeof *m.sums)};
    m.no_memory = worst == NULL || taken == NULL || m.sums == NULL;
    *found = !m.no_memory && find_start(g, worst, taken);
    if (*found) {
        m.here = nd_general_value(g, 0);
        m.no_memory = isnan(m.here);
        sum_up(&m);
        for (bool moved = true; moved && !is_done(&m);) {
            moved = move_one(&m);
            moved = move_two(&m) || moved;
        }
    }
    free(worst);
    free(taken);
    free(m.sums);
    return !m.no_memory;
}
