// SPDX-License-Identifier: Apache-2.0
// Finds the columns that hold the same value in all rows seen, and that value.
#pragma once

#include "base/text/status.h"
#include "engine/read/result.h"
#include "engine/read/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pps_constant {
    char *text; // value of the first row; NULL before the first row
    size_t n;
    bool varied;
};

struct pps_constant_columns {
    struct pps_constant *list; // one per column
    int n;
};

// Opens a comparison of n_columns columns. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_constant_columns_open(struct pps_constant_columns *constants,
                                                         int n_columns, struct pps_error *err);
void pps_constant_columns_close(
    struct pps_constant_columns *constants); // a zeroed struct is allowed

// Compares one cell per column with the values of the first row. Returns PPS_E_MACHINE if
// memory runs out.
PPS_MUST_CHECK enum pps_status pps_constant_columns_note(struct pps_constant_columns *constants,
                                                         const struct pps_cell *cells,
                                                         struct pps_error *err);

// Writes the documents that never varied, as in "model=llama3-70b cluster=h100". Returns their number.
long pps_constant_documents(const struct pps_view *view, FILE *out);

// Returns the documents and the parameters that never varied, as in "model=llama3-8b tp=4", or NULL if memory runs out. The
// caller frees the text.
char *pps_constant_columns_title(const struct pps_constant_columns *constants,
                                 const struct pps_view *view);
