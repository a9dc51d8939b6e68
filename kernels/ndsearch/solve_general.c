// SPDX-License-Identifier: Apache-2.0
// The general solver: patterns of the leading layers one after the other, each with as many layers a
// stage as can still be part of something better.
#include "general.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERNS_MOST = 20000 };

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

// With at most so many layers a stage. *bound: of what is left undecided; HUGE_VAL: nothing is.
static bool solve_with(struct nd_general *g, int32_t most, double *bound)
{
    bool found, done = nd_options_make(g->program, &g->flights, &g->pattern, most, &g->options);
    *bound = HUGE_VAL;
    if (!done)
        return false;
    g->complete = g->complete && !g->options.cut_short;
    done = nd_cuts_price(&g->cuts, &g->options);
    if (done && nd_cuts_bound(&g->cuts) < nd_general_limit(g)) {
        done = nd_general_improve(g, &found) && (!found || drop_useless(g));
        *bound = nd_cuts_bound(&g->cuts);
        if (done && found && *bound < nd_general_limit(g))
            done = nd_general_search(g);
        if (!g->over)
            *bound = HUGE_VAL;
    }
    nd_options_free(&g->options);
    return done;
}

// More and more layers a stage, until more can be in nothing better.
static bool solve_pattern(struct nd_general *g)
{
    const struct nd_program *p = g->program;
    int32_t most = p->layers[1] / p->stages + 2;
    double bound = HUGE_VAL;
    if (g->draft->objective < HUGE_VAL)
        most = most_layers(g);
    for (bool more = true; more && !g->over;) {
        most = most < p->layers[1] ? most : p->layers[1];
        if (!solve_with(g, most, &bound))
            return false;
        const int32_t needed = most_layers(g); // all, as long as there is no choice
        more = needed > most;
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
    if (g->over)
        return true;
    if (left == 0) {
        g->pattern.n = k;
        if (!can_end(g))
            return true;
        if (++all->n > PATTERNS_MOST)
            g->over = true;
        return g->over || all->visit(all);
    }
    if (k == p->stages * p->chunks)
        return true;
    const int32_t most = p->compat == ND_ORIG && left > ND_ORIG_LAYERS ? ND_ORIG_LAYERS : left;
    bool done = true;
    for (int32_t x = most; done && x >= 1; x--) {
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
    if (draft->proven)
        draft->bound = draft->objective;
    else if (g->program->layers[0] == 0 && g->complete)
        draft->bound = fmax(draft->bound, g->bound);
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
