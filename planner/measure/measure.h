// SPDX-License-Identifier: Apache-2.0
// Declares the commands that measure: a device, and a training.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command measure_command;
extern const struct pps_command measure_device_command;
