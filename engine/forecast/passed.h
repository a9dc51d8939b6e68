// SPDX-License-Identifier: Apache-2.0
// Declares the counts of a run since its start, and the callback that receives them.
#ifndef PPS_ENGINE_FORECAST_PASSED_H
#define PPS_ENGINE_FORECAST_PASSED_H

#include <stdint.h>

struct pps_passed {
    uint64_t points;
    uint64_t rows;     // or evaluated points, if only the best rows are kept
    uint64_t live;     // points that were not skipped
    uint64_t computed; // of these, points computed by the kernel, not pruned or recalled
};

// Called after each block, by one thread at a time but not always the same. `passed` NULL: no
// call.
struct pps_watch {
    void *self;
    void (*passed)(void *self, const struct pps_passed *passed);
};

#endif
