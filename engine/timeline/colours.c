// SPDX-License-Identifier: Apache-2.0
// Defines the colours of kinds of tasks.
#include "engine/timeline/colours.h"

// The colours of Okabe and Ito (2008), in an order in which the first five differ most for readers
// with protanopia, deuteranopia and tritanopia.
static const struct pps_kind_colour colours[PPS_KIND_COLOURS] = {
    {"#0072b2", "#b9d7e9", "#ffffff"}, {"#d55e00", "#f3cfb5", "#000000"},
    {"#56b4e9", "#d0eafa", "#000000"}, {"#f0e442", "#fbf7c6", "#000000"},
    {"#cc79a7", "#f0d9e5", "#000000"}, {"#009e73", "#b5e0d3", "#000000"},
    {"#e69f00", "#f8e1b1", "#000000"}, {"#999999", "#e0e0e0", "#000000"},
};

const struct pps_kind_colour *pps_kind_colour(int32_t kind)
{
    return &colours[(uint32_t)kind % PPS_KIND_COLOURS];
}
