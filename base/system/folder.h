// SPDX-License-Identifier: Apache-2.0
// Creates output folders.
#ifndef PPS_FOLDER_H
#define PPS_FOLDER_H

#include "base/text/status.h"

// Creates a folder and its missing parents. Returns PPS_E_INPUT if a folder cannot be created
// or a file of another type has its name.
PPS_MUST_CHECK enum pps_status pps_folder_make(const char *path, struct pps_error *err);

#endif
