// SPDX-License-Identifier: Apache-2.0
// Defines the presets: all families, and what they do with more memory.
#include "kernels/schedule/table.h"

#include <stddef.h>

// A list of every family but searches.
#define ALIASED(name, alias) "\"" alias "\""
#define FAMILY(name)         ", \"" #name "\""
#define SEARCH(name)
static const char family_list[] = "["
#include "kernels/schedule/catalogue/families.def"
                                  "]";
#undef ALIASED
#undef FAMILY
#undef SEARCH

static const struct pps_preset_axis family_axes[] = {
    {"family", family_list},
    {0},
};

static const struct pps_preset_axis memory_axes[] = {
    {"limit", "p/2..2*p step p/4"},
    {"family", family_list},
    {0},
};

static const char *const no_rules[] = {NULL};

const struct pps_preset schedule_presets[] = {
    {"families", "every family but searches", family_axes, no_rules},
    {"memory", "every family but searches, over the memory of a device", memory_axes, no_rules},
    {NULL, NULL, NULL, NULL},
};
