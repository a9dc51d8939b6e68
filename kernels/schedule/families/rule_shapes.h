// SPDX-License-Identifier: Apache-2.0
// Tells which pipelines the closed rules can order, and how many chunks they need.
#ifndef PPS_SCHEDULE_FAMILIES_RULE_SHAPES_H
#define PPS_SCHEDULE_FAMILIES_RULE_SHAPES_H

#include "kernels/schedule/families/family.h"

// Return a reason if the pipeline has slices or another number of directions; otherwise NULL.
const char *rules_misfit_directions(const struct pipeline_shape *shape, int32_t directions);

// family.misfit of one stage per device, and of placement loop with any number of chunks.
const char *rules_misfit_linear(const struct pipeline_shape *shape,
                                const struct family_options *options);
const char *rules_misfit_loop(const struct pipeline_shape *shape,
                              const struct family_options *options);

// family.chunks: one chunk; two; v, but at least two.
int32_t rules_one_chunk(int32_t v);
int32_t rules_two_chunks(int32_t v);
int32_t rules_several_chunks(int32_t v);

#endif
