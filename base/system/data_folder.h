// SPDX-License-Identifier: Apache-2.0
// Finds the data files of the program: sweep_configs (with models and clusters) and
// plot_scripts.
#ifndef PPS_DATAFOLDER_H
#define PPS_DATAFOLDER_H

#include "base/text/status.h"

#include <stddef.h>

// Writes the path of `name` (such as "plot_scripts") in the first data folder that exists:
//   1. $PPSWEEP_DATA, if set and not empty; no other folder is tried then;
//   2. the folder where `cmake --install` puts the data, relative to the folder of the
//   executable: ../share/ppsweep unless the build chose other folders. An installation can be
//   moved;
//   3. the source tree, for an executable in a build tree.
// Returns PPS_E_MACHINE with advice if there is no data folder. Does not check that `name`
// exists. cap is the size of out in bytes. Thread-safe.
PPS_MUST_CHECK enum pps_status pps_data_path(const char *name,
                                             char *out,
                                             size_t cap,
                                             struct pps_error *err);

#endif
