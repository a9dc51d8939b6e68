// SPDX-License-Identifier: Apache-2.0
// Reads the inputs that `nd rank` and `nd pipeline` share: profile ratios, memory figures and
// limits of the solver. Builds the pipeline program of a strategy from these inputs and the
// analytic models.
#pragma once

#include "base/write/gate.h"
#include "kernels/configuration/configuration.h"
#include "planner/nd/input/search_options.h"
#include "planner/nd/rank/rank.h"

#include "engine/command/command.h"

// The usual search limit of each program of a ranking: about 0.1 s. Four times as many steps found no step time that
// is shorter by 0.01 %.
enum { ND_RANK_LIMIT = 20000 };

// The options that both commands share, for the start of an options table.
#define ND_INPUT_OPTIONS(time_limit, search_limit)                                             \
    PLAN_RUN_OPTIONS,                                                                          \
        {"parser-result", 0, "FILE",                                                           \
         "read profile ratios: CSV or JSON with dp,tp,pp,ep,dmratio,...; or a folder of "      \
         "profiles"},                                                                          \
        {"profile-times", 0, "FILE",                                                           \
         "read raw layer times of one profile, JSON; may be repeated"},                        \
        {"memory-info", 0, "FILE", "read 14 memory figures (key=value) for all strategies"},   \
        {"calibration", 0, "FILE", "fit the memory figures to peaks of a calibration run"},    \
        {"llm", 0, "N", "layout of the calibration run: 0 = 16 stages, 1 = 13 stages (0)"},    \
        {"whole-layers", 0, NULL,                                                              \
         "calibration: the framework cannot recompute single layers"},                         \
        {"select", 0, "y|n", "allow selective recompute (y; n with --compat orig)"},           \
        {"full", 0, "y|n", "allow full recompute (y)"},                                        \
        {"low-mem", 0, "y|n",                                                                  \
         "interleaved: use the shorter warm-up (from the training file)"},                     \
        {"solver-name", 0, "NAME",                                                             \
         "solver name in the output; the solver is built in (HIGHS)"},                         \
        {"time", 't', "SECONDS", time_limit}, {"search-limit", 0, "N", search_limit},          \
        {"compat", 0, "none|orig", "orig: bounds, costs and defaults as published (none)"},    \
        {"force", 0, NULL, "overwrite files even if others wrote or edited them"},             \
        {"quiet", 'q', NULL, "do not print notes"}, {"yaml-path", 0, "FILE", NULL},            \
        {"shell-path", 0, "FILE", NULL}, {"toml-path", 0, "FILE", NULL},                       \
        {"yaml", 0, "FILE", NULL}, {"shell", 0, "FILE", NULL}, {"nnodes", 0, "N", NULL},       \
        {"npus-per-node", 0, "N", NULL}, {"mindformers", 0, "DIR", NULL},                      \
    {                                                                                          \
        "mindspeed", 0, "DIR", NULL                                                            \
    }

struct nd_input {
    struct nd_job job;
    enum nd_compat compat;
    bool quiet;
    const struct pps_gate *gate; // of the files of the command
    struct nd_profiles profiles;
    bool has_figures; // figures come from a file, for all strategies, without the reserve
    struct nd_figures figures;
    bool allow_select, allow_full, low_mem;
    enum nd_dialect dialect; // of the file of a framework, if one is named
    const char *solver;
    struct nd_effort effort;
    struct nd_ratios given; // from options, which override other sources; NAN: not given
    bool without_unit;      // a program without the time of its unit is enough
};

// effort.max_nodes is the default of --search-limit; initialise the other fields with zeros.
// After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status nd_input_open(struct nd_input *input,
                                             const struct pps_args *args,
                                             struct pps_error *err);
void nd_input_close(struct nd_input *input);

// Returns what a file of the framework can say of recomputed layers.
enum nd_dialect nd_dialect_of(enum framework framework);

// Makes the programs of strategies for one thread; the `self` of an nd_rank_source.
struct nd_maker {
    const struct nd_input *input;
    struct configuration configuration; // without parts, of the last strategy
    struct nd_ratio_choice ratios;      // of the last strategy
};

void nd_maker_open(struct nd_maker *maker, const struct nd_input *input);

bool nd_maker_prepare(void *maker, const struct nd_strategy *strategy,
                      struct nd_rank_case *prepared, char *why, size_t why_size);

// Returns the usable MiB of a device, from which the budgets of the figures are computed.
double nd_input_limit_mb(const struct nd_input *input);

// Limits the numbers of chunks to try to numbers that the training's schedule allows. `given`: --max-vpp was
// given; a value that contradicts the schedule is refused. As published, any schedule allows any
// number.
PPS_MUST_CHECK enum pps_status nd_input_chunks(const struct nd_input *input,
                                               struct nd_rank_options *rank, bool given,
                                               struct pps_error *err);

// Adds lists in the published form, [[1, 0, 0], [0, 0, 0]], with `rows` rows.
void nd_add_lists(struct text_buffer *text, const int32_t *values, int32_t rows,
                  int32_t columns);
