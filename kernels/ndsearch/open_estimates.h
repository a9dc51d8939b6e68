// SPDX-License-Identifier: Apache-2.0
// Caches the open estimates of one worker by the settings of a point on which an estimate depends.
// Settings seldom change in the order of the points, so the last few estimates are kept.
#pragma once

#include "kernels/common/estimate/estimate.h"

enum { ND_OPENED = 16 };

// The inputs of an estimate.
struct nd_setting {
    const struct modeldesc *model;
    struct cluster cluster;
    struct training training;
};

// Initialise with zeros.
struct nd_opened {
    uint32_t n_made; // the next one's id, less 1
    int last;
    struct nd_setting settings[ND_OPENED];
    struct nd_estimate estimates[ND_OPENED];
    bool used[ND_OPENED];
};

// Returns the estimate of a setting, valid until ND_OPENED other settings have been requested.
// Settings are compared byte by byte: build them in zeroed memory.
const struct nd_estimate *nd_opened_get(struct nd_opened *opened,
                                        const struct nd_setting *setting);
