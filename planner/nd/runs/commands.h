// SPDX-License-Identifier: Apache-2.0
// Declares the commands that launch a training framework: nd dryrun and nd profile.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command nd_dryrun_command;
extern const struct pps_command nd_profile_command;
