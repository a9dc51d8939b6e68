// SPDX-License-Identifier: Apache-2.0
// Compares the bytes of a complete result with the checksums in the index beside it.
#ifndef PPS_CHECKSUMS_H
#define PPS_CHECKSUMS_H

#include "status.h"

#include <stdbool.h>

// PPS_E_INPUT with the place of the first block of NAME.csv or NAME.csv.gz that does not match its
// checksum, or where the index is damaged or not of this file. *any is false where there is no index.
// Reads the whole file.
PPS_MUST_CHECK enum pps_status pps_checksums_match(const char *path,
                                                   bool *any,
                                                   struct pps_error *err);

#endif
