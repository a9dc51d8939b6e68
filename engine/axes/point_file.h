// SPDX-License-Identifier: Apache-2.0
// The points reader loads explicit points: a CSV file with one column per parameter and one
// line per point becomes an axis that sets all these parameters. The input of `eval` has the
// same header line.
#pragma once

#include "base/table/csv.h"
#include "engine/space/axis.h"

// Loads the file as one table axis whose members are in the order of the columns. *digest is
// the XXH64 of the file. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status pps_points_load(struct pps_axis *axis,
                                               const struct pps_kernel *kernel,
                                               const char *path, uint64_t *digest,
                                               struct pps_error *err);
