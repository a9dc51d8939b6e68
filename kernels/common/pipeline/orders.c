// SPDX-License-Identifier: Apache-2.0
// Generates an order from two walks, over forwards and over backwards, that alternate after the
// warm-up.
#include "kernels/common/pipeline/orders.h"

#include <stdio.h>

bool orders_check(const struct orders_shape *shape, char *text, size_t size)
{
    const int64_t p = shape->stages, v = shape->chunks, s = shape->splits;
    const int64_t m = shape->micro_batches;
    if (p < 1 || m < 1)
        snprintf(text, size, "there must be at least 1 stage and 1 micro-batch");
    else if (v < 1 || v > ORDERS_CHUNKS_MAX || s < 1 || s > ORDERS_CHUNKS_MAX)
        snprintf(text, size, "chunks and splits must be 1 to %d", ORDERS_CHUNKS_MAX);
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
    const bool rest = shape->micro_batches % shape->stages != 0;
    return shape->remainder == ORDERS_PADDED && rest ? whole + 1 : whole;
}

int32_t orders_part_size(const struct orders_shape *shape, int32_t k)
{
    const int32_t rest = shape->micro_batches % shape->stages;
    const int32_t last = orders_parts(shape) - 1;
    switch (shape->remainder) {
    case ORDERS_FIRST:
        return shape->stages + (k == 0 ? rest : 0);
    case ORDERS_LAST:
        return shape->stages + (k == last ? rest : 0);
    case ORDERS_PADDED:
        break;
    }
    return k == last && rest != 0 ? rest : shape->stages;
}

// Size of a part with its padding.
static int32_t laid_out(const struct orders_shape *shape, int32_t k)
{
    return shape->remainder == ORDERS_PADDED ? shape->stages : orders_part_size(shape, k);
}

static int32_t largest_part(const struct orders_shape *shape)
{
    const int32_t rest = shape->micro_batches % shape->stages;
    return shape->stages + (shape->remainder == ORDERS_PADDED ? 0 : rest);
}

// ---- lists of forwards and backwards ------------------------------------------------------------

// A position in the list of all forwards, or of all backwards, of a stage.
struct place {
    enum orders_kind kind;
    int32_t part, n_parts;
    int32_t first, size; // micro-batches of the part
    int32_t chunk, offset, split;
};

static struct place start_of(const struct orders_shape *shape, enum orders_kind kind)
{
    const bool forward = kind == ORDERS_FORWARD;
    return (struct place){
        .kind = kind,
        .n_parts = orders_parts(shape),
        .size = laid_out(shape, 0),
        .chunk = forward ? 0 : shape->chunks - 1,
        .split = forward ? 0 : shape->splits - 1,
    };
}

// Increments `digit`; returns whether it wrapped around.
static bool step(int32_t *digit, int32_t base, enum orders_kind kind)
{
    *digit += kind == ORDERS_FORWARD ? 1 : -1;
    if (*digit >= 0 && *digit < base)
        return false;
    *digit = kind == ORDERS_FORWARD ? 0 : base - 1;
    return true;
}

static void advance(const struct orders_shape *shape, struct place *place)
{
    if (!step(&place->split, shape->splits, place->kind))
        return;
    if (++place->offset < place->size)
        return;
    place->offset = 0;
    if (!step(&place->chunk, shape->chunks, place->kind))
        return;
    place->first += place->size;
    place->part++;
    place->size = place->part < place->n_parts ? laid_out(shape, place->part) : 0;
}

static bool at_end(const struct place *place)
{
    return place->part == place->n_parts;
}

// Stores the task at this position unless it is padding, and advances.
static void take(const struct orders_shape *shape,
                 struct place *place,
                 struct orders_task **tasks)
{
    const int32_t micro_batch = place->first + place->offset;
    if (micro_batch < shape->micro_batches)
        *(*tasks)++ = (struct orders_task){micro_batch, (int16_t)place->chunk,
                                           (int16_t)place->split, (int16_t)place->kind};
    advance(shape, place);
}

// ---- orders -------------------------------------------------------------------------------------

// Returns the number of forwards, with padding, before the first backward.
static int64_t ahead(const struct orders_shape *shape, int32_t stage)
{
    const int64_t behind = shape->stages - 1 - stage;
    const bool twice = shape->chunks > 1 && shape->warmup == ORDERS_STANDARD;
    const int64_t chunks = (shape->chunks - 1) * (int64_t)largest_part(shape);
    return (chunks + (twice ? 2 : 1) * behind) * shape->splits +
           (behind == 0 ? shape->splits - 1 : 0);
}

bool orders_of_stage_polled(const struct orders_shape *shape,
                            int32_t stage,
                            struct orders_task *tasks,
                            struct poll *poll)
{
    struct place forward = start_of(shape, ORDERS_FORWARD);
    struct place backward = start_of(shape, ORDERS_BACKWARD);
    for (int64_t k = ahead(shape, stage); k > 0 && !at_end(&forward); k--) {
        if (poll_over(poll))
            return false;
        take(shape, &forward, &tasks);
    }
    while (!at_end(&backward)) {
        if (poll_over(poll))
            return false;
        if (!at_end(&forward))
            take(shape, &forward, &tasks);
        take(shape, &backward, &tasks);
    }
    return true;
}

void orders_of_stage(const struct orders_shape *shape, int32_t stage, struct orders_task *tasks)
{
    (void)orders_of_stage_polled(shape, stage, tasks, NULL);
}

// ---- placement ----------------------------------------------------------------------------------

static bool turned(enum orders_placement placement, int32_t chunk)
{
    return placement == ORDERS_VEE && chunk % 2 == 1;
}

int32_t orders_position(enum orders_placement placement,
                        int32_t stages,
                        int32_t chunk,
                        int32_t stage)
{
    return chunk * stages + (turned(placement, chunk) ? stages - 1 - stage : stage);
}

void orders_at_position(enum orders_placement placement,
                        int32_t stages,
                        int32_t position,
                        int32_t *chunk,
                        int32_t *stage)
{
    *chunk = position / stages;
    *stage = position % stages;
    if (turned(placement, *chunk))
        *stage = stages - 1 - *stage;
}
