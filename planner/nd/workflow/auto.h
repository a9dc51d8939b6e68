// SPDX-License-Identifier: Apache-2.0
// Declares the command of the whole workflow: nd auto.
#ifndef PPS_PLANNER_ND_WORKFLOW_AUTO_H
#define PPS_PLANNER_ND_WORKFLOW_AUTO_H

#include "engine/command/command.h"

extern const struct pps_command nd_auto_command;

#endif
