// SPDX-License-Identifier: Apache-2.0
// Text for a terminal: a cell of a table may hold control characters, which a terminal would obey.
#pragma once

#include <stdio.h>

// Opens a stream that prints to `out` with every control character but tabs and line ends replaced by
// '?'. fclose() flushes it and leaves `out` open. NULL: no memory.
FILE *pps_terminal_open(FILE *out);
