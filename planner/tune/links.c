// SPDX-License-Identifier: Apache-2.0
// Searches better trainings, one link after the other.
#include "planner/tune/tuning.h"

#include "kernels/schedule/catalogue/catalogue.h"
#include "planner/nd/commands/ranking.h"
#include "planner/nd/input/choice_price.h"
#include "planner/nd/input/search_options.h"
#include "planner/nd/launch/rewritten.h"
#include "planner/nd/rank/ordered_split.h"

#include <stdlib.h>
#include <string.h>

// Strategies that the closed form finds; of these, those that are split exactly, and how many of them before a look
// at the clock.
enum { FOUND = 2000, STRATEGIES = 24, BATCH = 8 };

// Search steps of each of many pipeline programs; that of the best training has more (tune.c).
enum { BRIEF_SEARCH = 2000 };

enum {
    FASTEST = 3
}; // strategies that are tried with other modules made again, and in other orders

static const double SPLIT_OPERATIONS = 2e7, // executed to find a split in an order
    FAR = 1.2,                              // times the best step: slower ones are no answers
    ALIKE = 1e-3; // steps by the closed form that differ by this part are equally fast

const char *const tune_link_names[TUNE_LINKS] = {"recompute", "split", "strategy", "schedule"};

static enum pps_status fail(enum configuration_status status, struct pps_error *err)
{
    return status == CONFIGURATION_NO_MEMORY ? pps_fail_memory(err, "the search") : PPS_OK;
}

// Finds layers, or only what is made again, in the order of a configuration, by moves of layers.
static enum pps_status move_layers(struct tuning *t, enum tune_link link,
                                   const struct configuration *start, struct pps_error *err)
{
    const struct nd_ordered ordered = {.mine = start,
                                       .dialect = t->input.dialect,
                                       .allow_select = t->input.allow_select,
                                       .allow_full = t->input.allow_full,
                                       .keep_layers = link == TUNE_RECOMPUTE,
                                       .operations_most = SPLIT_OPERATIONS,
                                       .poll = &t->poll};
    struct configuration best = {.parts = NULL};
    struct configuration_step step = {.seconds = 0};
    bool found = false;
    const enum configuration_status done = nd_ordered_solve(&ordered, &best, &step, &found);
    enum pps_status status = fail(done, err);
    if (status == PPS_OK && done == CONFIGURATION_DONE && found)
        status = tune_add(t, link, &best, 0, err);
    configuration_step_free(&step);
    configuration_free(&best);
    return status;
}

static enum pps_status recompute(struct tuning *t, struct pps_error *err)
{
    const enum pps_status status = move_layers(t, TUNE_RECOMPUTE, &t->now, err);
    return status == PPS_OK ? tune_try_modules(t, TUNE_RECOMPUTE, &t->now, err) : status;
}

// ---- the split ----------------------------------------------------------------------------------

static enum pps_status add_ranked(struct tuning *t, enum tune_link link,
                                  const struct nd_ranked *ranked, struct pps_error *err)
{
    struct configuration c = {.parts = NULL};
    enum pps_status status = PPS_OK;
    if (!nd_choice_configuration(&c, &t->input.job.run, &ranked->strategy,
                                 &ranked->used.program, &ranked->solution.choice))
        status = pps_fail_memory(err, "the search");
    c.family = ranked->family;
    if (status == PPS_OK)
        status = tune_add(t, link, &c, ranked->least_ms / 1e3, err);
    configuration_free(&c);
    return status;
}

// Solves the pipeline of the present strategy exactly. *solved: there is a solution.
static enum pps_status solve_exactly(struct tuning *t, enum tune_link link, bool *solved,
                                     struct pps_error *err)
{
    const int32_t chunks = t->now.strategy.vp;
    const struct nd_rank_options options = {.min_vpp = chunks,
                                            .max_vpp = chunks,
                                            .compat = ND_CORRECTED,
                                            .effort = &t->input.effort,
                                            .training = &t->input.job.run.training};
    struct nd_maker maker;
    struct nd_ranked ranked;
    nd_maker_open(&maker, &t->input);
    const struct nd_rank_source source = {nd_maker_prepare, nd_maker_price, &maker, NULL};
    nd_rank_one(&ranked, &t->now.strategy, 0, &source, &options);
    *solved = ranked.outcome == ND_RANK_PRICED;
    enum pps_status status = PPS_OK;
    if (ranked.outcome == ND_RANK_NO_MEMORY)
        status = pps_fail_memory(err, "the pipeline program");
    else if (*solved)
        status = add_ranked(t, link, &ranked, err);
    nd_ranked_free(&ranked);
    return status;
}

static enum pps_status split(struct tuning *t, struct pps_error *err)
{
    bool solved = false;
    enum pps_status status = PPS_OK;
    if (t->now.strategy.pp == 1)
        return PPS_OK;
    if (!configuration_is_ordered(&t->now))
        status = solve_exactly(t, TUNE_SPLIT, &solved, err);
    if (status == PPS_OK && !solved)
        status = move_layers(t, TUNE_SPLIT, &t->now, err);
    return status == PPS_OK ? tune_try_modules(t, TUNE_SPLIT, &t->now, err) : status;
}

// ---- the strategy -------------------------------------------------------------------------------

static bool is_like(const struct nd_strategy *a, const struct nd_strategy *b)
{
    return a->dp == b->dp && a->tp == b->tp && a->cp == b->cp && a->pp == b->pp &&
           a->ep == b->ep && a->mbs == b->mbs && a->sp == b->sp;
}

// Takes strategies that differ in more than the sharing of optimizer states. Of ones that are equally fast, it takes
// the one whose devices share most.
static void add_pick(struct nd_picks *picks, double step_ms[STRATEGIES],
                     const struct nd_strategy *strategy, double step)
{
    for (int64_t k = 0; k < picks->n; k++)
        if (is_like(&picks->strategies[k], strategy)) {
            if (step <= step_ms[k] * (1 + ALIKE) && strategy->op > picks->strategies[k].op)
                picks->strategies[k].op = strategy->op;
            return;
        }
    if (picks->n == STRATEGIES)
        return;
    step_ms[picks->n] = step;
    picks->strategies[picks->n] = *strategy;
    picks->strategies[picks->n++].vp = 1;
}

// Returns whether the experts of a layer have whole devices.
static bool can_share_experts(const struct nd_strategy *s)
{
    return s->ep <= 1 || (int64_t)s->dp * s->cp * s->tp % s->ep == 0;
}

// Takes the strategy of the user, with all sizes of micro-batches, and the fastest by the closed form.
static enum pps_status pick(struct tuning *t, struct nd_picks *picks, struct pps_error *err)
{
    struct nd_open_search open;
    struct nd_search_result result = {.n = 0};
    double step_ms[STRATEGIES]; // of the picks, by the closed form
    enum pps_status status = nd_search_open(&open, &t->input.job, FOUND, err);
    if (status != PPS_OK)
        return status;
    picks->strategies = calloc(STRATEGIES, sizeof *picks->strategies);
    if (picks->strategies == NULL || !nd_search_run(&open.search, &result))
        status = pps_fail_memory(err, "the search");
    if (status == PPS_OK && t->now.parts != NULL) {
        struct nd_strategy own = t->now.strategy;
        own.mbs = 0;
        add_pick(picks, step_ms, &own, 0);
    }
    for (size_t k = 0; status == PPS_OK && k < result.best.n; k++)
        if (can_share_experts(&result.best.heap[k].strategy))
            add_pick(picks, step_ms, &result.best.heap[k].strategy,
                     result.best.heap[k].step_ms);
    nd_search_free(&result);
    nd_search_close(&open);
    return status;
}

// Returns whether a strategy may be among the answers: a stage has at least the average work.
static bool may_be_fast(const struct tuning *t, struct nd_maker *maker,
                        const struct nd_strategy *strategy)
{
    struct nd_rank_case prepared;
    char why[256];
    if (strategy->mbs == 0 || !nd_maker_prepare(maker, strategy, &prepared, why, sizeof why))
        return true;
    const double least = nd_program_average_bound(&prepared.program) * prepared.layer_ms +
                         prepared.extra.optimizer + prepared.extra.embedding;
    return least / 1e3 < t->now_seconds * FAR;
}

// Takes the next picks that may be fast.
static void take_some(const struct tuning *t, const struct nd_picks *picks, int64_t *next,
                      struct nd_picks *some)
{
    struct nd_maker maker;
    nd_maker_open(&maker, &t->input);
    for (some->n = 0; *next < picks->n && some->n < BATCH; ++*next)
        if (may_be_fast(t, &maker, &picks->strategies[*next]))
            some->strategies[some->n++] = picks->strategies[*next];
}

// Solves some of the picks, and reads the files back of those that take less than `below`, s (NULL: of all).
static enum pps_status rank_some(struct tuning *t, const struct nd_rank_options *options,
                                 const struct nd_picks *some, const double *below,
                                 struct pps_error *err)
{
    struct nd_ranked *ranked = calloc((size_t)some->n, sizeof *ranked);
    struct nd_ranking ranking = {.input = &t->input,
                                 .args = t->args,
                                 .picks = some,
                                 .ranked = ranked,
                                 .options = *options};
    if (ranked == NULL)
        return pps_fail_memory(err, "the candidates");
    enum pps_status status = nd_ranking_all(&ranking, t->threads, err);
    for (int64_t k = 0; status == PPS_OK && k < some->n; k++)
        if (ranked[k].outcome == ND_RANK_PRICED &&
            (below == NULL || ranked[k].cost_ms / 1e3 < below[k]))
            status = add_ranked(t, TUNE_STRATEGY, &ranked[k], err);
    for (int64_t k = 0; k < some->n; k++)
        nd_ranked_free(&ranked[k]);
    free(ranked);
    return status;
}

// ---- the fastest --------------------------------------------------------------------------------

static struct nd_strategy strategy_of(const struct tuning *t, int id)
{
    return id == t->now_answer ? t->now.strategy : t->answers[id].strategy;
}

// Sets the answers with the present training and the fastest other strategies that have so many stages; returns how
// many there are.
static int fastest(const struct tuning *t, int32_t stages, int ids[FASTEST])
{
    double after = t->now_seconds;
    int n = 1;
    ids[0] = t->now_answer;
    while (n < FASTEST) {
        const struct tune_answer *next = NULL;
        for (int k = 0; k < t->n; k++) {
            const struct tune_answer *a = &t->answers[k];
            bool is_new = a->strategy.pp >= stages && a->seconds > after && a->peak <= t->limit;
            for (int i = 0; i < n; i++) {
                const struct nd_strategy known = strategy_of(t, ids[i]);
                is_new = is_new && !is_like(&known, &a->strategy);
            }
            if (is_new && (next == NULL || a->seconds < next->seconds))
                next = a;
        }
        if (next == NULL)
            break;
        after = next->seconds;
        ids[n++] = next->id;
    }
    return n;
}

// Tries other modules to make again in an answer.
static enum pps_status try_modules(struct tuning *t, int id, struct pps_error *err)
{
    struct plan_written written;
    if (id == t->now_answer)
        return tune_try_modules(t, TUNE_STRATEGY, &t->now, err);
    enum pps_status status = nd_rewritten_open(&written, t->args, &t->input.job.run,
                                               &t->answers[id].text, NULL, err);
    if (status != PPS_OK)
        return status;
    status = tune_try_modules(t, TUNE_STRATEGY, &written.mine.plan.configuration, err);
    plan_written_close(&written);
    return status;
}

static enum pps_status modules_of_fastest(struct tuning *t, struct pps_error *err)
{
    int ids[FASTEST];
    enum pps_status status = PPS_OK;
    const int n = t->now.parts != NULL ? fastest(t, 1, ids) : 0;
    for (int i = n - 1; i >= 0 && status == PPS_OK && !tune_ended(t); i--)
        status = try_modules(t, ids[i], err);
    return status;
}

// Splits the fastest strategies into more chunks.
static enum pps_status more_chunks(struct tuning *t, const struct nd_rank_options *options,
                                   struct pps_error *err)
{
    struct nd_rank_options more = *options;
    struct nd_strategy list[FASTEST];
    struct nd_picks picks = {.strategies = list};
    double below[FASTEST];
    int ids[FASTEST];
    const int n = t->now.parts != NULL ? fastest(t, 2, ids) : 0;
    more.mine = NULL; // only the usual orders
    more.min_vpp = options->max_vpp + 1;
    more.max_vpp = 2 * options->max_vpp;
    for (int i = 0; i < n; i++) {
        list[picks.n] = strategy_of(t, ids[i]);
        below[picks.n] = ids[i] == t->now_answer ? t->now_seconds : t->answers[ids[i]].seconds;
        picks.n += list[picks.n].pp > 1;
    }
    return picks.n > 0 && !tune_ended(t) ? rank_some(t, &more, &picks, below, err) : PPS_OK;
}

static enum pps_status strategies(struct tuning *t, struct pps_error *err)
{
    const struct configuration *mine = t->mine.has ? &t->mine.plan.configuration : NULL;
    struct nd_picks picks = {.n = 0};
    struct nd_effort brief = t->input.effort;
    struct nd_rank_options options = {.max_vpp = ND_CHUNKS_USUAL,
                                      .compat = ND_CORRECTED,
                                      .effort = &brief,
                                      .training = &t->input.job.run.training};
    bool solved;
    const int before = t->now_answer;
    brief.max_nodes = BRIEF_SEARCH;
    if (mine != NULL && configuration_is_ordered(mine))
        options.mine = mine;
    enum pps_status status = nd_input_chunks(&t->input, &options, false, err);
    if (status == PPS_OK)
        status = pick(t, &picks, err);
    for (int64_t next = 0; status == PPS_OK && next < picks.n && !tune_ended(t);) {
        struct nd_strategy list[BATCH];
        struct nd_picks some = {.strategies = list};
        take_some(t, &picks, &next, &some);
        if (some.n > 0)
            status = rank_some(t, &options, &some, NULL, err);
    }
    nd_picks_close(&picks);
    if (status == PPS_OK && options.max_vpp == ND_CHUNKS_USUAL)
        status = more_chunks(t, &options, err);
    if (status == PPS_OK && t->now_answer != before && !configuration_is_ordered(&t->now))
        status = solve_exactly(t, TUNE_STRATEGY, &solved, err);
    return status == PPS_OK ? modules_of_fastest(t, err) : status;
}

// ---- the schedule -------------------------------------------------------------------------------

// Orders that some framework can run besides 1F1B and interleaved 1F1B.
static const char *const schedules[] = {"gpipe",       "pytorch_bfs", "pytorch_zb",
                                        "pytorch_zbv", "zbv",         "dualpipev"};

// Returns chunks that the family can have: those of the strategy, else the fewest; 0: none.
static int32_t chunks_of(const struct family *family, int32_t chunks)
{
    for (int32_t v = 0; v <= ND_CHUNKS_USUAL; v++) {
        const int32_t tried = v == 0 ? chunks : v;
        if (family->chunks(tried) == tried)
            return tried;
    }
    return 0;
}

// Sets *can to whether a file can have the order.
static enum pps_status can_say(const struct tuning *t, const struct configuration *c, bool *can,
                               struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    struct plan_written written;
    const struct plan_run *run = &t->input.job.run;
    *can = false;
    enum pps_status status = nd_rewrite(&text, run, c, err);
    if (status == PPS_OK) {
        status = nd_rewritten_open(&written, t->args, run, &text, NULL, err);
        if (status == PPS_OK) {
            *can = written.can_run &&
                   strcmp(configuration_schedule(&written.mine.plan.configuration),
                          configuration_schedule(c)) == 0;
            plan_written_close(&written);
        }
    } else if (status == PPS_E_INPUT) {
        *err = (struct pps_error){.code = PPS_OK};
        status = PPS_OK;
    }
    text_buffer_free(&text);
    return status;
}

static enum pps_status try_family(struct tuning *t, const struct family *family,
                                  struct nd_strategy strategy, struct pps_error *err)
{
    struct configuration like = t->now, c;
    bool no_memory = false, can = false;
    enum pps_status status = PPS_OK;
    like.family = family;
    strategy.vp = chunks_of(family, strategy.vp);
    if (strategy.vp == 0)
        return PPS_OK;
    if (nd_ordered_like(&c, &like, &strategy, &no_memory)) {
        status = can_say(t, &c, &can, err);
        if (status == PPS_OK && can)
            status = move_layers(t, TUNE_SCHEDULE, &c, err);
    }
    configuration_free(&c);
    return no_memory ? pps_fail_memory(err, "the search") : status;
}

static enum pps_status orders(struct tuning *t, struct pps_error *err)
{
    int ids[FASTEST];
    enum pps_status status = PPS_OK;
    if (t->now.parts == NULL)
        return PPS_OK;
    const int n = fastest(t, 2, ids);
    for (int i = 0; i < n; i++) {
        const struct nd_strategy strategy = strategy_of(t, ids[i]);
        for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++) {
            const struct family *family = family_named(schedules[k]);
            if (status == PPS_OK && family != NULL && strategy.pp > 1 && !tune_ended(t))
                status = try_family(t, family, strategy, err);
        }
    }
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

static enum pps_status run_link(struct tuning *t, enum tune_link link, struct pps_error *err)
{
    struct tune_result *result = &t->results[link];
    const bool has = t->now.parts != NULL;
    enum pps_status status = PPS_OK;
    tune_progress_show(t, link);
    if (link == TUNE_RECOMPUTE && has)
        status = recompute(t, err);
    else if (link == TUNE_SPLIT && has)
        status = split(t, err);
    else if (link == TUNE_STRATEGY)
        status = strategies(t, err);
    else if (link == TUNE_SCHEDULE)
        status = orders(t, err);
    result->run = true;
    result->ended = tune_ended(t);
    result->best = t->now_answer;
    return status;
}

enum pps_status tune_run_links(struct tuning *t, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (int link = 0; link < TUNE_LINKS && status == PPS_OK && !tune_ended(t); link++)
        if (!t->keep[link] && (t->now.parts != NULL || link >= TUNE_STRATEGY))
            status = run_link(t, (enum tune_link)link, err);
    return status;
}
