// SPDX-License-Identifier: Apache-2.0
// Generates an order from two walks, over forwards and over backwards, that alternate after the
// warm-up.
#include "kernels/common/interleaved/orders.h"

#include <stdio.h>
#include <string.h>

bool orders_check(const struct orders_shape *shape, char *text, size_t size)
{
    const int64_t p = shape->stages, v = shape->chunks, s = shape->splits;
    const int64_t m = shape->micro_batches;
    if (p < 1 || m < 1)
        snprintf(text, size, "there must be at least 1 stage and 1 micro-batch");
    else if (v < 1 || v > ORDERS_CHUNKS_MAX || s < 1 || s > ORDERS_CHUNKS_MAX)
        snprintf(text, size, "chunks and splits must be 1 to %d", ORDERS_CHUNKS_MAX);
    else if (p > PIPELINE_STAGES_MAX || p * v > PIPELINE_STAGES_MAX)
        snprintf(text, size, "the stages have more than %d chunks together",
                 PIPELINE_STAGES_MAX);
    else if (m < p)
        snprintf(text, size, "stage = %d is greater than micro batch = %d", shape->stages,
                 shape->micro_batches);
    else if (m > ORDERS_TASKS_MAX / p || 2 * p * m > ORDERS_TASKS_MAX / (v * s))
        snprintf(text, size, "the pipeline has more than %d tasks", ORDERS_TASKS_MAX);
    else
        return true;
    return false;
}

int32_t orders_length(const struct orders_shape *shape)
{
    return 2 * shape->chunks * shape->micro_batches * shape->splits;
}

// ---- parts --------------------------------------------------------------------------------------

int32_t orders_parts(const struct orders_shape *shape)
{
    const int32_t whole = shape->micro_batches / shape->stages;
    return whole > 0 ? whole : 1;
}

int32_t orders_part_size(const struct orders_shape *shape, int32_t k)
{
    if (shape->micro_batches < shape->stages)
        return shape->micro_batches;
    return shape->stages + (k == 0 ? shape->micro_batches % shape->stages : 0);
}

// ---- lists of forwards and backwards ------------------------------------------------------------

// A position in the list of all forwards, or of all backwards, of a stage.
struct place {
    enum operation_type kind;
    int32_t part, n_parts;
    int32_t first, size; // micro-batches of the part
    int32_t chunk, offset, split;
    int32_t stage; // of the pipeline
};

static struct place start_of(const struct orders_shape *shape, int32_t stage,
                             enum operation_type kind)
{
    const bool forward = kind == OPERATION_F;
    const int32_t chunk = forward ? 0 : shape->chunks - 1;
    return (struct place){
        .kind = kind,
        .n_parts = orders_parts(shape),
        .size = orders_part_size(shape, 0),
        .chunk = chunk,
        .split = forward ? 0 : shape->splits - 1,
        .stage = chunk * shape->stages + stage,
    };
}

// Increments `digit`; returns whether it wrapped around.
static bool step(int32_t *digit, int32_t base, enum operation_type kind)
{
    *digit += kind == OPERATION_F ? 1 : -1;
    if (*digit >= 0 && *digit < base)
        return false;
    *digit = kind == OPERATION_F ? 0 : base - 1;
    return true;
}

static void advance(const struct orders_shape *shape, struct place *place)
{
    if (!step(&place->split, shape->splits, place->kind))
        return;
    if (++place->offset < place->size)
        return;
    place->offset = 0;
    const int32_t before = place->chunk;
    const bool wrapped = step(&place->chunk, shape->chunks, place->kind);
    place->stage += (place->chunk - before) * shape->stages;
    if (!wrapped)
        return;
    place->first += place->size;
    place->part++;
    place->size = place->part < place->n_parts ? orders_part_size(shape, place->part) : 0;
}

static bool at_end(const struct place *place)
{
    return place->part == place->n_parts;
}

// Stores the operation at this position, and advances.
static void take(const struct orders_shape *shape, struct place *place,
                 struct operation **operations)
{
    const int32_t micro_batch = place->first + place->offset;
    *(*operations)++ = (struct operation){.item = micro_batch * shape->splits + place->split,
                                          .stage = (int16_t)place->stage,
                                          .type = (uint8_t)place->kind};
    advance(shape, place);
}

// ---- orders -------------------------------------------------------------------------------------

// Returns the number of forwards before the first backward.
static int64_t ahead(const struct orders_shape *shape, int32_t stage)
{
    const int64_t behind = shape->stages - 1 - stage;
    const bool twice = shape->chunks > 1 && shape->warmup == ORDERS_STANDARD;
    const int64_t chunks = (shape->chunks - 1) * (int64_t)orders_part_size(shape, 0);
    return (chunks + (twice ? 2 : 1) * behind) * shape->splits +
           (behind == 0 ? shape->splits - 1 : 0) + shape->ahead;
}

bool orders_of_stage_polled(const struct orders_shape *shape, int32_t stage,
                            struct operation *operations, struct poll *poll)
{
    struct place forward = start_of(shape, stage, OPERATION_F);
    struct place backward = start_of(shape, stage, OPERATION_BW);
    for (int64_t k = ahead(shape, stage); k > 0 && !at_end(&forward); k--) {
        if (poll_over(poll))
            return false;
        take(shape, &forward, &operations);
    }
    while (!at_end(&backward)) {
        if (poll_over(poll))
            return false;
        if (!at_end(&forward))
            take(shape, &forward, &operations);
        take(shape, &backward, &operations);
    }
    return true;
}

void orders_of_stage(const struct orders_shape *shape, int32_t stage,
                     struct operation *operations)
{
    (void)orders_of_stage_polled(shape, stage, operations, NULL);
}

// ---- plans --------------------------------------------------------------------------------------

struct pipeline_shape orders_pipeline(const struct orders_shape *shape)
{
    return (struct pipeline_shape){.devices = shape->stages,
                                   .stages = shape->stages * shape->chunks,
                                   .micro_batches = shape->micro_batches,
                                   .slices = shape->splits,
                                   .directions = 1};
}

bool orders_write(const struct orders_shape *shape, struct order *order, struct poll *poll)
{
    const int32_t length = orders_length(shape);
    for (int32_t i = 0; i < shape->stages; i++) {
        const int64_t first = order_at(order, i, 0);
        if (!orders_of_stage_polled(shape, i, order->operations + first, poll))
            return false;
        memset(order->paired + first, 0, (size_t)length);
        order->n[i] = length;
    }
    return true;
}
