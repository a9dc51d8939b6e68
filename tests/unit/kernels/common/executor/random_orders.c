// SPDX-License-Identifier: Apache-2.0
// Random orders: the executor and the plain simulation agree in times, and in what cannot run.
#include "kernels/common/executor/executor.h"
#include "kernels/common/executor/reference.h"

#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// More rounds than in CI: PPS_RANDOM_POINTS=100000.
enum { ROUNDS = 20000, ROOM = 512 };

struct bench {
    struct pipeline *pipeline;
    struct order *order;
    struct executor *executor;
    char *memory;
    double starts[8 * ROOM], ends[8 * ROOM], release[8];
};

static int32_t draw(struct random *r, int32_t least, int32_t most)
{
    return least + (int32_t)random_below(r, most - least + 1);
}

// Half of all times are whole numbers, some are 0.
static double time_drawn(struct random *r)
{
    return random_coin(r) ? draw(r, 0, 3) : random_unit(r) * 4;
}

static struct pipeline *pipeline_drawn(struct random *r, enum pipeline_placement *placement)
{
    *placement = (enum pipeline_placement)draw(r, PIPELINE_LOOP, PIPELINE_BIDIRECTIONAL);
    const int32_t devices = draw(r, 1, 4), chunks = *placement == PIPELINE_LOOP ? draw(r, 1, 3)
                                                    : *placement == PIPELINE_VEE
                                                        ? 2
                                                        : 2 * draw(r, 1, 2);
    const bool two = *placement == PIPELINE_BIDIRECTIONAL;
    const struct pipeline_shape shape = {.devices = devices,
                                         .stages = devices * (two ? 1 : chunks),
                                         .micro_batches = draw(r, 1, 4),
                                         .slices = draw(r, 0, 3) == 0 ? draw(r, 2, 3) : 1,
                                         .directions = two ? 2 : 1};
    struct pipeline *p = pipeline_new(&shape);
    pipeline_place(p, *placement);
    for (int32_t s = 0; s < shape.stages; s++)
        p->stage[s] = (struct pipeline_stage){
            time_drawn(r), time_drawn(r), time_drawn(r), time_drawn(r), 1, 1,
            draw(r, 0, 2), draw(r, 0, 2)};
    for (int32_t d = 0; d < devices; d++)
        p->pair[d] = random_coin(r) ? time_drawn(r) : (double)NAN;
    p->links.channels = (enum pipeline_channels)draw(r, PIPELINE_FREE, PIPELINE_CARDS);
    p->links.latency = random_coin(r) ? time_drawn(r) : 0;
    p->links.occupation = random_coin(r) ? time_drawn(r) : 0;
    return p;
}

// Adds the operations of a stage and item, in an order in which they could run.
static void add_all(struct random *r, struct bench *b)
{
    const struct pipeline_shape *shape = &b->pipeline->shape;
    const int32_t items = pipeline_items(b->pipeline);
    order_clear(b->order);
    for (int32_t item = 0; item < items; item++) {
        const int32_t k = shape->directions == 2 ? item / shape->slices % 2 : 0;
        for (int32_t s = 0; s < shape->stages; s++) {
            const int32_t d = pipeline_device(b->pipeline, k, s);
            const bool whole = draw(r, 0, 2) == 0, again = draw(r, 0, 9) == 0;
            const enum operation_type types[4] = {
                OPERATION_F, OPERATION_R, whole ? OPERATION_BW : OPERATION_B, OPERATION_W};
            for (int t = 0; t < 4; t++) {
                if ((t == 1 && !again) || (t == 3 && whole))
                    continue;
                order_add(b->order, d, types[t], item, s);
                b->order->operations[order_at(b->order, d, b->order->n[d] - 1)].direction =
                    (uint8_t)k;
            }
        }
    }
}

static void swap(struct order *o, int32_t d, int32_t i, int32_t j)
{
    struct operation *ops = &o->operations[order_at(o, d, 0)];
    const struct operation op = ops[i];
    ops[i] = ops[j];
    ops[j] = op;
}

// Sorts by a random topological order: repeatedly takes an operation that the executor could run.
static int rank_of(const struct operation *op)
{
    static const int ranks[OPERATION_TYPES] = {0, 2, 3, 2, 1};
    return ranks[op->type];
}

// A random order that mostly runs: all forwards of a device before the rest, in the order of items; then
// neighbours are swapped.
static void arrange(struct random *r, struct bench *b)
{
    struct order *o = b->order;
    const int32_t stages = b->pipeline->shape.stages, slices = b->pipeline->shape.slices;
    for (int32_t d = 0; d < o->devices; d++) {
        struct operation *ops = &o->operations[order_at(o, d, 0)];
        for (int32_t i = 1; i < o->n[d];
             i++) // an insertion sort by (forward or not, item, stage)
            for (int32_t j = i; j > 0; j--) {
                const struct operation *x = &ops[j - 1], *y = &ops[j];
                const bool xf = x->type == OPERATION_F, yf = y->type == OPERATION_F;
                const int32_t xi = xf ? x->item
                                      : x->item / slices * slices + slices - 1 -
                                            x->item % slices,
                              yi = yf ? y->item
                                      : y->item / slices * slices + slices - 1 -
                                            y->item % slices;
                const int32_t xs = xf ? x->stage : stages - x->stage,
                              ys = yf ? y->stage : stages - y->stage;
                const int64_t a = ((!xf * 1000 + xi) * 1000 + xs) * 8 + rank_of(x),
                              c = ((!yf * 1000 + yi) * 1000 + ys) * 8 + rank_of(y);
                if (a <= c)
                    break;
                swap(o, d, j - 1, j);
            }
        for (int32_t k = draw(r, 0, 6); k > 0 && o->n[d] > 1; k--) {
            const int32_t i = draw(r, 0, o->n[d] - 2);
            swap(o, d, i, i + 1);
        }
        for (int32_t i = 0; i + 1 < o->n[d]; i++)
            if (ops[i].type == OPERATION_F && ops[i + 1].type == OPERATION_BW &&
                random_coin(r)) {
                o->paired[order_at(o, d, i)] = 1;
                i++;
            }
    }
}

// Breaks one thing in some orders.
static void spoil(struct random *r, struct bench *b)
{
    struct order *o = b->order;
    const int32_t d = draw(r, 0, o->devices - 1);
    if (draw(r, 0, 3) != 0 || o->n[d] == 0)
        return;
    struct operation *op = &o->operations[order_at(o, d, draw(r, 0, o->n[d] - 1))];
    switch (draw(r, 0, 6)) {
    case 0:
        o->n[d]--;
        break;
    case 1:
        op->item += draw(r, -1, 1);
        break;
    case 2:
        op->stage = (int16_t)(op->stage + draw(r, -1, 1));
        break;
    case 3:
        op->type = (uint8_t)draw(r, 0, OPERATION_TYPES);
        break;
    case 4:
        op->direction ^= 1;
        break;
    case 5:
        o->paired[order_at(o, d, draw(r, 0, o->n[d] - 1))] ^= 1;
        break;
    default:
        if (o->n[d] < o->room)
            order_add(o, d, (enum operation_type)draw(r, 0, 4), draw(r, 0, 3), draw(r, 0, 3));
        break;
    }
}

static struct bench *bench_drawn(struct random *r)
{
    enum pipeline_placement placement;
    struct bench *b = calloc(1, sizeof *b);
    b->pipeline = pipeline_drawn(r, &placement);
    b->order = order_new(b->pipeline->shape.devices, ROOM);
    struct room room = {NULL, 0};
    (void)executor_take(&b->pipeline->shape, ROOM, &room);
    b->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(b->memory, 0xA5, room.used); // the executor must not count on zeros
    room = (struct room){b->memory, 0};
    b->executor = executor_take(&b->pipeline->shape, ROOM, &room);
    for (int32_t d = 0; d < b->order->devices; d++)
        b->release[d] = random_coin(r) ? time_drawn(r) : 0;
    return b;
}

static void bench_free(struct bench *b)
{
    pipeline_free(b->pipeline);
    order_free(b->order);
    free(b->memory);
    free(b);
}

static void check_times(const struct bench *b,
                        const double *starts,
                        const double *ends,
                        int round)
{
    for (int32_t d = 0; d < b->order->devices; d++)
        for (int32_t i = 0; i < b->order->n[d]; i++) {
            const int64_t at = order_at(b->order, d, i);
            cr_assert_eq(executor_starts(b->executor)[at], starts[at], "round %d: start",
                         round);
            cr_assert_eq(executor_ends(b->executor)[at], ends[at], "round %d: end", round);
        }
}

static void check_fault(const struct bench *b, enum executor_status status, int round)
{
    struct executor_blocked blocked[8];
    struct executor_fault fault = {.room = 8, .blocked = blocked};
    executor_diagnose(b->executor, &fault);
    if (status == EXECUTOR_WRONG_OPERATIONS) {
        cr_assert_eq(fault.n_blocked, 0, "round %d", round);
        return;
    }
    cr_assert_geq(fault.n_blocked, 1, "round %d", round);
    cr_assert_geq(fault.n_cycle, 1, "round %d", round);
    for (int32_t i = 0; i < fault.n_blocked; i++) // an input that has run blocks nothing
        cr_assert(isnan(b->ends[order_at(b->order, blocked[i].waits_for.device,
                                         blocked[i].waits_for.position)]),
                  "round %d", round);
}

// Executes again with the same times, and with other times against a pipeline that has them.
static void check_again(struct random *r, struct bench *b, int round)
{
    double durations[8 * ROOM];
    for (int32_t d = 0; d < b->order->devices; d++)
        for (int32_t i = 0; i < b->order->n[d]; i++) {
            const int64_t at = order_at(b->order, d, i);
            durations[at] = b->ends[at] - b->starts[at];
        }
    (void)r;
    executor_run_again(b->executor, durations, NULL);
    for (int32_t d = 0; d < b->order->devices; d++)
        for (int32_t i = 0; i < b->order->n[d]; i++) {
            const int64_t at = order_at(b->order, d, i);
            cr_assert_float_eq(executor_ends(b->executor)[at], b->ends[at], 1e-9, "round %d",
                               round);
        }
}

// Changes neighbours, one after the other, and takes back changes that cannot run.
static void check_changes(struct random *r, struct bench *b, int round)
{
    cr_assert_eq(executor_run(b->executor, b->pipeline, b->order, b->release, NULL),
                 EXECUTOR_DONE);
    for (int k = 0; k < 4; k++) {
        enum executor_status status, wanted;
        const int32_t d = draw(r, 0, b->order->devices - 1);
        if (b->order->n[d] < 2)
            continue;
        const int32_t i = draw(r, 0, b->order->n[d] - 2);
        const int64_t at = order_at(b->order, d, i);
        const bool unit = b->order->paired[at] || b->order->paired[at + 1] ||
                          (i > 0 && b->order->paired[at - 1]);
        if (unit)
            continue;
        swap(b->order, d, i, i + 1);
        status = executor_run_changed(b->executor, d, i);
        cr_assert(
            reference_run(b->pipeline, b->order, b->release, b->starts, b->ends, &wanted));
        cr_assert_eq(status, wanted, "round %d: %d, not %d", round, status, wanted);
        if (wanted == EXECUTOR_DONE) {
            check_times(b, b->starts, b->ends, round);
            continue;
        }
        swap(b->order, d, i, i + 1);
        cr_assert_eq(executor_run_changed(b->executor, d, i), EXECUTOR_DONE, "round %d", round);
        cr_assert(
            reference_run(b->pipeline, b->order, b->release, b->starts, b->ends, &wanted));
        check_times(b, b->starts, b->ends, round);
    }
}

Test(executor_random, agrees_with_the_plain_simulation)
{
    struct random r = {3};
    int counts[4] = {0};
    const char *more = getenv("PPS_RANDOM_POINTS");
    const int rounds = more != NULL ? atoi(more) : ROUNDS;
    for (int round = 0; round < rounds; round++) {
        struct bench *b = bench_drawn(&r);
        enum executor_status wanted;
        add_all(&r, b);
        arrange(&r, b);
        spoil(&r, b);
        const enum executor_status status =
            executor_run(b->executor, b->pipeline, b->order, b->release, NULL);
        cr_assert(
            reference_run(b->pipeline, b->order, b->release, b->starts, b->ends, &wanted));
        cr_assert_eq(status, wanted, "round %d: %d, not %d", round, status, wanted);
        counts[status]++;
        if (status == EXECUTOR_DONE) {
            check_times(b, b->starts, b->ends, round);
            check_again(&r, b, round);
            check_changes(&r, b, round);
        } else {
            check_fault(b, status, round);
        }
        bench_free(b);
    }
    for (int k = 0; k < 3; k++) // every outcome is drawn often
        cr_assert_geq(counts[k], rounds / 50, "status %d: %d times", k, counts[k]);
}
