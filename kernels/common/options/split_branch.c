// SPDX-License-Identifier: Apache-2.0
// Branches on the times of stages.
#include "kernels/common/options/split_branch.h"

#include <string.h>

// Measured on 12 random pipelines of three chunks, 34 to 48 layers and 4 to 8 stages, all proven: 200 or 500 rounds took
// 1.5 and 4 times as long as 60; without the factor of forwards, two of them took over 8 s for 3.7 and 5.3.
enum {
    DEPTH_MAX = 128,
    ROUNDS = 60,  // of fictitious play in a node
    WARM = 20,    // rounds for which the weights of the parent stand
    CHECKED = 30, // rounds after which a choice is evaluated
    FORWARDS =
        3, // the spread of forwards, which are half of backwards, against that of backwards: layers before kinds
};

#define SAME 1e-12 // relative variance below which times are the same

// What a stage is divided by: the forward or the backward of a chunk, or the time of all its chunks.
struct division {
    int32_t stage, measure; // stage -1: none
    double at;
};

void split_branch_take(struct split_branch *b, struct split_search *s, int32_t most,
                       int32_t options, struct room *room)
{
    const size_t stages = (size_t)s->stages, n = stages * (size_t)s->chunks;
    b->search = s;
    b->ends = room_take(room, DEPTH_MAX * stages * ((size_t)most + 2), sizeof *b->ends);
    b->weights = room_take(room, DEPTH_MAX * 2 * n, sizeof *b->weights);
    b->constants = room_take(room, DEPTH_MAX, sizeof *b->constants);
    b->mean = room_take(room, 2 * n, sizeof *b->mean);
    b->moments = room_take(room, 2 * (2 * n + stages), sizeof *b->moments);
    b->dropped = room_take(room, (size_t)options, sizeof *b->dropped);
}

// ---- options ------------------------------------------------------------------------------------

static size_t bytes_of_ends(const struct split_options *o)
{
    return (size_t)o->stages * ((size_t)o->most + 2) * sizeof *o->end;
}

static int32_t *ends_at(const struct split_branch *b, int32_t depth)
{
    return b->ends + (size_t)depth * bytes_of_ends(b->search->options) / sizeof *b->ends;
}

static double measure_of(const struct split_options *o, int32_t option, int32_t measure)
{
    const double *forward = o->forward + (size_t)option * (size_t)o->chunks,
                 *backward = o->backward + (size_t)option * (size_t)o->chunks;
    if (measure < 2 * o->chunks)
        return measure < o->chunks ? forward[measure] : backward[measure - o->chunks];
    double sum = 0;
    for (int32_t v = 0; v < o->chunks; v++)
        sum += forward[v] + backward[v];
    return sum;
}

// Drops the options of a stage on one side of a division.
static void keep_side(struct split_branch *b, const struct division *by, bool above)
{
    const struct split_options *o = b->search->options;
    for (int32_t x = 0; x <= o->most; x++)
        for (int32_t k = split_options_first(o, by->stage, x);
             k < split_options_end(o, by->stage, x); k++)
            b->dropped[k] = (measure_of(o, k, by->measure) > by->at) != above;
    split_options_hide(b->search->options, by->stage, b->dropped);
}

static void drop_useless(struct split_branch *b)
{
    struct split_search *s = b->search;
    memset(b->dropped, 0, (size_t)s->options->n * sizeof *b->dropped);
    split_cut_useless(&s->cuts, 0, s->options, split_search_limit(s), b->dropped);
    for (int32_t i = 0; i < s->stages; i++)
        split_options_hide(s->options, i, b->dropped);
}

// ---- the bound of a node ------------------------------------------------------------------------

static void move(double *mean, double value, double part)
{
    *mean += part * (value - *mean);
}

// Adds the present choice to the means.
static void meet_choice(struct split_branch *b, double part)
{
    const struct split_search *s = b->search;
    const struct split_options *o = s->options;
    double *moment = b->moments;
    for (int32_t i = 0; i < s->stages; i++)
        for (int32_t m = 0; m <= 2 * s->chunks; m++, moment += 2) {
            const double time = measure_of(o, s->choice[i], m);
            move(&moment[0], time, part);
            move(&moment[1], time * time, part);
            if (m < 2 * s->chunks)
                b->mean[m * s->stages + i] = moment[0];
        }
}

// Adds the longest path of the mean of the choices to the weights.
static void meet_path(struct split_branch *b, double part)
{
    struct split_search *s = b->search;
    struct split_cut *cut = &s->cuts.all[0];
    const int32_t n = s->stages * s->chunks;
    double constant;
    if (!s->oracle.path(s->oracle.self, b->mean, b->mean + n, s->forwards, s->backwards,
                        &constant)) {
        s->over = true;
        return;
    }
    for (int32_t k = 0; k < n; k++) {
        move(&cut->forwards[k], s->forwards[k], part);
        move(&cut->backwards[k], s->backwards[k], part);
    }
    move(&cut->constant, constant, part);
}

static void save_weights(const struct split_branch *b, int32_t depth)
{
    const struct split_cut *cut = &b->search->cuts.all[0];
    const size_t n = (size_t)b->search->stages * (size_t)b->search->chunks;
    double *to = b->weights + (size_t)depth * 2 * n;
    memcpy(to, cut->forwards, n * sizeof *to);
    memcpy(to + n, cut->backwards, n * sizeof *to);
    b->constants[depth] = cut->constant;
}

static void load_weights(struct split_branch *b, int32_t depth)
{
    struct split_cut *cut = &b->search->cuts.all[0];
    const size_t n = (size_t)b->search->stages * (size_t)b->search->chunks;
    const double *from = b->weights + (size_t)depth * 2 * n;
    memcpy(cut->forwards, from, n * sizeof *from);
    memcpy(cut->backwards, from + n, n * sizeof *from);
    cut->constant = b->constants[depth];
}

static bool is_over(struct split_search *s)
{
    s->over = s->over || s->oracle.often(s->oracle.self, s->nodes);
    return s->over;
}

// Returns a bound of the choices of the options, from the present weights on. The weights of the bound are saved.
static double bound_of(struct split_branch *b, int32_t depth)
{
    struct split_search *s = b->search;
    double best = 0;
    for (int round = 0; round < ROUNDS && !is_over(s); round++) {
        s->nodes += split_cut_price(&s->cuts, 0, s->options);
        const double bound = split_cuts_bound(&s->cuts);
        if (bound > best || round == 0) {
            best = bound;
            save_weights(b, depth);
        }
        if (best >= split_search_limit(s) || !split_search_least(s, 0))
            break;
        if (round % CHECKED == 0)
            (void)split_search_evaluate(s);
        meet_choice(b, 2.0 / (round + 2));
        meet_path(b, 2.0 / (round + 2 + WARM));
    }
    return best;
}

// ---- nodes --------------------------------------------------------------------------------------

// Returns the division whose times differ most between the choices of the last bound.
static struct division widest(const struct split_branch *b)
{
    const struct split_search *s = b->search;
    struct division best = {.stage = -1};
    double most = 0;
    const double *moment = b->moments;
    for (int32_t i = 0; i < s->stages; i++)
        for (int32_t m = 0; m <= 2 * s->chunks; m++, moment += 2) {
            const double square = moment[0] * moment[0],
                         spread =
                             (moment[1] - square) * (m < s->chunks ? FORWARDS * FORWARDS : 1);
            if (spread > most && moment[1] - square > SAME * square) {
                most = spread;
                best = (struct division){i, m, moment[0]};
            }
        }
    return best;
}

// Returns a bound after one choice only: its longest path. Finds the division between this choice and the best one for the
// path.
static double bound_alone(struct split_branch *b, int32_t depth, struct division *by)
{
    struct split_search *s = b->search;
    meet_path(b, 1);
    s->nodes += split_cut_price(&s->cuts, 0, s->options);
    save_weights(b, depth);
    if (split_search_least(s, 0))
        meet_choice(b, 0.5);
    *by = widest(b);
    return split_cuts_bound(&s->cuts);
}

static void descend(struct split_branch *b, int32_t depth, double bound)
{
    struct split_search *s = b->search;
    bound = fmax(bound, bound_of(b, depth));
    if (bound >= split_search_limit(s))
        return;
    struct division by = widest(b);
    if (by.stage < 0 && !s->over)
        bound = fmax(bound, bound_alone(b, depth, &by));
    if (bound >= split_search_limit(s))
        return;
    if (s->over || by.stage < 0 || depth + 1 == DEPTH_MAX) {
        b->open = fmin(b->open, bound);
        return;
    }
    load_weights(b, depth);
    s->nodes += split_cut_price(&s->cuts, 0, s->options);
    drop_useless(b);
    memcpy(ends_at(b, depth), s->options->end, bytes_of_ends(s->options));
    for (int side = 0; side < 2; side++) {
        keep_side(b, &by, side == 0);
        load_weights(b, depth);
        descend(b, depth + 1, bound);
        memcpy(s->options->end, ends_at(b, depth), bytes_of_ends(s->options));
    }
}

void split_branch_run(struct split_branch *b)
{
    b->open = HUGE_VAL;
    descend(b, 0, 0);
    b->search->bound = b->open;
}
