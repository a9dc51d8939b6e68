// SPDX-License-Identifier: Apache-2.0
// Keeps cuts and computes the least cost that each leaves to the later stages.
#include "kernels/common/search/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void nd_cuts_start(struct nd_cuts *cuts,
                   const struct nd_program *program,
                   struct nd_watch *watch)
{
    memset(cuts, 0, sizeof *cuts);
    cuts->stages = program->stages;
    cuts->chunks = program->chunks;
    cuts->layers = program->layers[1];
    cuts->watch = watch;
}

static void free_cut(struct nd_cut *cut)
{
    free(cut->forwards);
    free(cut->backwards);
    free(cut->cost);
    free(cut->rest);
    *cut = (struct nd_cut){0};
}

void nd_cuts_free(struct nd_cuts *cuts)
{
    for (int32_t k = 0; k < cuts->n; k++)
        free_cut(&cuts->all[k]);
    cuts->n = 0;
}

int32_t nd_cuts_add(struct nd_cuts *cuts)
{
    const size_t n = (size_t)cuts->chunks * (size_t)cuts->stages;
    if (cuts->n == CUTS_MOST)
        return cuts->order[CUTS_MOST - 1];
    struct nd_cut *cut = &cuts->all[cuts->n];
    *cut = (struct nd_cut){
        .forwards = malloc(n * sizeof *cut->forwards),
        .backwards = malloc(n * sizeof *cut->backwards),
        .cost = malloc(((size_t)cuts->options_room + 1) * sizeof *cut->cost),
        .rest =
            malloc(((size_t)cuts->stages + 1) * ((size_t)cuts->layers + 1) * sizeof *cut->rest),
    };
    if (cut->forwards == NULL || cut->backwards == NULL || cut->cost == NULL ||
        cut->rest == NULL) {
        free_cut(cut);
        return -1;
    }
    cuts->order[cuts->n] = cuts->n;
    return cuts->n++;
}

void nd_cuts_praise(struct nd_cuts *cuts, int32_t position)
{
    const int32_t cut = cuts->order[position];
    memmove(&cuts->order[1], &cuts->order[0], (size_t)position * sizeof *cuts->order);
    cuts->order[0] = cut;
}

// ---- prices -------------------------------------------------------------------------------------

static double cost_of(const struct nd_cut *cut,
                      const struct nd_options *o,
                      int32_t i,
                      int32_t option)
{
    double sum = 0;
    for (int32_t v = 0; v < o->chunks; v++) {
        const int32_t k = v * o->stages + i, at = option * o->chunks + v;
        sum += cut->forwards[k] * o->forward[at] + cut->backwards[k] * o->backward[at];
    }
    return sum;
}

// Least cost of a stage with so many layers.
static double least_cost(const struct nd_cut *cut,
                         const struct nd_options *o,
                         int32_t i,
                         int32_t layers)
{
    double least = HUGE_VAL;
    if (layers <= o->most)
        for (int32_t k = nd_options_first(o, i, layers); k < nd_options_first(o, i, layers + 1);
             k++)
            least = nd_lesser(least, cut->cost[k]);
    return least;
}

bool nd_cut_price(struct nd_cuts *cuts, int32_t index, const struct nd_options *o)
{
    struct nd_cut *cut = &cuts->all[index];
    const int32_t columns = cuts->layers + 1;
    double *least = malloc((size_t)columns * sizeof *least);
    if (least == NULL)
        return false;
    for (int32_t n = 0; n < columns; n++)
        cut->rest[cuts->stages * columns + n] = n == 0 ? 0 : HUGE_VAL;
    for (int32_t i = cuts->stages - 1; i >= 0; i--) {
        const double *next = &cut->rest[(i + 1) * columns];
        double *rest = &cut->rest[i * columns];
        for (int32_t k = nd_options_first(o, i, 0); k < nd_options_first(o, i, o->most + 1);
             k++)
            cut->cost[k] = cost_of(cut, o, i, k);
        for (int32_t n = 0; n < columns; n++) {
            least[n] = least_cost(cut, o, i, n);
            rest[n] = HUGE_VAL;
        }
        for (int32_t x = 0; x < columns && x <= o->most; x++)
            for (int32_t n = x; least[x] < HUGE_VAL && n < columns; n++)
                rest[n] = nd_lesser(rest[n], least[x] + next[n - x]);
    }
    free(least);
    return true;
}

bool nd_cuts_price(struct nd_cuts *cuts, const struct nd_options *options)
{
    if (options->n > cuts->options_room) {
        cuts->options_room = options->n;
        for (int32_t k = 0; k < cuts->n; k++) {
            double *cost = realloc(cuts->all[k].cost, ((size_t)options->n + 1) * sizeof *cost);
            if (cost == NULL)
                return false;
            cuts->all[k].cost = cost;
        }
    }
    for (int32_t k = 0; k < cuts->n && !nd_watch_now(cuts->watch); k++)
        if (!nd_cut_price(cuts, k, options))
            return false;
    return true;
}

double nd_cuts_bound(const struct nd_cuts *cuts)
{
    double bound = 0;
    for (int32_t k = 0; k < cuts->n; k++)
        bound =
            nd_greater(bound, cuts->all[k].constant + nd_cut_rest(cuts, k, 0, cuts->layers));
    return bound;
}

// ---- useless options ----------------------------------------------------------------------------

// before[n]: least cost of the stages before, with n layers; others[x]: of all stages but i, x of
// the layers being on it.
static void find_others(const struct nd_cuts *cuts,
                        int32_t cut,
                        int32_t i,
                        const double *before,
                        int32_t most,
                        double *others)
{
    for (int32_t x = 0; x <= most && x <= cuts->layers; x++) {
        double least = HUGE_VAL;
        for (int32_t n = 0; n <= cuts->layers - x; n++)
            least = nd_lesser(least,
                              before[n] + nd_cut_rest(cuts, cut, i + 1, cuts->layers - x - n));
        others[x] = least;
    }
}

static void add_stage(const struct nd_cuts *cuts,
                      int32_t cut,
                      const struct nd_options *o,
                      int32_t i,
                      double *before,
                      double *after)
{
    for (int32_t n = 0; n <= cuts->layers; n++)
        after[n] = HUGE_VAL;
    for (int32_t x = 0; x <= o->most && x <= cuts->layers; x++) {
        const double least = least_cost(&cuts->all[cut], o, i, x);
        for (int32_t n = 0; least < HUGE_VAL && n + x <= cuts->layers; n++)
            after[n + x] = nd_lesser(after[n + x], before[n] + least);
    }
    memcpy(before, after, ((size_t)cuts->layers + 1) * sizeof *before);
}

bool nd_cuts_useless(const struct nd_cuts *cuts,
                     const struct nd_options *o,
                     double limit,
                     bool *dropped,
                     int32_t *n_dropped)
{
    const size_t columns = (size_t)cuts->layers + 1;
    double *before = malloc(3 * columns * sizeof *before);
    if (before == NULL)
        return false;
    double *others = before + columns, *after = others + columns;
    memset(dropped, 0, (size_t)o->n * sizeof *dropped);
    for (int32_t c = 0; c < cuts->n && !nd_watch_now(cuts->watch); c++) {
        for (size_t n = 0; n < columns; n++)
            before[n] = n == 0 ? cuts->all[c].constant : HUGE_VAL;
        for (int32_t i = 0; i < o->stages; i++) {
            find_others(cuts, c, i, before, o->most, others);
            for (int32_t k = nd_options_first(o, i, 0); k < nd_options_first(o, i, o->most + 1);
                 k++)
                if (cuts->all[c].cost[k] + others[o->layers[k]] >= limit)
                    dropped[k] = true;
            add_stage(cuts, c, o, i, before, after);
        }
    }
    free(before);
    *n_dropped = 0;
    for (int32_t k = 0; k < o->n; k++)
        *n_dropped += dropped[k];
    return true;
}
