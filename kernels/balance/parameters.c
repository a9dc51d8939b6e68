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

// A row: name, symbol, unit, summary, kind; then what is not 0.
const struct pps_param balance_params[N_PARAMS] = {
    [P_LAYERS] = {"layers", NULL, "", "the layers, if the experiment names several", PPS_CHOICE,
                  .max = 0x1p20, .changes_work = true},
    [P_TRAINING] = {"training", NULL, "",
                    "the training configuration, if the experiment names several", PPS_CHOICE,
                    .max = 0x1p20, .changes_work = true},
    [P_MANUAL] = {"manual", NULL, "",
                  "the strategies of the user, if the experiment names several", PPS_CHOICE,
                  .max = 0x1p20, .changes_work = true},
    [P_PLAN] = {"plan", NULL, "", "the plan, if the experiment names several", PPS_CHOICE,
                .max = 0x1p20, .changes_work = true},
    [P_BODY_LAYERS] = {"body_layers", "L", "", "body layers of the model", PPS_INTEGER,
                       .fallback = 1, .min = 1, .max = BALANCE_LAYERS_MAX, .fixed = true,
                       .changes_work = true},
    [P_STAGES] = {"stages", "P", "", "stages of the pipeline", PPS_INTEGER, .fallback = 4,
                  .min = 1, .max = BALANCE_STAGES_MAX},
    [P_CHUNKS] = {"chunks", "V", "", "chunks of a stage; 1: 1F1B, more: interleaved",
                  PPS_INTEGER, .fallback = 1, .min = 1, .max = BALANCE_CHUNKS_MAX},
    [P_MICRO_BATCHES] = {"micro_batches", "M", "", "micro-batches of a step", PPS_INTEGER,
                         .fallback = 4, .min = 1, .max = 1 << 20, .changes_work = true},
    [P_ORDER] = {"order", NULL, "", "interleaved order that holds more memory (big) or less",
                 PPS_CHOICE, .fallback = BALANCE_BIG_MEMORY, .max = BALANCE_LESS_MEMORY,
                 .names = order_names},
    [P_SEQ] = {"seq", "Q", "",
               "pieces of a micro-batch along its sequence; more than 1 need a training",
               PPS_INTEGER, .fallback = 1, .min = 1, .max = BALANCE_PIECES_MAX},
    [P_MEMORY] = {"memory", NULL, "MiB", "memory of a device", PPS_REAL, .fallback = 56000,
                  .max = LARGEST, .min_open = true},
    [P_MARGIN] = {"margin", NULL, "MiB", "memory that stays unused on every device", PPS_REAL,
                  .max = LARGEST},
    [P_RECOMPUTE] =
        {"recompute", NULL, "",
         "kinds of recomputation that layers may have; all: every kind of the document",
         PPS_CHOICE, .max = SETS - 1, .names = set_names},
    [P_EMPTY] = {"empty", NULL, "", "chunks may have no layers", PPS_BOOLEAN, .max = 1},
    [P_OBJECTIVE] =
        {"objective", NULL, "",
         "what the strategy minimises: the simulated step (makespan), or the published "
         "proxy",
         PPS_CHOICE, .max = OBJECTIVE_PROXY, .names = objective_names},
    [P_LEVEL] = {"level", NULL, "", "form of the published proxy", PPS_INTEGER, .fallback = 1,
                 .max = 2},
    [P_BUDGET] = {"budget", NULL, "",
                  "evaluations of the search: makespans of complete strategies", PPS_INTEGER,
                  .fallback = BALANCE_BUDGET, .max = 0x1p40},
    [P_SEED] = {"seed", NULL, "", "seed of the search", PPS_INTEGER, .fallback = 42,
                .max = 0x1p52},
};
