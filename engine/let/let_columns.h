// SPDX-License-Identifier: Apache-2.0
// Adds columns to the results of a kernel that are computed from its parameters and results, as in
// `gain=1 - total_time/ideal_time`. A kernel with such columns is a copy whose table of columns is
// longer; whoever runs it computes the last columns afterwards.
#pragma once

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>

// The most columns of a kernel, and the most that can be added. PPS_LET_TEXT is the longest
// expression, in bytes.
enum { PPS_LET_COLUMNS = 16, PPS_LET_ALL_COLUMNS = 64, PPS_LET_NAME = 64, PPS_LET_TEXT = 512 };

struct pps_let_columns;

// Opens columns without any definition. PPS_E_MACHINE without memory. The kernel must outlive them.
PPS_MUST_CHECK enum pps_status pps_let_columns_open(struct pps_let_columns **lets,
                                                    const struct pps_kernel *kernel,
                                                    struct pps_error *err);
void pps_let_columns_close(struct pps_let_columns *lets); // NULL is fine

// Adds a column, which later ones may use. PPS_E_INPUT for a name that is taken or no name, for an
// expression with a fault, and for too many columns; the text begins with the name.
PPS_MUST_CHECK enum pps_status pps_let_columns_add(struct pps_let_columns *lets,
                                                   const char *name, const char *expression,
                                                   struct pps_error *err);

// Returns the kernel with the columns, valid until close.
const struct pps_kernel *pps_let_columns_kernel(const struct pps_let_columns *lets);

int pps_let_columns_count(const struct pps_let_columns *lets); // 0 for NULL

// Return the name and the expression of column i.
const char *pps_let_columns_name(const struct pps_let_columns *lets, int i);
const char *pps_let_columns_text(const struct pps_let_columns *lets, int i);

// Sets wanted[c] for every column that an expression uses.
void pps_let_columns_need(const struct pps_let_columns *lets, bool *wanted);

// Computes the columns of a batch that the kernel has run: NAN where the expression has no finite
// value. Thread-safe. NULL computes nothing.
void pps_let_columns_compute(const struct pps_let_columns *lets, const struct pps_batch *batch);
