// SPDX-License-Identifier: Apache-2.0
// Numbers the parameters and columns of the kernel, and declares what its table refers to.
#pragma once

#include "ppsweep/kernel.h"

enum {
    P_LAYERS, // number of the document
    P_TRAINING,
    P_MANUAL,
    P_PLAN,
    P_BODY_LAYERS,
    P_STAGES,
    P_CHUNKS,
    P_MICRO_BATCHES,
    P_ORDER,
    P_SEQ,
    P_MEMORY,
    P_MARGIN,
    P_RECOMPUTE,
    P_EMPTY,
    P_OBJECTIVE,
    P_LEVEL,
    P_BUDGET,
    P_SEED,
    N_PARAMS
};

enum {
    C_STEP_TIME,
    C_BUBBLE,
    C_BUBBLE_IDEAL,
    C_BUBBLE_IMBALANCE,
    C_BUBBLE_RECOMPUTE,
    C_BUBBLE_TRANSFER,
    C_PEAK,
    C_WORST_STAGE,
    C_BOUND,
    C_GAP,
    C_PROVEN,
    C_EVALUATIONS,
    C_PROXY,
    C_PROXY_TIME,
    C_MANUAL_TIME,
    C_OFFSET,
    C_RECOMPUTE,
    C_SELECT,
    C_SELECT_COMM,
    N_COLUMNS
};

enum { OBJECTIVE_MAKESPAN, OBJECTIVE_PROXY };

enum {
    BALANCE_STAGES_MAX = 1024,
    BALANCE_CHUNKS_MAX = 64,
    BALANCE_LAYERS_MAX = 10000,
    BALANCE_PIECES_MAX = 1024,
    BALANCE_LIST_BYTES = 2047, // of a list in a row; "..." at its end: cut off
};

extern const struct pps_param balance_params[];
extern const struct pps_column balance_columns[];
extern const struct pps_slot balance_slots[];
extern const char *const balance_reasons[];
extern const struct pps_artifact balance_artifacts[];

// The kinds of recomputation of each name of parameter `recompute`, as bits 1 << kind; 0: all that the layers know.
extern const unsigned balance_kind_sets[];

// Of pps_kernel.
size_t balance_scratch_bytes(const double *highest, const void *shared);
int balance_check(const double *value, const void *shared);
double balance_cost(const double *value, const void *shared);
double balance_lower_bound(const double *value, const void *shared);
void balance_run(const struct pps_batch *batch, const struct pps_worker *worker);
void balance_run_reference(const struct pps_batch *batch, const struct pps_worker *worker);
enum pps_outcome balance_trace(const double *value, const struct pps_worker *worker,
                               const struct pps_trace_sink *sink);
enum pps_outcome balance_artifact(const double *value, int which,
                                  const struct pps_worker *worker,
                                  const struct pps_text_sink *sink, struct pps_fault *fault);
