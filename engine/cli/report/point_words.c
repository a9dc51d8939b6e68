// SPDX-License-Identifier: Apache-2.0
// Points on stderr.
#include "engine/cli/report/point_words.h"

#include "base/text/say.h"
#include "engine/axes/point_file.h"
#include "engine/space/value.h"

#include <stdio.h>
#include <stdlib.h>

// Prints "name=value name=value" of a point, as a shell takes it.
static void print_point(const struct pps_experiment *e, const double *point, const char *before)
{
    for (int c = 0; c < e->space.n_columns; c++) {
        const struct pps_param *param = &e->kernel->params[e->space.columns[c]];
        char text[PPS_CELL_TEXT], word[2 * PPS_CELL_TEXT];
        pps_value_text(param, point[e->space.columns[c]], text);
        snprintf(word, sizeof word, "%s=%s", param->name, text);
        fputs(c > 0 ? " " : before, stderr);
        pps_say_word(stderr, word, SIZE_MAX);
    }
}

void pps_say_point(const struct pps_experiment *e, uint64_t index, const char *before)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL)
        return;
    pps_cursor_seek(cursor, &e->space, index);
    print_point(e, cursor->point, before);
    free(cursor);
}
