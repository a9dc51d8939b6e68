// SPDX-License-Identifier: Apache-2.0
// Blends cuts: any weighted mean of cuts is a cut. A single cut is low for some choice that is
// high for other cuts; the best mean is the solution of a game in which one side picks the
// choice and the other side the cut. Fictitious play (Brown 1951) approximates this mean: find
// the choice with the least value of the present mean, then the cut with the greatest value for
// this choice, and add the cut to the mean. The choices found are evaluated, too: they may be
// good, and their longest paths are new cuts.
#include "kernels/common/options/split_search.h"

#include <string.h>

bool split_search_least(struct split_search *s, int32_t cut)
{
    const struct split_options *o = s->options;
    const double *cost = s->cuts.all[cut].cost;
    int32_t left = s->layers;
    for (int32_t i = 0; i < o->stages; i++) {
        double least = HUGE_VAL;
        for (int32_t x = 0; x <= o->most && x <= left; x++) {
            const double rest = split_cut_rest(&s->cuts, cut, i + 1, left - x);
            if (rest == HUGE_VAL)
                continue;
            for (int32_t k = split_options_first(o, i, x); k < split_options_end(o, i, x); k++)
                if (cost[k] + rest < least) {
                    least = cost[k] + rest;
                    s->choice[i] = k;
                }
        }
        if (least == HUGE_VAL)
            return false;
        left -= o->layers[s->choice[i]];
    }
    return true;
}

// Returns the cut with the greatest value for the choice, except the blend.
static int32_t greatest_cut(const struct split_search *s, int32_t blend, double *greatest)
{
    int32_t found = -1;
    *greatest = -HUGE_VAL;
    for (int32_t c = 0; c < s->cuts.n; c++) {
        const double *cost = s->cuts.all[c].cost;
        double sum = s->cuts.all[c].constant;
        for (int32_t i = 0; i < s->stages; i++)
            sum += cost[s->choice[i]];
        if (c != blend && sum > *greatest) {
            *greatest = sum;
            found = c;
        }
    }
    return found;
}

// into = (1 - share) into + share from
static void mix(struct split_cut *into, const struct split_cut *from, int32_t n, double share)
{
    for (int32_t k = 0; k < n; k++) {
        into->forwards[k] += share * (from->forwards[k] - into->forwards[k]);
        into->backwards[k] += share * (from->backwards[k] - into->backwards[k]);
    }
    into->constant += share * (from->constant - into->constant);
}

static void praise(struct split_search *s, int32_t cut)
{
    for (int32_t k = 0; k < s->cuts.n; k++)
        if (s->cuts.order[k] == cut) {
            split_cuts_praise(&s->cuts, k);
            return;
        }
}

// Evaluates the choice of a step, unless an earlier step has done so and a cut holds its longest path: `known` is the
// greatest value of the cuts.
static void evaluate(struct split_search *s, int32_t step, double known)
{
    const size_t bytes = (size_t)s->stages * sizeof *s->choice;
    int32_t *now = s->played + (size_t)step * (size_t)s->stages;
    int32_t k = 0;
    memcpy(now, s->choice, bytes);
    while (memcmp(s->played + (size_t)k * (size_t)s->stages, now, bytes) != 0)
        k++;
    if (k < step && known >= s->values[k] * (1 - SPLIT_SAME)) {
        s->values[step] = s->values[k];
        s->nodes++;
        return;
    }
    s->values[step] = split_search_value(s, known);
}

static void play(struct split_search *s, int32_t blend, struct split_cut *best)
{
    const int32_t n = s->stages * s->chunks;
    double highest = -HUGE_VAL, known;
    for (int32_t step = 1; step <= SPLIT_STEPS && !s->over; step++) {
        struct split_cut *cut = &s->cuts.all[blend];
        split_cut_price(&s->cuts, blend, s->options);
        const double bound = cut->constant + split_cut_rest(&s->cuts, blend, 0, s->layers);
        if (bound > highest) {
            highest = bound;
            mix(best, cut, n, 1);
        }
        if (bound >= split_search_limit(s) || !split_search_least(s, blend))
            break;
        praise(s, blend); // so that no new cut takes its place
        greatest_cut(s, blend, &known);
        evaluate(s, step - 1, known);
        mix(cut, &s->cuts.all[greatest_cut(s, blend, &known)], n, 1.0 / (step + 1));
        s->over = s->over || s->oracle.often(s->oracle.self, s->nodes);
    }
    mix(&s->cuts.all[blend], best, n, 1);
    split_cut_price(&s->cuts, blend, s->options);
}

void split_search_blend(struct split_search *s)
{
    const size_t n = (size_t)s->stages * (size_t)s->chunks;
    struct split_cut best = {.forwards = s->mean, .backwards = s->mean + n};
    const int32_t blend = split_cuts_add(&s->cuts), other = blend == 0 ? 1 : 0;
    memset(s->mean, 0, 2 * n * sizeof *s->mean);
    memcpy(s->cuts.all[blend].forwards, s->cuts.all[other].forwards, n * sizeof(double));
    memcpy(s->cuts.all[blend].backwards, s->cuts.all[other].backwards, n * sizeof(double));
    s->cuts.all[blend].constant = s->cuts.all[other].constant;
    play(s, blend, &best);
}
