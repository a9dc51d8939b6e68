// SPDX-License-Identifier: Apache-2.0
// Scratch memory of one worker, as kernel.h promises it.
#ifndef PPS_SCRATCH_H
#define PPS_SCRATCH_H

#include <stddef.h>

// Allocates at least `bytes` of zeroed memory, aligned to 64 bytes. The caller frees it with
// free. Returns NULL if memory runs out.
void *pps_scratch_take(size_t bytes);

#endif
