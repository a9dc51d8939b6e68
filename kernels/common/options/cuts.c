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
    cuts->own = room_take(room, (size_t)stages, sizeof *cuts->own);
    cuts->after = room_take(room, (size_t)stages + 1, sizeof *cuts->after);
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
    for (int32_t k = split_options_first(o, i, layers); k < split_options_end(o, i, layers);
         k++)
        least = lesser(least, cost[k]);
    return least;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Returns the numbers of layers that a stage has options of.
static struct split_span own_span(const struct split_options *o, int32_t i, int32_t layers)
{
    struct split_span span = {0, smaller(o->most, layers)};
    while (span.first <= span.last &&
           split_options_first(o, i, span.first) == split_options_end(o, i, span.first))
        span.first++;
    while (span.first <= span.last &&
           split_options_first(o, i, span.last) == split_options_end(o, i, span.last))
        span.last--;
    return span;
}

// Finds the numbers of layers that stages, and the stages from each on, have in any choice of all layers.
static void find_spans(const struct split_cuts *cuts, const struct split_options *o)
{
    const int32_t stages = cuts->stages, layers = cuts->layers;
    struct split_span *own = cuts->own, *after = cuts->after, before = {0, 0};
    after[stages] = (struct split_span){0, 0};
    for (int32_t i = stages - 1; i >= 0; i--) {
        own[i] = own_span(o, i, layers);
        after[i] = (struct split_span){smaller(after[i + 1].first + own[i].first, layers + 1),
                                       smaller(after[i + 1].last + own[i].last, layers)};
    }
    for (int32_t i = 0; i <= stages; i++) {
        after[i].first = larger(after[i].first, layers - before.last);
        after[i].last = smaller(after[i].last, layers - before.first);
        if (i == stages)
            break;
        before.first = smaller(before.first + own[i].first, layers + 1);
        before.last = smaller(before.last + own[i].last, layers);
    }
}

// Adds a stage in front of the later ones: the least sum for each number of layers.
static void add_before(const struct split_cuts *cuts, const double *least, int32_t i,
                       const double *restrict next, double *restrict rest)
{
    const struct split_span own = cuts->own[i], now = cuts->after[i], then = cuts->after[i + 1];
    for (int32_t n = 0; n <= cuts->layers; n++)
        rest[n] = HUGE_VAL;
    for (int32_t x = own.first; x <= own.last; x++) {
        const double cost = least[x];
        const int32_t last = smaller(now.last, then.last + x);
        for (int32_t n = larger(now.first, then.first + x); n <= last; n++)
            rest[n] = lesser(rest[n], cost + next[n - x]);
    }
}

uint64_t split_cut_price(struct split_cuts *cuts, int32_t index, const struct split_options *o)
{
    uint64_t steps = 0;
    struct split_cut *cut = &cuts->all[index];
    double *cost = cut->cost, *least = cuts->columns;
    const int64_t columns = cuts->layers + 1;
    find_spans(cuts, o);
    for (int32_t n = 0; n < columns; n++)
        cut->rest[cuts->stages * columns + n] = n == 0 ? 0 : HUGE_VAL;
    for (int32_t i = cuts->stages - 1; i >= 0; i--) {
        for (int32_t x = cuts->own[i].first; x <= cuts->own[i].last; x++) {
            const int32_t first = split_options_first(o, i, x),
                          end = split_options_end(o, i, x);
            for (int32_t k = first; k < end; k++)
                cost[k] = cost_of(cut, o, i, k);
            least[x] = least_cost(cost, o, i, x);
            steps += 2 * (uint64_t)((end - first) * o->chunks) +
                     (uint64_t)larger(cuts->after[i].last - cuts->after[i].first, 0);
        }
        add_before(cuts, least, i, &cut->rest[(i + 1) * columns], &cut->rest[i * columns]);
    }
    return steps;
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
                        const double *before, double *others)
{
    const struct split_span own = cuts->own[i], then = cuts->after[i + 1];
    for (int32_t x = own.first; x <= own.last; x++) {
        double least = HUGE_VAL;
        for (int32_t n = then.first; n <= smaller(then.last, cuts->layers - x); n++)
            least = lesser(least,
                           before[cuts->layers - x - n] + split_cut_rest(cuts, cut, i + 1, n));
        others[x] = least;
    }
}

// Adds stage i to the stages before.
static void add_stage(const struct split_cuts *cuts, const double *cost,
                      const struct split_options *o, int32_t i, double *restrict before,
                      double *restrict sums)
{
    const struct split_span own = cuts->own[i], after = cuts->after[i + 1];
    for (int32_t n = 0; n <= cuts->layers; n++)
        sums[n] = HUGE_VAL;
    for (int32_t x = own.first; x <= own.last; x++) {
        const double least = least_cost(cost, o, i, x);
        const int32_t last = cuts->layers - after.first;
        for (int32_t n = larger(cuts->layers - after.last, x); n <= last; n++)
            sums[n] = lesser(sums[n], before[n - x] + least);
    }
    memcpy(before, sums, ((size_t)cuts->layers + 1) * sizeof *before);
}

void split_cut_useless(const struct split_cuts *cuts, int32_t cut,
                       const struct split_options *o, double limit, bool *dropped)
{
    const double *cost = cuts->all[cut].cost;
    const int64_t columns = cuts->layers + 1;
    double *before = cuts->columns, *others = before + columns, *after = others + columns;
    find_spans(cuts, o);
    for (int32_t n = 0; n < columns; n++)
        before[n] = n == 0 ? cuts->all[cut].constant : HUGE_VAL;
    for (int32_t i = 0; i < o->stages; i++) {
        find_others(cuts, cut, i, before, others);
        for (int32_t x = 0; x <= o->most; x++)
            for (int32_t k = split_options_first(o, i, x); k < split_options_end(o, i, x); k++)
                if (x > cuts->layers || cost[k] + others[x] >= limit)
                    dropped[k] = true;
        add_stage(cuts, cost, o, i, before, after);
    }
}
