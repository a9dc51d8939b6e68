// SPDX-License-Identifier: Apache-2.0
// Finds the groups of points that do the same amount of work.
#include "engine/experiment/work_groups.h"

bool pps_work_matters(const struct pps_param *param, const struct pps_column *column)
{
    return param->changes_work && !column->size_free;
}

bool pps_param_varies(const struct pps_experiment *experiment, int param)
{
    const struct pps_space *space = &experiment->space;
    for (int d = 0; d < space->n_axes; d++)
        if ((space->axes[d].sets >> param & 1) != 0 && !pps_axis_is_constant(&space->axes[d]))
            return true;
    return false;
}

int pps_work_groups(const struct pps_experiment *experiment, int objective, int *by)
{
    const struct pps_kernel *kernel = experiment->kernel;
    const struct pps_space *space = &experiment->space;
    int n = 0;
    for (int c = 0; c < space->n_columns; c++) {
        const int p = space->columns[c];
        if (pps_work_matters(&kernel->params[p], &kernel->columns[objective]) &&
            pps_param_varies(experiment, p))
            by[n++] = p;
    }
    return n;
}
