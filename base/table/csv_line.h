// SPDX-License-Identifier: Apache-2.0
// Splits plain lines of CSV without libcsv. Nearly all lines are plain.
#pragma once

#include "base/table/csv.h"

enum { PPS_CSV_LINE_ROOM = 8 };

// Splits a line of n bytes, with or without its line break, as libcsv does: blanks around a
// cell are removed. The text of the cells is stored in `room`, which has n + PPS_CSV_LINE_ROOM
// bytes. Returns false for an empty line and for a line with quotes, NUL bytes, inner carriage
// returns or more than PPS_CSV_COLUMNS cells; libcsv reads these lines.
bool pps_csv_line_split(const char *line, size_t n, char *room, struct pps_csv_row *row);
