// SPDX-License-Identifier: Apache-2.0
// Peaks of dry runs as people hand them in: a table with the columns dp, tp, pp, ep, peak_mb and,
// where they are known, rank, cp, op and mbs.
#ifndef PPS_NDSEARCH_PEAKS_H
#define PPS_NDSEARCH_PEAKS_H

#include "epfit.h"

#include "kernels/common/table.h"

struct nd_dryrun_peaks {
    struct nd_dryrun_peak *rows;
    size_t n;
};

// dense: ep may be missing and is 0 then. To be freed whatever comes back.
bool nd_dryrun_peaks_read(struct nd_dryrun_peaks *peaks,
                          const struct table *table,
                          bool dense,
                          struct table_fault *fault);
void nd_dryrun_peaks_free(struct nd_dryrun_peaks *peaks);

#endif
