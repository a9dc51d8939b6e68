// SPDX-License-Identifier: Apache-2.0
// Declares the command that reads logs and profiles of runs: nd parse.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command nd_parse_command;
