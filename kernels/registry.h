// SPDX-License-Identifier: Apache-2.0
// The registry lists the built-in kernels. The build makes the list from the folders kernels/NAME
// that contain a file kernel.c.
#pragma once

#include "ppsweep/kernel.h"

// All built-in kernels, ended with NULL: the default, contention, then the others in the order of their names. A kernel is an object
// `const struct pps_kernel pps_kernel_NAME`.
extern const struct pps_kernel *const pps_kernels[];
