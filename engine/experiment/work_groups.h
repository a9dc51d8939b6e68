// SPDX-License-Identifier: Apache-2.0
// Which points may be compared: those that do the same amount of work. Rows are ranked within
// groups of them unless the user says otherwise.
#ifndef PPS_WORKGROUPS_H
#define PPS_WORKGROUPS_H

#include "engine/experiment/experiment.h"

// What --by takes for no groups.
#define PPS_BY_NONE "none"

// Whether the parameter changes what a result in this column is worth: the amount of work, unless
// the column is free of it.
bool pps_work_matters(const struct pps_param *param, const struct pps_column *column);

// Whether an axis of the experiment gives the parameter several values.
bool pps_param_varies(const struct pps_experiment *experiment, int param);

// The parameters that rows of the experiment are grouped by when column `objective` ranks them;
// by has room for PPS_MAX_PARAMS. Returns how many.
int pps_work_groups(const struct pps_experiment *experiment, int objective, int *by);

#endif
