// SPDX-License-Identifier: Apache-2.0
// Writes the timelines that a page holds: of the best row of every amount of work, and of the same
// points at the kernel's baseline.
#ifndef PPS_ENGINE_REPORT_TIMELINES_H
#define PPS_ENGINE_REPORT_TIMELINES_H

#include "base/text/text_buffer.h"
#include "engine/report/rows.h"

#include <stdatomic.h>

enum {
    PPS_PAGE_TIMELINES = 16,      // groups of rows whose best row has a timeline
    PPS_PAGE_PIECES = 20000,      // of a timeline; a longer one is shown as utilisation
    PPS_PAGE_CELLS = 60000,       // of the utilisation of a timeline
    PPS_PAGE_ALL_PIECES = 120000, // of all timelines
};

// Appends a JSON list of timelines. The list is empty for a result from stdin, for a kernel without
// timelines, and for a result whose points cannot be computed again. PPS_E_STOPPED after a stop.
PPS_MUST_CHECK enum pps_status pps_page_timelines(const struct pps_page_rows *rows,
                                                  const struct pps_kernel *const *kernels,
                                                  const atomic_bool *stop,
                                                  struct text_buffer *json,
                                                  struct pps_error *err);

#endif
