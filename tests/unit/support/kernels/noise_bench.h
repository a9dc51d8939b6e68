// SPDX-License-Identifier: Apache-2.0
// Makes pipelines with room for fluctuating times, for tests of the models.
#pragma once

#include "kernels/schedule/noise/noise_private.h"

struct noise_bench {
    struct pipeline *pipeline;
    struct executor_times times;
    char *memory;
};

// Takes a pipeline with f, b, w, r = 12, 13, 7, 3 and latency 1, and times that are not drawn yet.
struct noise_bench noise_bench_new(const struct pipeline_shape *shape,
                                   enum pipeline_placement placement);
void noise_bench_free(struct noise_bench *b);

// The same with one stage per device.
struct noise_bench noise_bench_linear(int32_t p, int32_t m);

// Returns the array of times for a purpose.
const double *noise_bench_times(const struct noise_bench *b, enum noise_purpose purpose);

// Returns the time that was drawn for a key.
double noise_bench_time(const struct noise_bench *b, const struct noise_key *key);
