// SPDX-License-Identifier: Apache-2.0
// Tests of the search for the shortest step. They would catch a bound above an optimum, a wrong proof, a strategy
// that exceeds memory, an answer that is worse than one the search knew, and a budget that is exceeded.
#include "kernels/balance/search/balance_search.h"

#include "tests/unit/support/kernels/balance_cases.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct solved {
    enum balance_outcome outcome;
    struct balance_answer answer;
    struct balance_search *search;
    char *memory;
};

static int32_t *new_counts(const struct balance_shape *shape)
{
    return calloc(BALANCE_KINDS * (size_t)shape->stages * (size_t)shape->chunks,
                  sizeof(int32_t));
}

static struct balance_task task_of(const struct proxy_case *it, int64_t budget, uint64_t seed)
{
    return (struct balance_task){.layers = &it->layers,
                                 .shape = it->program.shape,
                                 .limit_mb = it->program.limit_mb,
                                 .allow_empty = it->program.allow_empty,
                                 .budget = budget,
                                 .seed = seed};
}

static void solve(const struct balance_task *task, const struct balance_strategy *starts,
                  int32_t n_starts, struct poll *poll, struct solved *solved)
{
    struct room room = {NULL, 0};
    balance_search_take(task->layers, &task->shape, task->allow_empty, &room);
    const size_t counted = room.used;
    solved->memory = aligned_alloc(ROOM_ALIGNMENT, counted);
    memset(solved->memory, 0x5a, counted);
    room = (struct room){solved->memory, 0};
    solved->search = balance_search_take(task->layers, &task->shape, task->allow_empty, &room);
    cr_assert_eq(room.used, counted);
    const struct balance_strategy none = {task->shape.stages, task->shape.chunks, NULL};
    solved->answer = (struct balance_answer){.best.strategy = none, .proxy.strategy = none};
    solved->answer.best.strategy.count = new_counts(&task->shape);
    solved->answer.proxy.strategy.count = new_counts(&task->shape);
    solved->outcome =
        balance_search_run(solved->search, task, 1, starts, n_starts, poll, &solved->answer);
}

static void end(struct solved *solved)
{
    free(solved->answer.best.strategy.count);
    free(solved->answer.proxy.strategy.count);
    free(solved->memory);
}

static double replay(const struct solved *solved, const struct balance_layers *layers,
                     const struct balance_strategy *strategy, double *worst)
{
    double peak[64];
    struct balance_result result = {.peak_mb = peak};
    balance_replay_run(balance_search_replay(solved->search), layers, strategy, &result);
    *worst = peak[result.worst];
    return result.makespan;
}

// The strategy of an answer is complete, canonical, within memory, and as fast as the answer says.
static void check(const struct balance_task *task, const struct solved *solved)
{
    const struct balance_answer *answer = &solved->answer;
    const struct balance_strategy *best = &answer->best.strategy;
    int32_t sum = 0;
    double worst;
    cr_assert(answer->best.is_known);
    for (int32_t k = 0; k < best->stages * best->chunks; k++) {
        const int32_t n = balance_chunk_layers(best, k / best->stages, k % best->stages);
        cr_expect_geq(n, task->allow_empty ? 0 : 1);
        sum += n;
    }
    cr_expect_eq(sum, task->layers->layers);
    cr_expect(balance_is_canonical(best));
    near(replay(solved, task->layers, best, &worst), answer->best.makespan, 1e-12, "makespan");
    cr_expect_leq(worst, task->limit_mb + 2 * BALANCE_TOLERANCE_MB);
    cr_expect_leq(answer->bound, answer->best.makespan);
    cr_expect_leq(answer->evaluations, task->budget > 8 ? task->budget : 8);
    if (answer->proxy.is_known)
        cr_expect_leq(answer->best.makespan, answer->proxy.makespan);
}

struct fastest {
    const struct solved *solved;
    const struct balance_layers *layers;
    double makespan;
};

static void take_fastest(void *self, const struct balance_strategy *strategy)
{
    struct fastest *fastest = self;
    double worst;
    fastest->makespan =
        fmin(fastest->makespan, replay(fastest->solved, fastest->layers, strategy, &worst));
}

static int32_t fits_shape(const struct balance_shape *shape)
{
    return balance_shape_misfit(shape) == NULL;
}

Test(balance_search, finds_and_proves_the_optimum_of_small_tasks)
{
    struct random random = {2020};
    const int rounds = n_cases(150);
    int proven = 0, tried = 0, infeasible = 0;
    for (int round = 0; round < rounds; round++) {
        struct proxy_case it;
        struct solved solved;
        case_random(&it, &random);
        if (!fits_shape(&it.program.shape))
            continue;
        case_open(&it, true);
        const struct balance_task task = task_of(&it, 12000, (uint64_t)round);
        solve(&task, NULL, 0, NULL, &solved);
        struct fastest fastest = {&solved, task.layers, (double)INFINITY};
        case_visit_all(&it.program, take_fastest, &fastest);
        tried++;
        if (solved.outcome == BALANCE_INFEASIBLE) {
            infeasible++;
            cr_expect(isinf(fastest.makespan), "round %d", round);
        } else {
            check(&task, &solved);
            near(solved.answer.best.makespan, fastest.makespan, 1e-9, "round %d", round);
            proven += solved.answer.is_proven;
        }
        end(&solved);
        free(it.all);
    }
    cr_expect(infeasible >= rounds / 30 && infeasible < tried, "%d of %d", infeasible, tried);
    cr_expect_eq(proven, tried - infeasible, "%d of %d", proven, tried - infeasible);
}

// The figures of published strategies and of a plain annealing.
Test(balance_search, reaches_the_marks_of_golden_cases)
{
    static const struct {
        const char *name;
        double mark;
        bool proven;
    } cases[] = {
        {"solve_01_pp4_vp1_full.json", 734, true},
        {"solve_02_pp16_vp1_full.json", 107460, true},
        {"solve_03_pp4_vp2_m8.json", 2382, true},
        {"solve_05_pp16_vp3_m16_big.json", 13773.6, false},
        {"solve_06_pp16_vp3_m16_less_175b.json", 1394.555, false},
    };
    const size_t n =
        n_points() < 5000 ? 3 : sizeof cases / sizeof *cases; // fewer under sanitizers
    for (size_t i = 0; i < n; i++) {
        struct proxy_case it;
        struct solved solved;
        case_golden(&it, cases[i].name);
        const struct balance_task task = task_of(&it, 120000, 1);
        solve(&task, NULL, 0, NULL, &solved);
        check(&task, &solved);
        cr_expect_leq(solved.answer.best.makespan, cases[i].mark + 1e-9, "%s: %.10g",
                      cases[i].name, solved.answer.best.makespan);
        cr_expect_eq(solved.answer.is_proven, cases[i].proven, "%s", cases[i].name);
        cr_expect_geq(solved.answer.bound, 0.9 * solved.answer.best.makespan);
        end(&solved);
        free(it.all);
    }
}

Test(balance_search, is_not_worse_than_a_given_strategy)
{
    struct proxy_case it;
    struct solved first, second;
    case_golden(&it, "solve_03_pp4_vp2_m8.json");
    struct balance_task task = task_of(&it, 50000, 1);
    solve(&task, NULL, 0, NULL, &first);
    task.budget = 0;
    solve(&task, &first.answer.best.strategy, 1, NULL, &second);
    cr_expect_eq(second.answer.best.makespan, first.answer.best.makespan);
    cr_expect_lt(second.answer.evaluations, 8);
    end(&first);
    end(&second);
    free(it.all);
}

// More memory, more kinds and empty chunks never make a proven optimum slower; scaled times scale it.
Test(balance_search, optima_keep_order)
{
    struct random random = {77};
    const int rounds = n_cases(60);
    int compared = 0;
    for (int round = 0; round < rounds; round++) {
        struct proxy_case it;
        struct solved base, other;
        case_random(&it, &random);
        if (!fits_shape(&it.program.shape))
            continue;
        it.program.allow_empty = false;
        struct balance_task task = task_of(&it, 12000, 1);
        solve(&task, NULL, 0, NULL, &base);
        struct balance_layers scaled = it.layers;
        const int change = round % 3;
        if (change == 0)
            task.limit_mb *= 1.05;
        if (change == 1)
            task.allow_empty = true;
        if (change == 2) {
            scaled.head *= 4, scaled.tail *= 4, scaled.forward *= 4;
            balance_usual_ends(&scaled);
            for (int k = 0; k < BALANCE_KINDS; k++)
                scaled.backward[k] *= 4;
            task.layers = &scaled;
        }
        solve(&task, NULL, 0, NULL, &other);
        if (base.outcome == BALANCE_FOUND && base.answer.is_proven && other.answer.is_proven) {
            compared++;
            if (change == 2)
                near(other.answer.best.makespan, 4 * base.answer.best.makespan, 1e-9, "scaled");
            else
                cr_expect_leq(other.answer.best.makespan,
                              base.answer.best.makespan * (1 + 1e-9), "round %d", round);
        }
        end(&base);
        end(&other);
    }
    cr_expect_geq(compared, rounds / 4);
}

// ---- a plain annealing --------------------------------------------------------------------------

// A pipeline of three chunks and three kinds, whose memory makes stages recompute.
static void draw_pipeline(struct proxy_case *it, struct random *random)
{
    struct balance_layers *layers = &it->layers;
    const double coef[BALANCE_KINDS] = {0, 0.04, 0.125, 0.165, 0.5};
    const int32_t stages = 4 + (int32_t)random_below(random, 3);
    *layers = (struct balance_layers){.layers = 34 + (int32_t)random_below(random, 15),
                                      .head = random_unit(random),
                                      .tail = 2 * random_unit(random),
                                      .forward = 1 + random_unit(random),
                                      .parameter_mb = 300};
    balance_usual_ends(layers);
    for (int k = 0; k < BALANCE_KINDS; k++) {
        layers->has[k] = k % 2 == 0;
        layers->backward[k] =
            balance_backward_of(layers->forward, 0, coef, (enum balance_kind)k);
        layers->activation_mb[k] = 200 - 45 * k;
    }
    it->program.shape =
        (struct balance_shape){.stages = stages,
                               .chunks = 3,
                               .micro_batches = stages * (1 + (int32_t)random_below(random, 3)),
                               .pieces = 1};
    it->program.limit_mb =
        layers->layers * (300.0 / stages + 200 * (0.5 + random_unit(random)));
    it->program.allow_empty = false;
}

// Moves a layer to another chunk, or changes its kind, or both. Returns false if the strategy is none then.
static bool disturb(struct balance_strategy *strategy, struct random *random)
{
    const int32_t n = strategy->stages * strategy->chunks,
                  from = (int32_t)random_below(random, n),
                  to = random_coin(random) ? from : (int32_t)random_below(random, n),
                  old = 2 * (int32_t)random_below(random, 3),
                  kind = 2 * (int32_t)random_below(random, 3);
    if (strategy->count[old * n + from]-- == 0)
        return false;
    strategy->count[kind * n + to]++;
    return balance_chunk_layers(strategy, from / strategy->stages, from % strategy->stages) >
               0 &&
           balance_is_canonical(strategy);
}

// Anneals from the even split with the strongest kind. Returns the least makespan; INFINITY: the even split does not fit.
static double anneal(const struct balance_task *task, const struct solved *solved,
                     int64_t budget, struct random *random)
{
    const size_t bytes = BALANCE_KINDS * (size_t)task->shape.stages *
                         (size_t)task->shape.chunks * sizeof(int32_t);
    struct balance_strategy now = {task->shape.stages, task->shape.chunks,
                                   new_counts(&task->shape)};
    int32_t *before = new_counts(&task->shape);
    double worst;
    balance_naive(task->layers, BALANCE_FULL, &now);
    double value = replay(solved, task->layers, &now, &worst), best = value;
    if (worst > task->limit_mb)
        best = (double)INFINITY;
    for (int64_t k = 0; k < budget && isfinite(best); k++) {
        const double heat = 0.01 * best * (double)(budget - k) / (double)budget;
        memcpy(before, now.count, bytes);
        const double next = disturb(&now, random) ? replay(solved, task->layers, &now, &worst)
                                                  : (double)INFINITY;
        if (isinf(next) || worst > task->limit_mb ||
            random_unit(random) >= exp((value - next) / heat))
            memcpy(now.count, before, bytes);
        else
            value = next;
        best = fmin(best, value);
    }
    free(now.count);
    free(before);
    return best;
}

Test(balance_search, is_never_above_a_plain_annealing)
{
    struct random random = {40};
    const int rounds = n_rounds(2);
    int compared = 0, proven = 0;
    for (int round = 0; round < rounds; round++) {
        struct proxy_case it;
        struct solved solved;
        draw_pipeline(&it, &random);
        const struct balance_task task = task_of(&it, 40000, 1);
        solve(&task, NULL, 0, NULL, &solved);
        const double annealed = anneal(&task, &solved, 20000, &random);
        compared += isfinite(annealed);
        proven += isfinite(annealed) && solved.answer.is_proven;
        if (isfinite(annealed)) {
            check(&task, &solved);
            cr_expect_leq(solved.answer.best.makespan, annealed * (1 + 1e-9), "round %d",
                          round);
            cr_expect_leq(solved.answer.bound, annealed * (1 + 1e-9), "round %d", round);
        }
        end(&solved);
    }
    cr_expect_geq(compared, rounds / 2, "%d of %d", compared, rounds);
    cr_expect_geq(proven, compared / 2, "%d of %d", proven, compared);
}

static bool stop_at_once(void *self)
{
    (void)self;
    return true;
}

Test(balance_search, stops)
{
    struct proxy_case it;
    struct solved solved;
    case_golden(&it, "solve_06_pp16_vp3_m16_less_175b.json");
    struct poll poll = {.over = stop_at_once};
    const struct balance_task task = task_of(&it, (int64_t)1 << 40, 1);
    solve(&task, NULL, 0, &poll, &solved);
    cr_expect_eq(solved.outcome, BALANCE_STOPPED);
    end(&solved);
    free(it.all);
}

Test(balance_search, naive_strategies_spread_the_rest)
{
    int32_t count[BALANCE_KINDS * 6];
    struct balance_strategy strategy = {3, 2, count};
    struct balance_layers layers = {.layers = 8, .has = {true, false, true, false, false}};
    cr_expect_eq(balance_strongest_kind(&layers), BALANCE_SELECT_COMM);
    balance_naive(&layers, BALANCE_SELECT_COMM, &strategy);
    cr_expect_eq(balance_chunk_layers(&strategy, 0, 0), 2);
    cr_expect_eq(balance_chunk_layers(&strategy, 0, 1), 2);
    cr_expect_eq(balance_chunk_layers(&strategy, 0, 2), 1);
    cr_expect_eq(count[balance_at(&strategy, BALANCE_SELECT_COMM, 1, 2)], 1);
}
