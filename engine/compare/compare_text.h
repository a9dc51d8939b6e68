// SPDX-License-Identifier: Apache-2.0
// Writes a comparison: every joined row as CSV, the rows that changed most, and a summary.
#pragma once

#include "base/text/status.h"
#include "engine/compare/compare.h"

#include <stdio.h>

// Writes all rows that both results have, in the order of a: the key columns, then for every
// compared value its columns NAME_a, NAME_b, NAME_diff (b - a) and NAME_ratio (b / a; empty unless
// both are above 0). Cells are empty where a row has no result.
PPS_MUST_CHECK enum pps_status pps_compare_write(const struct pps_compare *compare, FILE *out,
                                                 struct pps_error *err);

// Writes the k rows whose first value changed most, by ratio where both are above 0, otherwise by
// difference; equal changes keep the order of a. Rows without a change are left out. With `table`
// the columns are aligned, otherwise the rows are CSV. *left is the number of changed rows that are
// not written.
PPS_MUST_CHECK enum pps_status pps_compare_top(const struct pps_compare *compare, uint64_t k,
                                               FILE *out, bool table, uint64_t *left,
                                               struct pps_error *err);

// Writes what was joined, what has no partner, and how every value changed: one line each.
void pps_compare_summary(const struct pps_compare *compare, FILE *out);
