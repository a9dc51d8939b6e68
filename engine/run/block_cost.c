// SPDX-License-Identifier: Apache-2.0
// Predicts the cost of a block. A small block is evaluated completely, because one point may
// cost more than all others. The points of a large block are cheap, so an evenly spread sample
// is enough.
#include "engine/run/block_cost.h"

#include "engine/forecast/workload.h"

enum { FEW = 64, SAMPLES = 16 };

static uint64_t together_at(const struct pps_cursor *cursor, const struct pps_kernel *kernel)
{
    const int n =
        kernel->together != NULL ? kernel->together(cursor->point, kernel->shared) : 1;
    return n > 1 ? (uint64_t)n : 1;
}

struct pps_foretold pps_block_cost(struct pps_cursor *cursor, const struct pps_experiment *e,
                                   uint64_t first, uint64_t n)
{
    struct pps_foretold foretold = {.n_points = n, .together = 1};
    const uint64_t samples = n <= FEW ? n : SAMPLES;
    for (uint64_t s = 0; s < samples; s++) {
        const uint64_t at = (uint64_t)((__uint128_t)n * (2 * s + 1) / (2 * samples));
        const struct pps_work work = pps_work_of_point(cursor, e, first + at);
        foretold.cost_ns += work.passing + work.computing;
        if (work.computing > 0) {
            const uint64_t together = together_at(cursor, e->kernel);
            foretold.together = together > foretold.together ? together : foretold.together;
        }
    }
    foretold.cost_ns *= (double)n / (double)samples;
    return foretold;
}
