// SPDX-License-Identifier: Apache-2.0
// Writes the timelines that a page holds: of the best row of every amount of work, of the same points at
// the kernel's baseline, and of the best rows of the cells of the first map, within budgets.
#pragma once

#include "base/text/text_buffer.h"
#include "engine/report/rows.h"

#include <stdatomic.h>

enum {
    PPS_PAGE_TIMELINES = 16,       // groups of rows whose best row has a timeline
    PPS_PAGE_OTHERS = 2000,        // other rows that may have one
    PPS_PAGE_ALL_PIECES = 120000,  // of all timelines
    PPS_PAGE_EXTRA_NS = 500000000, // time of the other timelines, as the kernel estimates it
};

struct pps_timelines_ask {
    const struct pps_kernel *const *kernels;
    const atomic_bool *stop;
    size_t bytes; // of the timelines of other rows
};

// Appends a JSON list of timelines. The list is empty for a result from stdin, for a kernel without
// timelines, and for a result whose points cannot be computed again. PPS_E_STOPPED after a stop.
PPS_MUST_CHECK enum pps_status pps_page_timelines(const struct pps_page_rows *rows,
                                                  const struct pps_timelines_ask *ask,
                                                  struct text_buffer *json,
                                                  struct pps_error *err);
