// SPDX-License-Identifier: Apache-2.0
// Prints the launch line of a reduced run to profile with Megatron-LM.
#ifndef PPS_PLANNER_ND_LAUNCH_PROFILE_LINE_H
#define PPS_PLANNER_ND_LAUNCH_PROFILE_LINE_H

#include "base/text/text_buffer.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "planner/nd/profiling/profile.h"

// Appends a shell command that uses the variables of nd_plan_write(): NNODES, GPUS_PER_NODE and
// PROFILE_STEP_START and _END. model, training: of the whole run, before the reduction.
void nd_launch_profile_run(struct text_buffer *text,
                           const struct nd_profile_run *run,
                           const struct modeldesc *model,
                           const struct training *training,
                           int64_t micro_batches);

#endif
