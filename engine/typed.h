// SPDX-License-Identifier: Apache-2.0
// Typed results (--typed): a parameter that takes numbers and names, as a priority is a weight or a
// tier, has two columns: X holds numbers, X_tier names, and one of the two cells is empty.
#ifndef PPS_TYPED_H
#define PPS_TYPED_H

#include "kernel.h"
#include "result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPS_TIER_SUFFIX "_tier"

// The parameters that take numbers and names, a bit each.
uint64_t pps_typed_params(const struct pps_kernel *kernel);

// The parameter whose names the column `name` (n characters) holds; -1 where there is none.
int pps_typed_find(const struct pps_kernel *kernel, const char *name, size_t n);

// From now on the two columns of each such parameter are one, with the cell that is not empty.
void pps_typed_join(struct pps_result *result, const struct pps_kernel *kernel);

#endif
