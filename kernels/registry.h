// SPDX-License-Identifier: Apache-2.0
// The registry lists all kernels.
#ifndef PPS_REGISTRY_H
#define PPS_REGISTRY_H

#include "ppsweep/kernel.h"

// All kernels in the order of registry.def, ended with NULL.
extern const struct pps_kernel *const pps_kernels[];

// Returns the kernel with this name; NULL: there is none.
const struct pps_kernel *pps_kernel_find(const char *name);

#endif
