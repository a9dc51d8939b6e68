// SPDX-License-Identifier: Apache-2.0
// Decomposes measured peaks of stages into memory of a layer: parameters, activations of each kind of recomputation,
// and what head, tail and every stage hold besides. A 1F1B stage s of P holds P - s micro-batches at its peak:
//
//   M[s] = n[s] p + (P - s) sum_k x[k][s] a[k] + c + [s = 0] mh + [s = P - 1] mt
//
// The middle stages of all rounds are equations for p, a[k] and c; head and tail of round 1 give mh and mt.
#pragma once

#include "planner/balance/init/init_document.h"

enum { MEMORY_UNKNOWNS_MAX = 2 + BALANCE_KINDS };

struct memory_fit {
    // The unknowns: c, p, then the kinds.
    bool has_constant, has[BALANCE_KINDS];
    double constant_mb; // 0 if it is not an unknown
    double parameter_mb, activation_mb[BALANCE_KINDS];
    double head_mb, tail_mb;
    int unknowns, equations;
    double condition;      // of the equations, columns scaled to length 1
    double rms, largest;   // of the residuals of the middle stages, MiB
    double underestimated; // largest measured value above the model's; 0: none
};

// Decomposes. Returns false with a fault without a place: too few measurements, a kind that no middle stage has, or
// unknowns that cannot be told apart.
bool memory_fit_find(const struct balance_init *init, struct memory_fit *fit,
                     struct pps_fault *fault);

// Returns what the decomposition says of a measured stage, MiB.
double memory_fit_of(const struct balance_init *init, const struct memory_fit *fit,
                     const struct init_measure *measure);

// Writes the coefficients of the unknowns for a stage, in their order. Returns the number of unknowns.
int memory_fit_row(const struct memory_fit *fit, int32_t stages, int32_t stage, int32_t layers,
                   const int32_t count[BALANCE_KINDS], double row[MEMORY_UNKNOWNS_MAX]);
