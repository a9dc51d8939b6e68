// SPDX-License-Identifier: Apache-2.0
// Solves a program whose choice must be one that the file of a framework can say, and one that may make layers
// again wholly or selectively. The best choice of any layers to make again wholly bounds all choices without
// selective recomputation; its split with a rule that a file can say is a start. Then the rules are solved one
// after another, each only for values that are better than the best so far.
#include "kernels/common/search/solve_private.h"
#include "kernels/common/split/cheapest_recompute.h"

#include <math.h>
#include <stdlib.h>

enum { TIME_OF_BOUND = 4 }; // a part of the time

struct dialect {
    const struct nd_program *program;
    struct nd_effort effort; // of one solution
    uint64_t max_nodes;      // of all; 0: no limit
    double below;            // of all; HUGE_VAL: any
    double started, max_seconds;
    struct nd_solution *best;
    double average; // no choice is better
    double least;   // nor one without selective recomputation; HUGE_VAL: there is none
    double bound;   // of the rules that are not decided
    bool decided;   // choices without selective recomputation
    bool out_of_time;
    uint64_t nodes;
    bool bounding; // what is solved now need not be a choice that a file can say
    struct nd_solution
        early;            // a choice to tell of, and to fall back on, where the time is limited
    struct nd_news inner; // of one solution
    struct nd_news *news; // of all; or NULL
};

// Passes on what a file can say.
static void pass_on(struct nd_news *inner)
{
    const struct dialect *d = inner->self;
    if (!d->bounding && inner->best < d->news->best)
        d->news->best = inner->best;
    d->news->look(d->news);
    inner->over = d->news->over;
}

static void tell_of(const struct dialect *d, const struct nd_solution *solution)
{
    if (d->news != NULL && solution->found && solution->objective < d->news->best)
        d->news->best = solution->objective;
}

// Returns the program in which all stages make the layers of the rule again.
static struct nd_program ruled(const struct nd_program *p, enum nd_again again, int32_t n)
{
    struct nd_program rule = *p;
    rule.dialect = ND_SAYS_ANY;
    rule.again = again;
    rule.again_n = n;
    if (again != ND_AGAIN_FIRST) {
        rule.allow_full = again != ND_AGAIN_PARTS;
        rule.allow_select = again == ND_AGAIN_PARTS;
    }
    return rule;
}

// Returns the program in which nothing is made again.
static struct nd_program bare(const struct nd_program *p)
{
    struct nd_program rule = ruled(p, ND_AGAIN_FIRST, 0);
    rule.allow_full = rule.allow_select = false;
    return rule;
}

// ---- single solutions ---------------------------------------------------------------------------

// Sets the limits of the next solution: what is left, but at least an eighth. Returns false if the time
// is over, or if told to stop.
static bool take_effort(struct dialect *d, double below)
{
    const uint64_t left = d->nodes < d->max_nodes ? d->max_nodes - d->nodes : 0;
    const uint64_t least = d->max_nodes / 8 + 1;
    d->effort.max_nodes = d->max_nodes == 0 ? 0 : left > least ? left : least;
    d->effort.below = fmin(below, d->below);
    if (d->effort.below == HUGE_VAL)
        d->effort.below = 0;
    d->inner.best = HUGE_VAL;
    if (nd_is_told_to_stop(&d->effort))
        d->out_of_time = true;
    if (d->max_seconds <= 0 || d->out_of_time)
        return !d->out_of_time;
    d->effort.max_seconds = d->max_seconds - (d->effort.seconds() - d->started);
    d->out_of_time = d->effort.max_seconds <= 0;
    return !d->out_of_time;
}

static enum nd_outcome solve(struct dialect *d, const struct nd_program *rule, double below,
                             struct nd_solution *solution)
{
    *solution = (struct nd_solution){.status = ND_TIME_LIMIT};
    if (!take_effort(d, below))
        return ND_DONE;
    const enum nd_outcome outcome = nd_solve_plain(rule, &d->effort, solution);
    d->nodes += solution->nodes;
    return outcome;
}

static void replace(struct nd_solution *best, struct nd_solution *solution)
{
    nd_solution_free(best);
    *best = *solution;
    *solution = (struct nd_solution){.status = ND_INFEASIBLE};
}

// ---- rules --------------------------------------------------------------------------------------

static int32_t at_least(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Returns a lower bound of splits that make n layers of every chunk again: one stage has at least the
// average number of layers of type 2. Of these, fewest are made again if one chunk has most, and layers of
// type 1 come before them.
static double bound_of_each(const struct nd_program *p, int32_t n)
{
    const int32_t layers = (p->layers[1] + p->stages - 1) / p->stages;
    const int32_t longest = at_least(layers - p->chunks + 1, 0);
    const int32_t again = (n < longest ? n : longest) + p->chunks - 1 - p->layers[0];
    const int32_t surely = longest > 0 ? at_least(again, 0) : 0;
    return p->micro_batches * ((1 + p->backward_ratio) * layers + p->full_growth * surely);
}

static bool is_best(const struct dialect *d, double bound)
{
    const double least = fmin(d->best->found ? d->best->objective : HUGE_VAL, d->below);
    return least < HUGE_VAL && least * (1 - ND_SAME) <= bound;
}

// The search limit is over twice: rules are left undecided.
static bool is_tired(const struct dialect *d)
{
    return d->best->found && d->max_nodes > 0 && d->nodes > 2 * d->max_nodes;
}

// bound: of the rule.
static enum nd_outcome try_rule(struct dialect *d, const struct nd_program *rule, double bound)
{
    struct nd_solution solution;
    if (is_best(d, bound))
        return ND_DONE;
    if (is_tired(d)) {
        d->bound = fmin(d->bound, bound);
        return ND_DONE;
    }
    const double below = d->best->found ? d->best->objective : HUGE_VAL;
    const enum nd_outcome outcome = solve(d, rule, below, &solution);
    if (solution.status == ND_FEASIBLE || solution.status == ND_TIME_LIMIT)
        d->bound = fmin(d->bound, fmax(solution.bound, bound));
    const bool better =
        solution.found && (!d->best->found || solution.objective < d->best->objective);
    // Of programs without a choice, this one says what is missing.
    if (better || (!d->best->found && d->program->dialect == ND_SAYS_ANY))
        replace(d->best, &solution);
    tell_of(d, d->best);
    nd_solution_free(&solution);
    return outcome;
}

// More layers of every chunk only take longer.
static enum nd_outcome try_each(struct dialect *d)
{
    const int32_t most = d->program->layers[0] + d->program->layers[1];
    enum nd_outcome outcome = ND_DONE;
    for (int32_t n = 1; n <= most && outcome == ND_DONE && !d->out_of_time; n++) {
        const struct nd_program rule = ruled(d->program, ND_AGAIN_EACH, n);
        const double bound = fmax(d->least, bound_of_each(d->program, n));
        if (is_best(d, bound))
            break;
        outcome = try_rule(d, &rule, bound);
    }
    return outcome;
}

// Every chunk makes at least the quotient again.
static enum nd_outcome try_dealt(struct dialect *d)
{
    const struct nd_program *p = d->program;
    const int32_t most = (p->layers[0] + p->layers[1]) * p->chunks;
    enum nd_outcome outcome = ND_DONE;
    for (int32_t n = 1; n <= most && outcome == ND_DONE && !d->out_of_time; n++) {
        const struct nd_program rule = ruled(p, ND_AGAIN_DEALT, n);
        const double bound = fmax(d->least, bound_of_each(p, n / p->chunks));
        if (is_best(d, bound))
            break;
        outcome = try_rule(d, &rule, bound);
    }
    return outcome;
}

static enum nd_outcome try_every(struct dialect *d)
{
    const int32_t all = d->program->layers[0] + d->program->layers[1];
    enum nd_outcome outcome = ND_DONE;
    for (int32_t n = all; n >= 1 && outcome == ND_DONE && !d->out_of_time; n--) {
        const struct nd_program rule = ruled(d->program, ND_AGAIN_EVERY, n);
        outcome = try_rule(d, &rule, d->least);
    }
    return outcome;
}

// Layers of one chunk may be made again wholly, those of another one selectively, where a file has a number of both
// for every chunk. Otherwise a file that says selective recomputation means all layers.
static enum nd_outcome try_selective(struct dialect *d)
{
    const struct nd_program *p = d->program;
    const struct nd_program rule = p->dialect == ND_SAYS_ANY ? *p : ruled(p, ND_AGAIN_PARTS, 0);
    return p->allow_select ? try_rule(d, &rule, d->average) : ND_DONE;
}

static enum nd_outcome try_wholly(struct dialect *d)
{
    const struct nd_program *p = d->program;
    if (!p->allow_full)
        return ND_DONE;
    return p->dialect == ND_SAYS_EACH    ? try_each(d)
           : p->dialect == ND_SAYS_DEALT ? try_dealt(d)
                                         : try_every(d);
}

static enum nd_outcome try_rules(struct dialect *d)
{
    const struct nd_program none = bare(d->program);
    if (d->decided)
        return try_selective(d);
    enum nd_outcome outcome = try_rule(d, &none, d->least);
    if (outcome == ND_DONE)
        outcome = try_selective(d);
    return outcome == ND_DONE ? try_wholly(d) : outcome;
}

// ---- starts -------------------------------------------------------------------------------------

// Returns the layers of the chunk with most that are made again wholly.
static int32_t most_again(const struct nd_program *p, const struct nd_choice *choice)
{
    int32_t most = 0;
    for (int32_t k = 0; k < p->stages * p->chunks; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        const int32_t n = chunk.full[0] + chunk.full[1];
        most = n > most ? n : most;
    }
    return most;
}

// Takes the split of the choice with the rule, if this fits.
static enum nd_outcome start_with(struct nd_solution *taken, const struct nd_program *rule,
                                  const struct nd_choice *choice)
{
    const int32_t n = rule->stages * rule->chunks;
    struct nd_draft draft = {.chunks = calloc((size_t)n, sizeof *draft.chunks)};
    struct nd_solution solution = {.status = ND_INFEASIBLE};
    struct nd_value value;
    char why[256];
    if (draft.chunks == NULL)
        return ND_NO_MEMORY;
    for (int32_t k = 0; k < n; k++) {
        int32_t before = 0;
        for (int32_t j = k % rule->stages; j < k; j += rule->stages)
            before += choice->layers[0][j] + choice->layers[1][j];
        draft.chunks[k] =
            (struct nd_chunk_plan){.layers = {choice->layers[0][k], choice->layers[1][k]}};
        nd_again_set(rule, (struct nd_again_place){k / rule->stages, before}, &draft.chunks[k]);
    }
    enum nd_outcome outcome = nd_solution_set(rule, &draft, NULL, &solution);
    if (outcome == ND_DONE && nd_choice_check(rule, &solution.choice, why, sizeof why)) {
        outcome = nd_evaluate(rule, &solution.choice, &value);
        solution.objective = value.objective;
        solution.makespan = value.makespan;
        if (outcome == ND_DONE)
            replace(taken, &solution);
    }
    nd_solution_free(&solution);
    free(draft.chunks);
    return outcome;
}

static enum nd_outcome start(const struct dialect *d, struct nd_solution *taken,
                             const struct nd_choice *choice)
{
    const struct nd_program *p = d->program;
    const int32_t all = p->layers[0] + p->layers[1], most = most_again(p, choice);
    const struct nd_program rule =
        ruled(p, ND_AGAIN_EACH, p->dialect != ND_SAYS_EVERY ? most : all);
    return p->allow_full ? start_with(taken, &rule, choice) : ND_DONE;
}

// Takes the first choice of any layers that is found.
static enum nd_outcome start_early(struct dialect *d, const struct nd_program *any)
{
    struct nd_effort little = d->effort;
    struct nd_solution solution;
    little.max_nodes = 1;
    d->bounding = true;
    enum nd_outcome outcome = nd_solve_plain(any, &little, &solution);
    d->bounding = false;
    if (outcome == ND_DONE && solution.found)
        outcome = start(d, &d->early, &solution.choice);
    nd_solution_free(&solution);
    tell_of(d, &d->early);
    return outcome;
}

// Returns the program in which any layers are made again wholly.
static struct nd_program wholly(const struct nd_program *p)
{
    struct nd_program any = p->dialect != ND_SAYS_ANY ? ruled(p, ND_AGAIN_FIRST, 0) : *p;
    any.allow_select = false;
    return any;
}

// Takes what is known of the choices without selective recomputation. They are decided if nothing fits, if the best
// one makes nothing again, or if a file can say all of them.
static void take_bound(struct dialect *d, struct nd_solution *solution)
{
    const bool any = d->program->dialect == ND_SAYS_ANY;
    const bool none = solution->status == ND_INFEASIBLE;
    const bool bare = solution->found && most_again(d->program, &solution->choice) == 0;
    d->least = none ? HUGE_VAL : fmax(solution->bound, d->average);
    d->decided = any || none || bare;
    if (!d->decided)
        return;
    if (solution->status == ND_FEASIBLE || solution->status == ND_TIME_LIMIT)
        d->bound = d->least;
    replace(d->best, solution);
}

// Solves for any layers, in a part of the time.
static enum nd_outcome solve_any(struct dialect *d)
{
    const struct nd_program any = wholly(d->program);
    const double all = d->max_seconds;
    const bool may = d->program->dialect == ND_SAYS_ANY;
    struct nd_solution solution = {.status = ND_TIME_LIMIT};
    enum nd_outcome outcome = all > 0 && !may ? start_early(d, &any) : ND_DONE;
    d->max_seconds = all / TIME_OF_BOUND;
    d->bounding = !may;
    if (outcome == ND_DONE)
        outcome = solve(d, &any, HUGE_VAL, &solution);
    d->bounding = d->out_of_time = false;
    d->max_seconds = all;
    if (outcome == ND_DONE)
        take_bound(d, &solution);
    if (outcome == ND_DONE && solution.found)
        outcome = start(d, d->best, &solution.choice);
    tell_of(d, d->best);
    nd_solution_free(&solution);
    return outcome;
}

// ---- all ----------------------------------------------------------------------------------------

static void finish(struct dialect *d)
{
    struct nd_solution *s = d->best;
    const double least = d->program->allow_select ? d->average : d->least;
    const double bound = d->out_of_time ? least : d->bound;
    if (d->early.found && (!s->found || d->early.objective < s->objective))
        replace(s, &d->early);
    s->nodes = d->nodes;
    s->started = d->started;
    const bool late = d->out_of_time && !nd_is_told_to_stop(&d->effort);
    if (!s->found && bound < HUGE_VAL) {
        s->status = late ? ND_TIME_LIMIT : ND_FEASIBLE;
        s->bound = bound;
    }
    if (!s->found)
        return;
    const bool proven = bound >= s->objective * (1 - ND_SAME);
    s->bound = proven ? s->objective : bound;
    s->gap = s->objective > 0 ? (s->objective - s->bound) / s->objective : 0;
    s->status = proven ? ND_OPTIMAL : late ? ND_TIME_LIMIT : ND_FEASIBLE;
}

enum nd_outcome nd_solve_dialect(const struct nd_program *program,
                                 const struct nd_effort *effort, struct nd_solution *solution)
{
    struct dialect d = {.program = program,
                        .best = solution,
                        .average = nd_program_average_bound(program),
                        .bound = HUGE_VAL};
    *solution = (struct nd_solution){.status = ND_INFEASIBLE};
    if (effort != NULL)
        d.effort = *effort;
    d.news = d.effort.news;
    d.inner = (struct nd_news){.look = pass_on, .self = &d};
    d.effort.news = d.news != NULL ? &d.inner : NULL;
    d.max_nodes = d.effort.max_nodes;
    d.below = d.effort.below > 0 ? d.effort.below : HUGE_VAL;
    d.max_seconds = d.effort.max_seconds;
    d.started = d.max_seconds > 0 ? d.effort.seconds() : 0;
    enum nd_outcome outcome = solve_any(&d);
    if (outcome == ND_DONE && (!d.decided || program->allow_select)) {
        outcome = try_rules(&d);
        if (!solution->found && !d.decided)
            nd_why_again(program, &solution->why);
        finish(&d);
    }
    nd_solution_free(&d.early);
    return outcome;
}
