// SPDX-License-Identifier: Apache-2.0
// Reads the tables of an Ascend profile beside its kernels: memory and steps. A table that ends early
// gives the rows before its end.
#pragma once

#include "base/text/status.h"

#include <stdint.h>

// Memory of a device, MiB; 0: not in the table.
struct profile_memory {
    double used_mb;   // peak of allocated memory
    double held_mb;   // peak of reserved memory
    double static_mb; // allocated before the first allocation of the table
};

// Reads operator_memory.csv ("Size(KB)", "Allocation Total Allocated(MB)", "... Reserved(MB)") or
// memory_record.csv ("Total Allocated(MB)", "Total Reserved(MB)").
PPS_MUST_CHECK enum pps_status profile_memory_read(struct profile_memory *memory,
                                                   const char *path, struct pps_error *err);

struct profile_steps {
    int32_t n;      // steps of the table
    double mean_ms; // of a step: computing, communication that is not overlapped, and free time
};

// Reads step_trace_time.csv. Its times are in us.
PPS_MUST_CHECK enum pps_status profile_steps_read(struct profile_steps *steps, const char *path,
                                                  struct pps_error *err);
