// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the files of pps_evaluate: evaluate_read.c reads rows, evaluate.c runs
// the kernel, evaluate_write.c writes results. Private to these files.
#pragma once

#include "base/table/csv.h"
#include "engine/point/evaluate.h"

enum pps_point_cell_kind {
    PPS_CELL_PARAM,
    PPS_CELL_TIER, // names of a parameter whose numbers may be in another column (typed_columns.h)
    PPS_CELL_RESULT,
    PPS_CELL_REASON,
    PPS_CELL_OTHER
};

// Replaces the kernel's reason if the row could not be read.
enum { PPS_UNREADABLE = -1 };

struct pps_cell_column {
    enum pps_point_cell_kind kind;
    int which; // index of the parameter or result; for other columns the index in `cells`
};

struct pps_evaluator {
    const struct pps_evaluate *ask;
    const struct pps_kernel *kernel;
    struct pps_evaluated *count;
    struct pps_csv *csv;
    struct pps_cell_column columns[PPS_CSV_COLUMNS]; // columns of the input
    int n_input;
    uint64_t named;  // parameters that the input contains
    uint64_t paired; // parameters of `named` with separate columns for numbers and names
    struct pps_cell_column output[PPS_CSV_COLUMNS + PPS_MAX_COLUMNS + 1];
    int n_output;
    bool wanted[PPS_MAX_COLUMNS];
    // The batch.
    size_t n, cap;
    double *values;               // one array of cap per parameter, then one per result column
    char *texts[PPS_MAX_COLUMNS]; // cap texts per text column
    uint8_t *outcome;
    int *reason; // 0: evaluated; PPS_UNREADABLE; or the kernel's reason
    // Copied cells of the batch, each ended by NUL, and the errors of rows that cannot be read.
    char *cells;
    size_t cells_n, cells_cap;
    size_t *row_cells; // offset of the first cell of each row in `cells`
    size_t *row_why;   // offset of an unreadable row's error in `cells`
    char **scratch;    // one per thread
    size_t scratch_bytes;
    struct pps_error *err;
};

// Return the values of parameter p, or of result column k, in the rows of the batch.
static inline double *pps_evaluate_param(const struct pps_evaluator *e, int p)
{
    return e->values + (size_t)p * e->cap;
}

static inline double *pps_evaluate_column(const struct pps_evaluator *e, int k)
{
    return e->values + (size_t)(e->kernel->n_params + k) * e->cap;
}

// Reads the header of the input and writes the header of the output.
PPS_MUST_CHECK enum pps_status pps_evaluate_header(struct pps_evaluator *e);
// Adds a row of the input to the batch. The batch must have room.
PPS_MUST_CHECK enum pps_status pps_evaluate_add_row(struct pps_evaluator *e,
                                                    const struct pps_csv_row *row);
// Adds a row that cannot be read, with the reason in e->err. If row is NULL the row has no
// cells.
PPS_MUST_CHECK enum pps_status pps_evaluate_add_unreadable(struct pps_evaluator *e,
                                                           const struct pps_csv_row *row);
// Marks row i of the batch as unreadable, with the reason in e->err.
PPS_MUST_CHECK enum pps_status pps_evaluate_refuse(struct pps_evaluator *e, size_t i);

// Writes a cell, in quotes if necessary.
void pps_evaluate_cell(FILE *out, const char *text);
// Writes row i of the batch after its evaluation and counts it.
void pps_evaluate_row(struct pps_evaluator *e, size_t i);
