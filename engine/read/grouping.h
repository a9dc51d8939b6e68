// SPDX-License-Identifier: Apache-2.0
// Groups rows that have equal values in some columns, and numbers the groups 0, 1, 2 ... as
// they first appear.
#pragma once

#include "base/text/string_pool.h"
#include "engine/read/row_text.h"
#include "engine/read/view.h"

// A zeroed one has no columns: every row is of group 0.
struct pps_grouping {
    int *by;
    int n_by;
    bool asked; // the columns were named
    struct text_buffer key;
    struct pps_string_pool names; // of group i: its values with commas between
};

// Groups by the columns of a list with commas between (--by), PPS_BY_NONE for one group. NULL: by the
// parameters that change the amount of work, where rows are ranked by one of n `objectives`, columns
// of the file, that depends on it. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_grouping_open(struct pps_grouping *grouping,
                                                 const struct pps_view *view, const char *by,
                                                 const int *objectives, int n,
                                                 struct pps_error *err);
void pps_grouping_close(struct pps_grouping *grouping); // a zeroed one is fine

// *group: the group of a row. A new one shows in names.n.
PPS_MUST_CHECK enum pps_status pps_grouping_find(struct pps_grouping *grouping,
                                                 const struct pps_cell *cells, uint32_t *group,
                                                 struct pps_error *err);
