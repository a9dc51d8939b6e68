// SPDX-License-Identifier: Apache-2.0
// Refuses options that the schedules of a comparison do not use.
#ifndef PPS_PLANNER_SCHEDULE_UNUSED_H
#define PPS_PLANNER_SCHEDULE_UNUSED_H

#include "engine/command/command.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

// Checks the options of `ppsweep schedule` for a family of this name, with the point that it gets, and for
// the baseline beside it. A family NULL: the order of a document. An option with its default is always fine.
PPS_MUST_CHECK enum pps_status schedule_check_unused(const double value[N_PARAMS],
                                                     const char *name,
                                                     const struct schedule_point *named,
                                                     const struct family *baseline,
                                                     const struct pps_args *args,
                                                     struct pps_error *err);

#endif
