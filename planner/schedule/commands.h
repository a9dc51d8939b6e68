// SPDX-License-Identifier: Apache-2.0
// Declares the commands schedule and schedule check.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command schedule_command, schedule_check_command;
