// SPDX-License-Identifier: Apache-2.0
// Compares proven optima with those of the solver of `nd pipeline` for the same layers.
#include "kernels/balance/search/balance_search.h"
#include "kernels/common/search/solve.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

// Layers in both forms, which recompute whole layers or operators: the program of `nd pipeline` does not mix them
// in a chunk.
static void make(struct random *random, struct balance_layers *layers,
                 struct balance_shape *shape, struct nd_program *program, double *limit_mb)
{
    const int32_t stages = 2 + (int32_t)random_below(random, 4),
                  chunks = 1 + (int32_t)random_below(random, 2),
                  n = stages * chunks * (1 + (int32_t)random_below(random, 3)) +
                      (int32_t)random_below(random, 4);
    const double activation = 100 + (double)random_below(random, 400),
                 select = activation * (0.4 + 0.1 * (double)random_below(random, 5)),
                 full = activation * 0.1, layer = 50 + (double)random_below(random, 200),
                 tail = 0.25 * (double)random_below(random, 9);
    const bool is_full = random_coin(random);
    const double hop = random_coin(random) ? 0.125 * (double)random_below(random, 4) : 0;
    *shape = (struct balance_shape){
        .stages = stages,
        .chunks = chunks,
        .micro_batches = stages * (1 + (int32_t)random_below(random, 3)),
        .pieces = 1,
        .transfer = hop,
        .order = random_below(random, 2) == 0 ? BALANCE_BIG_MEMORY : BALANCE_LESS_MEMORY};
    *layers = (struct balance_layers){.layers = n,
                                      .tail = tail,
                                      .tail_backward = 1.5 * tail,
                                      .transfer = hop,
                                      .forward = 1,
                                      .backward = {2, 2.25, 0, 0, 3},
                                      .has = {true, !is_full, false, false, is_full},
                                      .activation_mb = {activation, select, 0, 0, full},
                                      .parameter_mb = layer,
                                      .head_mb = 300,
                                      .tail_mb = 200};
    const double even = (double)n / stages,
                 most = even * (layer + activation * stages * 1.5) + 300;
    *limit_mb = most * (0.2 + 0.05 * (double)random_below(random, 16));
    nd_program_default(program);
    program->stages = stages;
    program->chunks = chunks;
    program->micro_batches = shape->micro_batches;
    program->layers[0] = 0;
    program->layers[1] = n;
    program->backward_ratio = 2;
    program->head_backward = 1.5;
    program->hop = hop;
    program->head_ratio = tail;
    program->full_growth = 1;
    program->select_growth = 0.25;
    program->low_mem = shape->order == BALANCE_LESS_MEMORY;
    program->memory = (struct nd_figures){.select_mem0 = select,
                                          .select_mem12 = select,
                                          .select_mem = select,
                                          .re_comp_mem0 = full,
                                          .re_comp_mem12 = full,
                                          .re_comp_mem = full,
                                          .act_mem0 = activation,
                                          .act_mem12 = activation,
                                          .act_mem = activation,
                                          .layer_mem012 = layer,
                                          .layer_mem = layer,
                                          .static_mem0 = 300,
                                          .lm_head_mem = 200};
    program->budget_first = *limit_mb - 300;
    program->budget_middle = *limit_mb;
    program->budget_last = *limit_mb - 200;
    program->allow_select = !is_full;
    program->allow_full = is_full;
}

static struct balance_search *take(const struct balance_layers *layers,
                                   const struct balance_shape *shape,
                                   struct balance_answer *answer, void **memory)
{
    const size_t counts = BALANCE_KINDS * (size_t)shape->stages * (size_t)shape->chunks;
    struct room room = {NULL, 0};
    for (int pass = 0;; pass++) {
        struct balance_search *search = balance_search_take(layers, shape, false, &room);
        answer->best.strategy = answer->proxy.strategy =
            (struct balance_strategy){.stages = shape->stages, .chunks = shape->chunks};
        answer->best.strategy.count = room_take(&room, counts, sizeof(int32_t));
        answer->proxy.strategy.count = room_take(&room, counts, sizeof(int32_t));
        if (pass == 1)
            return search;
        *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
        cr_assert_not_null(*memory);
        room = (struct room){*memory, 0};
    }
}

Test(balance_pipeline, optima_agree_with_the_pipeline_program)
{
    struct random random = {77};
    const int rounds = n_cases(120);
    int proven = 0, infeasible = 0;
    for (int round = 0; round < rounds; round++) {
        struct balance_layers layers;
        struct balance_shape shape;
        struct nd_program program;
        struct nd_solution solution;
        struct balance_answer answer = {.evaluations = 0};
        double limit;
        void *memory;
        char text[256];
        make(&random, &layers, &shape, &program, &limit);
        cr_assert(nd_program_check(&program, text, sizeof text), "%s", text);
        const struct balance_task task = {.layers = &layers,
                                          .shape = shape,
                                          .limit_mb = limit,
                                          .budget = 100000,
                                          .seed = 1};
        const struct nd_effort effort = {.max_nodes = 2000000};
        cr_assert_eq(nd_solve(&program, &effort, &solution), ND_DONE);
        struct balance_search *search = take(&layers, &shape, &answer, &memory);
        const enum balance_outcome outcome =
            balance_search_run(search, &task, 1, NULL, 0, NULL, &answer);
        cr_expect_eq(outcome == BALANCE_INFEASIBLE, solution.status == ND_INFEASIBLE,
                     "round %d", round);
        infeasible += outcome == BALANCE_INFEASIBLE;
        if (solution.status == ND_OPTIMAL && outcome == BALANCE_FOUND && answer.is_proven) {
            const double wanted = solution.objective, got = answer.best.makespan;
            cr_expect(fabs(got - wanted) <= 1e-9 * wanted, "round %d: %.12g, not %.12g", round,
                      got, wanted);
            proven++;
        }
        nd_solution_free(&solution);
        free(memory);
    }
    cr_expect_geq(proven, rounds / 2, "%d proven", proven);
    cr_expect_geq(infeasible, rounds / 40, "%d", infeasible);
}
