// SPDX-License-Identifier: Apache-2.0
// Finds the parameters that have two columns in a typed result (--typed): they accept numbers
// and names, for example a priority that is a weight or a tier. X holds numbers, X_tier holds
// names; one of the two cells is empty.
#ifndef PPS_ENGINE_SPACE_TYPED_COLUMNS_H
#define PPS_ENGINE_SPACE_TYPED_COLUMNS_H

#include "ppsweep/kernel.h"

#include <stddef.h>
#include <stdint.h>

#define PPS_TIER_SUFFIX "_tier"

// Returns the parameters that accept numbers and names, one bit each.
uint64_t pps_typed_params(const struct pps_kernel *kernel);

// Returns the parameter whose names are in the column `name` (n characters), or -1.
int pps_typed_find(const struct pps_kernel *kernel, const char *name, size_t n);

#endif
