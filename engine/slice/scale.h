// SPDX-License-Identifier: Apache-2.0
// Chooses the scales of values in pictures: logarithmic or linear, and optionally one range for
// several maps.
#pragma once

#include <stdbool.h>

enum pps_scale_kind {
    PPS_SCALE_AUTO, // logarithmic if the highest value is at least ten times the lowest
    PPS_SCALE_LOG,
    PPS_SCALE_LINEAR,
};

struct pps_scale {
    enum pps_scale_kind kind;
    bool shared;    // one range for all maps of the result
    bool relative;  // values are percent above the best: of all maps if shared, else of the map
    bool has_range; // that range is low ... high
    double low, high;
};

// Returns "auto", "log" or "linear".
const char *pps_scale_word(enum pps_scale_kind kind);
