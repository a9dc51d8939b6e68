// SPDX-License-Identifier: Apache-2.0
// Reports what was learned from trainings.
#pragma once

#include "base/write/gate.h"
#include "planner/measure/measured.h"

// Prints the report, and writes the record of the stack to the folder (NULL: prints it).
PPS_MUST_CHECK enum pps_status measured_report(const struct learned *learned,
                                               const struct measured *list, int n,
                                               const char *folder, const struct pps_gate *gate,
                                               struct pps_error *err);
