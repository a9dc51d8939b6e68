// SPDX-License-Identifier: Apache-2.0
// Declares the columns of the kernel.
#include "kernels/dynapipe/table.h"

// A row: name, unit, summary, kind; then what is not 0.
const struct pps_column dynapipe_columns[N_COLUMNS] = {
    [C_MAKESPAN] = {"makespan", "ms", "time of the slowest replica; empty if no plan fits",
                    PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_LOWER},
    [C_UTILISATION] = {"utilisation", "%", "part of the makespan in which devices compute",
                       PPS_COLUMN_REAL, .decimals = 3, .goal = PPS_HIGHER, .size_free = true},
    [C_PEAK] = {"peak", "MB", "largest memory of a device; if no plan fits: what it needs",
                PPS_COLUMN_REAL, .decimals = 3, .goal = PPS_LOWER, .may_be_empty = true},
    [C_WORST_DEVICE] = {"worst_device", "", "the device of peak", PPS_COLUMN_INTEGER,
                        .may_be_empty = true, .on_request = true},
    [C_METHOD] = {"chosen_method", "",
                  "method of the slowest replica; free-warm-up: 1F1B with other numbers of "
                  "forwards first",
                  PPS_COLUMN_TEXT, .text_max = 16},
    [C_MODE] = {"mode_run", "", "the mode that ran: auto chooses normal or fast",
                PPS_COLUMN_TEXT, .text_max = 6, .on_request = true},
    [C_EVALUATIONS] = {"evaluations", "", "schedules that the search evaluated",
                       PPS_COLUMN_INTEGER, .on_request = true},
    [C_FIRST_FIT] = {"first_fit", "", "evaluations until the first plan that fits",
                     PPS_COLUMN_INTEGER, .on_request = true},
    [C_BOUND] = {"bound", "ms",
                 "no schedule of these micro-batches takes less; memory is ignored",
                 PPS_COLUMN_REAL, .decimals = 6, .goal = PPS_LOWER, .on_request = true},
    [C_GAP] = {"gap", "%", "by how much makespan is above bound", PPS_COLUMN_REAL,
               .decimals = 3, .goal = PPS_LOWER, .size_free = true},
    [C_FULL] = {"full", "", "micro-batches and stages with full recomputation",
                PPS_COLUMN_INTEGER, .on_request = true},
    [C_SELECTIVE] = {"selective", "", "micro-batches and stages with selective recomputation",
                     PPS_COLUMN_INTEGER, .on_request = true},
    [C_SPEEDUP] =
        {"speedup", "",
         "over 1F1B (interleaved 1F1B, wait-free cyclic where there is none) in the order "
         "given without recomputation or limits",
         PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_HIGHER, .size_free = true,
         .may_be_empty = true},
    [C_MICRO_BATCHES] = {"micro_batches", "", "micro-batches of all replicas",
                         PPS_COLUMN_INTEGER, .on_request = true},
    [C_PADDING] = {"padding", "%", "part of the tokens of micro-batches that is no sample's",
                   PPS_COLUMN_REAL, .decimals = 3, .goal = PPS_LOWER, .size_free = true,
                   .may_be_empty = true, .on_request = true},
    [C_TOKENS] = {"tokens_per_s", "1/s", "tokens of samples", PPS_COLUMN_REAL, .decimals = 1,
                  .goal = PPS_HIGHER, .size_free = true, .may_be_empty = true,
                  .on_request = true},
    [C_OBJECTIVE] = {"objective", "ms", "of the division into micro-batches", PPS_COLUMN_REAL,
                     .decimals = 6, .goal = PPS_LOWER, .may_be_empty = true,
                     .on_request = true},
    [C_ORDER] = {"best_order", "",
                 "micro-batches of the slowest replica in order; whole in the artifact plan",
                 PPS_COLUMN_TEXT, .text_max = ORDER_TEXT, .on_request = true, .by_name = true},
};
