// SPDX-License-Identifier: Apache-2.0
// Explicit points: a CSV with a column a parameter and a line a point, as an axis that sets them
// all; and the header line that such files share with the input of `eval`.
#ifndef PPS_POINTS_H
#define PPS_POINTS_H

#include "axis.h"
#include "csvfile.h"

// Loads the file as one table axis, its members in the order of the columns. *digest is XXH64 of
// the file.
PPS_MUST_CHECK enum pps_status pps_points_load(struct pps_axis *axis,
                                               const struct pps_kernel *kernel,
                                               const char *path,
                                               uint64_t *digest,
                                               struct pps_error *err);

#endif
