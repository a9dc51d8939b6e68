// SPDX-License-Identifier: Apache-2.0
// Declares the parameters of the kernel.
#include "kernels/balance/model/strategy.h"
#include "kernels/balance/search/balance_search.h"
#include "kernels/balance/table.h"

enum {
    SELECT = 1 << BALANCE_SELECT,
    COMM = 1 << BALANCE_SELECT_COMM,
    BOTH = 1 << BALANCE_BOTH,
    FULL = 1 << BALANCE_FULL,
    NONE = 1 << BALANCE_NONE,
};

// Every set of kinds, in the order of the kinds.
static const char *const set_names[] = {"all",
                                        "none",
                                        "select",
                                        "select_comm",
                                        "both",
                                        "full",
                                        "select+select_comm",
                                        "select+both",
                                        "select+full",
                                        "select_comm+both",
                                        "select_comm+full",
                                        "both+full",
                                        "select+select_comm+both",
                                        "select+select_comm+full",
                                        "select+both+full",
                                        "select_comm+both+full",
                                        "select+select_comm+both+full",
                                        NULL};

const unsigned balance_kind_sets[] = {
    0,
    NONE,
    NONE | SELECT,
    NONE | COMM,
    NONE | BOTH,
    NONE | FULL,
    NONE | SELECT | COMM,
    NONE | SELECT | BOTH,
    NONE | SELECT | FULL,
    NONE | COMM | BOTH,
    NONE | COMM | FULL,
    NONE | BOTH | FULL,
    NONE | SELECT | COMM | BOTH,
    NONE | SELECT | COMM | FULL,
    NONE | SELECT | BOTH | FULL,
    NONE | COMM | BOTH | FULL,
    NONE | SELECT | COMM | BOTH | FULL,
};

enum { SETS = sizeof balance_kind_sets / sizeof *balance_kind_sets };

static const char *const order_names[] =
    {[BALANCE_BIG_MEMORY] = "big", [BALANCE_LESS_MEMORY] = "less", NULL};
static const char *const objective_names[] =
    {[OBJECTIVE_MAKESPAN] = "makespan", [OBJECTIVE_PROXY] = "proxy", NULL};

#define LARGEST 1e12

#define COUNT(name_, symbol_, summary_, fallback_, min_, max_, work_)                          \
    {                                                                                          \
        .name = name_, .symbol = symbol_, .unit = "", .summary = summary_,                     \
        .kind = PPS_INTEGER, .fallback = fallback_, .min = min_, .max = max_,                  \
        .changes_work = work_                                                                  \
    }

const struct pps_param balance_params[N_PARAMS] = {
    [P_LAYERS] = {.name = "layers",
                  .unit = "",
                  .summary = "the layers, if the experiment names several",
                  .kind = PPS_CHOICE,
                  .max = 0x1p20,
                  .changes_work = true},
    [P_TRAINING] = {.name = "training",
                    .unit = "",
                    .summary = "the training configuration, if the experiment names several",
                    .kind = PPS_CHOICE,
                    .max = 0x1p20,
                    .changes_work = true},
    [P_MANUAL] = {.name = "manual",
                  .unit = "",
                  .summary = "the strategies of the user, if the experiment names several",
                  .kind = PPS_CHOICE,
                  .max = 0x1p20,
                  .changes_work = true},
    [P_PLAN] = {.name = "plan",
                .unit = "",
                .summary = "the plan, if the experiment names several",
                .kind = PPS_CHOICE,
                .max = 0x1p20,
                .changes_work = true},
    [P_BODY_LAYERS] = {.name = "body_layers",
                       .symbol = "L",
                       .unit = "",
                       .summary = "body layers of the model",
                       .kind = PPS_INTEGER,
                       .fallback = 1,
                       .min = 1,
                       .max = BALANCE_LAYERS_MAX,
                       .fixed = true,
                       .changes_work = true},
    [P_STAGES] =
        COUNT("stages", "P", "stages of the pipeline", 4, 1, BALANCE_STAGES_MAX, false),
    [P_CHUNKS] = COUNT("chunks",
                       "V",
                       "chunks of a stage; 1: 1F1B, more: interleaved",
                       1,
                       1,
                       BALANCE_CHUNKS_MAX,
                       false),
    [P_MICRO_BATCHES] =
        COUNT("micro_batches", "M", "micro-batches of a step", 4, 1, 1 << 20, true),
    [P_ORDER] = {.name = "order",
                 .unit = "",
                 .summary = "interleaved order that holds more memory (big) or less",
                 .kind = PPS_CHOICE,
                 .fallback = BALANCE_BIG_MEMORY,
                 .max = BALANCE_LESS_MEMORY,
                 .names = order_names},
    [P_SEQ] = COUNT("seq",
                    "Q",
                    "pieces of a micro-batch along its sequence; more than 1 need a training",
                    1,
                    1,
                    BALANCE_PIECES_MAX,
                    false),
    [P_MEMORY] = {.name = "memory",
                  .unit = "MiB",
                  .summary = "memory of a device",
                  .kind = PPS_REAL,
                  .fallback = 56000,
                  .max = LARGEST,
                  .min_open = true},
    [P_MARGIN] = {.name = "margin",
                  .unit = "MiB",
                  .summary = "memory that stays unused on every device",
                  .kind = PPS_REAL,
                  .max = LARGEST},
    [P_RECOMPUTE] = {.name = "recompute",
                     .unit = "",
                     .summary =
                         "kinds of recomputation that layers may have; all: every kind of "
                         "the document",
                     .kind = PPS_CHOICE,
                     .max = SETS - 1,
                     .names = set_names},
    [P_EMPTY] = {.name = "empty",
                 .unit = "",
                 .summary = "chunks may have no layers",
                 .kind = PPS_BOOLEAN,
                 .max = 1},
    [P_OBJECTIVE] = {.name = "objective",
                     .unit = "",
                     .summary =
                         "what the strategy minimises: the simulated step (makespan), or "
                         "the published proxy",
                     .kind = PPS_CHOICE,
                     .max = OBJECTIVE_PROXY,
                     .names = objective_names},
    [P_LEVEL] = COUNT("level", NULL, "form of the published proxy", 1, 0, 2, false),
    [P_BUDGET] = COUNT("budget",
                       NULL,
                       "evaluations of the search: makespans of complete strategies",
                       BALANCE_BUDGET,
                       0,
                       0x1p40,
                       false),
    [P_SEED] = COUNT("seed", NULL, "seed of the search", 42, 0, 0x1p52, false),
};
