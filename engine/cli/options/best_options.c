// SPDX-License-Identifier: Apache-2.0
// Reads the options for the best rows of a run.
#include "engine/cli/options/best_options.h"

enum { TOP = 3, MOST_TOP = 1000000 };

enum pps_status pps_top_options(const struct pps_args *args,
                                struct pps_job *job,
                                struct pps_error *err)
{
    job->top = TOP;
    job->by = pps_arg(args, "by");
    job->only_best = pps_arg(args, "only-top") != NULL;
    job->ties = pps_arg(args, "ties") != NULL;
    return pps_arg_count(args, "top", 0, MOST_TOP, &job->top, err);
}
