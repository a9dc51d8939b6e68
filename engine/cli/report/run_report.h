// SPDX-License-Identifier: Apache-2.0
// Reports the end of a run: counts, best rows, time, and suggested next commands.
#pragma once

#include "engine/job/job.h"

#include <stdio.h>

// Prints the summary for people on stderr.
void pps_report_print(struct pps_job_result *r);

// Prints the summary for programs: one JSON object on one line of `out`.
PPS_MUST_CHECK enum pps_status pps_report_json(struct pps_job_result *r, FILE *out,
                                               struct pps_error *err);
