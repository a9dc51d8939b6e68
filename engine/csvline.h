// SPDX-License-Identifier: Apache-2.0
// Plain lines of CSV, without libcsv: what nearly all lines are.
#ifndef PPS_CSVLINE_H
#define PPS_CSVLINE_H

#include "csvfile.h"

enum { PPS_CSVLINE_ROOM = 8 };

// Splits a line of n bytes, with or without its line break, as libcsv does: blanks around a cell
// do not belong to it. The cells' text is in `room` of n + PPS_CSVLINE_ROOM bytes. false: the line is empty, or has
// quotes, NUL bytes, carriage returns within, or more than PPS_CSV_COLUMNS cells; that is for libcsv.
bool pps_csvline_split(const char *line, size_t n, char *room, struct pps_csv_row *row);

#endif
