// SPDX-License-Identifier: Apache-2.0
// A choice of the pipeline program played through: when every pass of every stage runs, what the
// stage holds from then on, and where the idle time comes from. For pictures and reports.
#ifndef PPS_NDSEARCH_PLAYBACK_H
#define PPS_NDSEARCH_PLAYBACK_H

#include "kernels/common/bubble.h"
#include "kernels/common/passes.h"
#include "program.h"

// In forwards of a type-2 layer and MiB. The shape is that of the program, or of what is laid out of
// it; orders_check allows it. To be freed whatever comes back.
enum nd_outcome nd_play(const struct nd_program *program,
                        const struct nd_choice *choice,
                        const struct orders_shape *shape,
                        struct passes *passes);

// What part of the device time is idle, and why.
enum nd_outcome nd_bubble(const struct nd_program *program,
                          const struct nd_choice *choice,
                          struct bubble *bubble);

#endif
