// SPDX-License-Identifier: Apache-2.0
// Divisions of samples: the exact optima of the golden cases, and the time of a large batch.
#include "kernels/dynapipe/split/split.h"

#include "tests/unit/support/kernels/dynapipe_grid.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lengths {
    struct split_samples samples;
    int32_t *input, *target;
};

static int32_t *read_lengths(const cJSON *input, const char *name, int32_t *count)
{
    const cJSON *list = golden_item(input, name), *value;
    int32_t n = 0, *lengths;
    if (cJSON_IsNull(list))
        return NULL;
    lengths = malloc(sizeof *lengths * (size_t)cJSON_GetArraySize(list));
    cJSON_ArrayForEach (value, list)
        lengths[n++] = value->valueint;
    *count = n;
    return lengths;
}

static struct split_task task_of(const cJSON *input, struct dynapipe_grid *grid,
                                 const struct split_samples *samples)
{
    const cJSON *fraction = golden_item(input, "per_micro_batch_memory_fraction");
    struct split_task task = {.samples = samples,
                              .costs = dynapipe_grid_costs(grid),
                              .order = SPLIT_ORDER_LENGTH};
    task.pipeline = (struct split_pipeline){.devices = golden_whole(input, "n_devices"),
                                            .chunks = golden_whole(input, "chunks_per_device"),
                                            .layers = golden_whole(input, "layers_per_stage"),
                                            .replicas = golden_whole(input, "data_parallel"),
                                            .has_decoder = grid->has_decoder};
    const int zero = golden_whole(input, "zero_stage"), k = task.pipeline.replicas;
    const double factor =
        (zero >= 3 ? 1.0 / k : 1) + (zero >= 2 ? 1.0 / k : 1) + (zero >= 1 ? 6.0 / k : 6);
    const struct split_state state = {grid->embedding * factor, grid->encoder * factor,
                                      grid->decoder * factor};
    task.available = golden_real(input, "device_memory_limit_mb") -
                     split_state_of_first_device(&task.pipeline, &state);
    task.fraction = cJSON_IsNull(fraction) ? 0 : fraction->valuedouble;
    return task;
}

static void *room_of(struct split_memory **memory, int32_t samples, int32_t width)
{
    struct room room = {NULL, 0};
    split_memory_take(samples, width, &room);
    void *bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){bytes, 0};
    *memory = split_memory_take(samples, width, &room);
    return bytes;
}

static void near_to(double found, const cJSON *expected, double tolerance, const char *what,
                    const char *name)
{
    cr_assert(fabs(found - expected->valuedouble) <= tolerance, "%s: %s %.6f, not %.6f", name,
              what, found, expected->valuedouble);
}

static void check_groups(const struct split_result *r, const cJSON *exact, const char *name)
{
    const cJSON *group, *sample;
    int32_t g = 0;
    cr_assert_eq(r->count, golden_whole(exact, "n_micro_batches"), "%s: %d", name, r->count);
    cJSON_ArrayForEach (group, golden_item(exact, "micro_batches")) {
        int32_t i = r->start[g];
        cJSON_ArrayForEach (sample, group)
            cr_assert_eq(r->order[i++], sample->valueint, "%s: group %d", name, g);
        cr_assert_eq(i, r->start[g + 1], "%s: group %d", name, g);
        near_to(r->groups[g].time, cJSON_GetArrayItem(golden_item(exact, "time_ms"), g), 1e-4,
                "time", name);
        near_to(r->groups[g].stored, cJSON_GetArrayItem(golden_item(exact, "stored_mb"), g),
                1e-3, "stored", name);
        near_to(r->groups[g].peak, cJSON_GetArrayItem(golden_item(exact, "peak_mb"), g), 1e-3,
                "peak", name);
        g++;
    }
}

static void check(const char *file)
{
    static const char *const types[] = {"none", "full", "selective"};
    static const char *const limits[] = {"preferred", "available"};
    cJSON *document = golden_of("dynapipe", file);
    const cJSON *input = golden_item(document, "input"),
                *exact = golden_item(golden_item(document, "expected"), "exact");
    struct dynapipe_grid *grid = dynapipe_grid_load(golden_word(input, "cost_grid"));
    struct split_samples samples = {0};
    int32_t *lengths = read_lengths(input, "encoder_lengths", &samples.count),
            *targets = read_lengths(input, "decoder_lengths", &samples.count);
    samples.input = lengths;
    samples.target = targets;
    const struct split_task task = task_of(input, grid, &samples);
    struct split_memory *memory;
    struct split_result r;
    void *bytes = room_of(&memory, samples.count, samples.count);
    const enum split_outcome outcome = split_run(memory, &task, NULL, &r);
    cr_assert_eq(outcome == SPLIT_FOUND, golden_is(exact, "feasible"), "%s", file);
    if (outcome == SPLIT_FOUND) {
        near_to(r.objective, golden_item(exact, "objective_ms"), 1e-4, "objective", file);
        near_to(r.longest, golden_item(exact, "tmax_ms"), 1e-4, "longest", file);
        near_to(r.sum, golden_item(exact, "sum_ms"), 1e-4, "sum", file);
        cr_assert_str_eq(types[r.recompute], golden_word(exact, "recompute_type"), "%s", file);
        cr_assert_str_eq(limits[r.limit], golden_word(exact, "memory_limit_type"), "%s", file);
        check_groups(&r, exact, file);
    } else {
        cr_assert_eq(r.lack.sample, 0, "%s: %d", file, r.lack.sample);
        cr_assert(!r.lack.is_outside && r.lack.needed > r.lack.available, "%s", file);
    }
    free(bytes);
    free(lengths);
    free(targets);
    free(grid);
    cJSON_Delete(document);
}

Test(dynapipe_split, golden_divisions)
{
    static const char *const files[] = {"part_01_small.json",
                                        "part_02_n64_dp2_mem.json",
                                        "part_03_encdec_n40.json",
                                        "part_04_tight_recompute.json",
                                        "part_05_tiny_times.json",
                                        "part_06_n256.json",
                                        "part_07_available_fallback.json",
                                        "part_08_infeasible.json"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        check(files[k]);
}
