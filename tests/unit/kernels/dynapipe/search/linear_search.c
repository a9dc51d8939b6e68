// SPDX-License-Identifier: Apache-2.0
// Tests of the search for linear plans. They would catch plans that do not fit, plans that are much longer than those of
// a plain search, and proofs of plans that are not optimal.
#include "kernels/dynapipe/search/linear_search.h"

#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/kernels/plan_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct searching {
    struct linear_search *search;
    void *memory;
};

static struct searching take(const struct plan_case *c)
{
    struct searching s;
    struct room room = {NULL, 0};
    linear_search_take(c->of[0].count, c->pipeline.stages, &room);
    s.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){s.memory, 0};
    s.search = linear_search_take(c->of[0].count, c->pipeline.stages, &room);
    return s;
}

static double plan(const char *name, uint64_t seed, double *reference)
{
    struct plan_case c;
    const cJSON *expected, *of;
    struct linear_answer answer;
    cJSON *document = plan_case_load(&c, name, &expected);
    struct searching s = take(&c);
    c.task.seed = seed;
    cr_assert(linear_search_run(s.search, &c.task, LINEAR_ANY_WARM_UP, NULL, &answer));
    cr_assert_not_null(answer.plan);
    of = cJSON_GetObjectItem(golden_item(expected, "reference_search"),
                             "joint_warmup_permutation_recompute_search");
    if (of == NULL)
        of = golden_item(golden_item(expected, "reference_search"),
                         "free_warmup_permutation_search");
    *reference = golden_real(of, "makespan_ms");
    fprintf(stderr, "%s seed %d: %.3f ms, %.4f of the reference, %d evaluations, proven %d\n",
            name, (int)seed, answer.makespan / 1000, answer.makespan / 1000 / *reference,
            (int)answer.evaluations, answer.is_proven);
    free(s.memory);
    plan_case_close(&c);
    cJSON_Delete(document);
    return answer.makespan / 1000;
}

Test(dynapipe_linear_search, within_two_percent_of_a_plain_search)
{
    static const char *const names[] = {"plan_01_s4_n4.json",      "plan_02_s4_n8_mem.json",
                                        "plan_03_s4_n16_mem.json", "plan_04_s8_n16_mem.json",
                                        "plan_05_s8_n32.json",     "plan_06_s16_n64.json"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            double reference;
            const double makespan = plan(names[k], seed, &reference);
            cr_assert_leq(makespan, 1.02 * reference, "%s: %g, %g", names[k], makespan,
                          reference);
        }
}
