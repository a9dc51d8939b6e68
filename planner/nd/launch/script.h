// SPDX-License-Identifier: Apache-2.0
// Writes launch scripts for models that no configuration of a framework describes.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "planner/nd/launch/launch.h"
#include "planner/nd/profiling/profile.h"

// ---- profile line -------------------------------------------------------------------------------

// Appends a shell command that uses the variables of nd_plan_write(): NNODES, GPUS_PER_NODE and
// PROFILE_STEP_START and _END. model, training: of the whole run, before the reduction.
void nd_launch_profile_run(struct text_buffer *text, const struct nd_profile_run *run,
                           const struct modeldesc *model, const struct training *training,
                           int64_t micro_batches);

// ---- script -------------------------------------------------------------------------------------

// Appends a shell script that starts Megatron-LM with the options of nd_launch_megatron() and those of its own command line:
// data, tokenizer and optimizer are not known here. It reads back as a configuration of Megatron-LM.
void nd_launch_script(struct text_buffer *text, const struct nd_launch *launch, int64_t devices,
                      int64_t node_devices);
