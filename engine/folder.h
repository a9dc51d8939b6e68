// SPDX-License-Identifier: Apache-2.0
// Folders for what is written.
#ifndef PPS_FOLDER_H
#define PPS_FOLDER_H

#include "status.h"

// Makes a folder and those above it, where they are missing. PPS_E_INPUT where one cannot be, or
// something else has its name.
PPS_MUST_CHECK enum pps_status pps_folder_make(const char *path, struct pps_error *err);

#endif
