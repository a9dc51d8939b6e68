// SPDX-License-Identifier: Apache-2.0
// Runs gnuplot without a shell, so file names may contain any character.
#ifndef PPS_ENGINE_PICTURE_GNUPLOT_H
#define PPS_ENGINE_PICTURE_GNUPLOT_H

#include "base/text/status.h"

#include <stdatomic.h>

// Returns PPS_E_MACHINE with the package to install if gnuplot cannot be started.
PPS_MUST_CHECK enum pps_status pps_gnuplot_check(struct pps_error *err);

// Runs gnuplot in `folder` and waits until it ends. args ends with NULL; args[0] is the
// program's name. The output goes to "gnuplot.log" in the folder. If gnuplot fails, the error
// is the last line of that file. Returns PPS_E_STOPPED if the flag `stop` (NULL: none) ended gnuplot.
PPS_MUST_CHECK enum pps_status pps_gnuplot_run(const char *folder,
                                               char *const *args,
                                               const atomic_bool *stop,
                                               struct pps_error *err);

#endif
