// SPDX-License-Identifier: Apache-2.0
// Peaks of memory along an order: the short shape of a long pipeline has the peak of the whole order,
// at the same place, and the same vectors in flight.
#include "kernels/common/interleaved/memory_line.h"
#include "base/math/random.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct walked {
    struct memline_peak peak;
    int32_t n;
    int32_t *vectors;
};

static struct walked walk(const struct orders_shape *shape, int32_t stage,
                          const double *weights)
{
    const int32_t most = memline_vectors_most(shape);
    struct operation *order = malloc((size_t)orders_length(shape) * sizeof *order);
    struct walked w = {.vectors =
                           malloc((size_t)most * (size_t)shape->chunks * sizeof *w.vectors)};
    orders_of_stage(shape, stage, order);
    w.peak = memline_of_order(shape, order, weights);
    w.n = memline_vectors(shape, order, w.vectors, most);
    free(order);
    return w;
}

static void compare(const struct orders_shape *shape, int32_t stage, const double *weights)
{
    const struct orders_shape kept = memline_short_shape(shape);
    struct walked all = walk(shape, stage, weights), few = walk(&kept, stage, weights);
    cr_assert(all.peak.memory == few.peak.memory && all.peak.in_flight == few.peak.in_flight,
              "P %d V %d M %d S %d stage %d: %g, short %g", shape->stages, shape->chunks,
              shape->micro_batches, shape->splits, stage, all.peak.memory, few.peak.memory);
    cr_assert_eq(all.peak.at, memline_long_place(shape, &kept, few.peak.at));
    cr_assert_eq(all.n, few.n);
    cr_assert(memcmp(all.vectors, few.vectors,
                     (size_t)all.n * (size_t)shape->chunks * sizeof *all.vectors) == 0);
    free(all.vectors);
    free(few.vectors);
}

static int32_t below(uint64_t k, uint32_t purpose, int32_t n)
{
    return (int32_t)(pps_random_bits(1, k, purpose) % (uint64_t)n);
}

// Catches a short shape that lacks the largest part, or the end of the pipeline.
Test(memory_line, short_shapes_have_the_same_peaks)
{
    for (uint64_t k = 0; k < 3000; k++) {
        struct orders_shape shape = {
            .stages = 1 + below(k, 1, 6),
            .chunks = 1 + below(k, 2, 4),
            .splits = 1 + below(k, 3, 2),
            .warmup = (enum orders_warmup)below(k, 4, 2),
        };
        shape.micro_batches = shape.stages * (1 + below(k, 6, 40)) + below(k, 7, shape.stages);
        double weights[4];
        for (uint32_t v = 0; v < 4; v++)
            weights[v] = below(k, 8 + v, 5);
        compare(&shape, below(k, 20, shape.stages), weights);
    }
}

Test(memory_line, of_1f1b_is_the_distance_to_the_end)
{
    const struct orders_shape shape = {4, 1, 6, 1, ORDERS_LOW, 0};
    struct operation order[12];
    const double weights[] = {3};
    for (int32_t i = 0; i < 4; i++) {
        int32_t vectors[16];
        orders_of_stage(&shape, i, order);
        const struct memline_peak peak = memline_of_order(&shape, order, weights);
        cr_assert(peak.memory == 3.0 * (4 - i) && peak.in_flight == 4 - i && peak.at == 3 - i);
        cr_assert(memline_vectors(&shape, order, vectors, 16) == 1 && vectors[0] == 4 - i);
        cr_assert(memline_1f1b(4, 6, i) == 4 - i);
    }
    cr_assert(memline_1f1b(4, 2, 0) == 2);
}

Test(memory_line, vectors_have_the_peak_of_the_order)
{
    for (uint64_t k = 0; k < 300; k++) {
        struct draws d = {8, k, 0};
        struct orders_shape shape = {.stages = 1 + draws_below(&d, 6),
                                     .chunks = 1 + draws_below(&d, 3),
                                     .splits = draws_below(&d, 3) ? 1 : 1 + draws_below(&d, 3),
                                     .warmup = (enum orders_warmup)draws_below(&d, 2)};
        shape.micro_batches = shape.stages + draws_below(&d, 9);
        const int32_t n = orders_length(&shape), most = memline_vectors_most(&shape);
        struct operation *order = malloc((size_t)n * sizeof *order);
        int32_t *vectors = malloc((size_t)(most * shape.chunks) * sizeof *vectors);
        double *after = malloc((size_t)n * sizeof *after), weights[3];
        for (int32_t i = 0; i < shape.stages; i++) {
            orders_of_stage(&shape, i, order);
            for (int v = 0; v < 3; v++)
                weights[v] = draws_below(&d, 4) ? 1 + draws_below(&d, 9) : 0;
            const struct memline_peak peak = memline_of_order(&shape, order, weights);
            const int32_t found = memline_vectors(&shape, order, vectors, most);
            cr_assert(found >= 1 && found <= most);
            cr_assert_float_eq(
                memline_of_vectors(shape.chunks, shape.splits, vectors, found, weights),
                peak.memory, 1e-12 * peak.memory);
            double highest = 0;
            memline_curve(&shape, order, weights, after);
            for (int32_t j = 0; j < n; j++)
                highest = fmax(highest, after[j]);
            cr_assert(highest == peak.memory && after[peak.at] == peak.memory);
            cr_assert(after[n - 1] == 0);
        }
        free(after);
        free(vectors);
        free(order);
    }
}
