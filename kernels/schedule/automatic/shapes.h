// SPDX-License-Identifier: Apache-2.0
// Tells which pipelines the automatic schedulers can order.
#ifndef PPS_SCHEDULE_AUTOMATIC_SHAPES_H
#define PPS_SCHEDULE_AUTOMATIC_SHAPES_H

#include "kernels/schedule/families/family.h"

// family.misfit and family.chunks of one stage per device, and of placement V.
const char *shapes_misfit_one(const struct pipeline_shape *shape,
                              const struct family_options *options);
const char *shapes_misfit_vee(const struct pipeline_shape *shape,
                              const struct family_options *options);
int32_t shapes_one_chunk(int32_t v);
int32_t shapes_two_chunks(int32_t v);

#endif
