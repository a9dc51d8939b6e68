// SPDX-License-Identifier: Apache-2.0
// What `ppsweep check` knows of a training: its configuration, its step, and what could be changed at once.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/configuration/price.h"
#include "planner/nd/profiling/fit_probability.h"
#include "planner/nd/profiling/left_out.h"
#include "planner/shared/plan_configuration.h"

enum { CHECKED_CHANGES = 8, CHECKED_LABEL = 80 };

// A configuration that differs from the training in one thing.
struct checked_change {
    char label[CHECKED_LABEL];
    double seconds, peak; // of its step, s and bytes
    bool fits;
};

struct checked {
    struct plan_run run;
    struct plan_configuration plan;
    struct configuration_step step;
    const struct nd_left_out_group *group; // of published steps; NULL: none is comparable
    struct checked_change
        changes[CHECKED_CHANGES]; // the ones that fit first, of them the fastest first
    int n_changes;
};

static inline bool checked_fits(const struct checked *checked)
{
    return checked->step.peak <= checked->plan.configuration.cluster.memory_limit;
}

// Evaluates what could be changed at once.
enum configuration_status checked_find_changes(struct checked *checked, struct poll *poll);

// Prints what was read and assumed.
void checked_print_read(const struct checked *checked);

// Returns a time, always in s so that times can be compared.
const char *checked_seconds(double value, char text[32]);

void checked_print(const struct checked *checked, const struct pps_args *args);

// Appends the report as one JSON object, and the members of this object alone.
void checked_json_members(const struct checked *checked, struct text_buffer *out);
void checked_json(const struct checked *checked, struct text_buffer *out);
