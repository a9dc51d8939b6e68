// SPDX-License-Identifier: Apache-2.0
// Generates orders: those of whole sequences, in which pieces of sequences go backward in reverse.
#include "kernels/balance/model/balance_order.h"

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

struct orders_shape balance_orders(const struct balance_shape *shape)
{
    const bool big = shape->order == BALANCE_BIG_MEMORY;
    return (struct orders_shape){.stages = shape->stages,
                                 .chunks = shape->chunks,
                                 .micro_batches = items_of(shape),
                                 .splits = 1,
                                 .warmup = big ? ORDERS_STANDARD : ORDERS_LOW,
                                 .ahead = shape->pieces - 1};
}

void balance_order_write(const struct balance_shape *shape, struct order *order)
{
    const struct orders_shape orders = balance_orders(shape);
    const int32_t q = shape->pieces;
    (void)orders_write(&orders, order, NULL);
    for (int32_t s = 0; s < shape->stages && q > 1; s++)
        for (int32_t i = 0; i < order->n[s]; i++) {
            struct operation *op = &order->operations[order_at(order, s, i)];
            if (op->type != OPERATION_F) // the last piece first
                op->item = op->item / q * q + (q - 1 - op->item % q);
        }
}
