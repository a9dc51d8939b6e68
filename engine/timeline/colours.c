// SPDX-License-Identifier: Apache-2.0
// Defines the colours of kinds of tasks.
#include "engine/timeline/colours.h"

#include <string.h>

// The colours of Okabe and Ito (2008), in an order in which the first five differ most for readers
// with protanopia, deuteranopia and tritanopia.
static const struct pps_kind_colour colours[PPS_KIND_COLOURS] = {
    {"#0072b2", "#b9d7e9", "#ffffff"}, {"#d55e00", "#f3cfb5", "#000000"},
    {"#56b4e9", "#d0eafa", "#000000"}, {"#f0e442", "#fbf7c6", "#000000"},
    {"#cc79a7", "#f0d9e5", "#000000"}, {"#009e73", "#b5e0d3", "#000000"},
    {"#e69f00", "#f8e1b1", "#000000"}, {"#999999", "#e0e0e0", "#000000"},
};

// Forward passes are blue and backward passes warm in every picture, however a model counts its kinds.
static const struct {
    const char *name;
    int colour;
} known[] = {
    {"forward", 0},           {"recomputed forward", 2},  {"backward", 1},
    {"backward of input", 6}, {"backward of weights", 3}, {"message", 5},
};

const struct pps_kind_colour *pps_kind_colour(const struct pps_trace_names *names, int32_t kind)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(names->kinds[kind], known[k].name) == 0)
            return &colours[known[k].colour];
    return &colours[(uint32_t)kind % PPS_KIND_COLOURS];
}
