// SPDX-License-Identifier: Apache-2.0
// Prints the best rows of a run as a table on stderr, and the number of further equal rows.
#pragma once

#include "engine/cli/report/run_report.h"

void pps_bestrows_print(struct pps_job_result *report);

// Returns whether there are rows equal to the best rows that are not shown.
bool pps_bestrows_have_ties(struct pps_job_result *report);
