// SPDX-License-Identifier: Apache-2.0
// Writes the output of an evaluation: the input rows with results.
#include "engine/point/evaluate_private.h"

#include "base/text/decimal.h"

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

// Returns why row i has no results, or "" if it has results.
static const char *reason_of(const struct pps_evaluator *e, size_t i, enum pps_outcome outcome)
{
    if (e->reason[i] == PPS_UNREADABLE)
        return e->cells + e->row_why[i];
    if (e->reason[i] != 0)
        return e->kernel->reasons[e->reason[i]];
    return outcome == PPS_DONE ? "" : pps_outcome_word(outcome);
}

static void count_row(struct pps_evaluated *count, int reason, enum pps_outcome outcome)
{
    count->rows++;
    if (reason == PPS_UNREADABLE)
        count->unreadable++;
    else if (reason != 0)
        count->left_out[reason]++;
    else if (outcome == PPS_FAILED)
        count->failed++;
    count->infeasible += outcome == PPS_INFEASIBLE;
}

void pps_evaluate_row(struct pps_evaluator *e, size_t i)
{
    const char *cell = e->cells + e->row_cells[i];
    const enum pps_outcome outcome =
        e->reason[i] != 0 ? PPS_FAILED : (enum pps_outcome)e->outcome[i];
    const bool answered = outcome != PPS_FAILED;
    FILE *out = e->ask->out;
    for (int c = 0; c < e->n_output; c++) {
        fputs(c > 0 ? "," : "", out);
        if (e->output[c].kind == PPS_CELL_REASON)
            pps_evaluate_cell(out, reason_of(e, i, outcome));
        else if (e->output[c].kind != PPS_CELL_RESULT)
            pps_evaluate_cell(out, cell);
        else if (answered)
            write_result(e, i, e->output[c].which);
        if (c < e->n_input)
            cell += strlen(cell) + 1;
    }
    fputc('\n', out);
    count_row(e->count, e->reason[i], outcome);
}
