// SPDX-License-Identifier: Apache-2.0
// Tests that the plan of a split, executed, takes the time and the memory that the program states.
#include "planner/exchange/plan_file.h"

#include "kernels/common/executor/metrics.h"
#include "tests/unit/support/kernels/golden_programs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { CHUNKS = 64 };

struct arrays {
    int32_t layers[2][CHUNKS], full[2][CHUNKS], part[2][CHUNKS];
};

static struct nd_program load(const char *name, struct arrays *arrays)
{
    cJSON *document = golden_read(name);
    const cJSON *solution =
        golden_item(golden_item(document, "expected"), "one_optimal_solution");
    struct nd_program program = golden_pipeline(document);
    *arrays = (struct arrays){0};
    golden_matrix(solution, "layers_type1", arrays->layers[0]);
    golden_matrix(solution, "layers_type2", arrays->layers[1]);
    golden_matrix(solution, "full_recompute_type1", arrays->full[0]);
    golden_matrix(solution, "full_recompute_type2", arrays->full[1]);
    cJSON_Delete(document);
    program.compat = ND_CORRECTED;
    program.hop = 0.25;
    return program;
}

static void check_plan(const char *name, const struct plan *plan, double makespan_s,
                       const struct nd_peak *peaks)
{
    const struct pipeline *p = plan->pipeline;
    struct room room = {NULL, 0};
    (void)executor_take(&p->shape, plan->order->room, &room);
    char *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){memory, 0};
    struct executor *e = executor_take(&p->shape, plan->order->room, &room);
    struct metrics metrics;
    double peak[CHUNKS];
    cr_assert_eq(executor_run(e, p, plan->order, NULL, NULL), EXECUTOR_DONE, "%s", name);
    cr_assert(fabs(executor_makespan(e) - makespan_s) <= 1e-9 * makespan_s, "%s: %.17g, %.17g",
              name, executor_makespan(e), makespan_s);
    metrics_of(p, plan->order, executor_starts(e), executor_ends(e), &metrics, NULL, peak);
    for (int32_t d = 0; d < p->shape.devices; d++)
        cr_assert(fabs(peak[d] / 1048576 - peaks[d].memory_mb) <= 1e-6 * peaks[d].memory_mb,
                  "%s, device %d: %.17g, %.17g", name, d, peak[d] / 1048576,
                  peaks[d].memory_mb);
    free(memory);
}

// Would catch a chunk on the wrong device, time or memory counted per micro-batch instead of per slice,
// and recompute that is counted twice.
Test(nd_plan, time_and_memory_are_those_of_the_program)
{
    static const char *const names[] = {"pp_dense_p4_v1.json",   "pp_dense_tight_p4_v1.json",
                                        "pp_dsv3_p16_m64.json",  "pp_dsv3_p4_m60.json",
                                        "pp_moe_p4_v2_std.json", "pp_moe_p8_m64_residue.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arrays arrays;
        const struct nd_program program = load(names[i], &arrays);
        const struct nd_choice choice = {.layers = {arrays.layers[0], arrays.layers[1]},
                                         .full = {arrays.full[0], arrays.full[1]},
                                         .part = {arrays.part[0], arrays.part[1]}};
        const struct nd_plan_units units = {0.004, 0.4, 0.6, "test"};
        struct nd_peak peaks[CHUNKS];
        struct nd_value value;
        cr_assert_eq(nd_evaluate(&program, &choice, &value), ND_DONE);
        cr_assert_eq(nd_peaks(&program, &choice, peaks), ND_DONE);
        struct plan *plan = nd_plan_of_choice(&program, &choice, &units);
        cr_assert_not_null(plan);
        check_plan(names[i], plan, value.makespan * units.layer_s, peaks);
        plan_free(plan);
    }
}
