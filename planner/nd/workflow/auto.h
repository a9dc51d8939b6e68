// SPDX-License-Identifier: Apache-2.0
// Declares the command of the whole workflow: nd auto.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command nd_auto_command;
