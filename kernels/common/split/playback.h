// SPDX-License-Identifier: Apache-2.0
// Plays a choice of the pipeline program: when every pass of every stage runs, the memory of the
// stage after each pass, and the causes of idle time. For pictures and reports.
#ifndef PPS_NDSEARCH_PLAYBACK_H
#define PPS_NDSEARCH_PLAYBACK_H

#include "kernels/common/pipeline/bubble.h"
#include "kernels/common/pipeline/passes.h"
#include "kernels/common/split/program.h"

// In forwards of a type-2 layer and MiB. The shape is that of the program, or of what is laid out
// of it; orders_check allows it. To be freed whatever comes back.
enum nd_outcome nd_play(const struct nd_program *program,
                        const struct nd_choice *choice,
                        const struct orders_shape *shape,
                        struct passes *passes);

// Overhead as a fraction of useful time, by cause.
enum nd_outcome nd_bubble(const struct nd_program *program,
                          const struct nd_choice *choice,
                          struct bubble *bubble);

#endif
