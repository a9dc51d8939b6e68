// SPDX-License-Identifier: Apache-2.0
// Improves a choice by local moves: starts where the slowest stage is as fast as possible, then
// changes the option of one stage, or moves a layer between two stages, while the objective
// improves.
#include "kernels/common/options/split_search.h"

enum { VALUES_MOST = 20000 }; // choices evaluated in one call

// ---- the start ----------------------------------------------------------------------------------

static double unevenness(const struct split_options *o, int32_t option)
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
static double merit(const struct split_options *o, int32_t option)
{
    double sum = 0;
    for (int32_t v = 0; v < o->chunks; v++)
        sum += o->forward[option * o->chunks + v] + o->backward[option * o->chunks + v];
    return sum + 1e-6 * unevenness(o, option);
}

static int32_t best_option(const struct split_options *o, int32_t i, int32_t layers,
                           double *best)
{
    int32_t found = -1;
    *best = HUGE_VAL;
    for (int32_t k = split_options_first(o, i, layers);
         k < split_options_first(o, i, layers + 1); k++)
        if (merit(o, k) < *best) {
            *best = merit(o, k);
            found = k;
        }
    return found;
}

// worst[i][n]: least of the slowest of the first i stages with n layers; taken[i][n]: option of
// stage i - 1 then.
static bool find_start(struct split_search *s)
{
    const struct split_options *o = s->options;
    const int32_t layers = s->layers, columns = layers + 1;
    double *worst = s->worst;
    int32_t *taken = s->taken;
    for (int32_t k = 0; k < (o->stages + 1) * columns; k++)
        worst[k] = k == 0 ? 0 : HUGE_VAL;
    for (int32_t i = 0; i < o->stages; i++)
        for (int32_t x = 0; x <= o->most && x <= layers; x++) {
            double own;
            const int32_t option = best_option(o, i, x, &own);
            for (int32_t n = 0; option >= 0 && n + x <= layers; n++) {
                const double slowest = fmax(worst[i * columns + n], own);
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
        s->choice[i - 1] = taken[i * columns + n];
        n -= o->layers[s->choice[i - 1]];
    }
    return true;
}

// ---- moves --------------------------------------------------------------------------------------

struct mover {
    struct split_search *s;
    double here; // objective of s->choice
    int32_t values;
};

static void sum_up(struct mover *m)
{
    const struct split_cuts *cuts = &m->s->cuts;
    for (int32_t c = 0; c < cuts->n; c++) {
        m->s->sums[c] = cuts->all[c].constant;
        for (int32_t i = 0; i < cuts->stages; i++)
            m->s->sums[c] += cuts->all[c].cost[m->s->choice[i]];
    }
}

// Returns the greatest bound of the cuts for the choice with two stages changed.
static double bound_of(const struct mover *m, int32_t i, int32_t at_i, int32_t j, int32_t at_j)
{
    const struct split_cuts *cuts = &m->s->cuts;
    double most = 0;
    for (int32_t k = 0; k < cuts->n && most < m->here; k++) {
        const struct split_cut *cut = &cuts->all[cuts->order[k]];
        double there =
            m->s->sums[cuts->order[k]] + cut->cost[at_i] - cut->cost[m->s->choice[i]];
        if (j != i)
            there += cut->cost[at_j] - cut->cost[m->s->choice[j]];
        most = there > most ? there : most;
    }
    return most;
}

// Changes two stages (or one: i = j) if the objective improves; returns whether it does.
static bool try_move(struct mover *m, int32_t i, int32_t at_i, int32_t j, int32_t at_j)
{
    struct split_search *s = m->s;
    const int32_t was_i = s->choice[i], was_j = s->choice[j];
    const double bound = bound_of(m, i, at_i, j, at_j);
    if (bound >= m->here * (1 - SPLIT_SAME))
        return false;
    m->values++;
    s->choice[i] = at_i;
    s->choice[j] = at_j;
    const double value = split_search_value(s, bound);
    const bool better = value < m->here * (1 - SPLIT_SAME);
    if (better) {
        m->here = value;
    } else {
        s->choice[i] = was_i;
        s->choice[j] = was_j;
    }
    sum_up(m); // there may be a new cut
    return better;
}

static bool is_done(struct mover *m)
{
    struct split_search *s = m->s;
    s->over = s->over || s->oracle.often(s->oracle.self, s->nodes);
    return m->values >= VALUES_MOST || s->over;
}

static bool move_one(struct mover *m)
{
    const struct split_options *o = m->s->options;
    bool moved = false;
    for (int32_t i = 0; i < o->stages; i++) {
        const int32_t x = o->layers[m->s->choice[i]];
        for (int32_t k = split_options_first(o, i, x); k < split_options_first(o, i, x + 1);
             k++)
            if (!is_done(m) && k != m->s->choice[i])
                moved |= try_move(m, i, k, i, k);
    }
    return moved;
}

static bool move_layer(struct mover *m, int32_t i, int32_t j)
{
    const struct split_options *o = m->s->options;
    const int32_t from = o->layers[m->s->choice[i]] - 1, to = o->layers[m->s->choice[j]] + 1;
    if (from < 0 || to > o->most)
        return false;
    const int32_t first = split_options_first(o, j, to),
                  last = split_options_first(o, j, to + 1);
    for (int32_t a = split_options_first(o, i, from); a < split_options_first(o, i, from + 1);
         a++) {
        m->s->nodes += (uint64_t)(last - first) * (8 + (uint64_t)m->s->cuts.n) / 512;
        for (int32_t b = first; b < last; b++) {
            if (is_done(m))
                return false;
            if (try_move(m, i, a, j, b))
                return true;
        }
    }
    return false;
}

static bool move_two(struct mover *m)
{
    bool moved = false;
    for (int32_t i = 0; i < m->s->options->stages; i++)
        for (int32_t j = 0; j < m->s->options->stages; j++)
            if (i != j && !is_done(m))
                moved |= move_layer(m, i, j);
    return moved;
}

bool split_search_improve(struct split_search *s)
{
    struct mover m = {.s = s};
    if (!find_start(s))
        return false;
    m.here = split_search_value(s, 0);
    sum_up(&m);
    for (bool moved = true; moved && !is_done(&m);) {
        moved = move_one(&m);
        moved = move_two(&m) || moved;
    }
    return true;
}
