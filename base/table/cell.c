// SPDX-License-Identifier: Apache-2.0
// Splits lines into cells and reads their numbers.
#include "base/table/cell.h"

#include "base/text/decimal_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 400 }; // characters; any double with 17 decimals is shorter

const char *pps_cell_next(const char *line, const char *end, struct pps_cell *cell)
{
    const char *comma = memchr(line, ',', (size_t)(end - line));
    *cell = (struct pps_cell){line, (size_t)((comma != NULL ? comma : end) - line)};
    return comma != NULL ? comma + 1 : NULL;
}

struct pps_cell pps_cell_at(const char *line, const char *end, int k)
{
    struct pps_cell cell = {end, 0};
    for (int c = 0; c <= k; c++) {
        if (line == NULL)
            return (struct pps_cell){end, 0};
        line = pps_cell_next(line, end, &cell);
    }
    return cell;
}

int pps_cells_split(const char *line, size_t n, struct pps_cell *cells, int n_cells)
{
    const char *const end = line + n;
    int found = 0;
    for (int c = 0; c < n_cells; c++) {
        cells[c] = (struct pps_cell){"", 0};
        found += line != NULL;
        if (line != NULL)
            line = pps_cell_next(line, end, &cells[c]);
    }
    return found + (line != NULL);
}

// Reads numbers with hundreds of digits. strtod accepts more than this program writes: spaces,
// hexadecimal numbers, infinities.
static bool read_long(struct pps_cell cell, double *value)
{
    char text[NUMBER_MAX + 1];
    char *end;
    if (cell.n <= PPS_DECIMAL_LONGEST || cell.n > NUMBER_MAX)
        return false;
    for (size_t i = 0; i < cell.n; i++)
        if (cell.text[i] == '\0' || strchr("0123456789+-.eE", cell.text[i]) == NULL)
            return false;
    memcpy(text, cell.text, cell.n);
    text[cell.n] = '\0';
    *value = strtod(text, &end);
    return end == text + cell.n;
}

bool pps_cell_number(struct pps_cell cell, double *value)
{
    double number;
    if ((!pps_decimal_read(cell.text, cell.n, &number) && !read_long(cell, &number)) ||
        !isfinite(number))
        return false;
    *value = number;
    return true;
}
