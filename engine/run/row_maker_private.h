// SPDX-License-Identifier: Apache-2.0
// Holds the state of a row maker; private to row_maker.c and row_maker_open.c.
#pragma once

#include "base/table/cell.h"
#include "engine/run/audit.h"
#include "engine/run/row_maker.h"

enum { PPS_ROW_PIECE = 32 }; // bytes of a prefix copied at once

// A row of an earlier result among the points of a batch.
struct pps_found {
    size_t before; // it comes before this point of the batch
    uint64_t index;
    size_t prefix_n;
    struct pps_reused reused;
};

struct pps_rowmaker {
    const struct pps_experiment *experiment;
    const struct pps_kernel *kernel;
    struct pps_cursor cursor;
    struct pps_best_by_group best;    // in a contest of the latest points; else of all points
    struct pps_best_by_group nearest; // of infeasible rows, likewise
    struct pps_shared_best *contest;  // or NULL
    struct pps_rival rival;
    bool prunes;  // the kernel bounds the objective
    double slack; // how much the objective as written may differ from what was computed
    int by[PPS_MAX_PARAMS];
    int n_by;
    int objective;
    double *values; // one array of PPS_BATCH for each parameter, then for each wanted column
    const double *param[PPS_MAX_PARAMS];
    int varying[PPS_MAX_PARAMS]; // parameters that are not the same at all points
    int n_varying;
    int asked[PPS_MAX_COLUMNS]; // columns that are wanted, and the objective
    int n_asked;
    double *column[PPS_MAX_COLUMNS];
    char *texts;                    // one array of PPS_BATCH for each wanted text column
    char *text_of[PPS_MAX_COLUMNS]; // NULL: not a text, or not wanted
    int decimals[PPS_MAX_COLUMNS];
    uint8_t outcome[PPS_BATCH];
    uint64_t index[PPS_BATCH];
    size_t n_batch;
    char *prefixes;    // of the batch, one behind the other
    size_t prefix_cap; // greatest bytes of one
    size_t prefix_end[PPS_BATCH];
    const struct pps_known_rows *reuse; // or NULL
    struct pps_found *found;            // PPS_BATCH of them, their prefixes and groups
    char *found_prefixes;
    double *found_groups;
    size_t n_found;
    struct pps_reused *claims; // [PPS_BATCH]: reused rows of points computed again for an audit
    char *text;
    size_t text_n, text_cap;
    size_t row_cap; // greatest bytes of a row
    void *scratch;
    struct pps_auditor *auditor; // or NULL
    double audit;                // the fraction of rows that is audited; 0: none
    bool only_audited;           // make no other rows
    struct pps_cell shown;       // the objective in the row written last; n 0: not shown
    struct pps_cell shown_need;  // what `nearest` looks at, likewise
};
