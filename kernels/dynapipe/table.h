// SPDX-License-Identifier: Apache-2.0
// Numbers the parameters and columns of the kernel, and declares what its table refers to.
#pragma once

#include "ppsweep/kernel.h"

enum {
    P_COSTS, // number of the document
    P_CLUSTER,
    P_BATCHES,
    P_PLAN,
    P_BATCH,
    P_MICRO_BATCHES,
    P_DEVICES,
    P_CHUNKS,
    P_LAYERS_PER_STAGE,
    P_DP,
    P_TP,
    P_ZERO,
    P_DISTRIBUTION,
    P_SPREAD,
    P_METHOD,
    P_MODE,
    P_BUDGET,
    P_SEED,
    P_MEMORY,
    P_FRACTION,
    P_COMM_RATIO,
    P_ORDER,
    P_PERMUTE,
    P_PACKING,
    P_COMPAT,
    N_PARAMS
};

enum {
    C_MAKESPAN,
    C_UTILISATION,
    C_PEAK,
    C_WORST_DEVICE,
    C_METHOD,
    C_MODE,
    C_EVALUATIONS,
    C_FIRST_FIT,
    C_BOUND,
    C_GAP,
    C_FULL,
    C_SELECTIVE,
    C_SPEEDUP,
    C_MICRO_BATCHES,
    C_PADDING,
    C_TOKENS,
    C_OBJECTIVE,
    C_ORDER,
    N_COLUMNS
};

enum { DISTRIBUTION_NORMAL, DISTRIBUTION_LOG_NORMAL };
enum { ORDER_TEXT = 400 };

extern const struct pps_param dynapipe_params[N_PARAMS];
extern const struct pps_column dynapipe_columns[N_COLUMNS];
extern const char *const dynapipe_reasons[];
extern const struct pps_slot dynapipe_slots[];
extern const struct pps_artifact dynapipe_artifacts[];

size_t dynapipe_scratch_bytes(const double *highest, const void *shared);
int dynapipe_check(const double *value, const void *shared);
double dynapipe_cost(const double *value, const void *shared);
double dynapipe_lower_bound(const double *value, const void *shared);
void dynapipe_run(const struct pps_batch *batch, const struct pps_worker *worker);
void dynapipe_run_reference(const struct pps_batch *batch, const struct pps_worker *worker);
enum pps_outcome dynapipe_trace(const double *value, const struct pps_worker *worker,
                                const struct pps_trace_sink *sink);
enum pps_outcome dynapipe_artifact(const double *value, int which,
                                   const struct pps_worker *worker,
                                   const struct pps_text_sink *sink, struct pps_fault *fault);
