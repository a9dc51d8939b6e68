// SPDX-License-Identifier: Apache-2.0
// Checks the table of a kernel before the engine uses it: a mistake in the table would
// otherwise end in a crash or in wrong columns. Thread-safe.
#ifndef PPS_ENGINE_KERNELS_KERNEL_TABLE_H
#define PPS_ENGINE_KERNELS_KERNEL_TABLE_H

#include "ppsweep/kernel.h"

#include <stddef.h>

// Returns whether the tables of the kernel are complete and consistent: names are identifiers and
// distinct, defaults lie within their ranges, required functions exist, and lists end. Otherwise
// writes one sentence to fault[cap].
bool pps_kernel_table_valid(const struct pps_kernel *kernel, char *fault, size_t cap);

#endif
