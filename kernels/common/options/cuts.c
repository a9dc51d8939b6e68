// SPDX-License-Identifier: Apache-2.0
// Keeps cuts and computes the least cost that each leaves to the later stages.
#include "kernels/common/options/cuts.h"

#include <math.h>
#include <string.h>

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

size_t split_cut_bytes(int32_t stages, int32_t chunks, int32_t layers)
{
    return sizeof(double) *
           (2 * (size_t)chunks * (size_t)stages + ((size_t)stages + 1) * ((size_t)layers + 1));
}

void split_cuts_take(struct split_cuts *cuts, int32_t stages, int32_t chunks, int32_t layers,
                     int32_t most, struct room *room)
{
    const size_t n = (size_t)chunks * (size_t)stages,
                 rests = ((size_t)stages + 1) * ((size_t)layers + 1), cuts_most = (size_t)most;
    *cuts =
        (struct split_cuts){.stages = stages, .chunks = chunks, .layers = layers, .most = most};
    cuts->all = room_take(room, cuts_most, sizeof *cuts->all);
    cuts->order = room_take(room, cuts_most, sizeof *cuts->order);
    cuts->columns = room_take(room, 3 * ((size_t)layers + 1), sizeof *cuts->columns);
    double *paths = room_take(room, cuts_most * 2 * n, sizeof *paths),
           *rest = room_take(room, cuts_most * rests, sizeof *rest);
    for (size_t k = 0; rest != NULL && k < cuts_most; k++)
        cuts->all[k] = (struct split_cut){.forwards = paths + 2 * k * n,
                                          .backwards = paths + (2 * k + 1) * n,
                                          .rest = rest + k * rests};
}

void split_cuts_set_costs(struct split_cuts *cuts, double *costs, int32_t options)
{
    for (int32_t k = 0; k < cuts->most; k++)
        cuts->all[k].cost = costs + (int64_t)k * options;
}

int32_t split_cuts_add(struct split_cuts *cuts)
{
    if (cuts->n == cuts->most)
        return cuts->order[cuts->most - 1];
    cuts->order[cuts->n] = cuts->n;
    return cuts->n++;
}

void split_cuts_praise(struct split_cuts *cuts, int32_t position)
{
    const int32_t cut = cuts->order[position];
    memmove(&cuts->order[1], &cuts->order[0], (size_t)position * sizeof *cuts->order);
    cuts->order[0] = cut;
}

// ---- prices -------------------------------------------------------------------------------------

static double cost_of(const struct split_cut *cut, const struct split_options *o, int32_t i,
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
static double least_cost(const double *cost, const struct split_options *o, int32_t i,
                         int32_t layers)
{
    double least = HUGE_VAL;
    if (layers <= o->most)
        for (int32_t k = split_options_first(o, i, layers);
             k < split_options_first(o, i, layers + 1); k++)
            least = lesser(least, cost[k]);
    return least;
}

void split_cut_price(struct split_cuts *cuts, int32_t index, const struct split_options *o)
{
    struct split_cut *cut = &cuts->all[index];
    double *cost = cut->cost, *least = cuts->columns;
    const int64_t columns = cuts->layers + 1;
    for (int32_t n = 0; n < columns; n++)
        cut->rest[cuts->stages * columns + n] = n == 0 ? 0 : HUGE_VAL;
    for (int32_t i = cuts->stages - 1; i >= 0; i--) {
        const double *next = &cut->rest[(i + 1) * columns];
        double *rest = &cut->rest[i * columns];
        for (int32_t k = split_options_first(o, i, 0);
             k < split_options_first(o, i, o->most + 1); k++)
            cost[k] = cost_of(cut, o, i, k);
        for (int32_t n = 0; n < columns; n++) {
            least[n] = least_cost(cost, o, i, n);
            rest[n] = HUGE_VAL;
        }
        for (int32_t x = 0; x < columns && x <= o->most; x++)
            for (int32_t n = x; least[x] < HUGE_VAL && n < columns; n++)
                rest[n] = lesser(rest[n], least[x] + next[n - x]);
    }
}

double split_cuts_bound(const struct split_cuts *cuts)
{
    double bound = 0;
    for (int32_t k = 0; k < cuts->n; k++) {
        const double own = cuts->all[k].constant + split_cut_rest(cuts, k, 0, cuts->layers);
        bound = own > bound ? own : bound;
    }
    return bound;
}

// ---- useless options ----------------------------------------------------------------------------

// before[n]: least cost of the stages before, with n layers; others[x]: of all stages but i, x of
// the layers being on it.
static void find_others(const struct split_cuts *cuts, int32_t cut, int32_t i,
                        const double *before, int32_t most, double *others)
{
    for (int32_t x = 0; x <= most && x <= cuts->layers; x++) {
        double least = HUGE_VAL;
        for (int32_t n = 0; n <= cuts->layers - x; n++)
            least = lesser(least,
                           before[n] + split_cut_rest(cuts, cut, i + 1, cuts->layers - x - n));
        others[x] = least;
    }
}

static void add_stage(const struct split_cuts *cuts, const double *cost,
                      const struct split_options *o, int32_t i, double *before, double *after)
{
    for (int32_t n = 0; n <= cuts->layers; n++)
        after[n] = HUGE_VAL;
    for (int32_t x = 0; x <= o->most && x <= cuts->layers; x++) {
        const double least = least_cost(cost, o, i, x);
        for (int32_t n = 0; least < HUGE_VAL && n + x <= cuts->layers; n++)
            after[n + x] = lesser(after[n + x], before[n] + least);
    }
    memcpy(before, after, ((size_t)cuts->layers + 1) * sizeof *before);
}

void split_cut_useless(const struct split_cuts *cuts, int32_t cut,
                       const struct split_options *o, double limit, bool *dropped)
{
    const double *cost = cuts->all[cut].cost;
    const int64_t columns = cuts->layers + 1;
    double *before = cuts->columns, *others = before + columns, *after = others + columns;
    for (int32_t n = 0; n < columns; n++)
        before[n] = n == 0 ? cuts->all[cut].constant : HUGE_VAL;
    for (int32_t i = 0; i < o->stages; i++) {
        find_others(cuts, cut, i, before, o->most, others);
        for (int32_t k = split_options_first(o, i, 0);
             k < split_options_first(o, i, o->most + 1); k++)
            if (cost[k] + others[o->layers[k]] >= limit)
                dropped[k] = true;
        add_stage(cuts, cost, o, i, before, after);
    }
}
