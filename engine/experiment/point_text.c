// SPDX-License-Identifier: Apache-2.0
// Formats points as text.
#include "engine/experiment/point_text.h"

#include <stdio.h>
#include <stdlib.h>

void pps_point_word(const struct pps_experiment *experiment, const double *point, int column,
                    char word[PPS_POINT_WORD])
{
    const int p = experiment->space.columns[column];
    const struct pps_param *param = &experiment->kernel->params[p];
    char text[PPS_CELL_TEXT];
    pps_value_text(param, point[p], text);
    snprintf(word, PPS_POINT_WORD, "%s=%s", param->name, text);
}

void pps_point_text(const struct pps_experiment *experiment, const double *point, char *out,
                    size_t cap)
{
    char word[PPS_POINT_WORD];
    size_t at = 0;
    out[0] = '\0';
    for (int c = 0; c < experiment->space.n_columns && at < cap; c++) {
        pps_point_word(experiment, point, c, word);
        at += (size_t)snprintf(out + at, cap - at, "%s%s", c > 0 ? " " : "", word);
    }
}

enum pps_status pps_fail_point(const struct pps_experiment *e, uint64_t index,
                               struct pps_error *err)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    char point[768];
    if (cursor == NULL)
        return pps_fail_memory(err, "a point");
    pps_cursor_seek(cursor, &e->space, index);
    pps_point_text(e, cursor->point, point, sizeof point);
    free(cursor);
    return pps_fail(
        err, PPS_E_POINTS,
        "%s could not finish the point %s; without --fail-fast its results are empty",
        e->kernel->name, point);
}
