// SPDX-License-Identifier: Apache-2.0
// Reports a failed point with the cells that its row would have.
#include "engine/experiment/failed_point.h"

#include "engine/experiment/point_text.h"

#include <stdlib.h>

enum pps_status pps_fail_point(const struct pps_experiment *e,
                               uint64_t index,
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
