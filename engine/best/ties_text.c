// SPDX-License-Identifier: Apache-2.0
// Describes the rows that equal the best row.
#include "engine/best/ties_text.h"

#include "base/text/say.h"

#include <string.h>

int pps_print_cells(FILE *out, const char *header, const char *row, uint64_t cells)
{
    int said = 0;
    for (int c = 0; c < 64 && header != NULL && row != NULL; c++) {
        const size_t name_n = strcspn(header, ",\n"), n = strcspn(row, ",\n");
        if ((cells >> c & 1) != 0)
            pps_say_part(out, "%s%.*s=%.*s", said++ > 0 ? ", " : "", (int)name_n, header,
                         (int)n, row);
        header = header[name_n] == ',' ? header + name_n + 1 : NULL;
        row = row[n] == ',' ? row + n + 1 : NULL;
    }
    return said;
}

void pps_print_ties(FILE *out,
                    const struct pps_best_ties *ties,
                    size_t shown,
                    const char *header,
                    const char *row,
                    uint64_t cells)
{
    const uint64_t common = cells & ~ties->differ;
    fprintf(out, "%zu of %llu equal best rows", shown, (unsigned long long)ties->n);
    if (common == 0)
        return;
    fputs("; all have ", out);
    (void)pps_print_cells(out, header, row, common);
}
