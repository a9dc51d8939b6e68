// SPDX-License-Identifier: Apache-2.0
// Picture metadata tell where a picture comes from: the command that draws it, the version of
// ppsweep and the digest of the experiment. They are text chunks of a PNG, an element <metadata>
// of an SVG, and the document information of a PDF.
#pragma once

#include "base/text/status.h"

struct pps_picture_about {
    const char *command; // "ppsweep plot result.csv --x n"; NULL: unknown
    const char *version; // "0.1.0"; NULL: the picture gets no metadata
    const char *digest;  // of the experiment; NULL: unknown
};

// Adds the metadata, in place, to a picture that gnuplot wrote. Removes the date from a PDF, so
// that the same command draws the same bytes. Keeps the cells of large maps sharp in an SVG, and
// replaces control characters there, which XML does not have.
// Returns PPS_E_MACHINE if the file is not a whole PNG, SVG or PDF, as after a full disk.
PPS_MUST_CHECK enum pps_status pps_picture_metadata_add(const char *picture,
                                                        const struct pps_picture_about *about,
                                                        struct pps_error *err);
