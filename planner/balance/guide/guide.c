// SPDX-License-Identifier: Apache-2.0
// Draws configurations, and keeps the best.
#include "planner/balance/guide/guide.h"

#include "base/math/condition.h"
#include "kernels/common/search/local_search.h"
#include "planner/balance/init/memory_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWS = 400,    // of whole configurations for each number of rounds,
    CHANGES = 2000, // and changes of the best one
    MORE_ROUNDS = 8,
    MOVES = 8, // parts of the layers of a stage that move at once
    PURPOSE = 0x67756964
};

// ---- the task -----------------------------------------------------------------------------------

int guide_unknowns(const struct guide_task *task)
{
    int n = task->without_constant ? 1 : 2;
    for (int k = 0; k < BALANCE_KINDS; k++)
        n += task->has[k];
    return n;
}

int guide_least_rounds(const struct guide_task *task)
{
    const int middle = task->stages - 2;
    return (guide_unknowns(task) + middle - 1) / middle;
}

const char *guide_misfit(const struct guide_task *task)
{
    // With 3 stages, a middle stage with n layers gives c + n p + 2 sum x[k] a[k], and the x[k] add up to n.
    if (task->stages < 4)
        return "at least 4 stages are needed: with fewer, all equations are of one stage, "
               "whose "
               "parameters and activations grow together";
    if (task->stages > GUIDE_STAGES_MAX)
        return "more than 1024 stages";
    if (task->layers < task->stages)
        return "there are fewer layers than stages";
    if (task->layers > 1000000)
        return "more than 1000000 layers";
    if (task->layers == task->stages && !task->without_constant)
        return "with one layer on every stage, parameters and the constant of a stage cannot "
               "be "
               "told apart; use more layers, or --no-constant";
    return NULL;
}

// ---- conditions ---------------------------------------------------------------------------------

static struct memory_fit fit_of(const struct guide_task *task)
{
    struct memory_fit fit = {.has_constant = !task->without_constant};
    memcpy(fit.has, task->has, sizeof fit.has);
    fit.has[BALANCE_NONE] = true;
    return fit;
}

// Adds the equations of a round. Returns false if the lists are wrong.
static bool add_round(const struct guide_task *task, const int32_t *lists,
                      struct balance_strategy *strategy, double *a, int *rows)
{
    const int32_t p = task->stages;
    const struct balance_layers layers = {.layers = task->layers};
    const struct balance_lists of = {lists, lists + p, lists + 2 * p, lists + 3 * p};
    const struct memory_fit fit = fit_of(task);
    struct balance_misplaced wrong;
    if (!balance_from_lists(&layers, &of, strategy, &wrong))
        return false;
    for (int32_t s = 0; s < p; s++) {
        int32_t count[BALANCE_KINDS];
        const int32_t n = balance_chunk_layers(strategy, 0, s);
        if (n < 1)
            return false;
        for (int k = 0; k < BALANCE_KINDS; k++) {
            count[k] = strategy->count[balance_at(strategy, (enum balance_kind)k, 0, s)];
            if (count[k] > 0 && !fit.has[k])
                return false;
        }
        if (s > 0 && s < p - 1 && *rows < CONDITION_ROWS)
            memory_fit_row(&fit, p, s, n, count, &a[(*rows)++ * guide_unknowns(task)]);
    }
    return true;
}

double guide_condition(const struct guide_task *task, const int32_t *lists, int rounds)
{
    double a[CONDITION_ROWS * MEMORY_UNKNOWNS_MAX];
    int32_t count[GUIDE_STAGES_MAX * BALANCE_KINDS];
    struct balance_strategy strategy = {.stages = task->stages, .chunks = 1, .count = count};
    int rows = 0;
    for (int r = 0; r < rounds; r++)
        if (!add_round(task, lists + (size_t)r * BALANCE_LISTS * (size_t)task->stages,
                       &strategy, a, &rows))
            return (double)INFINITY;
    return condition_number(rows, guide_unknowns(task), a);
}

// ---- draws --------------------------------------------------------------------------------------

static int32_t at_most(struct search_draws *draws, int32_t most)
{
    return most > 0 ? (int32_t)search_below(draws, (uint32_t)most + 1) : 0;
}

// Draws layers of each kind for a stage of n layers. A stage has layers of one selective kind at most, so that lists
// mean what they say.
static void draw_stage(const struct guide_task *task, struct search_draws *draws, int32_t n,
                       int32_t *lists, int32_t stage)
{
    const int32_t p = task->stages;
    int32_t count[BALANCE_KINDS] = {0}, left = n;
    const bool comm = task->has[BALANCE_SELECT_COMM] &&
                      (!task->has[BALANCE_SELECT] || search_below(draws, 2) == 0);
    for (int k = BALANCE_KINDS - 1; k > BALANCE_NONE; k--) {
        const bool excluded = k == (comm ? BALANCE_SELECT : BALANCE_SELECT_COMM);
        if (!task->has[k] || excluded || search_below(draws, 4) == 0)
            continue;
        count[k] = at_most(draws, left);
        left -= count[k];
    }
    const int32_t both = count[BALANCE_BOTH] + count[BALANCE_FULL];
    lists[p + stage] = count[BALANCE_FULL];
    lists[2 * p + stage] = count[BALANCE_SELECT] + both;
    lists[3 * p + stage] = count[BALANCE_SELECT_COMM] + both;
}

// Moves layers between pairs of stages, more at once if stages have many: parameters and the constant are told apart by
// how far the numbers of layers differ. No stage is left without layers or gets more than twice the even number.
static void draw_offsets(const struct guide_task *task, struct search_draws *draws,
                         int32_t *offset)
{
    const int32_t p = task->stages, base = task->layers / p, more = task->layers % p;
    const int32_t most = base > 2 ? base / 2 : 1;
    const int32_t step = base >= 2 * MOVES ? base / MOVES : 1;
    for (int32_t s = 0; s < p; s++)
        offset[s] = s < more ? 1 : 0;
    for (int32_t i = 0; i < 2 * p; i++) {
        const int32_t from = (int32_t)search_below(draws, (uint32_t)p),
                      to = (int32_t)search_below(draws, (uint32_t)p);
        if (base + offset[from] > step && offset[from] - step >= -most &&
            offset[to] + step <= most + 1) {
            offset[from] -= step;
            offset[to] += step;
        }
    }
}

static void draw_round(const struct guide_task *task, struct search_draws *draws,
                       int32_t *lists)
{
    const int32_t base = task->layers / task->stages;
    draw_offsets(task, draws, lists);
    for (int32_t s = 0; s < task->stages; s++)
        draw_stage(task, draws, base + lists[s], lists, s);
}

// ---- the search ---------------------------------------------------------------------------------

struct search {
    const struct guide_task *task;
    const atomic_bool *stop;
    struct search_draws draws;
    int32_t *now, *best; // [rounds * BALANCE_LISTS * stages]
    size_t n;            // of a round
    double condition;
};

static bool is_stopped(const struct search *search)
{
    return search->stop != NULL && atomic_load_explicit(search->stop, memory_order_relaxed);
}

static void consider(struct search *search, int rounds)
{
    const double condition = guide_condition(search->task, search->now, rounds);
    if (!(condition < search->condition))
        return;
    search->condition = condition;
    memcpy(search->best, search->now, (size_t)rounds * search->n * sizeof *search->best);
}

static void try_rounds(struct search *search, int rounds)
{
    const struct guide_task *task = search->task;
    const int32_t p = task->stages, base = task->layers / p;
    for (int i = 0; i < DRAWS && !is_stopped(search); i++) {
        for (int r = 0; r < rounds; r++)
            draw_round(task, &search->draws, search->now + (size_t)r * search->n);
        consider(search, rounds);
    }
    for (int i = 0; i < CHANGES && isfinite(search->condition) && !is_stopped(search); i++) {
        memcpy(search->now, search->best, (size_t)rounds * search->n * sizeof *search->now);
        int32_t *round =
            search->now + search_below(&search->draws, (uint32_t)rounds) * search->n;
        if (search_below(&search->draws, 8) == 0) {
            draw_round(task, &search->draws, round);
        } else {
            const int32_t s = (int32_t)search_below(&search->draws, (uint32_t)p);
            draw_stage(task, &search->draws, base + round[s], round, s);
        }
        consider(search, rounds);
    }
}

enum pps_status guide_find(const struct guide_task *task, const atomic_bool *stop,
                           struct guide *guide, struct pps_error *err)
{
    struct search search = {.task = task,
                            .stop = stop,
                            .draws = {.seed = task->seed, .purpose = PURPOSE},
                            .n = BALANCE_LISTS * (size_t)task->stages,
                            .condition = (double)INFINITY};
    const int least = guide_least_rounds(task), most = least + MORE_ROUNDS;
    *guide = (struct guide){.stages = task->stages};
    search.now = calloc((size_t)most * search.n, sizeof *search.now);
    search.best = calloc((size_t)most * search.n, sizeof *search.best);
    guide->lists = search.best;
    enum pps_status status = search.now == NULL || search.best == NULL
                                 ? pps_fail_memory(err, "the configurations")
                                 : PPS_OK;
    for (guide->rounds = least; status == PPS_OK && guide->rounds <= most; guide->rounds++) {
        try_rounds(&search, guide->rounds);
        if (isfinite(search.condition) || is_stopped(&search))
            break;
    }
    free(search.now);
    guide->condition = search.condition;
    if (status == PPS_OK && !isfinite(search.condition))
        status = is_stopped(&search)
                     ? pps_fail(err, PPS_E_STOPPED, "stopped before a configuration was found")
                     : pps_fail(err, PPS_E_INFEASIBLE,
                                "no configuration of %d rounds was found that tells all "
                                "unknowns apart; use more layers or fewer kinds",
                                most);
    if (status != PPS_OK)
        guide_free(guide);
    return status;
}

void guide_free(struct guide *guide)
{
    free(guide->lists);
    *guide = (struct guide){.rounds = 0};
}
