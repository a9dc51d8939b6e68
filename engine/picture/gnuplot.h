// SPDX-License-Identifier: Apache-2.0
// Runs gnuplot without a shell, so file names may contain any character.
#pragma once

#include "base/system/process.h"
#include "base/text/status.h"

#include <stdatomic.h>
#include <stddef.h>

// Returns PPS_E_MACHINE with the package to install if gnuplot cannot be started.
PPS_MUST_CHECK enum pps_status pps_gnuplot_check(struct pps_error *err);

// A gnuplot that runs.
struct pps_gnuplot {
    struct pps_process process;
    char log[4096];
};

// Starts gnuplot in `folder`. args ends with NULL; args[0] is the program's name. The output goes to
// "gnuplot-NUMBER.log" in the folder: processes that run at the same time have different numbers.
PPS_MUST_CHECK enum pps_status pps_gnuplot_start(struct pps_gnuplot *gnuplot,
                                                 const char *folder, size_t number,
                                                 char *const *args, struct pps_error *err);

// Waits until gnuplot ends. If gnuplot fails, the error is the last line of its output. Returns
// PPS_E_STOPPED if the flag `stop` (NULL: none) ended gnuplot.
PPS_MUST_CHECK enum pps_status pps_gnuplot_wait(struct pps_gnuplot *gnuplot,
                                                const atomic_bool *stop, struct pps_error *err);
