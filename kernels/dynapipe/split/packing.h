// SPDX-License-Identifier: Apache-2.0
// Packs samples into rows: sequences in one row follow each other with one separator token between two.
#ifndef PPS_DYNAPIPE_SPLIT_PACKING_H
#define PPS_DYNAPIPE_SPLIT_PACKING_H

#include "kernels/dynapipe/split/samples.h"

#include <stdbool.h>

// Rows that are being filled; the first row with enough room takes the next sample.
struct split_rows {
    const struct split_samples *samples;
    int32_t input, target; // padded lengths of a row
    int32_t count;
    int32_t *used_input, *used_target; // [samples]: tokens of each row
};

void split_rows_take(struct split_rows *rows, int32_t samples, struct room *room);

// Empties all rows and sets their padded lengths.
void split_rows_clear(struct split_rows *rows,
                      const struct split_samples *samples,
                      int32_t input,
                      int32_t target);

// Adds a sample. Returns its row, which may be a new one.
int32_t split_rows_add(struct split_rows *rows, int32_t sample);

#endif
