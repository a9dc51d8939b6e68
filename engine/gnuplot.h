// SPDX-License-Identifier: Apache-2.0
// Running gnuplot: no shell in between, so file names may hold anything.
#ifndef PPS_GNUPLOT_H
#define PPS_GNUPLOT_H

#include "status.h"

// PPS_E_MACHINE where gnuplot cannot be started, with what to install.
PPS_MUST_CHECK enum pps_status pps_gnuplot_check(struct pps_error *err);

// Runs gnuplot in `folder` with these arguments (ended with NULL, args[0] is the program's
// name) and waits for it. What it prints goes to "gnuplot.log" there; where it fails, the last
// line of that is the error.
PPS_MUST_CHECK enum pps_status pps_gnuplot_run(const char *folder,
                                               char *const *args,
                                               struct pps_error *err);

#endif
