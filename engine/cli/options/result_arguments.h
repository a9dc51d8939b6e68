// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of commands that inspect a result: RESULT [column=value...].
#pragma once

#include "engine/baseline/baseline.h"
#include "engine/command/command.h"
#include "engine/read/view.h"

// ---- baseline option ----------------------------------------------------------------------------

#define PPS_BASELINE_OPTION                                                                    \
    {                                                                                          \
        "baseline", 0, "KEY=VALUE,...",                                                        \
            "compare each row with the same point at these values, or default"                 \
    }

// Opens the baseline of --baseline for an objective (NULL: what ranks the rows) and lets the
// view show it. *baseline is NULL if the option is not given. The caller calls pps_baseline_close
// in every case, after the view is closed.
PPS_MUST_CHECK enum pps_status pps_baseline_option(const struct pps_args *args,
                                                   const char *objective,
                                                   struct pps_view_ask *view,
                                                   struct pps_baseline **baseline,
                                                   struct pps_error *err);

// Prints the best row of every group of a finished result beside its baseline, on stderr, if
// --baseline is given and there is a row with a result.
PPS_MUST_CHECK enum pps_status pps_baseline_option_best(const struct pps_args *args,
                                                        const char *path, const char *objective,
                                                        struct pps_error *err);

// Says on stderr what the columns of the baseline are, unless --quiet is given. NULL is fine.
void pps_baseline_option_say(const struct pps_args *args, const struct pps_baseline *baseline);

// ---- result arguments ---------------------------------------------------------------------------

// Fills *view with the arguments of the command and all kernels. The caller calls
// pps_result_arguments_free in every case.
PPS_MUST_CHECK enum pps_status pps_result_arguments_view(const struct pps_args *args,
                                                         struct pps_view_ask *view,
                                                         struct pps_error *err);
// The same for word `side` of a command whose first `sides` words are results: the remaining words
// are filters of all results, and the texts of `option` (NULL: none) are filters of this one.
PPS_MUST_CHECK enum pps_status pps_result_arguments_side(const struct pps_args *args, int side,
                                                         int sides, const char *option,
                                                         struct pps_view_ask *view,
                                                         struct pps_error *err);

// Option --let of commands that read a result.
#define PPS_LET_OPTION                                                                         \
    {                                                                                          \
        "let", 0, "NAME=EXPR", "add a column computed from others; may be repeated"            \
    }

// Option -j of a command that reads the result once: with 2 threads, one decompresses the result and the
// other one uses the rows. The output does not depend on it.
#define PPS_READ_AHEAD_OPTION                                                                  \
    {                                                                                          \
        "threads", 'j', "N", "1: decompress RESULT on the same thread (2 threads; Parquet: 1)" \
    }
PPS_MUST_CHECK enum pps_status pps_read_ahead_option(const struct pps_args *args,
                                                     struct pps_read_watch *watch,
                                                     struct pps_error *err);

// Prints on stderr, unless --quiet is given, that the result covers only some points of its
// grid.
void pps_result_arguments_say_partial(const struct pps_args *args,
                                      const struct pps_view_ask *view);

void pps_result_arguments_free(struct pps_view_ask *view);
