// SPDX-License-Identifier: Apache-2.0
// Reads --baseline.
#include "engine/cli/options/baseline_option.h"

#include "engine/command/signals.h"
#include "engine/read/top.h"

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

enum pps_status pps_baseline_option_best(const struct pps_args *args,
                                         const char *path,
                                         const char *objective,
                                         struct pps_error *err)
{
    struct pps_baseline *baseline;
    struct pps_top_count count;
    struct pps_top_ask ask = {.view = {.path = path, .kernels = pps_arg_kernels(args)},
                              .objective = objective,
                              .k = 1,
                              .memory_bytes = PPS_TOP_MEMORY,
                              .folder = ".",
                              .out = stderr,
                              .table = true};
    if (pps_arg(args, "baseline") == NULL)
        return PPS_OK;
    ask.view.watch.stop = pps_signals_install();
    enum pps_status status = pps_baseline_option(args, objective, &ask.view, &baseline, err);
    if (status == PPS_OK)
        status = pps_top(&ask, &count, err);
    if (status == PPS_OK)
        pps_baseline_option_say(args, baseline);
    pps_baseline_close(baseline);
    return status;
}
