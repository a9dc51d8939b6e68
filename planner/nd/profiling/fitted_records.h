// SPDX-License-Identifier: Apache-2.0
// Writes fitted factors as records of a device and of a software stack, which clusters and trainings
// take. A record names a built-in record as its base, and has all figures that differ from it.
#ifndef PPS_PLANNER_ND_PROFILING_FITTED_RECORDS_H
#define PPS_PLANNER_ND_PROFILING_FITTED_RECORDS_H

#include "base/text/text_buffer.h"
#include "planner/nd/profiling/calibrate.h"

// Appends {"hardware": record} and a newline. The measurement has the records from which the fit
// started.
void nd_add_hardware_record(struct text_buffer *text,
                            const struct nd_measurement *measurement,
                            const struct nd_unknown *unknowns,
                            int n);

// Appends {"stack": record} and a newline; all times grow by `scale`.
void nd_add_stack_record(struct text_buffer *text,
                         const struct nd_measurement *measurement,
                         const struct nd_unknown *unknowns,
                         int n,
                         double scale);

#endif
