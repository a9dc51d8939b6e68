// SPDX-License-Identifier: Apache-2.0
// Tests of single lines of logs.
#include "planner/profiles/log_line.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct wanted {
    const char *text;
    enum log_line_kind kind;
    int32_t rank;
    double used, held;
};

static void check(const struct wanted *w)
{
    char text[1000];
    struct log_line line;
    snprintf(text, sizeof text, "%s", w->text);
    log_line_read(text, log_line_clean(text, strlen(text)), &line);
    cr_assert_eq(line.kind, w->kind, "%s: kind %d", w->text, (int)line.kind);
    cr_assert_eq(line.rank, w->rank, "%s: rank %d", w->text, (int)line.rank);
    cr_assert(fabs(line.used_mb - w->used) < 1e-6, "%s: used %g", w->text, line.used_mb);
    cr_assert(fabs(line.held_mb - w->held) < 1e-6, "%s: held %g", w->text, line.held_mb);
}

// Every form that the frameworks print; a form that is not known loses a peak.
Test(log_line, peaks)
{
    static const struct wanted cases[] = {
        {"Used peak memory usage (without fragments): 48874M", LOG_LINE_PEAK, -1, 48874, 0},
        {"[INFO] x Actual peak memory usage (with fragments): 50001M\r", LOG_LINE_PEAK, -1, 0,
         50001},
        {"[Rank 12] (after 2 iterations) memory (MB) | allocated: 46727.23 | max allocated: "
         "85667.84 | reserved: 89304.00 | max reserved: 89305.50",
         LOG_LINE_PEAK, 12, 85667.84, 89305.5},
        {"[default3]:[Rank 11] (after 1 iterations) memory (MB) | allocated: 1.5 | max "
         "allocated: 2.25 | reserved: 3.0 | max reserved: 4.5",
         LOG_LINE_PEAK, 11, 2.25, 4.5},
        {"[Rank 0] (after 1 iterations) memory (GB) | mem-allocated-gigabytes: 51.072 | "
         "mem-max-allocated-gigabytes: 1.048576 | mem-max-reserved-gigabytes: 2.097152",
         LOG_LINE_PEAK, 0, 1000, 2000},
        {"[rank0]:[titan] 2025-06-01 12:00:00,123 - root - INFO - \033[31mstep: 10  "
         "\033[32mloss:  8.1234  \033[33mmemory: 41.25GiB(52.11%)  \033[34mtps: 7,312\033[39m",
         LOG_LINE_PEAK, 0, 0, 42240},
        {"step:  1  loss: 12.2  max_memory: 3 memory:  0.50GiB(0.53%)", LOG_LINE_PEAK, -1, 0,
         512},
        {"peak active: 33.5 GiB | peak reserved: 35.0 GiB | num_retries: 0", LOG_LINE_PEAK, -1,
         34304, 35840},
        {"Tracker Max: 33.5 GiB", LOG_LINE_PEAK, -1, 34304, 0},
        {"7: Tracker Max: 33.5 GiB", LOG_LINE_PEAK, 7, 34304, 0},
        {"Theoretical memory footprints: weight and optimizer=8640.00 MB, activation=1084.80 "
         "MB, total=9724.80 MB",
         LOG_LINE_THEORY, -1, 9724.8, 0},
        {"Theoretical memory footprints: weight and optimizer=57438.81 MB", LOG_LINE_OTHER, -1,
         0, 0},
        {"[titan] - CUDA memory usage for model: 0.53GiB(0.56%)", LOG_LINE_OTHER, -1, 0, 0},
        {"CUDA capacity: NVIDIA H100 with 95.00GiB memory", LOG_LINE_OTHER, -1, 0, 0},
        {"context: {max_device_memory: 58GB}", LOG_LINE_OTHER, -1, 0, 0},
        {"Used peak memory usage (without fragments): xM", LOG_LINE_OTHER, -1, 0, 0},
        {"", LOG_LINE_OTHER, -1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

// A missed failure would pass the peak of a run that did not finish for the peak of a step.
Test(log_line, failures)
{
    static const struct wanted cases[] = {
        {"[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
         LOG_LINE_NO_MEMORY, 3, 0, 0},
        {"RuntimeError: NPU out of memory. Tried to allocate 512.00 MiB", LOG_LINE_NO_MEMORY,
         -1, 0, 0},
        {"RuntimeError: #umsg#Memory not enough:#umsg#Device(id:0) memory isn't enough and "
         "alloc failed, kernel name: x, alloc size: 1B.",
         LOG_LINE_NO_MEMORY, -1, 0, 0},
        {"slurmstepd: error: Detected 1 oom_kill event in StepId=12.0", LOG_LINE_NO_MEMORY, -1,
         0, 0},
        {"Traceback (most recent call last):", LOG_LINE_TRACEBACK, -1, 0, 0},
        {"[rank1]: Traceback (most recent call last):", LOG_LINE_TRACEBACK, 1, 0, 0},
        {"[WARNING] Memory not enough: current free memory size[0] is smaller than required",
         LOG_LINE_OTHER, -1, 0, 0},
        {"set PYTORCH_CUDA_ALLOC_CONF to avoid fragmentation of memory; room for 3",
         LOG_LINE_OTHER, -1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

// Prefixes of launchers; the indentation behind them tells where a traceback ends.
Test(log_line, prefixes)
{
    static const struct {
        const char *text;
        size_t n;
    } cases[] = {
        {"[rank3]:   File", 9}, {"[default0]:x", 11}, {"3: x", 3},     {"12: [rank1]: y", 13},
        {"[titan] x", 0},       {"[rank]: x", 0},     {"  File x", 0}, {"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_eq(log_line_prefix(cases[i].text, strlen(cases[i].text)), cases[i].n,
                     "%s: %zu", cases[i].text,
                     log_line_prefix(cases[i].text, strlen(cases[i].text)));
}

// Catches steps whose time no line gives, and rates with commas.
Test(log_line, steps)
{
    static const struct {
        const char *text;
        double seconds, tokens;
    } cases[] = {
        {" iteration 2/ 9 | elapsed time per iteration (ms): 1250.0 | x", 1.25, 0},
        {"{ Epoch:[  1/ 1], step:[  4/ 9], loss: 8.2, per_step_time: 2500ms, lr: 1", 2.5, 0},
        {"steps: 3 loss: 8.1 iter time (s): 0.75 samples/sec: 9", 0.75, 0},
        {"step: 10  loss: 8.1  memory: 41.25GiB(52.11%)  tps: 7,312  tflops: 9", 0, 7312},
        {"the time was spent", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_line line;
        log_line_read(cases[i].text, strlen(cases[i].text), &line);
        cr_assert_float_eq(line.step_seconds, cases[i].seconds, 1e-9, "%s", cases[i].text);
        cr_assert_float_eq(line.device_tokens, cases[i].tokens, 1e-9, "%s", cases[i].text);
    }
}
