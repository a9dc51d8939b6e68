// SPDX-License-Identifier: Apache-2.0
// The units in which figures of schedules are shown: those of the user, or of a plan (s and bytes) with a size that suits.
#pragma once

#include "base/text/human.h"

struct plan;

struct schedule_units {
    double time, memory;                 // one unit in those of the schedule
    const char *time_name, *memory_name; // "": unknown
};

// time, memory: figures that choose the units. plan: NULL: none.
struct schedule_units schedule_units_of(const struct plan *plan, double time, double memory);

// Return a figure with its unit: "66.529 s", "52.714 GiB", "12 345".
struct pps_count_text schedule_time_text(const struct plan *plan, double time);
struct pps_count_text schedule_memory_text(const struct plan *plan, double memory);
