// SPDX-License-Identifier: Apache-2.0
// Finds the few points of an experiment with the highest `cost` of the kernel.
#pragma once

#include "engine/experiment/experiment.h"

enum {
    PPS_COSTLY_POINTS = 3,
    PPS_COSTLY_LOOKS = 16384, // points that are asked for their cost: a few milliseconds
    PPS_COSTLY_TEXT = 400,
};

struct pps_costly_point {
    double cost; // as the kernel returns it
    char text[PPS_COSTLY_TEXT];
};

struct pps_costly {
    int n; // the costliest first, no two of equal cost
    struct pps_costly_point points[PPS_COSTLY_POINTS];
    double mean; // cost of the examined points that are not skipped
};

// Looks at all points, or at PPS_COSTLY_LOOKS that are spread over a larger experiment; the same
// every time. Without memory it finds none.
void pps_costly_find(struct pps_costly *costly, const struct pps_experiment *experiment);
