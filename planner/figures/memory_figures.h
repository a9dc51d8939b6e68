// SPDX-License-Identifier: Apache-2.0
// Reads and writes the 14 memory figures of the pipeline program (struct nd_figures, MiB) as text,
// and makes them from a model or from the peaks of a calibration run.
#pragma once

#include "base/table/table.h"
#include "base/text/text_buffer.h"
#include "kernels/common/split/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- as text ------------------------------------------------------------------------------------

// Reads `key=value` lines, in any order; empty lines and lines that begin with '#' are skipped.
// Every figure must appear once. Exceptions: one of select_mem0 and select_mem12 stands for both,
// likewise one of re_comp_mem0 and re_comp_mem12, and one of act_mem0 and act_mem12. Returns false
// with line, column and reason in `fault`.
bool nd_figures_read(struct nd_figures *memory, const char *text, size_t n,
                     struct pps_fault *fault);

// Writes the 14 lines in the usual order of these files.
void nd_figures_write(struct text_buffer *text, const struct nd_figures *memory);

// A configuration, whose name figures and solutions have.
struct nd_figures_key {
    int32_t layers[2]; // of type 1, 2
    int32_t micro_batches;
    int32_t dp, tp, pp, vp, ep;
};

enum { ND_NAME_CAP = 128 };

// Writes "layers3_59_micro64_dp128_tp1_pp16_vp1_ep64", without an ending and at most ND_NAME_CAP
// bytes, and returns `name`. Files of figures have the name of vp 1, solutions the name of their vp.
const char *nd_figures_name(char *name, const struct nd_figures_key *key);

// Sets the budgets of the first, middle and last stages: the limit minus their static parts.
void nd_figures_budgets(struct nd_program *program, double limit_mb);

// ---- from a calibration run ---------------------------------------------------------------------

enum { ND_CALIBRATION_STAGES = 16 };

enum nd_layout {
    ND_LAYOUT_16, // 18 layers on 16 stages, 32 micro-batches
    ND_LAYOUT_13, // 72 layers on 13 stages, 39 micro-batches
};

// One peak per stage, MiB: `peak` without the memory lost to fragmentation, `actual` with it.
struct nd_calibration {
    enum nd_layout layout;
    double peak[ND_CALIBRATION_STAGES];
    double actual[ND_CALIBRATION_STAGES];
};

struct cJSON;

// Reads {"peak_mb": [...], "actual_peak_mb": [...]}, one number per stage. Without
// "actual_peak_mb", `actual` equals `peak`. A peak of 0 means that the run failed. Returns false
// and sets `fault` for invalid documents.
bool nd_calibration_read(struct nd_calibration *calibration, enum nd_layout layout,
                         const struct cJSON *document, struct pps_fault *fault);

struct nd_calibration_fit {
    double residual_mb; // root of the mean square, over the stages
    double worst_mb;    // greatest error of a stage
    int32_t worst_stage;
};

// Computes the figures from the peaks of a calibration run. Corrected: fits all stages at once, by
// least squares with figures >= 0, and adds the memory lost to fragmentation to the static figures,
// averaged over the stages of a kind. As published: takes differences of two stages each (layout
// 16; `fit` contains the remaining errors), or solves for five unknowns per type with five stages
// (layout 13). whole_layers: the framework cannot recompute single layers, so re_comp equals act.
void nd_figures_of_calibration(struct nd_figures *memory,
                               const struct nd_calibration *calibration, enum nd_compat compat,
                               bool whole_layers, struct nd_calibration_fit *fit);
