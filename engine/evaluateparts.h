// SPDX-License-Identifier: Apache-2.0
// What the files of pps_evaluate share: evaluateread.c takes rows in, evaluate.c runs them,
// evaluatewrite.c says what came of them. Private to these.
#ifndef PPS_EVALUATEPARTS_H
#define PPS_EVALUATEPARTS_H

#include "csvfile.h"
#include "evaluate.h"

enum pps_cell_kind {
    PPS_CELL_PARAM,
    PPS_CELL_TIER, // names of a parameter whose numbers may stand in another column (typed.h)
    PPS_CELL_RESULT,
    PPS_CELL_REASON,
    PPS_CELL_OTHER
};

// In place of the kernel's reason: the row could not be read.
enum { PPS_UNREADABLE = -1 };

struct pps_cell_column {
    enum pps_cell_kind kind;
    int which; // parameter or result column; of others their number in `cells`
};

struct pps_evaluator {
    const struct pps_evaluate *ask;
    const struct pps_kernel *kernel;
    struct pps_evaluated *count;
    struct pps_csv *csv;
    struct pps_cell_column columns[PPS_CSV_COLUMNS]; // of the input
    int n_input;
    uint64_t named;  // parameters that the input has
    uint64_t paired; // of these, those with columns of numbers and of names
    struct pps_cell_column output[PPS_CSV_COLUMNS + PPS_MAX_COLUMNS + 1];
    int n_output;
    bool wanted[PPS_MAX_COLUMNS];
    // the batch
    size_t n, cap;
    double *values;               // one array of cap a parameter, then one a result column
    char *texts[PPS_MAX_COLUMNS]; // of text columns: cap of them
    uint8_t *outcome;
    int *reason; // 0: run; PPS_UNREADABLE
    char *cells; // echoed cells of the batch, each ended with NUL, and why rows cannot be read
    size_t cells_n, cells_cap;
    size_t *row_cells; // where the cells of a row begin
    size_t *row_why;   // of an unreadable row: where its reason begins
    char **scratch;    // one a thread
    size_t scratch_bytes;
    struct pps_error *err;
};

// The values of parameter p, or of result column k, in the rows of the batch.
static inline double *pps_evaluate_param(const struct pps_evaluator *e, int p)
{
    return e->values + (size_t)p * e->cap;
}

static inline double *pps_evaluate_column(const struct pps_evaluator *e, int k)
{
    return e->values + (size_t)(e->kernel->n_params + k) * e->cap;
}

// Reads the header of the input and writes that of the output.
PPS_MUST_CHECK enum pps_status pps_evaluate_header(struct pps_evaluator *e);
// Adds a row of the input to the batch, which must have room for it.
PPS_MUST_CHECK enum pps_status pps_evaluate_add_row(struct pps_evaluator *e,
                                                    const struct pps_csv_row *row);
// Adds a row that cannot be read, for the reason that e->err says; row NULL: it has no cells.
PPS_MUST_CHECK enum pps_status pps_evaluate_add_unreadable(struct pps_evaluator *e,
                                                           const struct pps_csv_row *row);
// Row i of the batch is unreadable, for the reason that e->err says.
PPS_MUST_CHECK enum pps_status pps_evaluate_refuse(struct pps_evaluator *e, size_t i);

// Writes a cell, in quotes where it needs them.
void pps_evaluate_cell(FILE *out, const char *text);
// Writes row i of the batch, which has been run, and counts it.
void pps_evaluate_row(struct pps_evaluator *e, size_t i);

#endif
