// SPDX-License-Identifier: Apache-2.0
// Lists the named factors of a prediction that can be fitted to measured steps: efficiencies of a
// device, and figures of a software stack.
#pragma once

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/stack.h"

enum nd_factor {
    ND_GEMM, // of the device
    ND_ATTENTION,
    ND_MEMORY,
    ND_LINK,
    ND_FP8,
    ND_RATE_GEMM, // of the stack, from here on
    ND_RATE_ATTENTION,
    ND_RATE_MEMORY,
    ND_RATE_LINK,
    ND_TP_EXPOSED,
    ND_CP_EXPOSED,
    ND_EP_EXPOSED,
    ND_PP_EXPOSED,
    ND_DP_HIDDEN,
    ND_ZERO_HIDDEN,
    ND_ZERO_EXPOSED,
    ND_GROUPED_HALF,
    ND_IMBALANCE,
    ND_LAUNCH,
    ND_LAUNCH_EXPERTS,
    ND_GAP,
    ND_ACROSS,
    ND_QUANTISE,
    ND_FACTORS,
};

// Returns the name of a factor: its key in a document of a device or a stack.
const char *nd_factor_name(enum nd_factor factor);

// Returns the factor of this name and length; ND_FACTORS: there is none.
enum nd_factor nd_factor_find(const char *name, size_t length);

// Returns whether the factor belongs to the stack, not to the device.
bool nd_factor_of_stack(enum nd_factor factor);

// Returns where the two records keep a factor.
double *nd_factor_at(enum nd_factor factor, struct hardware *hardware, struct stack *stack);

// A fit moves u, and the factor is start * exp(u) where it is a rate, otherwise start plus u times
// the range of its values. Both are cut at the ends of the range, or at the start if it is outside.
double nd_factor_moved(enum nd_factor factor, double start, double u);

// Returns whether a fit from this start cannot move a factor of this value further: it is at an end
// of its range, where it did not start.
bool nd_factor_at_end(enum nd_factor factor, double start, double value);
