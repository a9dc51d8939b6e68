// SPDX-License-Identifier: Apache-2.0
// The best rows of a run, for people: a table on stderr, and how many more are as good.
#ifndef PPS_CLI_BESTROWS_H
#define PPS_CLI_BESTROWS_H

#include "report.h"

void pps_bestrows_print(const struct pps_report *report);

// Whether there are rows as good as the best ones that are not among those shown.
bool pps_bestrows_have_ties(const struct pps_report *report);

#endif
