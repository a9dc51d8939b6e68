// SPDX-License-Identifier: Apache-2.0
// The command tune, for the list of all commands.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command tune_command;
extern const struct pps_command *const tune_tools[];
