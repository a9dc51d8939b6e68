// SPDX-License-Identifier: Apache-2.0
// The output of an evaluation: rows as they came, with results.
#include "evaluateparts.h"

#include "decimal.h"

#include <math.h>
#include <string.h>

void pps_evaluate_cell(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

// What became of row i, which was not left out: a result without a number somewhere is none.
static enum pps_outcome outcome_of(const struct pps_evaluator *e, size_t i)
{
    if (e->outcome[i] != PPS_DONE)
        return (enum pps_outcome)e->outcome[i];
    for (int k = 0; k < e->kernel->n_columns; k++)
        if (e->wanted[k] && e->texts[k] == NULL && !isfinite(pps_evaluate_column(e, k)[i]))
            return PPS_FAILED;
    return PPS_DONE;
}

static void write_result(const struct pps_evaluator *e, size_t i, int k)
{
    char text[PPS_DECIMAL_CAP];
    const struct pps_column *column = &e->kernel->columns[k];
    if (column->kind == PPS_COLUMN_TEXT)
        fputs(e->texts[k] + i * pps_column_width(column), e->ask->out);
    else if (isfinite(pps_evaluate_column(e, k)[i]))
        fwrite(text, 1,
               pps_decimal_write(text, pps_evaluate_column(e, k)[i],
                                 pps_column_decimals(e->kernel, k, e->ask->digits)),
               e->ask->out);
}

void pps_evaluate_row(struct pps_evaluator *e, size_t i)
{
    const char *cell = e->cells + e->row_cells[i];
    const enum pps_outcome outcome = e->reason[i] != 0 ? PPS_FAILED : outcome_of(e, i);
    const bool answered = outcome != PPS_FAILED;
    FILE *out = e->ask->out;
    for (int c = 0; c < e->n_output; c++) {
        fputs(c > 0 ? "," : "", out);
        if (e->output[c].kind == PPS_CELL_RESULT && answered)
            write_result(e, i, e->output[c].which);
        else if (e->output[c].kind != PPS_CELL_RESULT)
            pps_evaluate_cell(out, cell);
        if (c < e->n_input)
            cell += strlen(cell) + 1;
    }
    fputc('\n', out);
    e->count->rows++;
    if (e->reason[i] != 0)
        e->count->left_out[e->reason[i]]++;
    else if (outcome == PPS_FAILED)
        e->count->failed++;
    e->count->infeasible += outcome == PPS_INFEASIBLE;
}
