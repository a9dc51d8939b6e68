// SPDX-License-Identifier: Apache-2.0
// Draws problems for online policies: pipelines with limits of memory, reference orders, and times of
// operations and messages.
#pragma once

#include "kernels/common/executor/executor_lanes.h"
#include "kernels/schedule/online/online.h"
#include "kernels/schedule/online/pull.h"

#include "tests/unit/support/random.h"

struct online_bench {
    struct pipeline *pipeline;
    struct order *reference;
    struct online *online;
    struct pull *pull;
    struct executor *executor;
    struct executor_times times;
    struct executor_lanes *lanes;
    double *results[2]; // [order_at * EXECUTOR_LANES]: starts, ends
    char *memory;
};

// Takes everything for a pipeline, which the bench owns then. The reference order is empty.
struct online_bench *online_bench_new(struct pipeline *pipeline);
void online_bench_free(struct online_bench *b);

// Draws a pipeline of at most `devices` devices with placement linear, loop or V. The limits hold at least
// one micro-batch. Some times are 0, whole numbers, or equal.
struct pipeline *online_bench_draw(struct random *r, int32_t devices, int32_t micro_batches);

// Writes the order that runs one micro-batch after the other.
void online_bench_sequential(struct online_bench *b);

// Draws the times of all lanes: the nominal ones times factors. level 0: the nominal times.
void online_bench_times(struct random *r, struct online_bench *b, double level);
