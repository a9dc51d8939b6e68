// SPDX-License-Identifier: Apache-2.0
// Prints comparisons of schedules, and writes them as CSV.
#pragma once

#include "base/text/text_buffer.h"
#include "planner/schedule/compare.h"

// Prints devices, micro-batches and times of the pipeline.
void schedule_show_times(const double value[N_PARAMS], const struct plan *plan);

// Prints the pipeline: devices, micro-batches, times, memory. plan: whose limits count without --limit; NULL:
// none.
void schedule_show_pipeline(const double value[N_PARAMS], const struct plan *plan);

// Prints the table; base: the candidate that the others are compared with, or NULL.
void schedule_show(const struct schedule_comparison *comparison,
                   const struct schedule_candidate *base);

// Prints the times, memory and idle time of one schedule, device by device.
void schedule_show_one(const struct schedule_candidate *candidate);

// Appends the table as CSV.
void schedule_show_csv(const struct schedule_comparison *comparison,
                       const struct schedule_candidate *base, struct text_buffer *text);
