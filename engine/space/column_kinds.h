// SPDX-License-Identifier: Apache-2.0
// The kinds of typed cells that the parameters and results of a kernel have. Thread-safe.
#ifndef PPS_ENGINE_SPACE_COLUMN_KINDS_H
#define PPS_ENGINE_SPACE_COLUMN_KINDS_H

#include "base/columns/cell_kind.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>

// Sets the kind of the cells of the column `name`: a parameter (of a parameter that accepts numbers
// and names: its numbers), the names of such a parameter (typed_columns.h), or a result. Returns
// false if the kernel has no such column.
bool pps_column_cells(const struct pps_kernel *kernel,
                      const char *name,
                      enum pps_cell_kind *kind);

#endif
