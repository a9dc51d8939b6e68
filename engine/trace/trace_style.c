// SPDX-License-Identifier: Apache-2.0
// Defines the colours of pictures of timelines.
#include "engine/trace/trace_style.h"

#include <stddef.h>

// The colours of Okabe and Ito (2008), in an order in which the first five differ most for readers
// with protanopia, deuteranopia and tritanopia.
static const struct pps_trace_colour colours[] = {
    {"#0072b2", "#b9d7e9", "#ffffff"}, {"#d55e00", "#f3cfb5", "#000000"},
    {"#56b4e9", "#d0eafa", "#000000"}, {"#f0e442", "#fbf7c6", "#000000"},
    {"#cc79a7", "#f0d9e5", "#000000"}, {"#009e73", "#b5e0d3", "#000000"},
    {"#e69f00", "#f8e1b1", "#000000"}, {"#999999", "#e0e0e0", "#000000"},
};

const struct pps_trace_colour *pps_trace_colour(int32_t kind)
{
    return &colours[(size_t)kind % (sizeof colours / sizeof *colours)];
}

const char *pps_trace_shade(int shade)
{
    // From light to dark with equal steps of lightness, in one hue.
    static const char *const shades[PPS_TRACE_SHADES] = {
        "#d9e8f3", "#c2dbec", "#aacde4", "#91bedb", "#76aed2",
        "#599dc7", "#3b8bba", "#1f77a8", "#0f6090", "#064670"};
    return shades[shade - 1];
}
