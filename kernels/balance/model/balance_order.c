// SPDX-License-Identifier: Apache-2.0
// Generates orders: a list of all forwards and one of all backwards, merged.
#include "kernels/balance/model/balance_order.h"

#include <string.h>

const char *balance_shape_misfit(const struct balance_shape *shape)
{
    const int64_t p = shape->stages, v = shape->chunks, m = shape->micro_batches,
                  q = shape->pieces;
    if (p < 1 || v < 1 || m < 1 || q < 1)
        return "stages, chunks, micro-batches and pieces must be at least 1";
    if (p > PIPELINE_DEVICES_MAX || p * v > PIPELINE_STAGES_MAX)
        return "there are too many stages and chunks";
    if (m > PIPELINE_OPERATIONS_MAX / q || m * q > PIPELINE_OPERATIONS_MAX / (2 * p * v))
        return "the step has too many operations";
    if (v > 1 && q == 1 && m < p)
        return "several chunks per stage need at least as many micro-batches as stages";
    if (v > 1 && q > 1 && p % q != 0)
        return "the pieces of a sequence must divide the number of stages if a stage has "
               "several chunks";
    if (v > 1 && q > 1 && m * q % p != 0)
        return "the stages must divide micro-batches x pieces if a stage has several chunks";
    if (v > 1 && q > 1 && shape->order == BALANCE_BIG_MEMORY && (p % 2 != 0 || q % 2 != 0))
        return "split sequences with the big-memory order need even numbers of stages and "
               "pieces";
    return NULL;
}

static int32_t items_of(const struct balance_shape *shape)
{
    return shape->micro_batches * shape->pieces;
}

struct pipeline_shape balance_pipeline(const struct balance_shape *shape)
{
    return (struct pipeline_shape){.devices = shape->stages,
                                   .stages = shape->stages * shape->chunks,
                                   .micro_batches = items_of(shape),
                                   .slices = 1,
                                   .directions = 1};
}

// Returns the number of forwards of a stage before its forwards and backwards alternate.
static int32_t balance_warmup(const struct balance_shape *shape, int32_t stage)
{
    const int64_t behind = shape->stages - 1 - stage,
                  all = (int64_t)shape->chunks * items_of(shape),
                  group = shape->stages + items_of(shape) % shape->stages,
                  step = shape->chunks > 1 && shape->order == BALANCE_BIG_MEMORY ? 2 : 1,
                  ahead = (shape->chunks - 1) * group + step * behind + shape->pieces - 1;
    return (int32_t)(ahead < all ? ahead : all);
}

// A position in the list of all forwards, or of all backwards. The first group has P + M mod P items, the others
// have P; a group passes chunk after chunk.
struct place {
    int32_t first, size, chunk, offset;
};

static struct place place_at(const struct balance_shape *shape, int32_t k)
{
    const int32_t p = shape->stages, v = shape->chunks, items = items_of(shape);
    if (v == 1)
        return (struct place){.size = items, .offset = k};
    const int32_t longer = p + items % p;
    if (k < v * longer)
        return (struct place){.size = longer, .chunk = k / longer, .offset = k % longer};
    const int32_t rest = k - v * longer, group = rest / (v * p);
    return (struct place){.first = longer + group * p,
                          .size = p,
                          .chunk = rest % (v * p) / p,
                          .offset = rest % p};
}

static void add(const struct balance_shape *shape,
                struct order *order,
                int32_t stage,
                enum operation_type type,
                int32_t k)
{
    const struct place place = place_at(shape, k);
    const int32_t q = shape->pieces;
    int32_t item = place.first + place.offset, chunk = place.chunk;
    if (type != OPERATION_F) { // the last chunk and the last piece first
        item = item / q * q + (q - 1 - item % q);
        chunk = shape->chunks - 1 - chunk;
    }
    order_add(order, stage, type, item, chunk * shape->stages + stage);
}

void balance_order_write(const struct balance_shape *shape, struct order *order)
{
    const int32_t all = shape->chunks * items_of(shape);
    order_clear(order);
    for (int32_t s = 0; s < shape->stages; s++) {
        const int32_t ahead = balance_warmup(shape, s);
        for (int32_t k = 0; k < ahead; k++)
            add(shape, order, s, OPERATION_F, k);
        for (int32_t k = 0; k < all; k++) {
            if (ahead + k < all)
                add(shape, order, s, OPERATION_F, ahead + k);
            add(shape, order, s, OPERATION_BW, k);
        }
    }
}
