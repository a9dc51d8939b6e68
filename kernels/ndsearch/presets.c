// SPDX-License-Identifier: Apache-2.0
// Defines the presets: spaces of strategies that common tools search. Each degree is a divisor of
// the remaining devices, so that every point uses all devices.
#include "kernels/ndsearch/table.h"

// Degrees that multiply to the number of devices.
#define DEGREES                                                                                \
    {"tp", "divisors(N)"}, {"cp", "divisors(N/tp)"}, {"pp", "divisors(N/(tp*cp))"},            \
    {                                                                                          \
        "dp", "N/(tp*cp*pp)"                                                                   \
    }

// One stage has one chunk; several stages have at most one chunk less than layers per stage.
#define CHUNKS                                                                                 \
    {                                                                                          \
        "vp", "1..max(1, min(ceil(L/pp), 2 + (pp-1)*L) - 1)"                                   \
    }

// Rules that the widths of the model require.
#define SHAPE_RULES                                                                            \
    "A % tp == 0", "G % tp == 0 || tp % G == 0", "f % tp == 0", "s % cp == 0",                 \
        "!sp || (s/cp) % tp == 0"

static const struct pps_preset_axis classic_axes[] = {
    DEGREES,
    {"ep", "divisors(dp*tp)"},
    {"op", "divisors(dp)"},
    {"mbs", "[1, 2, 4]"},
    CHUNKS,
    {"sp", "[false, true]"},
    {0},
};

static const char *const classic_rules[] = {
    "cp == 1",
    "tp <= 64",
    "tp % 3 != 0",
    "pp > 1",
    "pp <= 32",
    "gbs % dp == 0",
    "pp <= min(L, floor(floor(gbs/dp)/mbs))",
    "ep <= 64",
    "E == 0 && ep == 1 || E > 0 && E % ep == 0",
    "E == 0 || (op*ep) % (dp*tp) == 0",
    "sp || N < 1000",
    "tp > 1 || !sp",
    SHAPE_RULES,
    NULL,
};

static const struct pps_preset_axis zero_axes[] = {
    DEGREES,
    {"ep", "divisors(max(E, 1))"},
    {"op", "divisors(dp)"},
    {"mbs", "[1, 2, 4]"},
    CHUNKS,
    {"sp", "[false, true]"},
    {0},
};

static const char *const zero_rules[] = {
    "cp == 1",
    "tp <= 64",
    "tp % 3 != 0",
    "pp <= 32",
    "gbs % dp == 0",
    "pp <= min(L, floor(floor(gbs/dp)/mbs))",
    "ep <= 64",
    "E == 0 || ep % (cp*tp) == 0 && (op*cp*tp) % ep == 0",
    "sp || N < 1000 || tp == 1",
    "tp > 1 || !sp",
    SHAPE_RULES,
    NULL,
};

static const struct pps_preset_axis megatron_axes[] = {
    DEGREES,
    {"ep", "divisors(max(E, 1))"},
    {"op", "divisors(dp*cp)"},
    {"mbs", "[1, 2, 4]"},
    CHUNKS,
    {"sp", "[false, true]"},
    {0},
};

static const char *const megatron_rules[] = {
    "tp <= 8",
    "pp <= 32",
    "gbs % dp == 0",
    "pp <= min(L, floor(floor(gbs/dp)/mbs))",
    "ep <= 64",
    "(dp*cp) % ep == 0",
    "sp || N < 1000 || tp == 1",
    "tp > 1 || !sp",
    "V % tp == 0",
    "vp == 1 || L % (pp*vp) == 0",
    "vp == 1 || floor(gbs/(dp*mbs)) % pp == 0",
    SHAPE_RULES,
    NULL,
};

const struct pps_preset nd_presets[] = {
    {"classic", "expert groups within dp*tp, 2 to 32 stages", classic_axes, classic_rules},
    {"zero", "states sharded over data-parallel groups (zero_level of the training file)",
     zero_axes, zero_rules},
    {"megatron", "tensor parallelism within a node, experts within data-parallel groups",
     megatron_axes, megatron_rules},
    {0},
};
