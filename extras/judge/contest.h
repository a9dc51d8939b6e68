// SPDX-License-Identifier: Apache-2.0
// The contest of `ppsweep schedule judge` without arguments: zero bubble orders of both placements on several
// pipelines, each as it is, under PULL and under the policies that come with the program, at equal memory.
#pragma once

#include "extras/judge/judge_job.h"

enum {
    CONTEST_REPLICATES = 32
}; // unless the options say otherwise: 20 seconds on one core in all

// Sets the limits and rows of the judge, whose levels, policies and times are those of the job.
PPS_MUST_CHECK enum pps_status contest_set(struct judge_job *job, struct pps_error *err);

// Prints the table, and what follows from it at each level.
void contest_show(const struct judge_job *job);
