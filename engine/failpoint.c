// SPDX-License-Identifier: Apache-2.0
// Reports a failed point with the cells that its row would have.
#include "failpoint.h"

#include "value.h"

#include <stdio.h>
#include <stdlib.h>

enum pps_status pps_fail_point(const struct pps_experiment *e,
                               uint64_t index,
                               struct pps_error *err)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    char point[768] = "";
    size_t at = 0;
    if (cursor == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for a point");
    pps_cursor_seek(cursor, &e->space, index);
    for (int i = 0; i < e->space.n_columns && at < sizeof point; i++) {
        const struct pps_param *param = &e->kernel->params[e->space.columns[i]];
        char text[PPS_CELL_TEXT];
        pps_value_text(param, cursor->point[e->space.columns[i]], text);
        at += (size_t)snprintf(point + at, sizeof point - at, " %s=%s", param->name, text);
    }
    free(cursor);
    return pps_fail(
        err, PPS_E_POINTS,
        "%s could not finish the point%s; without --fail-fast its results are empty",
        e->kernel->name, point);
}
