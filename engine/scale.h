// SPDX-License-Identifier: Apache-2.0
// Scales of values in pictures: logarithmic or linear, and one range for several maps.
#ifndef PPS_SCALE_H
#define PPS_SCALE_H

#include <stdbool.h>

enum pps_scale_kind {
    PPS_SCALE_AUTO, // logarithmic where the highest value is ten times the lowest or more
    PPS_SCALE_LOG,
    PPS_SCALE_LINEAR,
};

struct pps_scale {
    enum pps_scale_kind kind;
    bool shared;    // one range for all maps of the result
    bool has_range; // that range is low to high
    double low, high;
};

// "auto", "log" or "linear".
const char *pps_scale_word(enum pps_scale_kind kind);

#endif
