// SPDX-License-Identifier: Apache-2.0
// Declares the commands schedule judge and schedule learn.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command schedule_judge_command, schedule_learn_command;
