// SPDX-License-Identifier: Apache-2.0
// Searches depth-first over stages, and evaluates a choice of options.
#include "kernels/common/options/split_search.h"

#include <string.h>

enum { FIRST_ROUND = 20000 }; // nodes

void split_search_take(struct split_search *s, int32_t stages, int32_t chunks, int32_t layers,
                       int32_t cuts, struct room *room)
{
    const size_t n = (size_t)stages * (size_t)chunks, k = (size_t)cuts,
                 cells = ((size_t)stages + 1) * ((size_t)layers + 1);
    *s = (struct split_search){.stages = stages,
                               .chunks = chunks,
                               .layers = layers,
                               .best = HUGE_VAL};
    split_cuts_take(&s->cuts, stages, chunks, layers, cuts, room);
    s->choice = room_take(room, (size_t)stages, sizeof *s->choice);
    s->partial = room_take(room, ((size_t)stages + 1) * k, sizeof *s->partial);
    s->forward = room_take(room, n, sizeof *s->forward);
    s->backward = room_take(room, n, sizeof *s->backward);
    s->forwards = room_take(room, n, sizeof *s->forwards);
    s->backwards = room_take(room, n, sizeof *s->backwards);
    s->mean = room_take(room, 2 * n, sizeof *s->mean);
    s->sums = room_take(room, k, sizeof *s->sums);
    s->played = room_take(room, SPLIT_STEPS * (size_t)stages, sizeof *s->played);
    s->values = room_take(room, SPLIT_STEPS, sizeof *s->values);
    s->worst = room_take(room, cells, sizeof *s->worst);
    s->taken = room_take(room, cells, sizeof *s->taken);
}

void split_search_price(struct split_search *s)
{
    for (int32_t k = 0; k < s->cuts.n && !s->oracle.now(s->oracle.self); k++)
        split_cut_price(&s->cuts, k, s->options);
}

// ---- choices ------------------------------------------------------------------------------------

// Computes the sums of a new cut over the decided stages.
static void fill_partial(struct split_search *s, int32_t cut)
{
    const int32_t most = s->cuts.most;
    const double *cost = s->cuts.all[cut].cost;
    s->partial[cut] = s->cuts.all[cut].constant;
    for (int32_t i = 0; i < s->stages; i++)
        s->partial[(i + 1) * most + cut] = s->partial[i * most + cut] + cost[s->choice[i]];
}

// Adds the longest path of s->forward and s->backward as a cut. Returns false if the oracle has ended.
static bool add_path(struct split_search *s, double known)
{
    const int32_t n = s->chunks * s->stages;
    double constant;
    if (!s->oracle.path(s->oracle.self, s->forward, s->backward, s->forwards, s->backwards,
                        &constant))
        return false;
    double sum = constant;
    for (int32_t k = 0; k < n; k++)
        sum += s->forwards[k] * s->forward[k] + s->backwards[k] * s->backward[k];
    if (sum <= known)
        return true;
    const int32_t index = split_cuts_add(&s->cuts);
    struct split_cut *cut = &s->cuts.all[index];
    memcpy(cut->forwards, s->forwards, (size_t)n * sizeof *s->forwards);
    memcpy(cut->backwards, s->backwards, (size_t)n * sizeof *s->backwards);
    cut->constant = constant;
    split_cut_price(&s->cuts, index, s->options);
    fill_partial(s, index);
    for (int32_t k = 0; k < s->cuts.n; k++)
        if (s->cuts.order[k] == index) {
            split_cuts_praise(&s->cuts, k);
            break;
        }
    return true;
}

double split_search_evaluate(struct split_search *s)
{
    for (int32_t i = 0; i < s->stages; i++)
        for (int32_t v = 0; v < s->chunks; v++) {
            const int32_t at = s->choice[i] * s->chunks + v;
            s->forward[v * s->stages + i] = s->options->forward[at];
            s->backward[v * s->stages + i] = s->options->backward[at];
        }
    const double value = s->oracle.value(s->oracle.self, s->forward, s->backward);
    if (value < split_search_limit(s)) {
        s->best = value;
        s->oracle.keep(s->oracle.self, s->choice);
    }
    return value;
}

double split_search_value(struct split_search *s, double known)
{
    const double value = split_search_evaluate(s);
    s->nodes++;
    s->over = s->over || s->oracle.now(s->oracle.self);
    if (!s->over && !add_path(s, known)) {
        s->failed = !s->oracle.now(s->oracle.self);
        s->over = true;
    }
    return isnan(value) ? HUGE_VAL : value;
}

// ---- the search ---------------------------------------------------------------------------------

// Adds the option to the sums of the previous stages; returns whether it can be part of a
// better choice.
static bool is_promising(struct split_search *s, int32_t i, int32_t option, int32_t left,
                         double limit)
{
    const struct split_cuts *cuts = &s->cuts;
    const double *before = &s->partial[i * cuts->most];
    double *after = &s->partial[(i + 1) * cuts->most];
    for (int32_t k = 0; k < cuts->n; k++) {
        const int32_t cut = cuts->order[k];
        after[cut] = before[cut] + cuts->all[cut].cost[option];
        if (after[cut] + split_cut_rest(cuts, cut, i + 1, left) >= limit) {
            split_cuts_praise(&s->cuts, k);
            return false;
        }
    }
    return true;
}

static double most_known(const struct split_search *s)
{
    const double *sums = &s->partial[s->stages * s->cuts.most];
    double most = 0;
    for (int32_t k = 0; k < s->cuts.n; k++)
        most = sums[k] > most ? sums[k] : most;
    return most;
}

static bool round_is_over(const struct split_search *s)
{
    return s->over || s->nodes >= s->round_end;
}

// Decides the stages from i on, with `left` layers.
static void descend(struct split_search *s, int32_t i, int32_t left)
{
    const struct split_options *o = s->options;
    if (i == s->stages) {
        split_search_value(s, most_known(s));
        return;
    }
    for (int32_t x = 0; x <= o->most && x <= left; x++)
        for (int32_t k = split_options_first(o, i, x); k < split_options_first(o, i, x + 1);
             k++) {
            s->nodes++;
            s->over = s->over || s->oracle.often(s->oracle.self, s->nodes);
            if (round_is_over(s))
                return;
            s->choice[i] = k;
            if (is_promising(s, i, k, left - x, split_search_limit(s)))
                descend(s, i + 1, left - x);
        }
}

// ---- rounds -------------------------------------------------------------------------------------

// Drops options until none is useless.
static void drop_useless(struct split_search *s, bool *dropped)
{
    for (int32_t n = 1; n > 0 && !s->over;) {
        memset(dropped, 0, (size_t)s->options->n * sizeof *dropped);
        for (int32_t c = 0; c < s->cuts.n && !s->oracle.now(s->oracle.self); c++)
            split_cut_useless(&s->cuts, c, s->options, split_search_limit(s), dropped);
        n = 0;
        for (int32_t k = 0; k < s->options->n; k++)
            n += dropped[k];
        s->over = s->oracle.now(s->oracle.self);
        if (n > 0 && !s->over) {
            split_options_drop(s->options, dropped);
            split_search_price(s);
        }
    }
}

// Each round is four times as long as the previous one, so that little work is repeated.
void split_search_rounds(struct split_search *s, bool *dropped)
{
    s->bound = split_cuts_bound(&s->cuts);
    for (uint64_t nodes = FIRST_ROUND;; nodes *= 4) {
        if (!s->over)
            split_search_blend(s);
        s->bound = fmax(s->bound, split_cuts_bound(&s->cuts));
        if (!s->over)
            drop_useless(s, dropped);
        if (s->over)
            return;
        s->round_end = s->nodes + nodes;
        if (split_cuts_bound(&s->cuts) >= split_search_limit(s))
            return;
        for (int32_t k = 0; k < s->cuts.n; k++)
            s->partial[k] = s->cuts.all[k].constant;
        descend(s, 0, s->layers);
        if (!round_is_over(s) || s->over)
            return;
    }
}
