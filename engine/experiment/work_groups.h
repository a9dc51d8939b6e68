// SPDX-License-Identifier: Apache-2.0
// Finds the groups of points that do the same amount of work and may be compared. Rows are
// ranked within these groups unless the user chooses other groups.
#pragma once

#include "engine/experiment/experiment.h"

// What --by takes for no groups.
#define PPS_BY_NONE "none"

// Whether the parameter changes what a result in this column is worth: the amount of work,
// unless the column does not depend on the amount of work.
bool pps_work_matters(const struct pps_param *param, const struct pps_column *column);

// Whether an axis of the experiment gives the parameter several values.
bool pps_param_varies(const struct pps_experiment *experiment, int param);

// The parameters that rows of the experiment are grouped by when column `objective` ranks them;
// by has room for PPS_MAX_PARAMS. Returns how many.
int pps_work_groups(const struct pps_experiment *experiment, int objective, int *by);
