// SPDX-License-Identifier: Apache-2.0
// Declares the indices of parameters and columns, and the parts of the table in kernel.c. Private to
// the files that implement the kernel's interface.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "ppsweep/kernel.h"

enum {
    P_PLAN,
    P_ORDER,
    P_FAMILY,
    P_P,
    P_M,
    P_V,
    P_SLICES,
    P_GROUP,
    P_DESCENDING,
    P_F,
    P_B,
    P_W,
    P_PAIR,
    P_LATENCY,
    P_CHANNELS,
    P_MEM_F,
    P_MEM_B,
    P_MEM_W,
    P_LIMIT,
    P_PER,
    P_OBJECTIVE,
    P_BUDGET,
    P_SEED,
    P_COMPAT,
    P_TIMES,
    P_SIZE,
    P_BASE,
    P_BASE_COMM,
    P_NOISE,
    P_LEVEL,
    P_MESSAGE_LEVEL,
    P_OUTLIER_P,
    P_OUTLIER_K,
    P_OUTLIER_ALPHA,
    P_CORRELATION,
    P_CORRELATION_GROUP,
    P_WINDOW,
    P_STRAGGLER_P,
    P_STRAGGLER_K,
    P_STRAGGLER_DEVICE,
    P_STRAGGLER_FROM,
    P_STRAGGLER_UNTIL,
    P_REPLICATES,
    P_FIRST,
    P_RULE,
    P_POLICY,
    P_THRESHOLD,
    P_LAG,
    N_PARAMS,
};

enum {
    C_MAKESPAN,
    C_SPAN,
    C_BUBBLE,
    C_BUBBLE_SPAN,
    C_BUBBLE_IDEAL,
    C_THROUGHPUT,
    C_PEAK,
    C_BOUND,
    C_GAP,
    C_PROVEN,
    C_CHOSEN,
    C_EVALUATIONS,
    C_CHUNKS,
    C_BUBBLE_TIME,
    C_IDLE_WARM_UP,
    C_IDLE_FORWARD,
    C_IDLE_GRADIENT,
    C_IDLE_CHANNEL,
    C_IDLE_COOL_DOWN,
    C_CRITICAL_F,
    C_CRITICAL_B,
    C_CRITICAL_W,
    C_CRITICAL_MESSAGES,
    C_MEAN,
    C_MEAN_HALF,
    C_P50,
    C_P95,
    C_P99,
    C_VS_STATIC,
    C_VS_STATIC_HALF,
    C_WON,
    C_CLAIRVOYANT,
    C_MEMORY_BOUND,
    C_MEAN_GAP,
    C_UTILISATION,
    N_COLUMNS,
};

enum { UTILISATION_BYTES = 6 }; // of a device: "100.0;"

extern const struct pps_param schedule_params[];
extern const struct pps_column schedule_columns[];
extern const struct pps_stack schedule_stacks[];
extern const struct pps_preset schedule_presets[];
extern const char *const schedule_reasons[]; // of check; ends with NULL

// ---- check.c ----

int schedule_check(const double *value, const void *shared);

// ---- rows.c ----

// `shared`: struct schedule_shared, or NULL without documents.
size_t schedule_scratch_bytes(const double *highest, const void *shared);
double schedule_cost(const double *value, const void *shared);
void schedule_run(const struct pps_batch *batch, const struct pps_worker *worker);
void schedule_run_reference(const struct pps_batch *batch, const struct pps_worker *worker);

// ---- trace.c ----

enum pps_outcome schedule_trace(const double *value, const struct pps_worker *worker,
                                const struct pps_trace_sink *sink);

// ---- artifacts.c ----

extern const struct pps_artifact schedule_artifacts[];
enum pps_outcome schedule_artifact(const double *value, int which,
                                   const struct pps_worker *worker,
                                   const struct pps_text_sink *sink, struct pps_fault *fault);
