// SPDX-License-Identifier: Apache-2.0
// Lists as text cells: whole numbers by spaces, rows by bars, as in `7 6 6|6 6 5`. No comma, quote or
// newline, so that a cell of CSV needs no quoting.
#ifndef PPS_LISTTEXT_H
#define PPS_LISTTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Like snprintf: at most `size` bytes with the final NUL, and the length the whole text has.
// values: [rows][columns].
size_t listtext_write(char *text,
                      size_t size,
                      const int32_t *values,
                      int32_t rows,
                      int32_t columns);

struct listtext_shape {
    int32_t rows, columns;
};

// Reads a list whose rows are equally long, of at most `room` numbers. false: `why`, of `why_size`
// bytes, says what is wrong and where ("row 2 has 3 numbers, the first has 4").
bool listtext_read(const char *text,
                   int32_t *values,
                   int32_t room,
                   struct listtext_shape *shape,
                   char *why,
                   size_t why_size);

#endif
