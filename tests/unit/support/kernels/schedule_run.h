// SPDX-License-Identifier: Apache-2.0
// Builds and executes the order of a schedule family.
#pragma once

#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/families/family.h"

struct schedule_run {
    struct pipeline *pipeline;
    struct order *order;
    const double *starts, *ends;
    struct metrics metrics;
    double *busy, *peak; // [devices]
    char *memory;        // of all arrays
};

// Returns a pipeline of p devices and m micro-batches with uniform times, as the family places it. v:
// chunks per device, as family.chunks takes them. Memory: a forward keeps 1 until its W ends.
struct pipeline *schedule_pipeline(const struct family *family, int32_t p, int32_t m, int32_t v,
                                   int32_t slices);
void schedule_set_times(struct pipeline *pipeline, double f, double b, double w,
                        double latency);

// Builds, executes and measures; asserts that the family fits and that the order runs. The caller frees
// the run with schedule_run_free, which does not free the pipeline.
struct schedule_run schedule_run_of(const struct family *family, struct pipeline *pipeline,
                                    const struct family_options *options);
void schedule_run_free(struct schedule_run *run);
