// SPDX-License-Identifier: Apache-2.0
// Estimates that are open: of one worker, by what of a point they depend on. Points come in an
// order in which that seldom changes, so the last ones are kept.
#ifndef PPS_NDSEARCH_OPENED_H
#define PPS_NDSEARCH_OPENED_H

#include "kernels/ndsearch/estimate/estimate.h"

enum { ND_OPENED = 16 };

// All that an estimate is made from.
struct nd_setting {
    const struct modeldesc *model;
    struct cluster cluster;
    struct training training;
};

// Zero at first.
struct nd_opened {
    uint32_t n_made; // the next one's id, less 1
    int last;
    struct nd_setting settings[ND_OPENED];
    struct nd_estimate estimates[ND_OPENED];
    bool used[ND_OPENED];
};

// The estimate of a setting; valid until ND_OPENED others have been asked for. Settings are compared byte by byte:
// make them in memory that was zero.
const struct nd_estimate *nd_opened_get(struct nd_opened *opened,
                                        const struct nd_setting *setting);

#endif
