// SPDX-License-Identifier: Apache-2.0
// Declares the option --baseline of commands that read a result.
#ifndef PPS_ENGINE_CLI_OPTIONS_BASELINE_OPTION_H
#define PPS_ENGINE_CLI_OPTIONS_BASELINE_OPTION_H

#include "engine/baseline/baseline.h"
#include "engine/command/command.h"

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
                                                        const char *path,
                                                        const char *objective,
                                                        struct pps_error *err);

// Says on stderr what the columns of the baseline are, unless --quiet is given. NULL is fine.
void pps_baseline_option_say(const struct pps_args *args, const struct pps_baseline *baseline);

#endif
