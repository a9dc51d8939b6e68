// SPDX-License-Identifier: Apache-2.0
// Declares the indices of parameters and columns, and the functions of the table in kernel.c.
// Private to the files that implement the kernel's interface.
#pragma once

#include "ppsweep/kernel.h"

enum {
    P_MODEL,
    P_CLUSTER,
    P_STACK,
    // of the cluster
    P_WORLD_SIZE,
    P_HARDWARE,
    P_MEMORY,
    P_RESERVE,
    // of the training
    P_GBS,
    P_ZERO_LEVEL,
    P_DISTRIBUTED_OPTIMIZER,
    P_BYTES_PARAM,
    P_BYTES_GRAD,
    P_BYTES_OPTIM,
    P_EXPERT_TENSOR_PARALLEL,
    P_FLASH_ATTENTION,
    P_FUSED_CROSS_ENTROPY,
    P_LOW_MEM_VPP,
    P_DUMMY_WGRAD,
    P_PRECISION,
    // of the model
    P_SEQ_LENGTH,
    P_LAYERS,
    P_HIDDEN,
    P_HEADS,
    P_QUERY_GROUPS,
    P_FFN,
    P_VOCAB,
    P_EXPERTS,
    // the strategy
    P_TP,
    P_CP,
    P_PP,
    P_DP,
    P_EP,
    P_OP,
    P_VP,
    P_MBS,
    P_SP,
    P_RECOMPUTE,
    P_TOKENS,
    N_PARAMS,
};

// Values of P_HARDWARE: 0 is the device of the cluster, then the built-in records in their order.
enum { HARDWARE_OWN };

// Values of P_RECOMPUTE: as enum nd_recompute, or auto, the first of these that fits.
enum { RECOMPUTE_AUTO = 3 };

enum {
    C_STEP,
    C_MFU,
    C_TOKENS,
    C_MEMORY,
    C_RECOMPUTE,
    C_FITS,
    C_MICRO_BATCHES,
    C_DAYS,
    C_HFU,
    C_MEM_PARAMETERS,
    C_MEM_GRADIENTS,
    C_MEM_OPTIMIZER,
    C_MEM_ACTIVATIONS,
    C_MEM_TRANSIENT,
    C_MEM_RESERVE,
    C_MEM_STAGE,
    C_MEM_NONE,
    C_MEM_SELECT,
    C_MEM_FULL,
    C_COMPUTE,
    C_TP_TIME,
    C_EP_TIME,
    C_CP_TIME,
    C_HEAD,
    C_BUBBLE,
    C_P2P,
    C_DP_TIME,
    C_OPTIMIZER,
    N_COLUMNS,
};

// ---- documents.c ----

extern const struct pps_slot nd_slots[];
enum { SLOT_MODEL, SLOT_CLUSTER, SLOT_STACK, SLOT_TRAINING, N_SLOTS };

// Reads the documents. After an error there is nothing to close.
bool nd_open(const struct pps_document *documents, int n, void **shared,
             struct pps_fault *fault);
void nd_close(void *shared);
int nd_doubts(const struct pps_document *documents, int n, const void *shared,
              struct pps_fault *doubts, int most);
void nd_values(const void *shared, int slot, int i, double *values);

// ---- point.c ----

// Reasons of nd_check.
extern const char *const nd_reasons[];

size_t nd_scratch_bytes(const double *highest, const void *shared);
int nd_check(const double *value, const void *shared);
void nd_check_points(const double *const *param, size_t n, const void *shared, int *reason);
double nd_cost(const double *value, const void *shared);

// ---- rows.c ----

void nd_run(const struct pps_batch *batch, const struct pps_worker *worker);
void nd_run_reference(const struct pps_batch *batch, const struct pps_worker *worker);

// ---- trace.c ----

enum pps_outcome nd_trace(const double *value, const struct pps_worker *worker,
                          const struct pps_trace_sink *sink);

// ---- presets.c ----

extern const struct pps_preset nd_presets[];
