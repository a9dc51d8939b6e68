// SPDX-License-Identifier: Apache-2.0
// Solves general programs: takes one pattern of the leading layers after another, each with as many
// layers per stage as a better choice can have.
#include "kernels/common/search/general_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATTERNS_MOST = 3000, // solved
    LOOKS_MOST = 500,     // at neighbours
    TRIES_A_NODE = 128,
    CUTS_MOST = 160,
    CUTS_FEW = 16,
    CUTS_BYTES = 1 << 30, // of all cuts
    CHUNKS_FEW = 8, // with more chunks, too many spreads (2 to this power) are nearly even
};

// ---- bounds before any search -------------------------------------------------------------------

// Returns the largest number of layers of type 2 that a stage of a better choice can have.
static int32_t most_layers(const struct nd_general *g)
{
    const double limit = nd_general_limit(g);
    int32_t most = 0;
    for (int32_t i = 0; i < g->program->stages; i++)
        while (most < g->program->layers[1] && nd_general_stage_bound(g, i, most + 1) < limit)
            most++;
    return most;
}

// Adds a cut for each stage: its own work, after the first forwards of earlier stages and
// before their last backwards.
static void add_stage_cuts(struct nd_general *g)
{
    const struct nd_program *p = g->program;
    const int32_t n = p->chunks * p->stages;
    struct split_cuts *cuts = &g->search.cuts;
    for (int32_t i = 0; i < p->stages && i < cuts->most / 2; i++) {
        struct split_cut *cut = &cuts->all[split_cuts_add(cuts)];
        for (int32_t k = 0; k < n; k++)
            cut->forwards[k] = cut->backwards[k] = k % p->stages == i ? p->micro_batches
                                                   : k < i            ? 1.0 / p->splits
                                                                      : 0;
        cut->constant = 2 * i * p->hop;
    }
}

// ---- one pattern --------------------------------------------------------------------------------

// Gives the cuts room for the costs of all present options, and computes them. Returns false if memory runs out.
static bool price(struct nd_general *g)
{
    const int32_t n = g->options.split.n + 1;
    if (n > g->costs_room) {
        free(g->costs);
        g->costs = malloc((size_t)g->search.cuts.most * (size_t)n * sizeof *g->costs);
        g->costs_room = g->costs != NULL ? n : 0;
        if (g->costs == NULL)
            return false;
        split_cuts_set_costs(&g->search.cuts, g->costs, n);
    }
    split_search_price(&g->search);
    return true;
}

// Returns false if memory runs out.
static bool decide(struct nd_general *g)
{
    bool *dropped = malloc((size_t)g->options.split.n + 1);
    if (dropped == NULL)
        return false;
    split_search_rounds(&g->search, dropped);
    free(dropped);
    return !g->search.failed;
}

// With a choice at hand, the search limit includes the ways to recompute that are examined. 0: no limit.
static uint64_t tries_left(const struct nd_general *g)
{
    const struct nd_effort *effort = g->watch.effort;
    const uint64_t most = effort != NULL ? effort->max_nodes : 0;
    if (most == 0 || g->search.best == HUGE_VAL)
        return 0;
    return (most > g->search.nodes ? most - g->search.nodes : 1) * TRIES_A_NODE;
}

enum depth {
    LOOK,   // local moves only
    TRY,    // decide, unless there are too many options
    DECIDE, // decide, and skip some options if there are too many
};

// *bound: lower bound of the undecided choices; HUGE_VAL: none is undecided. *too_many: there
// are too many options.
static bool solve_wanted(struct nd_general *g, const struct nd_wanted *wanted, enum depth depth,
                         double *bound, bool *too_many)
{
    struct split_search *search = &g->search;
    struct nd_wanted within = *wanted;
    within.tries = tries_left(g);
    bool done =
        nd_options_make(g->program, &g->flights, &g->pattern, &within, &g->watch, &g->options);
    *bound = HUGE_VAL;
    if (!done)
        return false;
    *too_many = g->options.cut_short;
    search->nodes += (uint64_t)g->options.split.n * (8 + (uint64_t)search->cuts.n) / 512;
    if (within.tries > 0)
        search->nodes += g->options.tries / TRIES_A_NODE;
    const bool wants = !(depth == TRY && *too_many);
    if (depth == DECIDE && *too_many)
        g->complete = false;
    done = !wants || price(g);
    if (nd_watch_now(&g->watch) ||
        (within.tries > 0 &&
         g->options.tries >= within.tries)) { // options, or their prices, may be missing
        search->over = true;
        *bound = 0;
        nd_options_free(&g->options);
        return done;
    }
    if (done && wants && split_cuts_bound(&search->cuts) < nd_general_limit(g)) {
        const bool found = !search->over && split_search_improve(search);
        *bound = split_cuts_bound(&search->cuts);
        done = !search->failed;
        if (done && found && depth != LOOK && !search->over)
            done = decide(g);
        if (!search->over)
            *bound = HUGE_VAL;
    }
    nd_options_free(&g->options);
    return done;
}

static bool solve_layers(struct nd_general *g, int32_t most, enum depth depth, double *bound,
                         bool *too_many)
{
    const struct nd_wanted wanted = {most, INT32_MAX,
                                     nd_general_limit(g) / g->program->micro_batches, 0};
    return solve_wanted(g, &wanted, depth, bound, too_many);
}

// Finds a start for many chunks per stage: spreads the layers of each stage evenly over its
// chunks.
static bool look_even(struct nd_general *g, int32_t most)
{
    const struct nd_wanted wanted = {most, ND_EVEN_WAY, HUGE_VAL, 0};
    bool too_many;
    double bound;
    return g->program->chunks <= CHUNKS_FEW ||
           solve_wanted(g, &wanted, LOOK, &bound, &too_many);
}

// Tries less and less equal chunks, each time with only the options that can be better.
static bool look(struct nd_general *g, int32_t most, int32_t from)
{
    bool too_many = false;
    double bound;
    for (int32_t spread = from; spread <= 2 * most && !g->search.over; spread *= 2) {
        const struct nd_wanted wanted = {most, spread,
                                         nd_general_limit(g) / g->program->micro_batches, 0};
        if (!solve_wanted(g, &wanted, LOOK, &bound, &too_many))
            return false;
        if (from == 1 && g->search.best < HUGE_VAL)
            break;
    }
    return true;
}

// Solves one pattern with more and more layers per stage, until no better choice can have more.
// Without a choice so far, first tries chunks that are nearly equal, since these are few.
static bool solve_pattern(struct nd_general *g)
{
    const struct nd_program *p = g->program;
    int32_t most = p->layers[1] / p->stages + 2;
    double bound = HUGE_VAL;
    bool too_many = false;
    most = most < p->layers[1] ? most : p->layers[1];
    if (g->search.best == HUGE_VAL && (!look_even(g, most) || !look(g, most, 1)))
        return false;
    if (g->search.best < HUGE_VAL)
        most = most_layers(g);
    if (g->watch.effort != NULL && g->watch.effort->below > 0 && !look(g, most, 1))
        return false;
    for (bool more = true; more;) {
        most = most < p->layers[1] ? most : p->layers[1];
        if (!solve_layers(g, most, TRY, &bound, &too_many))
            return false;
        if (too_many &&
            (!look(g, most, 2) || !solve_layers(g, most, DECIDE, &bound, &too_many)))
            return false;
        const int32_t needed = most_layers(g); // all, as long as there is no choice
        more = needed > most && !g->search.over;
        most = g->search.best < HUGE_VAL ? needed : 2 * most;
    }
    g->bound = fmin(g->bound, bound);
    return true;
}

// ---- all patterns -------------------------------------------------------------------------------

static bool visit(struct nd_general *g, void *self)
{
    (void)self;
    return solve_pattern(g);
}

// Solves the pattern with the most equal chunks: a start if there are many patterns.
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
    const bool done = left > 0 || n - k > p->layers[1] || solve_pattern(g);
    memset(g->pattern.dense, 0, (size_t)n * sizeof *g->pattern.dense);
    return done;
}

// Takes the pattern of the best choice with one layer moved from chunk k to chunk k + step;
// false: the result is not a pattern.
static bool set_neighbour(struct nd_general *g, int32_t k, int32_t step)
{
    const struct nd_program *p = g->program;
    const int32_t n = p->stages * p->chunks;
    int32_t *dense = g->pattern.dense;
    for (int32_t j = 0; j < n; j++)
        dense[j] = g->draft->chunks[j].layers[0];
    if (k + step < 0 || k + step >= n || dense[k] == 0)
        return false;
    dense[k]--;
    dense[k + step]++;
    g->pattern.n = 0;
    while (g->pattern.n < n && dense[g->pattern.n] > 0)
        g->pattern.n++;
    for (int32_t j = g->pattern.n; j < n; j++)
        if (dense[j] > 0)
            return false; // a gap
    return n - g->pattern.n <= p->layers[1];
}

// Solves neighbours of the best pattern so far, as long as one of them is better.
static bool improve_pattern(struct nd_general *g)
{
    const int32_t n = g->program->stages * g->program->chunks;
    int32_t looks = 0;
    bool done = true, too_many;
    double bound, before;
    do {
        before = g->search.best;
        for (int32_t k = 0; k < 2 * n && done && !g->search.over && before < HUGE_VAL; k++) {
            if (!set_neighbour(g, k / 2, k % 2 == 0 ? 1 : -1) || ++looks > LOOKS_MOST)
                continue;
            const struct nd_wanted wanted = {
                most_layers(g), 2, nd_general_limit(g) / g->program->micro_batches, 0};
            done = solve_wanted(g, &wanted, LOOK, &bound, &too_many);
        }
    } while (done && g->search.best < before && looks < LOOKS_MOST);
    memset(g->pattern.dense, 0, (size_t)n * sizeof *g->pattern.dense);
    return done;
}

// ---- the whole ----------------------------------------------------------------------------------

static bool search_all(struct nd_general *g)
{
    const bool many = g->program->layers[0] > 8 && g->search.best == HUGE_VAL;
    add_stage_cuts(g);
    if ((many && (!solve_even_pattern(g) || !improve_pattern(g))) ||
        !nd_general_patterns(g, visit, NULL, PATTERNS_MOST))
        return false;
    g->draft->proven = g->complete && !g->search.over;
    g->draft->timed_out = g->watch.timed_out;
    return true;
}

static bool solve_all(struct nd_general *g, struct nd_infeasible *why)
{
    struct nd_draft *draft = g->draft;
    double lack;
    int32_t stage;
    bool decided;
    if (!nd_general_lack(g, &lack, &stage, &decided))
        return false;
    if (decided && lack > 0.5 * ND_SLACK_MB) {
        draft->proven = true;
        if (lack < HUGE_VAL)
            nd_why_memory(g->program, stage, lack, why);
        else
            nd_why_layers(g->program, why);
        return true;
    }
    if (!search_all(g))
        return false;
    draft->bound = nd_program_average_bound(g->program);
    if (g->complete)
        draft->bound = fmax(draft->bound, g->bound);
    if (g->search.best <= draft->bound * (1 + ND_SAME))
        draft->proven = true;
    // The memory suffices, the published bounds do not, or the layers that must be made again.
    if (draft->proven && g->search.best == HUGE_VAL && g->program->compat == ND_ORIG)
        nd_why_layers(g->program, why);
    else if (draft->proven && g->search.best == HUGE_VAL)
        nd_why_again(g->program, why);
    return true;
}

static void free_all(struct nd_general *g)
{
    nd_evaluator_free(g->evaluator);
    nd_flights_free(&g->flights);
    free(g->memory);
    free(g->costs);
    free(g->pattern.dense);
    free(g);
}

// Returns how many cuts fit in a reasonable memory.
static int32_t cuts_most(const struct nd_program *p)
{
    const size_t fit = CUTS_BYTES / split_cut_bytes(p->stages, p->chunks, p->layers[1]);
    return fit < CUTS_FEW ? CUTS_FEW : fit > CUTS_MOST ? CUTS_MOST : (int32_t)fit;
}

static bool make_search(struct nd_general *g)
{
    const struct nd_program *p = g->program;
    const int32_t cuts = cuts_most(p);
    struct room room = {NULL, 0};
    split_search_take(&g->search, p->stages, p->chunks, p->layers[1], cuts, &room);
    if (room.used == SIZE_MAX)
        return false;
    g->memory = room.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (g->memory == NULL)
        return false;
    room.used = 0;
    split_search_take(&g->search, p->stages, p->chunks, p->layers[1], cuts, &room);
    g->search.oracle = nd_general_oracle(g);
    g->search.options = &g->options.split;
    return true;
}

// Returns NULL when out of memory, or if the effort ended the construction of the order.
static struct nd_general *allocate(const struct nd_program *program,
                                   const struct nd_watch *watch)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    struct nd_general *g = calloc(1, sizeof *g);
    if (g == NULL)
        return NULL;
    g->program = program;
    g->watch = *watch;
    g->poll = nd_watch_poll(&g->watch);
    g->evaluator = nd_evaluator_new(program, &g->poll);
    g->pattern.dense = calloc(n, sizeof *g->pattern.dense);
    if (g->evaluator == NULL || g->pattern.dense == NULL || !make_search(g) ||
        !nd_flights_make(program, &g->poll, &g->flights)) {
        free_all(g);
        return NULL;
    }
    g->bound = HUGE_VAL;
    g->complete = true;
    return g;
}

enum nd_outcome nd_solve_general(const struct nd_program *program,
                                 const struct nd_effort *effort, double started,
                                 struct nd_draft *draft, struct nd_infeasible *why)
{
    struct nd_watch watch = {.effort = effort, .started = started};
    struct nd_general *g = allocate(program, &watch);
    if (g == NULL && nd_watch_now(&watch)) {
        draft->timed_out = watch.timed_out;
        return ND_DONE;
    }
    if (g == NULL)
        return ND_NO_MEMORY;
    g->draft = draft;
    const double below = effort != NULL && effort->below > 0 ? effort->below : HUGE_VAL;
    g->search.best = below;
    const bool done = solve_all(g, why);
    draft->objective = g->search.best < below ? g->search.best : HUGE_VAL;
    draft->nodes = g->search.nodes;
    free_all(g);
    return done ? ND_DONE : ND_NO_MEMORY;
}
