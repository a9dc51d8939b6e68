// SPDX-License-Identifier: Apache-2.0
// Improves splits by moves of one layer.
#include "planner/nd/rank/ordered_split.h"

#include "kernels/common/split/cheapest_recompute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATIONS_MOST = 20000, ROUNDS_MOST = 64 };

static const double OPERATIONS_MOST = 2e8; // that are executed

struct search {
    const struct nd_ordered *o;
    struct configuration *c; // its parts are those of the last evaluation
    int32_t n;
    enum nd_again again;
    int32_t again_n;
    int32_t *layers;          // [n], in the order of the model
    int32_t *full, *select;   // [n]
    int32_t *best;            // [3][n]
    double value, best_value; // seconds; HUGE_VAL and more than any step: does not fit
    int32_t evaluations, evaluations_most;
    enum configuration_status status;
};

// ---- one split ----------------------------------------------------------------------------------

// Sets what is made again of the present layers. Chunks of a device count its layers from the first one.
static void set_again(struct search *s)
{
    const int32_t pp = s->c->strategy.pp;
    const struct nd_program rule = {.again = s->again,
                                    .again_n = s->again_n,
                                    .chunks = s->c->strategy.vp};
    for (int32_t d = 0; d < pp; d++) {
        int32_t before = 0;
        for (int32_t v = 0; v < s->c->strategy.vp; v++) {
            const int32_t k = configuration_part_at(s->c, v, d);
            struct nd_chunk_plan chunk = {.layers = {0, s->layers[k]}};
            nd_again_set(&rule, (struct nd_again_place){v, before}, &chunk);
            s->full[k] = chunk.full[1];
            s->select[k] = chunk.part[1];
            before += s->layers[k];
        }
    }
}

// Returns the seconds of a step, or, where it does not fit, a larger number that grows with what is missing.
static double evaluate_lists(struct search *s)
{
    struct configuration_step step;
    double value = HUGE_VAL;
    configuration_set_layers(s->c, s->layers, s->full, s->select);
    s->evaluations++;
    s->status = configuration_step_brief(&step, s->c, s->o->poll);
    if (s->status == CONFIGURATION_DONE) {
        const double limit = s->c->cluster.memory_limit;
        value = step.peak <= limit ? step.seconds : 1e15 * step.peak / limit;
    }
    configuration_step_free(&step);
    if (s->status == CONFIGURATION_NO_ORDER)
        s->status = CONFIGURATION_DONE;
    return value;
}

static double evaluate(struct search *s)
{
    set_again(s);
    return evaluate_lists(s);
}

// Keeps the present lists if they are the best so far.
static void keep_lists(struct search *s)
{
    const size_t bytes = (size_t)s->n * sizeof *s->layers;
    if (!(s->value < s->best_value))
        return;
    s->best_value = s->value;
    memcpy(s->best, s->layers, bytes);
    memcpy(s->best + s->n, s->full, bytes);
    memcpy(s->best + 2 * s->n, s->select, bytes);
}

static void keep_best(struct search *s)
{
    set_again(s);
    keep_lists(s);
}

// ---- moves --------------------------------------------------------------------------------------

static bool over(const struct search *s)
{
    return s->status != CONFIGURATION_DONE || s->evaluations >= s->evaluations_most;
}

// Moves a layer between two parts if this is better.
static bool move(struct search *s, int32_t from, int32_t to)
{
    if (from == to || s->layers[from] < 2 || over(s))
        return false;
    s->layers[from]--;
    s->layers[to]++;
    const double value = evaluate(s);
    if (value < s->value * (1 - 1e-9)) {
        s->value = value;
        return true;
    }
    s->layers[from]++;
    s->layers[to]--;
    return false;
}

static void improve(struct search *s)
{
    bool better = !s->o->keep_layers;
    s->value = evaluate(s);
    for (int round = 0; better && round < ROUNDS_MOST; round++) {
        better = false;
        for (int32_t from = 0; from < s->n; from++)
            for (int32_t to = 0; to < s->n; to++)
                better = move(s, from, to) || better;
    }
    keep_best(s);
}

// ---- starts -------------------------------------------------------------------------------------

static void start_with_parts(struct search *s, const struct configuration *c)
{
    for (int32_t k = 0; k < s->n; k++)
        s->layers[k] = configuration_part_layers(&c->parts[k]);
    improve(s);
}

static enum configuration_status try_starts(struct search *s)
{
    struct configuration even = *s->o->mine;
    const struct nd_choice *loop = s->o->loop;
    even.parts = NULL;
    if (s->o->keep_layers) {
        start_with_parts(s, s->o->mine);
        return s->status;
    }
    if (!configuration_spread(&even)) {
        configuration_free(&even);
        return CONFIGURATION_NO_MEMORY;
    }
    start_with_parts(s, s->o->mine);
    start_with_parts(s, &even);
    configuration_free(&even);
    for (int32_t k = 0; loop != NULL && k < s->n; k++)
        s->layers[k] = loop->layers[0][k] + loop->layers[1][k];
    if (loop != NULL)
        improve(s);
    return s->status;
}

static enum configuration_status try_rule(struct search *s, enum nd_again again, int32_t n)
{
    s->again = again;
    s->again_n = n;
    return try_starts(s);
}

// Makes more and more layers again until a split fits.
static enum configuration_status try_rules(struct search *s)
{
    const struct nd_ordered *o = s->o;
    const int32_t all = (int32_t)modeldesc_layers(&o->mine->model);
    const bool every = o->dialect == ND_SAYS_EVERY;
    const enum nd_again again = every                         ? ND_AGAIN_EVERY
                                : o->dialect == ND_SAYS_DEALT ? ND_AGAIN_DEALT
                                                              : ND_AGAIN_EACH;
    const int32_t most = again == ND_AGAIN_DEALT ? all * o->mine->strategy.vp : all;
    enum configuration_status status = try_rule(s, ND_AGAIN_EACH, 0);
    if (status == CONFIGURATION_DONE && o->allow_select)
        status = try_rule(s, ND_AGAIN_PARTS, 0);
    for (int32_t n = every ? all : 1; o->allow_full && status == CONFIGURATION_DONE && n >= 1 &&
                                      n <= most && s->best_value >= 1e14 && !over(s);
         n += every ? -1 : 1)
        status = try_rule(s, again, n);
    return status;
}

// ---- single layers ------------------------------------------------------------------------------

// Makes one layer less again, or by `more` in another way, if the step still fits and is shorter.
static bool relax(struct search *s, int32_t *less, int32_t *more)
{
    if (*less == 0 || over(s))
        return false;
    --*less;
    *more += more != less;
    const double value = evaluate_lists(s);
    if (value < s->value * (1 - 1e-9)) {
        s->value = value;
        return true;
    }
    *more -= more != less;
    ++*less;
    return false;
}

// Relaxes the best split, part by part, where a file can say it.
static void relax_parts(struct search *s)
{
    const size_t bytes = (size_t)s->n * sizeof *s->layers;
    if (s->o->dialect != ND_SAYS_ANY || s->best_value >= 1e14)
        return;
    memcpy(s->layers, s->best, 3 * bytes); // full and select follow
    s->value = s->best_value;
    for (int32_t k = 0; k < s->n; k++) {
        while (relax(s, &s->full[k], &s->full[k])) {
        }
        while (s->o->allow_select && relax(s, &s->full[k], &s->select[k])) {
        }
        while (relax(s, &s->select[k], &s->select[k])) {
        }
    }
    keep_lists(s);
}

// ---- all ----------------------------------------------------------------------------------------

enum configuration_status nd_ordered_solve(const struct nd_ordered *o,
                                           struct configuration *best,
                                           struct configuration_step *step, bool *found)
{
    const int32_t n = o->mine->n_parts;
    struct search s = {.o = o, .c = best, .n = n, .best_value = HUGE_VAL};
    const double operations = 3.0 * n * configuration_micro_batches(o->mine);
    const double most = o->operations_most > 0 ? o->operations_most : OPERATIONS_MOST;
    s.evaluations_most = (int32_t)fmin(EVALUATIONS_MOST, 100 + most / operations);
    *found = false;
    *step = (struct configuration_step){.seconds = 0};
    s.layers = calloc(6 * (size_t)n, sizeof *s.layers);
    if (!configuration_copy(best, o->mine) || s.layers == NULL) {
        free(s.layers);
        return CONFIGURATION_NO_MEMORY;
    }
    s.full = s.layers + n;
    s.select = s.full + n;
    s.best = s.select + n;
    best->recompute_group = 1;
    enum configuration_status status = try_rules(&s);
    if (o->keep_layers && status == CONFIGURATION_DONE)
        relax_parts(&s);
    status = status == CONFIGURATION_DONE ? s.status : status;
    *found = s.best_value < 1e14;
    if (status == CONFIGURATION_DONE && s.best_value < HUGE_VAL) {
        configuration_set_layers(best, s.best, s.best + n, s.best + 2 * n);
        status = configuration_step_brief(step, best, o->poll);
    }
    free(s.layers);
    return status;
}

// ---- other strategies ---------------------------------------------------------------------------

bool nd_ordered_like(struct configuration *c, const struct configuration *mine,
                     const struct nd_strategy *strategy, bool *no_memory)
{
    const struct nd_strategy *s = &mine->strategy;
    char why[128];
    *no_memory = false;
    *c = (struct configuration){.parts = NULL};
    if (strategy->pp == 1 || mine->training.gbs % ((int64_t)strategy->dp * strategy->mbs) != 0)
        return false;
    *no_memory = !configuration_copy(c, mine);
    if (*no_memory)
        return false;
    c->strategy = *strategy;
    if (strategy->pp != s->pp || strategy->vp != s->vp)
        *no_memory = !configuration_spread(c);
    return !*no_memory && modeldesc_layers(&c->model) >= c->n_parts &&
           configuration_has_order(c, why, sizeof why);
}

struct nd_choice nd_choice_of_configuration(const struct configuration *c, int32_t *room)
{
    const int32_t n = c->n_parts;
    for (int32_t k = 0; k < n; k++)
        for (int t = 0; t < 2; t++) {
            const struct configuration_part *part = &c->parts[k];
            room[t * n + k] = part->layers[t];
            room[(2 + t) * n + k] = part->full[t];
            room[(4 + t) * n + k] = part->select[t];
        }
    return (struct nd_choice){{room, room + n},
                              {room + 2 * n, room + 3 * n},
                              {room + 4 * n, room + 5 * n}};
}
