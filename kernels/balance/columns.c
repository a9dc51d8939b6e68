// SPDX-License-Identifier: Apache-2.0
// Declares the columns of the kernel.
#include "kernels/balance/table.h"

#define PART(name_, summary_)                                                                  \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_COLUMN_REAL,               \
        .decimals = 4, .goal = PPS_LOWER, .size_free = true, .on_request = true                \
    }
#define LIST(name_, summary_)                                                                  \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_COLUMN_TEXT,               \
        .text_max = BALANCE_LIST_BYTES, .on_request = true, .by_name = true                    \
    }

const struct pps_column balance_columns[N_COLUMNS] = {
    [C_STEP_TIME] = {.name = "step_time",
                     .unit = "time",
                     .summary = "simulated time of a step, in the unit of the layers; empty if "
                                "no strategy fits",
                     .kind = PPS_COLUMN_REAL,
                     .decimals = 6,
                     .goal = PPS_LOWER},
    [C_BUBBLE] = {.name = "bubble",
                  .unit = "",
                  .summary = "idle time and recomputation of all stages, by their useful time",
                  .kind = PPS_COLUMN_REAL,
                  .decimals = 4,
                  .goal = PPS_LOWER,
                  .size_free = true},
    [C_BUBBLE_IDEAL] = PART("bubble_ideal", "of bubble: (P - 1) / (V M)"),
    [C_BUBBLE_IMBALANCE] = PART("bubble_imbalance", "of bubble: stages that differ"),
    [C_BUBBLE_RECOMPUTE] = PART("bubble_recompute", "of bubble: recomputation"),
    [C_BUBBLE_TRANSFER] = PART("bubble_transfer", "of bubble: time of messages between stages"),
    [C_PEAK] = {.name = "peak",
                .unit = "MiB",
                .summary = "largest memory of a stage; if no strategy fits: the least memory "
                           "that suffices",
                .kind = PPS_COLUMN_REAL,
                .decimals = 1,
                .goal = PPS_LOWER},
    [C_WORST_STAGE] = {.name = "worst_stage",
                       .unit = "",
                       .summary = "the stage of peak; if no strategy fits: a stage that does "
                                  "not",
                       .kind = PPS_COLUMN_INTEGER,
                       .on_request = true},
    [C_BOUND] = {.name = "bound",
                 .unit = "time",
                 .summary = "no strategy within memory takes less",
                 .kind = PPS_COLUMN_REAL,
                 .decimals = 6,
                 .goal = PPS_LOWER,
                 .on_request = true},
    [C_GAP] = {.name = "gap",
               .unit = "%",
               .summary = "by how much bound is below step_time",
               .kind = PPS_COLUMN_REAL,
               .decimals = 2,
               .goal = PPS_LOWER,
               .size_free = true},
    [C_PROVEN] = {.name = "proven",
                  .unit = "",
                  .summary = "yes: no strategy within memory is faster",
                  .kind = PPS_COLUMN_TEXT,
                  .text_max = 3,
                  .on_request = true},
    [C_EVALUATIONS] = {.name = "evaluations",
                       .unit = "",
                       .summary = "strategies whose step the search simulated",
                       .kind = PPS_COLUMN_INTEGER,
                       .goal = PPS_LOWER,
                       .on_request = true},
    [C_PROXY] = {.name = "proxy",
                 .unit = "time",
                 .summary = "smallest value Z of the published proxy",
                 .kind = PPS_COLUMN_REAL,
                 .decimals = 6,
                 .goal = PPS_LOWER,
                 .may_be_empty = true,
                 .on_request = true},
    [C_PROXY_TIME] = {.name = "proxy_time",
                      .unit = "time",
                      .summary = "simulated step of the strategy with the smallest Z",
                      .kind = PPS_COLUMN_REAL,
                      .decimals = 6,
                      .goal = PPS_LOWER,
                      .may_be_empty = true,
                      .on_request = true},
    [C_MANUAL_TIME] = {.name = "manual_time",
                       .unit = "time",
                       .summary =
                           "simulated step of the fastest strategy of the user with this "
                           "shape, whether it fits or not",
                       .kind = PPS_COLUMN_REAL,
                       .decimals = 6,
                       .goal = PPS_LOWER,
                       .may_be_empty = true,
                       .on_request = true},
    [C_OFFSET] = LIST("offset", "layers of each chunk against the even split: a b;c d"),
    [C_RECOMPUTE] = LIST("full_recompute", "layers of each chunk with full recomputation"),
    [C_SELECT] = LIST("select_recompute", "layers whose chosen operators are recomputed"),
    [C_SELECT_COMM] = LIST("comm_recompute", "layers whose communication is recomputed"),
};
