// SPDX-License-Identifier: Apache-2.0
// Tells which pipelines a family can order, and how many chunks it needs: functions that several
// families share.
#pragma once

#include "kernels/schedule/families/family.h"

// Return a reason if the pipeline has slices or another number of directions; otherwise NULL.
const char *shapes_misfit_directions(const struct pipeline_shape *shape, int32_t directions);

// family.misfit of one stage per device, of placement V, and of placement loop with any number of chunks.
const char *shapes_misfit_one(const struct pipeline_shape *shape,
                              const struct family_options *options);
const char *shapes_misfit_vee(const struct pipeline_shape *shape,
                              const struct family_options *options);
const char *shapes_misfit_loop(const struct pipeline_shape *shape,
                               const struct family_options *options);

// family.chunks: one chunk; two; v, but at least two.
int32_t shapes_one_chunk(int32_t v);
int32_t shapes_two_chunks(int32_t v);
int32_t shapes_several_chunks(int32_t v);
