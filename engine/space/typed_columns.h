// SPDX-License-Identifier: Apache-2.0
// Finds the parameters that have two columns in a typed result (--typed): they accept numbers
// and names, for example a priority that is a weight or a tier. X holds numbers, X_tier holds
// names; one of the two cells is empty.
#pragma once

#include "base/columns/cell_kind.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- column kinds -------------------------------------------------------------------------------

// Sets the kind of the cells of the column `name`: a parameter (of a parameter that accepts numbers
// and names: its numbers), the names of such a parameter (typed_columns.h), or a result. Returns
// false if the kernel has no such column.
bool pps_column_cells(const struct pps_kernel *kernel, const char *name,
                      enum pps_cell_kind *kind);

// ---- typed columns ------------------------------------------------------------------------------

#define PPS_TIER_SUFFIX "_tier"

// Returns the parameters that accept numbers and names, one bit each.
uint64_t pps_typed_params(const struct pps_kernel *kernel);

// Returns the parameter whose names are in the column `name` (n characters), or -1.
int pps_typed_find(const struct pps_kernel *kernel, const char *name, size_t n);
