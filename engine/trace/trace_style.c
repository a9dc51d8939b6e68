// SPDX-License-Identifier: Apache-2.0
// Defines the shades of pictures of timelines.
#include "engine/trace/trace_style.h"

const char *pps_trace_shade(int shade)
{
    // From light to dark with equal steps of lightness, in one hue.
    static const char *const shades[PPS_TRACE_SHADES] = {
        "#d9e8f3", "#c2dbec", "#aacde4", "#91bedb", "#76aed2",
        "#599dc7", "#3b8bba", "#1f77a8", "#0f6090", "#064670"};
    return shades[shade - 1];
}
