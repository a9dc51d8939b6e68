// SPDX-License-Identifier: Apache-2.0
// A worker's scratch memory, as kernel.h promises it.
#ifndef PPS_SCRATCH_H
#define PPS_SCRATCH_H

#include <stddef.h>

// Memory of at least `bytes`, 64-byte aligned and zero; to be freed. NULL: there is not so much.
void *pps_scratch_take(size_t bytes);

#endif
