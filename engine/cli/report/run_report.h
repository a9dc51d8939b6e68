// SPDX-License-Identifier: Apache-2.0
// Reports the end of a run: counts, best rows, time, and suggested next commands.
#ifndef PPS_ENGINE_CLI_REPORT_RUN_REPORT_H
#define PPS_ENGINE_CLI_REPORT_RUN_REPORT_H

#include "engine/job/job.h"

#include <stdio.h>

// Prints the summary for people on stderr.
void pps_report_print(struct pps_job_result *r);

// Prints the summary for programs: one JSON object on one line of `out`.
PPS_MUST_CHECK enum pps_status pps_report_json(struct pps_job_result *r, FILE *out,
                                               struct pps_error *err);

#endif
