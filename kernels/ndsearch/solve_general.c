// SPDX-License-Identifier: Apache-2.0
// The general solver: patterns of the leading layers one after the other, each with as many layers a
// stage as can still be part of something better.
#include "general.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATTERNS_MOST = 20000,
    PATTERNS_BOUNDED = 16, // when it is time to stop: that at least get a bound
    FIRST_ROUND = 20000,   // nodes
};

// ---- bounds before any search -------------------------------------------------------------------

static double of_head(const struct nd_program *p)
{
    return (1 + (isnan(p->head_backward) ? p->backward_ratio : p->head_backward)) *
           p->head_ratio;
}

// The slowest stage is no faster than the average.
static double average_bound(const struct nd_program *p)
{
    const double work =
        (1 + p->backward_ratio) * (p->layers[1] + p->layer_ratio * p->layers[0]) + of_head(p);
    return p->micro_batches * work / p->stages;
}

// What a stage takes for all micro-batches with so many layers of type 2.
static double stage_bound(const struct nd_general *g, int32_t i, double layers)
{
    const struct nd_program *p = g->program;
    for (int32_t v = 0; v < p->chunks; v++)
        layers += p->layer_ratio * g->pattern.dense[v * p->stages + i];
    return p->micro_batches *
           ((1 + p->backward_ratio) * layers + (i == p->stages - 1 ? of_head(p) : 0));
}

// Most layers of type 2 that any stage of something better has.
static int32_t most_layers(const struct nd_general *g)
{
    const double limit = nd_general_limit(g);
    int32_t most = 0;
    for (int32_t i = 0; i < g->program->stages; i++)
        while (most < g->program->layers[1] && stage_bound(g, i, most + 1) < limit)
            most++;
    return most;
}

// Each stage's own work, after the first forwards before it and ahead of the last backwards.
static bool add_stage_cuts(struct nd_general *g)
{
    const struct nd_program *p = g->program;
    const int32_t n = p->chunks * p->stages;
    for (int32_t i = 0; i < p->stages && i < CUTS_MOST / 2; i++) {
        const int32_t index = nd_cuts_add(&g->cuts);
        if (index < 0)
            return false;
        struct nd_cut *cut = &g->cuts.all[index];
        for (int32_t k = 0; k < n; k++)
            cut->forwards[k] = cut->backwards[k] = k % p->stages == i ? p->micro_batches
                                                   : k < i            ? 1.0 / p->splits
                                                                      : 0;
        cut->constant = 2 * i * p->hop;
    }
    return true;
}

// ---- one pattern --------------------------------------------------------------------------------

// Drops options until none is useless.
static bool drop_useless(struct nd_general *g)
{
    bool *dropped = malloc((size_t)g->options.n + 1);
    int32_t n = dropped != NULL;
    bool done = dropped != NULL;
    while (done && n > 0) {
        done = nd_cuts_useless(&g->cuts, &g->options, nd_general_limit(g), dropped, &n);
        if (done && n > 0) {
            nd_options_drop(&g->options, dropped);
            done = nd_cuts_price(&g->cuts, &g->options);
        }
    }
    free(dropped);
    return done;
}

// Rounds of search; between them options that new paths, or a better choice, have made useless are
// dropped. Each is four times as long as the one before, so that little is done twice.
static bool search_rounds(struct nd_general *g)
{
    for (uint64_t nodes = FIRST_ROUND;; nodes *= 4) {
        if (!nd_general_blend(g) || !drop_useless(g))
            return false;
        g->round_end = g->draft->nodes + nodes;
        if (nd_cuts_bound(&g->cuts) >= nd_general_limit(g))
            return true;
        if (!nd_general_search(g) || g->over)
            return g->over;
        if (!nd_general_round_over(g))
            return true;
    }
}

enum depth {
    LOOK,   // local moves only
    TRY,    // decide, unless there are too many options
    DECIDE, // and leave some out in that case
};

// *bound: of what is left undecided; HUGE_VAL: nothing is. *too_many: there are too many options.
static bool solve_wanted(struct nd_general *g,
                         const struct nd_wanted *wanted,
                         enum depth depth,
                         double *bound,
                         bool *too_many)
{
    bool found = false;
    bool done = nd_options_make(g->program, &g->flights, &g->pattern, wanted, &g->options);
    *bound = HUGE_VAL;
    if (!done)
        return false;
    *too_many = g->options.cut_short;
    const bool search = !(depth == TRY && *too_many);
    if (depth == DECIDE && *too_many)
        g->complete = false;
    done = !search || nd_cuts_price(&g->cuts, &g->options);
    if (done && search && nd_cuts_bound(&g->cuts) < nd_general_limit(g)) {
        if (!g->over)
            done = nd_general_improve(g, &found);
        *bound = nd_cuts_bound(&g->cuts);
        if (done && found && depth != LOOK && !g->over)
            done = search_rounds(g);
        if (!g->over)
            *bound = HUGE_VAL;
    }
    nd_options_free(&g->options);
    return done;
}

static bool solve_layers(struct nd_general *g,
                         int32_t most,
                         enum depth depth,
                         double *bound,
                         bool *too_many)
{
    const struct nd_wanted wanted = {most, INT32_MAX,
                                     nd_general_limit(g) / g->program->micro_batches};
    return solve_wanted(g, &wanted, depth, bound, too_many);
}

// Ever less equal chunks, each time with only those options that would be better.
static bool look(struct nd_general *g, int32_t most, int32_t from)
{
    bool too_many = false;
    double bound;
    for (int32_t spread = from; spread <= 2 * most && !g->over; spread *= 2) {
        const struct nd_wanted wanted = {most, spread,
                                         nd_general_limit(g) / g->program->micro_batches};
        if (!solve_wanted(g, &wanted, LOOK, &bound, &too_many))
            return false;
        if (from == 1 && g->draft->objective < HUGE_VAL)
            break;
    }
    return true;
}

// More and more layers a stage, until more can be in nothing better. Without a choice that is to be
// beaten first a look at chunks that are nearly equal, of which there are few.
static bool solve_pattern(struct nd_general *g)
{
    const struct nd_program *p = g->program;
    int32_t most = p->layers[1] / p->stages + 2;
    double bound = HUGE_VAL;
    bool too_many = false;
    if (g->draft->objective == HUGE_VAL &&
        !look(g, most < p->layers[1] ? most : p->layers[1], 1))
        return false;
    if (g->draft->objective < HUGE_VAL)
        most = most_layers(g);
    for (bool more = true; more;) {
        most = most < p->layers[1] ? most : p->layers[1];
        if (!solve_layers(g, most, TRY, &bound, &too_many))
            return false;
        if (too_many &&
            (!look(g, most, 2) || !solve_layers(g, most, DECIDE, &bound, &too_many)))
            return false;
        const int32_t needed = most_layers(g); // all, as long as there is no choice
        more = needed > most && !g->over;
        most = g->draft->objective < HUGE_VAL ? needed : 2 * most;
    }
    g->bound = fmin(g->bound, bound);
    return true;
}

// ---- all patterns -------------------------------------------------------------------------------

struct patterns {
    struct nd_general *g;
    bool (*visit)(struct patterns *patterns);
    int32_t n;   // visited
    double lack; // for visit_lack
    int32_t stage;
};

static bool can_end(const struct nd_general *g)
{
    const struct nd_program *p = g->program;
    const int32_t others = p->stages * p->chunks - g->pattern.n;
    return others <= p->layers[1] &&
           (others > 0 || p->layers[1] == 0 || g->pattern.n == p->stages * p->chunks);
}

// Layers of type 1 from chunk k on; the more in one chunk, the earlier.
static bool each_pattern(struct patterns *all, int32_t k, int32_t left)
{
    struct nd_general *g = all->g;
    const struct nd_program *p = g->program;
    if (left == 0) {
        g->pattern.n = k;
        if (!can_end(g) || g->bound == 0)
            return true;
        if (++all->n > (g->over ? PATTERNS_BOUNDED : PATTERNS_MOST)) {
            g->over = true;
            g->bound = 0;
            return true;
        }
        return all->visit(all);
    }
    if (k == p->stages * p->chunks)
        return true;
    const int32_t most = p->compat == ND_ORIG && left > ND_ORIG_LAYERS ? ND_ORIG_LAYERS : left;
    bool done = true;
    for (int32_t x = most; done && x >= 1 && g->bound > 0; x--) {
        g->pattern.dense[k] = x;
        if (stage_bound(g, k % p->stages, 0) < nd_general_limit(g))
            done = each_pattern(all, k + 1, left - x);
    }
    g->pattern.dense[k] = 0;
    return done;
}

static bool visit_solve(struct patterns *patterns)
{
    return solve_pattern(patterns->g);
}

// The pattern whose chunks are as equal as can be: a start, where there are many patterns.
static bool solve_even_pattern(struct nd_general *g)
{
    const struct nd_program *p = g->program;
    const int32_t n = p->stages * p->chunks;
    const double work = p->layers[1] + p->layer_ratio * p->layers[0] + p->head_ratio;
    const double each = p->layer_ratio > 0 ? work / n / p->layer_ratio : p->layers[0];
    int32_t left = p->layers[0], k = 0;
    for (; k < n && left > 0; k++) {
        const int32_t x = each < 1 ? 1 : each > left ? left : (int32_t)(each + 0.5);
        g->pattern.dense[k] = x < left ? x : left;
        left -= g->pattern.dense[k];
    }
    g->pattern.n = k;
    const bool done = left > 0 || !can_end(g) || solve_pattern(g);
    memset(g->pattern.dense, 0, (size_t)n * sizeof *g->pattern.dense);
    return done;
}

// ---- infeasible programs ------------------------------------------------------------------------

// The least budget that is missing on the worst stage, of this pattern.
static bool visit_lack(struct patterns *all)
{
    struct nd_general *g = all->g;
    const struct nd_program *p = g->program;
    const int32_t layers = p->layers[1], columns = layers + 1;
    double *least = malloc(2 * (size_t)columns * sizeof *least);
    int32_t *worst = malloc(2 * (size_t)columns * sizeof *worst);
    if (least == NULL || worst == NULL) {
        free(least);
        free(worst);
        return false;
    }
    for (int32_t n = 0; n < columns; n++)
        least[n] = n == 0 ? -HUGE_VAL : HUGE_VAL;
    worst[0] = -1;
    for (int32_t i = 0; i < p->stages; i++) {
        for (int32_t n = 0; n < columns; n++)
            least[columns + n] = HUGE_VAL;
        for (int32_t x = 0; x <= layers; x++) {
            const double own =
                nd_stage_least_mb(p, &g->flights, &g->pattern, i, x) - nd_program_budget(p, i);
            for (int32_t n = 0; n + x <= layers && own < HUGE_VAL; n++)
                if (fmax(least[n], own) < least[columns + n + x]) {
                    least[columns + n + x] = fmax(least[n], own);
                    worst[columns + n + x] = own >= least[n] ? i : worst[n];
                }
        }
        memcpy(least, least + columns, (size_t)columns * sizeof *least);
        memcpy(worst, worst + columns, (size_t)columns * sizeof *worst);
    }
    if (least[layers] < all->lack) {
        all->lack = least[layers];
        all->stage = worst[layers];
    }
    free(least);
    free(worst);
    return true;
}

static bool explain(struct nd_general *g, struct nd_infeasible *why)
{
    struct patterns all = {.g = g, .visit = visit_lack, .lack = HUGE_VAL, .stage = -1};
    if (!each_pattern(&all, 0, g->program->layers[0]))
        return false;
    if (all.lack < HUGE_VAL && all.lack > 0)
        nd_why_memory(g->program, all.stage, all.lack, why);
    else
        nd_why_layers(g->program, why);
    return true;
}

// ---- the whole ----------------------------------------------------------------------------------

static bool solve_all(struct nd_general *g, struct nd_infeasible *why)
{
    struct patterns all = {.g = g, .visit = visit_solve};
    if (!add_stage_cuts(g) || (g->program->layers[0] > 8 && !solve_even_pattern(g)) ||
        !each_pattern(&all, 0, g->program->layers[0]))
        return false;
    struct nd_draft *draft = g->draft;
    draft->proven = g->complete && !g->over;
    draft->timed_out = g->watch.timed_out;
    draft->bound = average_bound(g->program);
    if (g->complete)
        draft->bound = fmax(draft->bound, g->bound);
    if (draft->objective <= draft->bound * (1 + ND_SAME))
        draft->proven = true;
    return draft->objective < HUGE_VAL || !draft->proven || explain(g, why);
}

static void free_all(struct nd_general *g)
{
    nd_evaluator_free(g->evaluator);
    nd_flights_free(&g->flights);
    nd_cuts_free(&g->cuts);
    free(g->pattern.dense);
    free(g->choice);
    free(g->partial);
    free(g->forward);
    free(g);
}

static struct nd_general *allocate(const struct nd_program *program)
{
    const size_t stages = (size_t)program->stages, n = stages * (size_t)program->chunks;
    struct nd_general *g = calloc(1, sizeof *g);
    if (g == NULL)
        return NULL;
    g->program = program;
    nd_cuts_start(&g->cuts, program);
    g->evaluator = nd_evaluator_new(program);
    g->pattern.dense = calloc(n, sizeof *g->pattern.dense);
    g->choice = calloc(stages, sizeof *g->choice);
    g->partial = calloc((stages + 1) * CUTS_MOST, sizeof *g->partial);
    g->forward = malloc(4 * n * sizeof *g->forward);
    if (g->evaluator == NULL || g->pattern.dense == NULL || g->choice == NULL ||
        g->partial == NULL || g->forward == NULL || !nd_flights_make(program, &g->flights)) {
        free_all(g);
        return NULL;
    }
    g->backward = g->forward + n;
    g->forwards = g->backward + n;
    g->backwards = g->forwards + n;
    g->bound = HUGE_VAL;
    g->complete = true;
    return g;
}

enum nd_outcome nd_solve_general(const struct nd_program *program,
                                 const struct nd_effort *effort,
                                 double started,
                                 struct nd_draft *draft,
                                 struct nd_infeasible *why)
{
    struct nd_general *g = allocate(program);
    if (g == NULL)
        return ND_NO_MEMORY;
    g->draft = draft;
    g->watch = (struct nd_watch){effort, started, 0, false};
    const bool done = solve_all(g, why);
    free_all(g);
    return done ? ND_DONE : ND_NO_MEMORY;
}
