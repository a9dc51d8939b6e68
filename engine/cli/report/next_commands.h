// SPDX-License-Identifier: Apache-2.0
// Prints the commands that a summary suggests, on stderr.
#pragma once

#include "engine/cli/report/run_report.h"
#include "engine/experiment/experiment.h"

#include <stdint.h>

// ---- point words --------------------------------------------------------------------------------

// Prints `before` and "name=value name=value" of the point with this index on stderr, quoted as a
// shell needs it. Prints nothing without memory.
void pps_say_point(const struct pps_experiment *experiment, uint64_t index, const char *before);

// ---- next commands ------------------------------------------------------------------------------

// Suggests commands that work on this result: none for a result without rows.
void pps_next_commands(struct pps_job_result *report);

// Suggests the page of a result; nothing for "-".
void pps_next_report(const char *path);

// Suggests the commands that look at any complete result with values.
void pps_next_look(const char *path);
