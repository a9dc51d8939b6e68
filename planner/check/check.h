// SPDX-License-Identifier: Apache-2.0
// The commands check, compare, models and clusters, for the list of all commands.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command check_command, compare_command, models_command,
    clusters_command;
extern const struct pps_command *const check_tools[];
