// SPDX-License-Identifier: Apache-2.0
// Answers which parameters of a result matter. The rows decide what can be said: a full grid gives exact
// indices; a design (saltelli, morris) gives estimates with intervals; any other sample gives
// first-order indices only.
#pragma once

#include "base/text/status.h"
#include "base/text/text_buffer.h"
#include "engine/experiment/documents.h"
#include "engine/read/view.h"
#include "engine/sensitivity/estimate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_EFFECT_NAME = 200, PPS_EFFECT_AT = 96, PPS_RESAMPLES = 1000 };

// What the numbers of a group are.
enum pps_sensitivity_kind {
    PPS_FROM_GRID,     // exact, of a full grid
    PPS_FROM_ROWS,     // exact main effects of rows that are no full grid
    PPS_FROM_SAMPLE,   // estimated first-order indices
    PPS_FROM_SALTELLI, // estimated first-order and total indices
    PPS_FROM_MORRIS,   // elementary effects
};

// A factor, or a parameter of the factor above. Values that do not exist are NAN.
struct pps_effect {
    char name
        [PPS_EFFECT_NAME]; // "n", or "p_fwd_prop+p_grad_prop" of parameters that vary together
    bool is_member;        // a parameter of the factor above, which has several
    uint64_t n_values;     // 0: a continuous range
    struct pps_estimate first, total;
    struct pps_estimate mu_star, mu, sigma;
    // The least and the greatest mean of the objective by value, and these values.
    double low, high;
    char low_at[PPS_EFFECT_AT], high_at[PPS_EFFECT_AT];
};

struct pps_sensitivity_group {
    char *name;     // "n=8"; "": all rows
    char *constant; // "gpus=4 fwd_len=1.0": parameters that do not vary; or ""
    enum pps_sensitivity_kind kind;
    uint64_t rows, missing; // rows, and rows of these without a value
    double mean, variance;
    double sum_first;           // of the factors
    struct pps_effect *effects; // the factors with the largest effect first
    int n_effects;
    struct text_buffer notes; // lines; what a reader must know
};

struct pps_sensitivity {
    char *objective, *unit;
    enum pps_goal goal;
    char partial[160]; // as in struct pps_view
    struct pps_sensitivity_group *groups;
    size_t n_groups;
};

struct pps_sensitivity_ask {
    struct pps_view_ask view;
    const char *objective; // NULL: as pps_view_objective
    const char *by;        // as for pps_grouping_open
    struct pps_bootstrap bootstrap;
    struct pps_input_words inputs; // documents that the manifest of a design does not hold
};

// Reads the result and computes everything. Returns PPS_E_INPUT for rows from which nothing can be
// concluded, with what to run instead. The caller calls pps_sensitivity_free in every case.
PPS_MUST_CHECK enum pps_status pps_sensitivity_open(struct pps_sensitivity *sensitivity,
                                                    const struct pps_sensitivity_ask *ask,
                                                    struct pps_error *err);
void pps_sensitivity_free(struct pps_sensitivity *sensitivity);
