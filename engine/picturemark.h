// SPDX-License-Identifier: Apache-2.0
// Picture marks: a signature inside a PNG or SVG file that names the result the picture shows and
// the digest of the picture. A picture whose mark is valid was drawn from this result and has not
// been edited since, so drawing it again may replace it.
#ifndef PPS_PICTUREMARK_H
#define PPS_PICTUREMARK_H

#include "status.h"

#include <stdbool.h>

// Adds the mark to a picture without one, in place. A file that is neither PNG nor SVG stays as it
// is. `result` is the path of the result, or "-".
PPS_MUST_CHECK enum pps_status pps_picturemark_add(const char *picture,
                                                   const char *result,
                                                   struct pps_error *err);

// Whether the picture has a valid mark of this result. False where it cannot be read.
bool pps_picturemark_valid(const char *picture, const char *result);

#endif
