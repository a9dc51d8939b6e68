// SPDX-License-Identifier: Apache-2.0
// Measures the order of a point by the plain simulation (kernels/common/executor/reference.h).
#ifndef PPS_SCHEDULE_REFERENCE_H
#define PPS_SCHEDULE_REFERENCE_H

#include "kernels/schedule/point.h"

// Replaces metrics and idle time of the figures by those of the simulation. The order is that of the point in
// schedule_evaluate (SCHEDULE_DONE). Allocates; SCHEDULE_FAILED if memory runs out,
// SCHEDULE_STOPPED by the poll.
enum schedule_status schedule_refer(struct schedule_scratch *scratch,
                                    const struct schedule_point *point,
                                    struct poll *poll,
                                    struct schedule_figures *figures);

#endif
