// SPDX-License-Identifier: Apache-2.0
// Derives the kinds of columns from all of their cells, for columns that no kernel declares.
#ifndef PPS_ENGINE_CONVERT_KINDS_OF_CELLS_H
#define PPS_ENGINE_CONVERT_KINDS_OF_CELLS_H

#include "base/columns/cell_kind.h"
#include "engine/read/view.h"

struct pps_kinds_of_cells {
    int n;              // columns of the view
    bool *possible;     // n x PPS_CELLS_KINDS
    bool *has_any_cell; // that is not empty
};

// Reads all rows. The caller calls pps_kinds_of_cells_free in every case.
PPS_MUST_CHECK enum pps_status pps_kinds_of_cells_read(struct pps_kinds_of_cells *kinds,
                                                       const struct pps_view_ask *ask,
                                                       struct pps_error *err);
void pps_kinds_of_cells_free(struct pps_kinds_of_cells *kinds);

// Returns the narrowest kind that all cells of the column have: integer, real, boolean or text. A
// column without cells is real.
enum pps_cell_kind pps_kinds_of_cells_kind(const struct pps_kinds_of_cells *kinds, int column);

#endif
