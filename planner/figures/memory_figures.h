// SPDX-License-Identifier: Apache-2.0
// Reads and writes the 14 memory figures of the pipeline program (struct nd_figures, MiB) as text,
// and makes them from a model or from the peaks of a calibration run.
#ifndef PPS_PLANNER_FIGURES_MEMORY_FIGURES_H
#define PPS_PLANNER_FIGURES_MEMORY_FIGURES_H

#include "base/table/table.h"
#include "base/text/text_buffer.h"
#include "kernels/common/split/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- as text ------------------------------------------------------------------------------------

// Reads `key=value` lines, in any order; empty lines and lines that begin with '#' are skipped.
// Every figure must be there once, save that of select_mem0 and select_mem12 and the like one will
// do for both. false: fault has line, column and what is wrong.
bool nd_figures_read(struct nd_figures *memory,
                     const char *text,
                     size_t n,
                     struct pps_fault *fault);

// The 14 lines, in the order in which they are usually kept.
void nd_figures_write(struct text_buffer *text, const struct nd_figures *memory);

// The configuration to which figures belong.
struct nd_figures_key {
    int32_t layers[2]; // of type 1, 2
    int32_t micro_batches;
    int32_t dp, tp, pp, vp, ep;
};

enum { ND_NAME_CAP = 128 };

// "layers3_59_micro64_dp128_tp1_pp16_vp1_ep64", without an ending; at most ND_NAME_CAP bytes.
// Figures are kept under the name of vp 1, solutions under that of their own vp. Returns name.
const char *nd_figures_name(char *name, const struct nd_figures_key *key);

// ---- from a model -------------------------------------------------------------------------------

// Bytes on one device, as a memory model gives them.
struct nd_layer_bytes {
    double none, select, full; // a micro-batch leaves, by what is recomputed
    double layer;              // parameters, gradients and optimizer state
};

struct nd_model_bytes {
    struct nd_layer_bytes dense, usual; // type 1 and 2
    double embedding;                   // static, of the first stage
    double head;    // static, of the last: head, final norm, MTP projections
    double logits;  // for the moment, on the last stage
    double working; // for the moment, on any stage: what recomputing one layer needs
    double reserve; // of framework and communication, on every stage
};

struct nd_figures nd_figures_of_model(const struct nd_model_bytes *bytes);

// Budgets of first, middle and last stage: what the limit leaves beside their static parts.
void nd_figures_budgets(struct nd_program *program, double limit_mb);

// ---- from a calibration run ---------------------------------------------------------------------

enum { ND_CALIBRATION_STAGES = 16 };

enum nd_layout {
    ND_LAYOUT_16, // 18 layers on 16 stages, 32 micro-batches
    ND_LAYOUT_13, // 72 layers on 13 stages, 39 micro-batches
};

// One peak a stage, MiB, without and with what fragmentation loses.
struct nd_calibration {
    enum nd_layout layout;
    double peak[ND_CALIBRATION_STAGES];
    double actual[ND_CALIBRATION_STAGES];
};

struct cJSON;

// {"peak_mb": [...], "actual_peak_mb": [...]}, a number a stage; without the second, both are
// the first. A peak of 0 means a run that failed.
bool nd_calibration_read(struct nd_calibration *calibration,
                         enum nd_layout layout,
                         const struct cJSON *document,
                         struct pps_fault *fault);

struct nd_calibration_fit {
    double residual_mb; // root of the mean square, over the stages
    double worst_mb;    // greatest error of a stage
    int32_t worst_stage;
};

// Corrected: all stages at once, by least squares with figures >= 0; what fragmentation loses
// is added to the static figures, on average over the stages of a kind. As published:
// differences of two stages each (layout 16; `fit` contains the remaining errors), or five
// unknowns a type from five stages (layout 13). whole_layers: this framework cannot recompute
// single layers, so that re_comp is what act is.
void nd_figures_of_calibration(struct nd_figures *memory,
                               const struct nd_calibration *calibration,
                               enum nd_compat compat,
                               bool whole_layers,
                               struct nd_calibration_fit *fit);

#endif
