// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound of the step of a batch over all divisions into micro-batches and all plans of these.
//
// Costs are linear between neighbouring nodes of the cost tables. So a row of a micro-batch takes at least what the
// cheapest rows of the nodes around its lengths take, and the work of a batch is at least the sum of these over its samples.
#pragma once

#include "kernels/dynapipe/step/step.h"

// The least costs of a setup at the lengths of its tables. Constant after it is opened.
struct batch_bound {
    const struct step_setup *setup; // NULL: no bound is known
    int32_t n[COST_AXES]; // nodes of every axis: those of the tables, and a length below them
    double *axis[COST_AXES];
    double *least; // [kind][input][target]: see batch_bound.c
    void *memory;
};

// Opens the bound of an open setup, whose memory counts if `keeps_limit`. A setup that prices its stages itself has no bound.
// Returns false if memory lacks. batch_bound_close: a zeroed struct is allowed.
bool batch_bound_open(struct batch_bound *bound, const struct step_setup *setup,
                      bool keeps_limit);
void batch_bound_close(struct batch_bound *bound);

// Returns the bound of a batch, us; 0: none is known. packs: rows may hold several samples.
double batch_bound_of(const struct batch_bound *bound, const struct split_samples *samples,
                      bool packs);
