// SPDX-License-Identifier: Apache-2.0
// Reads the peaks of dry runs from a table with the columns dp, tp, pp, ep, peak_mb and optionally
// rank, cp, op and mbs.
#pragma once

#include "planner/nd/strategies/expert_fit.h"

#include "base/table/table.h"

struct nd_dryrun_peaks {
    struct nd_dryrun_peak *rows;
    size_t n;
};

// dense: ep may be missing; it is then 0. The caller frees *peaks in every case.
bool nd_dryrun_peaks_read(struct nd_dryrun_peaks *peaks, const struct table *table, bool dense,
                          struct pps_fault *fault);
void nd_dryrun_peaks_free(struct nd_dryrun_peaks *peaks);
