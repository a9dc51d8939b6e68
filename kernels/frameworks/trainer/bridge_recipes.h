// SPDX-License-Identifier: Apache-2.0
// Values of recipes of Megatron-Bridge that launch lines name.
#pragma once

struct bridge_recipe {
    const char *name;     // for launch lines
    const char *function; // its own name, with the number of devices
    const char *model;
    const char *values; // " a.b=1 c=2"
};

// Returns a recipe by the name of its function, or by the shorter name that it has for launch lines; NULL: not
// known.
const struct bridge_recipe *bridge_recipe_find(const char *name);
