// SPDX-License-Identifier: Apache-2.0
// Tests of instructions against published lists, and of their checks. They would catch another order, a slot that is used
// by two tensors, a wait in the wrong place, and a broken list that passes.
#include "kernels/dynapipe/instructions/instructions_check.h"

#include "kernels/dynapipe/methods/methods.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/kernels/plan_case.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Instructions of a schedule, with their memory.
struct listing {
    struct lanes lanes;
    struct lanes_times *times;
    struct method_room *methods;
    struct instructions in;
    struct instruction_room *room;
    struct instruction_check *check;
    double makespan, peaks[16];
    char text[512];
    void *memory;
};

static void take(struct listing *l, const struct plan_case *c, struct room *room)
{
    const struct plan_size size = plan_size_of(&c->pipeline, c->of[0].count);
    const int32_t lane_room = 2 * size.widest * size.count;
    lanes_take(&l->lanes, size.devices, lane_room, room);
    l->times = lanes_times_take(size.devices, size.stages, size.count, room);
    l->methods = method_room_take(size.devices, size.stages, lane_room, room);
    instructions_take(&l->in, size.devices, size.stages, size.widest, size.count, room);
    l->room = instruction_room_take(&l->in, room);
    l->check = instruction_check_take(&l->in, size.widest, room);
}

static bool list(struct listing *l, const struct plan_case *c, enum method method,
                 const int32_t *tensors, bool reuses)
{
    struct room room = {NULL, 0};
    take(l, c, &room);
    l->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(l->memory, 0x5a, room.used);
    room = (struct room){l->memory, 0};
    take(l, c, &room);
    if (method_run(method, &c->pipeline, &c->of[0], NULL, l->methods, &l->lanes, l->times,
                   NULL) != METHOD_DONE)
        return false;
    instructions_make(&l->in, &c->pipeline, &l->lanes, l->times, tensors, reuses, l->room);
    return true;
}

static bool is_valid(struct listing *l, const struct plan_case *c, const int32_t *tensors)
{
    return instructions_check(&l->in, &c->pipeline, &c->of[0], tensors, true, l->check,
                              &l->makespan, l->peaks, l->text, sizeof l->text);
}

static double at(const cJSON *object, const char *name, int32_t k)
{
    return cJSON_GetArrayItem(golden_item(object, name), k)->valuedouble;
}

static void load(struct plan_case *c, const cJSON *input, int32_t *tensors)
{
    const cJSON *all = golden_item(input, "microbatches"), *one;
    const int32_t stages = cJSON_GetArraySize(golden_item(input, "device_of_stage"));
    int32_t m = 0;
    plan_case_open(c, golden_whole(input, "n_devices"), stages, cJSON_GetArraySize(all));
    for (int32_t s = 0; s < stages; s++) {
        c->device_of[s] = (int32_t)at(input, "device_of_stage", s);
        c->state[c->device_of[s]] += at(input, "model_state_mb", s);
        tensors[s] = (int32_t)at(input, "tensors_per_stage", s);
    }
    cJSON_ArrayForEach (one, all) {
        for (int32_t s = 0; s < stages; s++) {
            const int64_t k = micro_batches_at(&c->of[0], m, s);
            c->of[0].forward[k] = at(one, "fw", s);
            c->of[0].backward[k] = at(one, "bw", s);
            c->of[0].stored[k] = at(one, "stored", s);
            c->of[0].peak[k] = at(one, "peak", s);
            c->of[0].activation[k] = s < stages - 1 ? at(one, "fw_comm", s) : 0;
            c->of[0].gradient[k] = s < stages - 1 ? at(one, "bw_comm", s) : 0;
        }
        m++;
    }
}

// Compares one instruction: [kind, micro-batch, flattened stage, peer, slots].
static void compare(const struct instruction *i, const cJSON *expected, int32_t device,
                    int32_t k)
{
    const cJSON *slots = cJSON_GetArrayItem(expected, 4);
    cr_assert_str_eq(instruction_names[i->kind], cJSON_GetArrayItem(expected, 0)->valuestring,
                     "device %d, instruction %d", device, k);
    cr_assert_eq(i->micro_batch, cJSON_GetArrayItem(expected, 1)->valueint);
    cr_assert_eq(i->stage, cJSON_GetArrayItem(expected, 2)->valueint);
    cr_assert_eq(i->peer, cJSON_GetArrayItem(expected, 3)->valueint);
    cr_assert_eq(i->slots, cJSON_GetArraySize(slots), "device %d, instruction %d", device, k);
    for (int t = 0; t < i->slots; t++)
        cr_assert_eq(i->slot[t], cJSON_GetArrayItem(slots, t)->valueint);
}

static int check_file(const char *name)
{
    cJSON *document = golden_of("dynapipe", name);
    const cJSON *one;
    int n = 0;
    cJSON_ArrayForEach (one, golden_item(document, "expected")) {
        struct plan_case c;
        struct listing l;
        int32_t tensors[64];
        const cJSON *lists = cJSON_GetObjectItem(one, "instructions");
        if (lists == NULL)
            continue;
        int method = 0;
        while (strcmp(method_names[method], golden_word(one, "scheduler")) != 0)
            method++;
        load(&c, golden_item(document, "input"), tensors);
        cr_assert(list(&l, &c, (enum method)method, tensors, false));
        for (int32_t d = 0; d < l.in.devices; d++) {
            const cJSON *expected = cJSON_GetArrayItem(lists, d);
            cr_assert_eq(l.in.n[d], cJSON_GetArraySize(expected), "%s: device %d: %d", name, d,
                         l.in.n[d]);
            for (int32_t k = 0; k < l.in.n[d]; k++)
                compare(instruction_at(&l.in, d, k), cJSON_GetArrayItem(expected, k), d, k);
            cr_assert_eq(l.in.slots[d], (int32_t)at(one, "n_buffers_no_reuse", d));
        }
        cr_assert(is_valid(&l, &c, tensors), "%s", l.text);
        n++;
        free(l.memory);
        plan_case_close(&c);
    }
    cJSON_Delete(document);
    return n;
}

Test(dynapipe_instructions, as_published)
{
    int n = check_file("sched_01_linear3_n4.json");
    n += check_file("sched_02_linear4_n8_asym.json");
    n += check_file("sched_03_interleaved2x2_n4.json");
    n += check_file("sched_04_zigzag3_n5.json");
    cr_assert_geq(n, 2);
}

static void draw(struct plan_case *c, struct random *r, int32_t *tensors)
{
    const int32_t devices = 2 + (int32_t)random_below(r, 4);
    const int shape = (int)random_below(r, 3);
    const int32_t stages = shape == 0   ? devices
                           : shape == 1 ? 2 * devices
                                        : 2 * devices - 1,
                  border = (int32_t)random_below(r, stages + 1);
    plan_case_open(c, devices, stages, 1 + (int32_t)random_below(r, 7));
    for (int32_t s = 0; s < stages; s++) {
        if (shape == 2) // there and back
            c->device_of[s] = s < devices ? s : 2 * devices - 2 - s;
        tensors[s] = s < border ? 1 : 2;
    }
    plan_case_draw(c, r);
}

Test(dynapipe_instructions, random_schedules_are_valid)
{
    struct random r = {61};
    int valid = 0, fewer = 0;
    for (int round = 0; round < 2000; round++) {
        struct plan_case c;
        struct listing l, fresh;
        int32_t tensors[64];
        draw(&c, &r, tensors);
        const enum method method = round % 3 == 0   ? METHOD_FIFO
                                   : round % 3 == 1 ? METHOD_WAIT_FREE_CYCLIC
                                                    : METHOD_INTERLEAVED;
        const bool done = method_allows(method, assignment_of(&c.pipeline)) &&
                          list(&l, &c, method, tensors, true);
        if (done) {
            cr_assert(is_valid(&l, &c, tensors), "round %d: %s", round, l.text);
            near(l.makespan, lanes_makespan(l.times), 1e-9, "round %d", round);
            cr_assert(list(&fresh, &c, method, tensors, false));
            for (int32_t d = 0; d < c.pipeline.devices; d++)
                fewer += l.in.slots[d] < fresh.in.slots[d];
            free(fresh.memory);
            free(l.memory);
            valid++;
        }
        plan_case_close(&c);
    }
    cr_assert(valid > 1000 && fewer > 1000, "%d, %d", valid, fewer);
}

static void move_to(struct listing *l, int32_t device, int32_t from, int32_t to)
{
    const struct instruction moved = *instruction_at(&l->in, device, from);
    for (int32_t k = from; k != to; k += from < to ? 1 : -1)
        *instruction_at(&l->in, device, k) =
            *instruction_at(&l->in, device, k + (from < to ? 1 : -1));
    *instruction_at(&l->in, device, to) = moved;
}

static int32_t find(const struct listing *l, int32_t device, int kind, int nth)
{
    for (int32_t k = 0; k < l->in.n[device]; k++)
        if (instruction_at(&l->in, device, k)->kind == kind && nth-- == 0)
            return k;
    cr_assert_fail();
    return -1;
}

static const int32_t plain_tensors[] = {1, 1, 1};

static void expect(struct listing *l, const struct plan_case *c, const char *what)
{
    cr_assert(!is_valid(l, c, plain_tensors), "%s", what);
    cr_assert(strstr(l->text, what) != NULL, "got \"%s\", expected \"%s\"", l->text, what);
}

Test(dynapipe_instructions, broken_lists)
{
    struct random r = {62};
    const int32_t *tensors = plain_tensors;
    for (int which = 0; which < 11; which++) {
        struct plan_case c;
        struct listing l;
        plan_case_open(&c, 3, 3, 4);
        plan_case_draw(&c, &r);
        cr_assert(list(&l, &c, METHOD_1F1B, tensors, which != 2)); // 2: a slot for each tensor
        cr_assert(is_valid(&l, &c, tensors), "%s", l.text);
        switch (which) {
        case 0: // a forward is dropped
            move_to(&l, 1, find(&l, 1, INSTRUCTION_F, 1), l.in.n[1] - 1);
            l.in.n[1]--;
            expect(&l, &c, "F 1,1 is missing");
            break;
        case 1:
            instruction_at(&l.in, 0, find(&l, 0, INSTRUCTION_SA, 0))->peer = 2;
            expect(&l, &c, "has the peer 2, not 1");
            break;
        case 2: // two sends change places
            move_to(&l, 0, find(&l, 0, INSTRUCTION_FREE, 0), find(&l, 0, INSTRUCTION_SA, 1));
            move_to(&l, 0, find(&l, 0, INSTRUCTION_SA, 0), find(&l, 0, INSTRUCTION_SA, 1));
            expect(&l, &c, "meets RA");
            break;
        case 3: // a receive moves behind the next one
            move_to(&l, 2, find(&l, 2, INSTRUCTION_RA, 0), find(&l, 2, INSTRUCTION_RA, 1));
            expect(&l, &c, "waits for a transfer that has not started");
            break;
        case 4: // freed too early
            move_to(&l, 1, find(&l, 1, INSTRUCTION_FREE, 0), find(&l, 1, INSTRUCTION_F, 0));
            expect(&l, &c, "after it is freed");
            break;
        case 5:
            c.limit[1] = c.state[1];
            expect(&l, &c, "exceeds the limit");
            break;
        case 6:
            instruction_at(&l.in, 2, find(&l, 2, INSTRUCTION_B, 0))->micro_batch = 3;
            expect(&l, &c, "B 3,3 appears twice");
            break;
        case 7: // the last free is lost
            l.in.n[2] -= instruction_at(&l.in, 2, l.in.n[2] - 1)->kind == INSTRUCTION_FREE;
            move_to(&l, 1, find(&l, 1, INSTRUCTION_FREE, 0), l.in.n[1] - 1);
            l.in.n[1]--;
            expect(&l, &c, "slot");
            break;
        case 8:
            instruction_at(&l.in, 0, find(&l, 0, INSTRUCTION_SA, 0))->tensors = 2;
            expect(&l, &c, "has 2 tensors, not 1");
            break;
        case 9: // a wait is lost
            move_to(&l, 0, find(&l, 0, INSTRUCTION_SAF, 0), l.in.n[0] - 1);
            l.in.n[0]--;
            expect(&l, &c, "SAF 0,0 is missing");
            break;
        default: // sent before it is computed
            move_to(&l, 0, find(&l, 0, INSTRUCTION_SA, 0), find(&l, 0, INSTRUCTION_F, 0));
            expect(&l, &c, "sends what has not been computed");
        }
        free(l.memory);
        plan_case_close(&c);
    }
}
