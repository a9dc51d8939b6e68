// SPDX-License-Identifier: Apache-2.0
// Turns configurations of training frameworks into documents of kernels: the `convert` of slots.
#pragma once

#include "ppsweep/fault.h"

#include <stddef.h>

// Returns the run document of a configuration: {"model": {...}, "cluster": {...}, "training": {...},
// "baseline": {...}}.
char *configuration_convert_run(const char *path, const char *text, size_t n,
                                struct pps_fault *fault);

// Returns the plan of the step of a configuration on H100 devices, which its name says; the file says how many. To
// price it on other devices: ppsweep check FILE CLUSTER --plan.
char *configuration_convert_plan(const char *path, const char *text, size_t n,
                                 struct pps_fault *fault);
