// SPDX-License-Identifier: Apache-2.0
// Prints rows as a table.
#include "engine/cli/report/row_table.h"

#include "base/text/say.h"
#include "engine/experiment/experiment.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 200 };

// Returns the position of a name in the header, from 1.
static int place_of(const char *header, const char *name)
{
    int c = 1;
    for (const char *at = header; at != NULL; c++) {
        const size_t cell = strcspn(at, ",\n");
        if (strlen(name) == cell && strncmp(at, name, cell) == 0)
            return c;
        at = at[cell] == ',' ? at + cell + 1 : NULL;
    }
    return c - 1;
}

int pps_rowtable_columns(const char *header, const int *width, int n, const char *name)
{
    const int least = place_of(header, name);
    int c = 0;
    for (int at = 0; c < n; c++) {
        at += width[c] + 2;
        if (c >= least && at > LINE_WIDTH)
            break;
    }
    return c;
}

int pps_rowtable_widths(const struct pps_best_row *rows,
                        size_t n,
                        const char *header,
                        int *width)
{
    int c = 0;
    for (const char *at = header; at != NULL && c < PPS_MAX_PARAMS + PPS_MAX_COLUMNS; c++) {
        const size_t cell = strcspn(at, ",\n");
        width[c] = (int)cell;
        at = at[cell] == ',' ? at + cell + 1 : NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const char *at = rows[i].text;
        for (int k = 0; k < c && at != NULL; k++) {
            const size_t cell = strcspn(at, ",");
            width[k] = (int)cell > width[k] ? (int)cell : width[k];
            at = at[cell] == ',' ? at + cell + 1 : NULL;
        }
    }
    return c;
}

void pps_rowtable_line(const char *text, const int *width, int n)
{
    const char *at = text;
    for (int k = 0; k < n && at != NULL; k++) {
        const size_t cell = strcspn(at, ",\n");
        pps_say_part(stderr, "  %*.*s", width[k], (int)cell, at);
        at = at[cell] == ',' ? at + cell + 1 : NULL;
    }
    fputc('\n', stderr);
}
