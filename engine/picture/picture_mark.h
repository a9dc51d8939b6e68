// SPDX-License-Identifier: Apache-2.0
// Picture marks are signatures inside a PNG, SVG or PDF file. A mark names the result that the
// picture shows and the digest of the picture. A picture with a valid mark was drawn from this
// result and has not been edited since, so a new drawing may replace it.
#ifndef PPS_ENGINE_PICTURE_PICTURE_MARK_H
#define PPS_ENGINE_PICTURE_PICTURE_MARK_H

#include "base/text/status.h"

#include <stdbool.h>

// Adds the mark, in place, to a picture without one. Leaves a file that is no PNG, SVG or PDF
// unchanged. `result` is the path of the result, or "-".
PPS_MUST_CHECK enum pps_status pps_picturemark_add(const char *picture,
                                                   const char *result,
                                                   struct pps_error *err);

// Returns whether the picture has a valid mark of this result; false if the picture cannot be
// read.
bool pps_picturemark_valid(const char *picture, const char *result);

#endif
