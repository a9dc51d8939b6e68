// SPDX-License-Identifier: Apache-2.0
// Declares the parts of the kernel object: numbers of columns, and the tables and functions that
// kernel.c uses.
#pragma once

#include "kernels/contention/batch.h"
#include "ppsweep/kernel.h"

// Numbers of the columns.
enum {
    TOTAL_TIME,
    BUBBLE_RATIO,
    COMPUTE_SLOWDOWN,
    PORT_UTILIZATION,
    EXPOSED_COMM,
    FWD_PROP_LATENCY,
    GRAD_PROP_LATENCY,
    GRAD_SYNC_LATENCY,
    THROTTLED_TASKS,
    PEAK_IN_FLIGHT,
    IDEAL_TIME,
    CRITICAL_GPU,
    CRITICAL_COMPUTE,
    CRITICAL_SLOWDOWN,
    CRITICAL_FWD_PROP,
    CRITICAL_GRAD_PROP,
    CRITICAL_GRAD_SYNC,
    CRITICAL_BUBBLE,
    CRITICAL_FINAL_SYNC,
    SENSITIVITY,
    TIME_PER_MICRO_BATCH,
    D_FWD_LEN, // the derivatives in the order of the parameters
    D_BWD_LEN,
    D_PROP_LEN,
    D_SYNC_BASE_LEN,
    D_FWD_IMPACT,
    D_BWD_IMPACT,
    N_COLUMNS,
};

// ---- parameters.c ----

extern const struct pps_param contention_params[N_PARAMS];

// Returns the point with these values of the parameters.
struct contention_point contention_point_of(const double *value);

// ---- columns.c ----

extern const struct pps_column contention_columns[N_COLUMNS];

// Returns which results the columns of the batch need.
struct contention_wish contention_wish_of(const struct pps_batch *batch);
// Writes row i of the batch; `wish` is contention_wish_of(batch).
void contention_set_row(const struct pps_batch *batch, struct contention_wish wish, size_t i,
                        const struct contention_result *r);

// ---- priorities.c ----

extern const struct pps_composite contention_priorities;
