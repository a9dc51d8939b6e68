// SPDX-License-Identifier: Apache-2.0
// A line of a training framework's log may state the memory of a rank, or that the run failed.
// Thread-safe.
//
// Forms of lines, and the public sources that print them:
// - MindSpore, at the end of a process (ascend_memory_adapter.cc, DevMemStatistics):
//     Used peak memory usage (without fragments): 48874M
//     Actual peak memory usage (with fragments): 48874M
// - Megatron-LM and MindSpeed, after some iterations (megatron/training/utils.py, report_memory):
//     [Rank 0] (after 2 iterations) memory (MB) | allocated: 1.5 | max allocated: 2.5 | reserved:
//     3.0 | max reserved: 4.0
//   Megatron-Bridge prints "memory (GB) | mem-max-allocated-gigabytes: 51.072 | ..." instead.
// - Megatron-LM, before the first iteration (theoretical_memory_usage.py):
//     Theoretical memory footprints: weight and optimizer=8640.00 MB, activation=1084.80 MB,
//     total=9724.80 MB
// - torchtitan, at each logged step (torchtitan/components/metrics.py), also with colours:
//     step: 10  loss:  8.1234  memory: 41.23GiB(52.11%)  tps: 7,312
// - torchtitan, an estimate without devices (scripts/estimate/estimation.py):
//     peak active: 33.1 GiB | peak reserved: 35.5 GiB | num_retries: 0
//     Tracker Max: 33.2 GiB
// - times of steps: Megatron-LM "elapsed time per iteration (ms): 1234.5", MindFormers "per_step_time:
//   1234ms", DeepSpeed "iter time (s): 1.23", torchtitan's tps, tokens a second of one device.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_line_kind {
    LOG_LINE_OTHER,
    LOG_LINE_PEAK,      // of a device
    LOG_LINE_THEORY,    // computed by the framework, not measured
    LOG_LINE_NO_MEMORY, // the device or the machine is out of memory
    LOG_LINE_TRACEBACK, // the first line of a Python traceback
};

struct log_line {
    enum log_line_kind kind;
    int32_t rank;   // that the line names; -1: none
    double used_mb; // MiB: peak without fragments; of a theory, all; 0: not in the line
    double held_mb; // MiB: peak with fragments, which the allocator holds; 0: not in the line
    double step_seconds;  // time of a step; 0: not in the line
    double device_tokens; // tokens a second of one device; 0: not in the line
    bool is_running;      // printed between steps: no earlier line ended the run
};

// Reads a line of n bytes, without its line end. Escape sequences (colours) must be removed.
void log_line_read(const char *text, size_t n, struct log_line *line);

// Removes escape sequences and control characters other than tabs, in place. Returns the new length.
size_t log_line_clean(char *text, size_t n);

// Returns the offset of the text behind a prefix that names the process: "[rank3]:", "[default0]:",
// "3: ".
size_t log_line_prefix(const char *text, size_t n);
