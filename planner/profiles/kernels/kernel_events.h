// SPDX-License-Identifier: Apache-2.0
// Kernels of one device in a profile: when attention and experts ran, how often every kernel ran, and
// the peak memory if the profile has it. Files of any size are read in constant memory, apart from 16
// bytes per kernel of attention or experts.
#pragma once

#include "planner/profiles/kernels/kernel_name.h"

#include "base/text/status.h"
#include "base/text/string_pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KERNEL_EVENTS_MOST = 2000000,
    KERNEL_NAMES_MOST = 4096, // different short names that are counted
};

struct kernel_event {
    int64_t ns;   // start
    int32_t step; // of the profiler, from the file; -1: the file does not say
    enum kernel_kind kind;
};

struct kernel_events {
    struct kernel_event *rows; // attention and experts, in order of their starts
    size_t n, room;
    size_t n_forward, n_backward, n_experts;
    uint64_t n_kernels;           // all kernels
    struct pps_string_pool names; // short names of all kernels
    uint64_t *counts;             // of each name
    size_t counts_room;
    int32_t rank;            // that the file names; -1: none
    int32_t n_steps;         // that the file marks; 0: none
    double used_mb, held_mb; // peaks of the device, MiB; 0: not in the file
    bool is_profile;         // false: the file is not a trace
    char damage[512];        // why the file could not be read to its end; "": it could
};

// Each function starts with an empty list, adds the events of one file and sorts them. A file that
// ends early or is damaged gives the events before the damage. After an error there is nothing to
// free.

// Reads a trace in JSON, plain or gzip: an array of events (Ascend's trace_view.json) or an object
// with "traceEvents" (PyTorch's profiler). Only events that ran on a device count: category kernel
// (CUDA, ROCm), or arguments with a task or stream (Ascend). Without any of these, events without a
// category count.
PPS_MUST_CHECK enum pps_status kernel_events_of_trace(struct kernel_events *events,
                                                      const struct kernel_names *names,
                                                      const char *path, struct pps_error *err);

// Reads Ascend's kernel_details.csv, whose columns Name, Type and "Start Time(us)" count, and
// "Step Id" if there is one.
PPS_MUST_CHECK enum pps_status kernel_events_of_table(struct kernel_events *events,
                                                      const struct kernel_names *names,
                                                      const char *path, struct pps_error *err);

void kernel_events_free(struct kernel_events *events);

// Writes the most frequent names, as in "MatMulV2 1200, Cast 800, ... and 41 more names".
void kernel_events_list_names(const struct kernel_events *events, char *text, size_t size);

// ---- for the readers ----------------------------------------------------------------------------

// Counts a kernel, and keeps its start if it is attention or experts. `kind_name` decides the kind.
struct kernel_row {
    const char *name, *kind_name;
    size_t n, kind_n;
    int64_t ns;
    int32_t step;
};

PPS_MUST_CHECK enum pps_status kernel_events_add(struct kernel_events *events,
                                                 const struct kernel_names *names,
                                                 const struct kernel_row *row, const char *path,
                                                 struct pps_error *err);
void kernel_events_sort(struct kernel_events *events);

// Reads microseconds, such as 1710408000000123.456, as nanoseconds; digits behind the third are cut.
// false: not a time, or more than 4e15 (the year 2096, when counted from 1970).
bool kernel_events_read_us(const char *text, size_t n, int64_t *ns);
