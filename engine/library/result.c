// SPDX-License-Identifier: Apache-2.0
// Reads a result row by row; the cells of a row are copied as texts that end with NUL.
#include "engine/library/library_private.h"

#include "base/text/grow_list.h"
#include "engine/read/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ppsweep_result {
    struct pps_result *rows;
    int n_columns;
    bool is_row;
    char *text; // the cells of the row, one after the other
    size_t text_room;
    size_t *at; // offset of each cell in `text`
};

int ppsweep_result_open(struct ppsweep_result **result, const char *path,
                        struct ppsweep_error *error)
{
    struct pps_error err;
    if (result == NULL || path == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "result, path: must not be NULL");
    *result = NULL;
    struct ppsweep_result *r = calloc(1, sizeof *r);
    if (r == NULL)
        return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory for a result");
    const enum pps_status status = pps_result_open(&r->rows, path, &err);
    if (status != PPS_OK) {
        ppsweep_result_close(r);
        return pps_library_error(error, &err);
    }
    r->n_columns = pps_result_columns(r->rows);
    r->at = calloc((size_t)r->n_columns + 1, sizeof *r->at);
    if (r->at == NULL) {
        ppsweep_result_close(r);
        return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory for a result");
    }
    *result = r;
    return PPSWEEP_OK;
}

void ppsweep_result_close(struct ppsweep_result *r)
{
    if (r == NULL)
        return;
    pps_result_close(r->rows);
    free(r->text);
    free(r->at);
    free(r);
}

int ppsweep_result_columns(const struct ppsweep_result *r)
{
    return r != NULL ? r->n_columns : 0;
}

const char *ppsweep_result_name(const struct ppsweep_result *r, int c)
{
    const bool known = c >= 0 && c < ppsweep_result_columns(r);
    return known ? pps_result_column_name(r->rows, c) : NULL;
}

static bool keep_cells(struct ppsweep_result *r, const struct pps_cell *cells)
{
    size_t n = 0;
    for (int c = 0; c < r->n_columns; c++)
        n += cells[c].n + 1;
    char *text = pps_grow(r->text, &r->text_room, n, 1);
    if (text == NULL)
        return false;
    r->text = text;
    for (int c = 0; c < r->n_columns; c++) {
        r->at[c] = (size_t)(text - r->text);
        memcpy(text, cells[c].text, cells[c].n);
        text += cells[c].n;
        *text++ = '\0';
    }
    return true;
}

int ppsweep_result_next(struct ppsweep_result *r, int *is_row, struct ppsweep_error *error)
{
    const struct pps_cell *cells;
    struct pps_error err;
    if (r == NULL || is_row == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "result, is_row: must not be NULL");
    *is_row = 0;
    r->is_row = false;
    if (pps_result_next(r->rows, &cells, &err) != PPS_OK)
        return pps_library_error(error, &err);
    if (cells == NULL)
        return PPSWEEP_OK;
    if (!keep_cells(r, cells))
        return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory for a row");
    r->is_row = true;
    *is_row = 1;
    return PPSWEEP_OK;
}

const char *ppsweep_result_text(const struct ppsweep_result *r, int c)
{
    const bool known = c >= 0 && c < ppsweep_result_columns(r) && r->is_row;
    return known ? r->text + r->at[c] : "";
}

double ppsweep_result_number(const struct ppsweep_result *r, int c)
{
    const char *text = ppsweep_result_text(r, c);
    double value;
    const bool number = pps_cell_number((struct pps_cell){text, strlen(text)}, &value);
    return number ? value : (double)NAN;
}
