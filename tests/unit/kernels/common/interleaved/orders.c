// SPDX-License-Identifier: Apache-2.0
// Orders of pipelines: the published ones; and for many shapes: every task appears once, no
// task waits for ever, and no part is split.
#include "tests/unit/support/kernels/golden_programs.h"

#include "base/math/random.h"
#include "kernels/common/interleaved/orders.h"
#include "kernels/common/interleaved/timed_order.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static struct operation *all_orders(const struct orders_shape *shape)
{
    const size_t length = (size_t)orders_length(shape);
    struct operation *order = malloc((size_t)shape->stages * length * sizeof *order);
    for (int32_t i = 0; i < shape->stages; i++)
        orders_of_stage(shape, i, &order[(size_t)i * length]);
    return order;
}

static struct orders_shape shape_of(const cJSON *item)
{
    return (struct orders_shape){
        .stages = golden_whole(item, "stages"),
        .chunks = golden_whole(item, "interleave"),
        .micro_batches = golden_whole(item, "micro_batches"),
        .splits = golden_whole(item, "seq_splits"),
        .warmup = golden_is(item, "low_mem") ? ORDERS_LOW : ORDERS_STANDARD,
    };
}

static void expect_parts(const struct orders_shape *shape, const cJSON *item)
{
    const cJSON *sizes = golden_item(item, "distribution");
    cr_assert(orders_parts(shape) == cJSON_GetArraySize(sizes));
    for (int32_t k = 0; k < orders_parts(shape); k++)
        cr_assert(orders_part_size(shape, k) == cJSON_GetArrayItem(sizes, k)->valueint);
}

// Forwards of a stage before its first backward: one takes the first turn.
static int32_t leading_forwards(const struct orders_shape *shape, int32_t stage)
{
    const int32_t all = orders_length(shape) / 2, behind = shape->stages - 1 - stage;
    const bool twice = shape->chunks > 1 && shape->warmup == ORDERS_STANDARD;
    int32_t largest = 0;
    for (int32_t k = 0; k < orders_parts(shape); k++)
        largest = orders_part_size(shape, k) > largest ? orders_part_size(shape, k) : largest;
    const int32_t ahead =
        ((shape->chunks - 1) * largest + (twice ? 2 : 1) * behind) * shape->splits +
        (behind == 0 ? shape->splits - 1 : 0);
    return ahead < all ? ahead + 1 : all;
}

Test(orders, are_those_published)
{
    cJSON *golden = golden_read("orders_a.json");
    const cJSON *item;
    cJSON_ArrayForEach (item, golden_item(golden, "cases")) {
        const struct orders_shape shape = shape_of(item);
        const int32_t length = orders_length(&shape);
        struct operation *order = all_orders(&shape);
        expect_parts(&shape, item);
        for (int32_t k = 0; k < shape.stages * length; k++) {
            const cJSON *stage = cJSON_GetArrayItem(golden_item(item, "order"), k / length);
            char token[64];
            snprintf(token, sizeof token, "%c%d.%d", "fb"[order[k].type != OPERATION_F],
                     orders_micro_batch(&shape, &order[k]), orders_chunk(&shape, &order[k]));
            cr_assert(cJSON_GetArraySize(stage) == length);
            cr_assert_str_eq(token, cJSON_GetArrayItem(stage, k % length)->valuestring);
        }
        free(order);
    }
    cJSON_Delete(golden);
}

Test(orders, last_stage_warms_up_with_the_other_splits)
{
    const struct orders_shape shape = {2, 1, 2, 3, ORDERS_LOW, 0};
    const char *expected = "f0.0 f0.1 f0.2 b0.2 f1.0 b0.1 f1.1 b0.0 f1.2 b1.2 b1.1 b1.0 ";
    struct operation *order = all_orders(&shape);
    char text[256] = "", *end = text;
    for (int32_t k = orders_length(&shape); k < 2 * orders_length(&shape); k++)
        end += sprintf(end, "%c%d.%d ", "fb"[order[k].type != OPERATION_F],
                       orders_micro_batch(&shape, &order[k]), orders_split(&shape, &order[k]));
    cr_assert_str_eq(text, expected);
    free(order);
}

Test(orders, the_first_part_has_the_remainder)
{
    const struct orders_shape shape = {4, 2, 10, 1, ORDERS_STANDARD, 0};
    cr_assert_eq(orders_parts(&shape), 2);
    cr_assert_eq(orders_part_size(&shape, 0), 6);
    cr_assert_eq(orders_part_size(&shape, 1), 4);
}

static struct orders_shape random_shape(uint64_t k)
{
    uint32_t draw = 0;
#define BELOW(n) ((int32_t)(pps_random_53(3, k, draw++) % (uint64_t)(n)))
    struct orders_shape shape = {.stages = 1 + BELOW(7)};
    shape.chunks = 1 + BELOW(4);
    shape.micro_batches = shape.stages + BELOW(20);
    shape.splits = BELOW(3) ? 1 : 1 + BELOW(4);
    shape.warmup = (enum orders_warmup)BELOW(2);
#undef BELOW
    return shape;
}

// Every operation of the stage once.
static void expect_whole(const struct orders_shape *shape, int32_t stage,
                         const struct operation *order)
{
    const int32_t length = orders_length(shape), items = shape->micro_batches * shape->splits;
    char *seen = calloc((size_t)length, 1);
    for (int32_t k = 0; k < length; k++) {
        const struct operation *op = &order[k];
        const int32_t chunk = orders_chunk(shape, op);
        cr_assert(op->stage == chunk * shape->stages + stage && chunk < shape->chunks);
        cr_assert(op->type == OPERATION_F || op->type == OPERATION_BW);
        cr_assert(op->item >= 0 && op->item < items && op->direction == 0);
        char *mark =
            &seen[((op->type != OPERATION_F) * shape->chunks + chunk) * items + op->item];
        cr_assert(!*mark);
        *mark = 1;
    }
    free(seen);
}

Test(orders, every_operation_once_and_no_deadlock)
{
    for (uint64_t k = 0; k < 3000; k++) {
        const struct orders_shape shape = random_shape(k);
        char why[128];
        cr_assert(orders_check(&shape, why, sizeof why), "%s", why);
        struct operation *order = all_orders(&shape);
        struct timed_order timed;
        for (int32_t i = 0; i < shape.stages; i++) {
            const struct operation *of_stage = &order[i * orders_length(&shape)];
            int32_t warm = 0;
            expect_whole(&shape, i, of_stage);
            while (of_stage[warm].type == OPERATION_F)
                warm++;
            cr_assert(warm == leading_forwards(&shape, i), "case %d stage %d: %d", (int)k, i,
                      warm);
        }
        cr_assert(timed_order_build(&timed, &shape, false, NULL));
        cr_assert(timed_order_run(&timed, NULL) == 0, "P %d V %d M %d S %d warmup %d",
                  shape.stages, shape.chunks, shape.micro_batches, shape.splits, shape.warmup);
        timed_order_free(&timed);
        free(order);
    }
}

Test(orders, wrong_shapes_are_refused)
{
    const struct {
        struct orders_shape shape;
        const char *why;
    } cases[] = {
        {{4, 1, 3, 1, ORDERS_LOW, 0}, "stage = 4 is greater than micro batch = 3"},
        {{0, 1, 3, 1, ORDERS_LOW, 0}, "there must be at least 1 stage and 1 micro-batch"},
        {{2, 0, 3, 1, ORDERS_LOW, 0}, "chunks and splits must be 1 to 1024"},
        {{2, 1, 3, 2000, ORDERS_LOW, 0}, "chunks and splits must be 1 to 1024"},
        {{1 << 14, 2, 1 << 14, 1, ORDERS_LOW, 0},
         "the stages have more than 16384 chunks together"},
        {{1 << 14, 1, 1 << 14, 1, ORDERS_LOW, 0}, "the pipeline has more than 268435456 tasks"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char why[128] = "";
        cr_assert(!orders_check(&cases[k].shape, why, sizeof why));
        cr_assert_str_eq(why, cases[k].why);
    }
}
