// SPDX-License-Identifier: Apache-2.0
// The kernel's verbs: nd, and its stages nd rank and nd pipeline.
#ifndef PPS_NDSEARCH_TOOL_H
#define PPS_NDSEARCH_TOOL_H

#include "engine/tool.h"

extern const struct pps_command *const nd_tools[]; // ended with NULL

extern const struct pps_command nd_rank_command;
extern const struct pps_command nd_pipeline_command;

#endif
