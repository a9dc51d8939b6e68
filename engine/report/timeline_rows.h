// SPDX-License-Identifier: Apache-2.0
// Chooses the rows whose timelines a page holds.
#pragma once

#include "base/text/status.h"
#include "engine/report/rows.h"

#include <stdatomic.h>
#include <stddef.h>

struct pps_timeline_rows {
    size_t *best; // n_best: the best row of every amount of work, in the order of the result
    size_t n_best;
    size_t *more; // n_more: the best rows of the cells of the kernel's map, the best first
    size_t n_more;
};

// Chooses at most most_best and most_more rows. A row stands in one list only. PPS_E_STOPPED
// after a stop (NULL: never). The caller closes
// `chosen` in every case.
PPS_MUST_CHECK enum pps_status pps_timeline_rows_open(struct pps_timeline_rows *chosen,
                                                      const struct pps_page_rows *rows,
                                                      size_t most_best, size_t most_more,
                                                      const atomic_bool *stop,
                                                      struct pps_error *err);
void pps_timeline_rows_close(struct pps_timeline_rows *chosen);
