// SPDX-License-Identifier: Apache-2.0
// Adds columns to the rows of a result that are computed from other columns:
// `gain=1 - total_time/ideal_time`.
#ifndef PPS_ENGINE_READ_DERIVED_H
#define PPS_ENGINE_READ_DERIVED_H

#include "base/text/status.h"
#include "engine/read/row_expression.h"

struct pps_view;

struct pps_derived {
    char name[64];
    struct pps_row_expression expression;
};

// Reads NAME=EXPRESSION and appends the column to the view, as a result without a unit or a goal.
// Later derived columns and filters may use it. A cell is empty where the expression has no finite
// value. PPS_E_INPUT for a name that is taken or no name, and for an expression with a fault. The
// caller frees it in every case.
PPS_MUST_CHECK enum pps_status pps_derived_add(struct pps_derived *derived,
                                               struct pps_view *view,
                                               const char *word,
                                               struct pps_error *err);
void pps_derived_free(struct pps_derived *derived); // a zeroed one is fine

#endif
