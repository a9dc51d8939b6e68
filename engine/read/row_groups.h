// SPDX-License-Identifier: Apache-2.0
// The rows of a Parquet result, row group by row group, without becoming lines of text. A column is decoded when
// one of its cells is asked for.
#pragma once

#include "base/system/text_reader.h"
#include "base/table/cell.h"
#include "base/text/status.h"

struct pps_row_groups;

// Opens the rows of a source whose line of names, of n_columns columns, has been read. *groups is
// NULL if the source is not Parquet. The source must stay.
PPS_MUST_CHECK enum pps_status pps_row_groups_open(struct pps_row_groups **groups,
                                                   struct pps_text_source *source,
                                                   int n_columns, struct pps_error *err);
void pps_row_groups_close(struct pps_row_groups *groups); // NULL is fine

// Where pps_row_groups_next has come to.
enum pps_row_step { PPS_ROW_NEXT, PPS_ROW_FIRST, PPS_ROW_END }; // FIRST: of a row group

PPS_MUST_CHECK enum pps_status pps_row_groups_next(struct pps_row_groups *groups,
                                                   enum pps_row_step *step,
                                                   struct pps_error *err);

// Sets the cell of the row, which is valid until the next row group.
PPS_MUST_CHECK enum pps_status pps_row_groups_cell(struct pps_row_groups *groups, int column,
                                                   struct pps_cell *cell,
                                                   struct pps_error *err);
