// SPDX-License-Identifier: Apache-2.0
// Tests of the methods against published schedules. They would catch an operation at another time, a lane in another
// order, memory that depends on times, limits that hold the wrong micro-batch, and a bound above a schedule.
#include "kernels/dynapipe/methods/methods.h"

#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A case with the memory for its schedules.
struct fixture {
    struct dynapipe_pipeline pipeline;
    struct micro_batches batches;
    struct lanes lanes;
    struct lanes_times *times;
    struct method_room *room;
    int32_t *device_of;
    double *state, *limit;
    void *memory;
};

static void take(struct fixture *f, int32_t devices, int32_t stages, int32_t count,
                 struct room *room)
{
    f->device_of = room_take(room, (size_t)stages, sizeof *f->device_of);
    f->state = room_take(room, (size_t)devices, sizeof *f->state);
    f->limit = room_take(room, (size_t)devices, sizeof *f->limit);
    micro_batches_take(&f->batches, count, stages, room);
    lanes_take(&f->lanes, devices, 2 * stages * count, room);
    f->times = lanes_times_take(devices, stages, count, room);
    f->room = method_room_take(devices, stages, 2 * stages * count, room);
}

static void open(struct fixture *f, int32_t devices, int32_t stages, int32_t count)
{
    struct room room = {NULL, 0};
    take(f, devices, stages, count, &room);
    const size_t counted = room.used;
    f->memory = aligned_alloc(ROOM_ALIGNMENT, counted);
    memset(f->memory, 0x5a, counted);
    room = (struct room){f->memory, 0};
    take(f, devices, stages, count, &room);
    cr_assert_eq(room.used, counted);
    f->pipeline = (struct dynapipe_pipeline){devices, stages, f->device_of, f->state, f->limit};
    for (int32_t d = 0; d < devices; d++) {
        f->state[d] = 0;
        f->limit[d] = (double)INFINITY;
    }
}

static double item(const cJSON *of, const char *name, int32_t i)
{
    return cJSON_GetArrayItem(golden_item(of, name), i)->valuedouble;
}

static void load(struct fixture *f, const cJSON *input)
{
    const cJSON *all = golden_item(input, "microbatches"),
                *devices = golden_item(input, "device_of_stage"), *one;
    const int32_t stages = cJSON_GetArraySize(devices);
    int32_t m = 0;
    open(f, golden_whole(input, "n_devices"), stages, cJSON_GetArraySize(all));
    for (int32_t s = 0; s < stages; s++) {
        f->device_of[s] = cJSON_GetArrayItem(devices, s)->valueint;
        f->state[f->device_of[s]] += item(input, "model_state_mb", s);
    }
    cJSON_ArrayForEach (one, all) {
        for (int32_t s = 0; s < stages; s++) {
            const int64_t at = micro_batches_at(&f->batches, m, s);
            f->batches.forward[at] = item(one, "fw", s);
            f->batches.backward[at] = item(one, "bw", s);
            f->batches.stored[at] = item(one, "stored", s);
            f->batches.peak[at] = item(one, "peak", s);
            f->batches.backward_peak[at] = 0;
            f->batches.activation[at] = s < stages - 1 ? item(one, "fw_comm", s) : 0;
            f->batches.gradient[at] = s < stages - 1 ? item(one, "bw_comm", s) : 0;
        }
        m++;
    }
}

static enum method method_of(const char *name)
{
    int k = 0;
    while (k < METHODS && strcmp(method_names[k], name) != 0)
        k++;
    cr_assert(k < METHODS, "%s", name);
    return (enum method)k;
}

static enum method_outcome run(struct fixture *f, enum method method,
                               const struct method_limits *limits)
{
    return method_run(method, &f->pipeline, &f->batches, limits, f->room, &f->lanes, f->times,
                      NULL);
}

static void check_operations(const struct fixture *f, const cJSON *list, const char *name)
{
    const cJSON *one;
    int32_t n[LANES][16] = {{0}};
    cJSON_ArrayForEach (one, list) {
        double v[7];
        for (int i = 0; i < 7; i++)
            v[i] = cJSON_GetArrayItem(one, i)->valuedouble;
        const int32_t d = (int32_t)v[0];
        const enum lane lane = v[1] > 0 ? LANE_SEND : LANE_COMPUTE;
        const struct lane_operation op = {(int32_t)v[2], (int32_t)v[3], v[4] < 0.5};
        cr_assert(n[lane][d] < f->lanes.n[lane][d], "%s", name);
        const struct lane_operation *got =
            &f->lanes.operations[lane][lanes_at(&f->lanes, d, n[lane][d]++)];
        cr_assert(got->micro_batch == op.micro_batch && got->stage == op.stage &&
                      got->backward == op.backward,
                  "%s: device %d, lane %d, operation %d", name, d, (int)lane, n[lane][d]);
        near(lanes_start(f->times, lane, &op), v[5], 1e-9, "start, %s", name);
        near(lanes_end(f->times, lane, &op), v[6], 1e-9, "end, %s", name);
    }
}

static void check_case(struct fixture *f, const cJSON *expected, const char *name)
{
    const cJSON *limit = golden_item(expected, "scheduler_memory_limit_mb"),
                *in_flight = golden_item(expected, "max_in_flight"),
                *ops = cJSON_GetObjectItem(expected, "ops");
    struct method_limits limits = {.by_memory = cJSON_IsNumber(limit), .as_published = true};
    if (cJSON_IsNumber(in_flight))
        limits.in_flight = in_flight->valueint;
    for (int32_t d = 0; d < f->pipeline.devices; d++)
        f->limit[d] = limits.by_memory ? limit->valuedouble : (double)INFINITY;
    const enum method_outcome outcome =
        run(f, method_of(golden_word(expected, "scheduler")), &limits);
    cr_assert_eq(outcome == METHOD_DONE, golden_is(expected, "feasible"), "%s, %s", name,
                 golden_word(expected, "scheduler"));
    if (outcome != METHOD_DONE)
        return;
    near(lanes_makespan(f->times), golden_real(expected, "makespan"), 1e-9, "makespan, %s",
         name);
    for (int32_t d = 0; d < f->pipeline.devices; d++) {
        near(lanes_peak(&f->lanes, &f->pipeline, &f->batches, d),
             item(expected, "peak_memory_mb", d), 1e-9, "peak, %s", name);
        near(lanes_busy(&f->lanes, &f->batches, d), item(expected, "device_busy", d), 1e-9,
             "busy, %s", name);
    }
    cr_assert_leq(method_bound(&f->pipeline, &f->batches), lanes_makespan(f->times) + 1e-9);
    if (ops != NULL)
        check_operations(f, ops, name);
}

Test(dynapipe_methods, published_schedules)
{
    static const char *const files[] = {
        "sched_01_linear3_n4.json",        "sched_02_linear4_n8_asym.json",
        "sched_03_interleaved2x2_n4.json", "sched_04_zigzag3_n5.json",
        "sched_05_memory_limited.json",    "sched_06_in_flight_limited.json",
        "sched_07_linear8_n64.json"};
    int n = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cJSON *document = golden_of("dynapipe", files[i]);
        struct fixture f;
        const cJSON *expected;
        load(&f, golden_item(document, "input"));
        cJSON_ArrayForEach (expected, golden_item(document, "expected")) {
            check_case(&f, expected, files[i]);
            n++;
        }
        free(f.memory);
        cJSON_Delete(document);
    }
    cr_assert_gt(n, 35, "%d", n);
}

// ---- spread ---------------------------------------------------------------------------------------

static void check_spread(const cJSON *expected, const cJSON *multipliers, int32_t layers)
{
    const int32_t stages = golden_whole(expected, "stages"), each = layers / stages,
                  count = cJSON_GetArraySize(multipliers);
    struct fixture f;
    open(&f, stages, stages, count);
    for (int32_t s = 0; s < stages; s++)
        f.device_of[s] = s;
    for (int32_t m = 0; m < count; m++)
        for (int32_t s = 0; s < stages; s++) {
            const double x = cJSON_GetArrayItem(multipliers, m)->valuedouble;
            const int64_t at = micro_batches_at(&f.batches, m, s);
            f.batches.forward[at] = x * each * 4000;
            f.batches.backward[at] = x * each * 8000;
            f.batches.stored[at] = x * 8000 * each;
            f.batches.peak[at] = x * (12000 * each + 8000);
            f.batches.backward_peak[at] = 0;
            f.batches.activation[at] = f.batches.gradient[at] =
                s < stages - 1 ? x * golden_real(expected, "transfer_us") : 0;
        }
    static const enum method methods[] = {METHOD_1F1B, METHOD_WAIT_FREE_CYCLIC, METHOD_CYCLIC,
                                          METHOD_FIFO};
    for (size_t k = 0; k < 4; k++) {
        const char *name = method_names[methods[k]];
        cr_assert_eq(run(&f, methods[k], NULL), METHOD_DONE);
        const double wanted = golden_real(expected, name);
        cr_assert(fabs(lanes_makespan(f.times) - wanted) < 2e-3,
                  "%s, %d stages: %.6f, not %.6f", name, stages, lanes_makespan(f.times),
                  wanted);
    }
    free(f.memory);
}

Test(dynapipe_methods, spread)
{
    cJSON *document = golden_of("dynapipe", "spread_01.json");
    const cJSON *input = golden_item(document, "input"),
                *spreads = golden_item(input, "spreads"), *expected;
    cJSON_ArrayForEach (expected, golden_item(document, "expected")) {
        int32_t k = 0;
        while (fabs(cJSON_GetArrayItem(spreads, k)->valuedouble -
                    golden_real(expected, "spread")) > 1e-9)
            k++;
        check_spread(expected, cJSON_GetArrayItem(golden_item(input, "multipliers"), k),
                     golden_whole(input, "n_layers"));
    }
    cJSON_Delete(document);
}
