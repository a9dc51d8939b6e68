// SPDX-License-Identifier: Apache-2.0
// What the readers of the parts of a plan share.
#pragma once

#include "base/document/fields.h"
#include "base/text/text_buffer.h"
#include "kernels/common/plan/plan.h"

#include <cjson/cJSON.h>

#define PLAN_LARGEST 1e100 // of times, bytes and bandwidths

struct plan_reader {
    const struct cJSON *root;
    const struct docitems *items; // of the root
    struct plan *plan;            // pipeline and placement are read first
    struct pps_fault *fault;
};

// Checks that an item is a list of n items.
bool plan_require_list(const struct plan_reader *r, const struct cJSON *item, const char *name,
                       int32_t n);

// Read a part into the plan; the value NULL: the plan has no such part. False: a fault, or out of
// memory.
bool plan_read_links(const struct plan_reader *r, const struct cJSON *object);
bool plan_read_order(const struct plan_reader *r, const struct cJSON *list);
bool plan_read_makers(const struct plan_reader *r, const struct cJSON *object);
bool plan_read_layers(const struct plan_reader *r, const struct cJSON *object);

// Appends ", " and the layers, which the plan has.
void plan_write_layers(const struct plan *plan, struct text_buffer *out);
