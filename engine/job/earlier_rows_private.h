// SPDX-License-Identifier: Apache-2.0
// Earlier rows are the rows of blocks that an earlier run wrote. A reader reads them block by
// block and finds the best rows and examples. Private to earlier_totals.c and earlier_rows.c.
#ifndef PPS_ENGINE_JOB_EARLIER_ROWS_PRIVATE_H
#define PPS_ENGINE_JOB_EARLIER_ROWS_PRIVATE_H

#include "engine/job/earlier_totals.h"
#include "engine/store/block_text.h"

// A reader of blocks. Each thread has its own.
struct pps_earlier_rows {
    const struct pps_resume_ask *ask;
    const struct pps_index_reader *index;
    struct pps_blocktext *text;
    struct pps_cursor *cursor;
    struct pps_best_by_group best;
    struct pps_best_by_group nearest; // used if no row is feasible
    double key[PPS_MAX_PARAMS];       // group of the point last found by point_of_row
    uint64_t end;                     // of the current block's points
    uint64_t next_row; // row of the block at which the next step of the cursor arrives
    int cell;          // index of the objective in a row
    int need;          // index of the column of `nearest`; -1: unused
};

// Opens a reader of the data file fd, with empty best rows. After an error there is nothing to
// close, but pps_earlier_rows_close is allowed.
PPS_MUST_CHECK enum pps_status pps_earlier_rows_open(struct pps_earlier_rows *reader,
                                                     const struct pps_resume_ask *ask,
                                                     const struct pps_index_reader *index,
                                                     int fd,
                                                     struct pps_error *err);
void pps_earlier_rows_close(struct pps_earlier_rows *reader);

// Makes both empty: the n_best rows by the objective, and, if no row is feasible, the row that is
// nearest to feasible.
void pps_earlier_tops(const struct pps_resume_ask *ask,
                      size_t n_best,
                      struct pps_best_by_group *best,
                      struct pps_best_by_group *nearest);

// Reads record i of the prefix and the text of its block. The text is valid until the next call.
PPS_MUST_CHECK enum pps_status pps_earlier_rows_read(struct pps_earlier_rows *reader,
                                                     uint64_t i,
                                                     struct pps_index_record *record,
                                                     const char **text,
                                                     struct pps_error *err);

// Adds the rows of a block to the best rows.
PPS_MUST_CHECK enum pps_status pps_earlier_rows_add(struct pps_earlier_rows *reader,
                                                    const struct pps_index_record *record,
                                                    const char *text,
                                                    struct pps_error *err);

// Returns the number of the point of the first row of a block whose results are empty.
uint64_t pps_earlier_rows_failed(struct pps_earlier_rows *reader,
                                 const struct pps_index_record *record,
                                 const char *text);

// Finds an example of each reason to skip points in the block.
void pps_earlier_rows_left_out(struct pps_earlier_rows *reader,
                               uint64_t block,
                               struct pps_left_out left_out[PPS_MAX_REASONS]);

#endif
