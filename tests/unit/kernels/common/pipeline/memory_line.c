// SPDX-License-Identifier: Apache-2.0
// Peaks of memory along an order: the short shape of a long pipeline has the peak of the whole order,
// at the same place, and the same vectors in flight.
#include "kernels/common/pipeline/memory_line.h"
#include "base/math/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct walked {
    struct memline_peak peak;
    int32_t n;
    int32_t *vectors;
};

static struct walked walk(const struct orders_shape *shape,
                          int32_t stage,
                          const double *weights)
{
    const int32_t most = memline_vectors_most(shape);
    struct orders_task *tasks = malloc((size_t)orders_length(shape) * sizeof *tasks);
    struct walked w = {.vectors =
                           malloc((size_t)most * (size_t)shape->chunks * sizeof *w.vectors)};
    orders_of_stage(shape, stage, tasks);
    w.peak = memline_of_order(shape, tasks, weights);
    w.n = memline_vectors(shape, tasks, w.vectors, most);
    free(tasks);
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
            .remainder = (enum orders_remainder)below(k, 5, 3),
        };
        shape.micro_batches = shape.stages * (1 + below(k, 6, 40)) + below(k, 7, shape.stages);
        double weights[4];
        for (uint32_t v = 0; v < 4; v++)
            weights[v] = below(k, 8 + v, 5);
        compare(&shape, below(k, 20, shape.stages), weights);
    }
}
