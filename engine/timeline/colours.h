// SPDX-License-Identifier: Apache-2.0
// The colours of kinds of tasks, in pictures and on pages.
#pragma once

#include "ppsweep/kernel.h"

#include <stdint.h>

struct pps_kind_colour {
    const char *fill;
    const char *tint; // of the part of a lane that a slowed task leaves
    const char *ink;  // text on `fill`
};

enum { PPS_KIND_COLOURS = 8 };

// Returns the colour of a kind of names->kinds. Forward and backward passes have the same colours in all models;
// other kinds share colours if there are more than PPS_KIND_COLOURS. Neighbours differ for readers with any kind
// of colour blindness.
const struct pps_kind_colour *pps_kind_colour(const struct pps_trace_names *names,
                                              int32_t kind);
