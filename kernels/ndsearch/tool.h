// SPDX-License-Identifier: Apache-2.0
// The kernel's verbs: nd.
#ifndef PPS_NDSEARCH_TOOL_H
#define PPS_NDSEARCH_TOOL_H

#include "engine/tool.h"

extern const struct pps_command *const nd_tools[]; // ended with NULL

#endif
