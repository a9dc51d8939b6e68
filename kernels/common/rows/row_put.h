// SPDX-License-Identifier: Apache-2.0
// Writes values of a row into the columns of a batch that the caller asks for.
#pragma once

#include "ppsweep/kernel.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static inline void row_put(const struct pps_batch *batch, size_t i, int c, double value)
{
    if (batch->column[c] != NULL)
        batch->column[c][i] = value;
}

// Returns the text of column c of row i, for text_max + 1 bytes; NULL: not asked for.
static inline char *row_text(const struct pps_batch *batch, const struct pps_column *columns,
                             size_t i, int c)
{
    return batch->text[c] == NULL ? NULL
                                  : batch->text[c] + i * ((size_t)columns[c].text_max + 1);
}

// Writes the first text_max bytes of a text.
static inline void row_put_text(const struct pps_batch *batch, const struct pps_column *columns,
                                size_t i, int c, const char *text)
{
    char *to = row_text(batch, columns, i, c);
    if (to == NULL)
        return;
    const size_t n = strnlen(text, (size_t)columns[c].text_max);
    memcpy(to, text, n);
    to[n] = '\0';
}

// Empties a row: NAN in columns of numbers, no text in columns of text.
static inline void row_put_empty(const struct pps_batch *batch,
                                 const struct pps_column *columns, int n_columns, size_t i)
{
    for (int c = 0; c < n_columns; c++) {
        row_put(batch, i, c, (double)NAN);
        if (columns[c].kind == PPS_COLUMN_TEXT)
            row_put_text(batch, columns, i, c, "");
    }
}

enum { ROW_PARAMS_MAX = 64 };

// Evaluates a point, whose parameters have these values, and writes row i.
typedef enum pps_outcome row_of_point(const struct pps_batch *batch, size_t i,
                                      const double *value, const struct pps_worker *worker,
                                      bool plain);

// Runs the points of a batch one by one, until the stop flag of the worker is up.
static inline void row_run_points(const struct pps_batch *batch, int n_params,
                                  const struct pps_worker *worker, row_of_point *run,
                                  bool plain)
{
    for (size_t i = 0; i < batch->n_points; i++) {
        batch->outcome[i] = PPS_STOPPED;
        if (worker->stop != NULL && atomic_load_explicit(worker->stop, memory_order_relaxed))
            continue;
        double value[ROW_PARAMS_MAX];
        for (int p = 0; p < n_params; p++)
            value[p] = batch->param[p][i];
        batch->outcome[i] = (uint8_t)run(batch, i, value, worker, plain);
    }
}
