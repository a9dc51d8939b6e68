// SPDX-License-Identifier: Apache-2.0
// Steps through the rows of row groups.
#include "engine/read/row_groups.h"

#include "base/columns/parquet_read.h"

#include <stdlib.h>
#include <string.h>

struct pps_row_groups {
    struct pps_parquet_stream *stream; // of the source
    struct pps_parquet_reader *reader; // of the row group
    struct pps_parquet_cells *cells;   // of columns; item NULL: not asked for yet
    int n_columns;
    uint32_t row, n_rows; // of the row group
};

enum pps_status pps_row_groups_open(struct pps_row_groups **groups,
                                    struct pps_text_source *source, int n_columns,
                                    struct pps_error *err)
{
    struct pps_parquet_stream *stream = pps_text_source_parquet(source);
    *groups = NULL;
    if (stream == NULL)
        return PPS_OK;
    struct pps_row_groups *g = calloc(1, sizeof *g);
    if (g != NULL)
        *g = (struct pps_row_groups){.stream = stream,
                                     .cells = calloc((size_t)n_columns, sizeof *g->cells),
                                     .n_columns = n_columns};
    *groups = g; // the caller closes it
    return g != NULL && g->cells != NULL
               ? PPS_OK
               : pps_fail_memory(err, "the row groups of a Parquet file");
}

void pps_row_groups_close(struct pps_row_groups *groups)
{
    if (groups != NULL)
        free(groups->cells);
    free(groups);
}

enum pps_status pps_row_groups_next(struct pps_row_groups *groups, enum pps_row_step *step,
                                    struct pps_error *err)
{
    uint32_t n_columns = 0;
    *step = PPS_ROW_NEXT;
    if (++groups->row < groups->n_rows)
        return PPS_OK;
    const enum pps_status status = pps_parquet_stream_open_block(
        groups->stream, &groups->reader, &n_columns, &groups->n_rows, err);
    if (status != PPS_OK)
        return status;
    *step = groups->n_rows > 0 ? PPS_ROW_FIRST : PPS_ROW_END;
    groups->row = 0;
    memset(groups->cells, 0, (size_t)groups->n_columns * sizeof *groups->cells);
    return groups->n_rows == 0 || n_columns == (uint32_t)groups->n_columns
               ? PPS_OK
               : pps_fail(err, PPS_E_INPUT, "a row group has %u columns, but the file has %d",
                          n_columns, groups->n_columns);
}

enum pps_status pps_row_groups_cell(struct pps_row_groups *groups, int column,
                                    struct pps_cell *cell, struct pps_error *err)
{
    struct pps_parquet_cells *cells = &groups->cells[column];
    if (cells->item == NULL &&
        !pps_parquet_block_cells(groups->reader, (uint32_t)column, cells))
        return pps_parquet_reader_fail(groups->reader, PPS_E_INPUT, "a row group is damaged",
                                       err);
    cell->text = pps_parquet_cell(cells, groups->row, &cell->n);
    return PPS_OK;
}
