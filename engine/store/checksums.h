// SPDX-License-Identifier: Apache-2.0
// Compares the bytes of a complete result with the checksums in the index beside the result.
#ifndef PPS_ENGINE_STORE_CHECKSUMS_H
#define PPS_ENGINE_STORE_CHECKSUMS_H

#include "base/text/status.h"

#include <stdbool.h>

// Reads all of NAME.csv or NAME.csv.gz. Returns PPS_E_INPUT with the place of the first block
// that does not match its checksum, or if the index is damaged or belongs to another file. *any
// is false if there is no index.
PPS_MUST_CHECK enum pps_status pps_checksums_match(const char *path,
                                                   bool *any,
                                                   struct pps_error *err);

#endif
