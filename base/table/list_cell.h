// SPDX-License-Identifier: Apache-2.0
// Writes lists as text cells: spaces separate whole numbers, bars separate rows, as in
// `7 6 6|6 6 5`. The text has no comma, quote or newline, so a CSV cell needs no quoting.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Writes at most `size` bytes with the final NUL and returns the length of the whole text, as
// snprintf does.
// values: [rows][columns].
size_t list_cell_write(char *text, size_t size, const int32_t *values, int32_t rows,
                       int32_t columns);
