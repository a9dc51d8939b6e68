// SPDX-License-Identifier: Apache-2.0
// A sweep that is hard to share out, for the model of many cores: one point in a thousand takes
// 1.3 s, the others 0.4 ms.
#ifndef PPS_CORETAIL_H
#define PPS_CORETAIL_H

#include "coremodel.h"

struct pps_coretail {
    bool is_foretold; // the kernel's `cost` knows which points take long
    uint64_t n_points, block_points;
};

// Blocks of 20 ms, as far as it is foretold.
struct pps_coretail pps_coretail(uint64_t n_points, bool is_foretold);

uint64_t pps_coretail_blocks(const struct pps_coretail *tail);

// The tail must outlive them.
struct pps_corecosts pps_coretail_costs(const struct pps_coretail *tail);

#endif
