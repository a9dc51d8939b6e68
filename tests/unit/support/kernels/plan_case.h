// SPDX-License-Identifier: Apache-2.0
// Loads golden cases of plans, and draws random ones.
#pragma once

#include "kernels/dynapipe/search/plan_task.h"
#include "tests/unit/support/random.h"

#include <cjson/cJSON.h>

// A task with its memory.
struct plan_case {
    struct dynapipe_pipeline pipeline;
    struct micro_batches of[DYNAPIPE_RECOMPUTE_TYPES];
    struct plan_task task;
    int32_t *device_of;
    double *state, *limit;
    void *memory;
};

// Allocates a task: one stage per device, no limit, all types of recomputation. The tables are not set.
void plan_case_open(struct plan_case *c, int32_t devices, int32_t stages, int32_t count);

// Loads tests/golden/dynapipe/<name>; *expected, and all of the document, belong to the caller.
cJSON *plan_case_load(struct plan_case *c, const char *name, const cJSON **expected);

// Draws tables: micro-batches that differ, and recomputation that takes longer and keeps less.
void plan_case_draw(struct plan_case *c, struct random *r);

void plan_case_close(struct plan_case *c);
