// SPDX-License-Identifier: Apache-2.0
// Finds the factors of a grid: the smallest sets of parameters such that the rows have every
// combination of the factors' values exactly once. A parameter alone is a factor; parameters that vary
// together (weights that sum to 1, paired lists, a range that depends on another parameter) are one.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MOST_FACTORS = 64 };

// A parameter: code[i] < levels is the value of row i.
struct pps_factor_input {
    const uint32_t *code;
    uint32_t levels;
};

struct pps_factors {
    int n;                             // factors
    int of[PPS_MOST_FACTORS];          // factor of each parameter
    uint32_t levels[PPS_MOST_FACTORS]; // combinations of each factor's parameters
    uint32_t *code[PPS_MOST_FACTORS];  // of each row
    bool
        is_grid; // the rows are every combination of two or more factors (or of one parameter) once
};

// Finds the factors of n rows with n_params <= PPS_MOST_FACTORS parameters that all vary. The caller
// calls pps_factors_free in every case.
PPS_MUST_CHECK enum pps_status pps_factors_find(struct pps_factors *factors,
                                                const struct pps_factor_input *params,
                                                int n_params, uint64_t n,
                                                struct pps_error *err);
void pps_factors_free(struct pps_factors *factors);
