// SPDX-License-Identifier: Apache-2.0
// Prints points on stderr.
#include "engine/cli/report/point_words.h"

#include "base/text/say.h"
#include "engine/experiment/point_text.h"

#include <stdio.h>
#include <stdlib.h>

// Prints "name=value name=value" of a point, as a shell takes it.
static void print_point(const struct pps_experiment *e, const double *point, const char *before)
{
    for (int c = 0; c < e->space.n_columns; c++) {
        char word[PPS_POINT_WORD];
        pps_point_word(e, point, c, word);
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
