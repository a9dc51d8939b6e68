// SPDX-License-Identifier: Apache-2.0
// Draws pipelines and orders of operations of every kind.
#include "tests/unit/support/kernels/drawn_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t drawn_within(struct random *r, int32_t least, int32_t most)
{
    return least + (int32_t)random_below(r, most - least + 1);
}

// Half of all times are whole numbers, some are 0.
static double time_drawn(struct random *r)
{
    return random_coin(r) ? drawn_within(r, 0, 3) : random_unit(r) * 4;
}

static struct pipeline *pipeline_drawn(struct random *r)
{
    const enum pipeline_placement placement =
        (enum pipeline_placement)drawn_within(r, PIPELINE_LOOP, PIPELINE_BIDIRECTIONAL);
    const int32_t devices = drawn_within(r, 1, 4),
                  chunks = placement == PIPELINE_LOOP  ? drawn_within(r, 1, 3)
                           : placement == PIPELINE_VEE ? 2
                                                       : 2 * drawn_within(r, 1, 2);
    const bool two = placement == PIPELINE_BIDIRECTIONAL;
    const struct pipeline_shape shape = {
        .devices = devices,
        .stages = devices * (two ? 1 : chunks),
        .micro_batches = drawn_within(r, 1, 4),
        .slices = drawn_within(r, 0, 3) == 0 ? drawn_within(r, 2, 3) : 1,
        .directions = two ? 2 : 1};
    struct pipeline *p = pipeline_new(&shape);
    pipeline_place(p, placement);
    for (int32_t s = 0; s < shape.stages; s++)
        p->stage[s] = (struct pipeline_stage){
            time_drawn(r),         time_drawn(r),        time_drawn(r), time_drawn(r), 1, 1,
            drawn_within(r, 0, 2), drawn_within(r, 0, 2)};
    for (int32_t d = 0; d < devices; d++)
        p->pair[d] = random_coin(r) ? time_drawn(r) : (double)NAN;
    p->links.channels =
        (enum pipeline_channels)drawn_within(r, PIPELINE_FREE, PIPELINE_BLOCKING);
    if (p->links.channels == PIPELINE_BLOCKING &&
        (p->shape.directions > 1 || p->shape.slices > 1))
        p->links.channels = PIPELINE_FREE;
    p->links.latency = random_coin(r) ? time_drawn(r) : 0;
    p->links.occupation = random_coin(r) ? time_drawn(r) : 0;
    return p;
}

// Adds the operations of a stage and item, in an order in which they could run.
static void add_all(struct random *r, struct drawn_order *b)
{
    const struct pipeline_shape *shape = &b->pipeline->shape;
    const int32_t items = pipeline_items(b->pipeline);
    order_clear(b->order);
    for (int32_t item = 0; item < items; item++) {
        const int32_t k = shape->directions == 2 ? item / shape->slices % 2 : 0;
        for (int32_t s = 0; s < shape->stages; s++) {
            const int32_t d = pipeline_device(b->pipeline, k, s);
            const bool whole = drawn_within(r, 0, 2) == 0, again = drawn_within(r, 0, 9) == 0;
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

void drawn_swap(struct order *o, int32_t d, int32_t i, int32_t j)
{
    struct operation *ops = &o->operations[order_at(o, d, 0)];
    const struct operation op = ops[i];
    ops[i] = ops[j];
    ops[j] = op;
}

static int rank_of(const struct operation *op)
{
    static const int ranks[OPERATION_TYPES] = {0, 2, 3, 2, 1};
    return ranks[op->type];
}

// A random order that mostly runs: all forwards of a device before the rest, in the order of items; then
// neighbours are swapped.
static void arrange(struct random *r, struct drawn_order *b)
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
                drawn_swap(o, d, j - 1, j);
            }
        for (int32_t k = drawn_within(r, 0, 6); k > 0 && o->n[d] > 1; k--) {
            const int32_t i = drawn_within(r, 0, o->n[d] - 2);
            drawn_swap(o, d, i, i + 1);
        }
        for (int32_t i = 0; i + 1 < o->n[d]; i++)
            if (ops[i].type == OPERATION_F && ops[i + 1].type == OPERATION_BW &&
                random_coin(r)) {
                o->paired[order_at(o, d, i)] = 1;
                i++;
            }
    }
}

void drawn_order_spoil(struct random *r, struct drawn_order *b)
{
    struct order *o = b->order;
    const int32_t d = drawn_within(r, 0, o->devices - 1);
    if (drawn_within(r, 0, 3) != 0 || o->n[d] == 0)
        return;
    struct operation *op = &o->operations[order_at(o, d, drawn_within(r, 0, o->n[d] - 1))];
    switch (drawn_within(r, 0, 6)) {
    case 0:
        o->n[d]--;
        break;
    case 1:
        op->item += drawn_within(r, -1, 1);
        break;
    case 2:
        op->stage = (int16_t)(op->stage + drawn_within(r, -1, 1));
        break;
    case 3:
        op->type = (uint8_t)drawn_within(r, 0, OPERATION_TYPES);
        break;
    case 4:
        op->direction ^= 1;
        break;
    case 5:
        o->paired[order_at(o, d, drawn_within(r, 0, o->n[d] - 1))] ^= 1;
        break;
    default:
        if (o->n[d] < o->room)
            order_add(o, d, (enum operation_type)drawn_within(r, 0, 4), drawn_within(r, 0, 3),
                      drawn_within(r, 0, 3));
        break;
    }
}

struct drawn_order *drawn_order_new(struct random *r)
{
    struct drawn_order *b = calloc(1, sizeof *b);
    b->pipeline = pipeline_drawn(r);
    b->order = order_new(b->pipeline->shape.devices, DRAWN_ROOM);
    struct room room = {NULL, 0};
    (void)executor_take(&b->pipeline->shape, DRAWN_ROOM, &room);
    b->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(b->memory, 0xA5, room.used); // the executor must not count on zeros
    room = (struct room){b->memory, 0};
    b->executor = executor_take(&b->pipeline->shape, DRAWN_ROOM, &room);
    for (int32_t d = 0; d < b->order->devices; d++)
        b->release[d] = random_coin(r) ? time_drawn(r) : 0;
    add_all(r, b);
    arrange(r, b);
    return b;
}

void drawn_order_free(struct drawn_order *b)
{
    pipeline_free(b->pipeline);
    order_free(b->order);
    free(b->memory);
    free(b);
}
