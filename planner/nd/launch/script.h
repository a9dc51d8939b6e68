// SPDX-License-Identifier: Apache-2.0
// Writes launch scripts for models that no configuration of a framework describes.
#ifndef PPS_PLANNER_ND_LAUNCH_SCRIPT_H
#define PPS_PLANNER_ND_LAUNCH_SCRIPT_H

#include "planner/nd/launch/launch.h"

// Appends a shell script that starts Megatron-LM with the options of nd_launch_megatron() and those of its own command line:
// data, tokenizer and optimizer are not known here. It reads back as a configuration of Megatron-LM.
void nd_launch_script(struct text_buffer *text,
                      const struct nd_launch *launch,
                      int64_t devices,
                      int64_t node_devices);

#endif
