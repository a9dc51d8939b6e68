// SPDX-License-Identifier: Apache-2.0
// The data that come with the program: sweep_configs (with models and clusters) and plot_scripts.
#ifndef PPS_DATAFOLDER_H
#define PPS_DATAFOLDER_H

#include "status.h"

#include <stddef.h>

// Writes the path of `name` ("plot_scripts") in the first data folder there is:
//   1. $PPSWEEP_DATA, where it is set and not empty; then no other folder is tried;
//   2. the folder where `cmake --install` puts the data, found from the folder of the executable:
//      ../share/ppsweep unless the build chose other folders. An installation can be moved;
//   3. beside an executable in a build tree: the source tree.
// PPS_E_MACHINE where there is no data folder, with what to do; `name` itself is not looked at.
// Safe to call from several threads.
PPS_MUST_CHECK enum pps_status pps_data_path(const char *name,
                                             char *out,
                                             size_t cap,
                                             struct pps_error *err);

#endif
