// SPDX-License-Identifier: Apache-2.0
// Points of the ndsearch kernel: golden cases, random settings, and their plain estimates.
#pragma once

#include "kernels/common/estimate/estimate.h"
#include "kernels/common/estimate/reference.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/kernels/models.h"

// Returns the model of a golden case with its overrides.
struct modeldesc golden_model(const cJSON *document, const cJSON *c);

// Returns the point of a golden case; all replicas share optimizer states.
struct nd_point golden_point(const cJSON *c);

// Returns an empty cache; the caller frees it.
struct nd_cache *make_cache(void);

struct nd_setting {
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
    struct nd_estimate estimate;
};

void random_setting(struct random *r, struct nd_setting *s, uint32_t id);
struct nd_point random_nd_point(struct random *r, const struct modeldesc *m);

// Chunks and stages of the last plain_estimate.
enum { PLAIN_CHUNKS = 8192, PLAIN_STAGES = 128 };
extern struct nd_chunk plain_chunks[PLAIN_CHUNKS];
extern struct nd_stage plain_stages[PLAIN_STAGES];

// Computes the reference into *memory and, unless NULL, *time.
void plain_estimate(const struct nd_estimate *e, const struct nd_point *p,
                    struct nd_memory *memory, struct nd_time *time);
