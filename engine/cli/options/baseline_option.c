// SPDX-License-Identifier: Apache-2.0
// Reads --baseline.
#include "engine/cli/options/baseline_option.h"

enum pps_status pps_baseline_option(const struct pps_args *args,
                                    const char *objective,
                                    struct pps_view_ask *view,
                                    struct pps_baseline **baseline,
                                    struct pps_error *err)
{
    const struct pps_baseline_ask ask = {.path = view->path,
                                         .kernels = view->kernels,
                                         .words = pps_arg(args, "baseline"),
                                         .objective = objective,
                                         .stop = view->watch.stop};
    *baseline = NULL;
    if (ask.words == NULL)
        return PPS_OK;
    const enum pps_status status = pps_baseline_open(baseline, &ask, err);
    view->add = pps_baseline_add;
    view->self = *baseline;
    return status;
}

void pps_baseline_option_say(const struct pps_args *args, const struct pps_baseline *baseline)
{
    if (baseline != NULL && pps_arg(args, "quiet") == NULL)
        pps_baseline_say(baseline, stderr);
}
