// SPDX-License-Identifier: Apache-2.0
// Formats points as text.
#include "engine/experiment/point_text.h"

#include "engine/space/value.h"

#include <stdio.h>

void pps_point_text(const struct pps_experiment *experiment,
                    const double *point,
                    char *out,
                    size_t cap)
{
    const struct pps_space *space = &experiment->space;
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < space->n_columns && at < cap; i++) {
        const int p = space->columns[i];
        const struct pps_param *param = &experiment->kernel->params[p];
        char text[PPS_CELL_TEXT];
        pps_value_text(param, point[p], text);
        at += (size_t)snprintf(out + at, cap - at, "%s%s=%s", i > 0 ? " " : "", param->name,
                               text);
    }
}
