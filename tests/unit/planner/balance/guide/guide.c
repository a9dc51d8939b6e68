// SPDX-License-Identifier: Apache-2.0
// Tests of proposed configurations. They would catch one that cannot be solved when it is read back, a stage without
// layers, and more rounds than needed.
#include "planner/balance/guide/guide.h"

#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_kinds(struct guide_task *task, const cJSON *kinds)
{
    const cJSON *kind;
    memset(task->has, 0, sizeof task->has);
    task->has[BALANCE_NONE] = true;
    cJSON_ArrayForEach (kind, kinds)
        for (int k = 0; k < BALANCE_KINDS; k++)
            if (strcmp(kind->valuestring, balance_kind_names[k]) == 0)
                task->has[k] = true;
}

// Three stages have no solution: all equations are those of one stage.
Test(balance_guide, rounds_of_the_golden_table)
{
    cJSON *golden = golden_of("balance", "guide_01_rounds_and_rank.json");
    const cJSON *row;
    cJSON_ArrayForEach (row, golden_item(golden, "round_table")) {
        struct guide_task task = {.stages = golden_item(row, "pipeline_num")->valueint,
                                  .layers = 96};
        set_kinds(&task, golden_item(row, "kinds"));
        cr_expect_eq(guide_unknowns(&task), golden_item(row, "unknowns")->valueint);
        cr_expect_eq(guide_least_rounds(&task), golden_item(row, "rounds")->valueint);
        cr_expect_eq(guide_misfit(&task) == NULL, task.stages > 3);
    }
    cJSON_Delete(golden);
}

Test(balance_guide, conditions_of_the_golden_configurations)
{
    cJSON *golden = golden_of("balance", "guide_01_rounds_and_rank.json");
    const cJSON *config;
    int deficient = 0;
    cJSON_ArrayForEach (config, golden_item(golden, "configs")) {
        struct guide_task task = {.stages = golden_item(config, "pipeline_num")->valueint,
                                  .layers = golden_item(config, "num_layer")->valueint};
        const int rounds = golden_item(config, "rounds")->valueint;
        int32_t lists[4 * 4 * 16];
        set_kinds(&task, golden_item(config, "kinds"));
        for (int r = 0; r < rounds; r++)
            for (int k = 0; k < BALANCE_LISTS; k++)
                for (int s = 0; s < task.stages; s++)
                    lists[(r * BALANCE_LISTS + k) * task.stages + s] =
                        cJSON_GetArrayItem(
                            cJSON_GetArrayItem(golden_item(config, balance_list_names[k]), r),
                            s)
                            ->valueint;
        const cJSON *expect =
            cJSON_GetObjectItem(golden_item(config, "analysis"), "column_scaled_condition");
        const double condition = guide_condition(&task, lists, rounds);
        if (cJSON_IsNumber(expect))
            near(condition, expect->valuedouble, 1e-6, "%d stages", task.stages);
        else
            cr_expect(isinf(condition));
        deficient += !cJSON_IsNumber(expect);
    }
    cr_expect_gt(deficient, 0);
    cJSON_Delete(golden);
}

// Every proposal has the right sum and a layer on every stage, and is solved when it is read back.
Test(balance_guide, proposals_can_be_solved)
{
    for (int32_t stages = 4; stages <= 20; stages += 4)
        for (int32_t layers = stages + 1; layers <= 5 * stages; layers += stages + 3)
            for (unsigned kinds = 0; kinds < 16; kinds += 3) {
                struct guide_task task = {.stages = stages, .layers = layers, .seed = kinds};
                struct guide guide;
                struct pps_error err;
                for (int k = 0; k < BALANCE_KINDS; k++)
                    task.has[k] = k == 0 || (kinds >> (k - 1) & 1) != 0;
                cr_assert_eq(guide_find(&task, NULL, &guide, &err), PPS_OK, "%d %d %u: %s",
                             stages, layers, kinds, err.text);
                cr_expect_lt(guide_condition(&task, guide.lists, guide.rounds), 1e4);
                cr_expect_leq(guide.rounds, guide_least_rounds(&task) + 1);
                for (int r = 0; r < guide.rounds; r++) {
                    const int32_t *offset =
                        guide.lists + (size_t)r * BALANCE_LISTS * (size_t)stages;
                    int32_t sum = 0;
                    for (int32_t s = 0; s < stages; s++) {
                        sum += offset[s];
                        cr_expect_geq(layers / stages + offset[s], 1);
                    }
                    cr_expect_eq(sum, layers % stages);
                }
                guide_free(&guide);
            }
}

// The conditions of long models were as many times worse as their stages have layers.
Test(balance_guide, offsets_grow_with_the_layers)
{
    static const int32_t layers[] = {126, 10000};
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
        for (int32_t stages = 4; stages <= 8; stages *= 2) {
            const struct guide_task task = {.stages = stages,
                                            .layers = layers[k],
                                            .has = {true, true, true, true, true},
                                            .seed = 42};
            struct guide guide;
            struct pps_error err;
            cr_assert_eq(guide_find(&task, NULL, &guide, &err), PPS_OK, "%s", err.text);
            cr_expect_lt(guide.condition, 16, "%d stages, %d layers: %g", stages, layers[k],
                         guide.condition);
            guide_free(&guide);
        }
}

Test(balance_guide, the_seed_decides)
{
    struct guide_task task = {.stages = 8, .layers = 40, .has = {true, true}, .seed = 1};
    struct guide one, again, other;
    struct pps_error err;
    cr_assert_eq(guide_find(&task, NULL, &one, &err), PPS_OK);
    cr_assert_eq(guide_find(&task, NULL, &again, &err), PPS_OK);
    task.seed = 2;
    cr_assert_eq(guide_find(&task, NULL, &other, &err), PPS_OK);
    const size_t bytes = (size_t)one.rounds * BALANCE_LISTS * 8 * sizeof(int32_t);
    cr_expect_eq(memcmp(one.lists, again.lists, bytes), 0);
    cr_expect_neq(memcmp(one.lists, other.lists, bytes), 0);
    guide_free(&one);
    guide_free(&again);
    guide_free(&other);
}
