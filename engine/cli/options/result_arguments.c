// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of commands that inspect a result.
#include "engine/cli/options/result_arguments.h"

#include "base/system/machine.h"
#include "base/text/say.h"
#include "engine/command/signals.h"
#include "engine/job/result_path.h"
#include "engine/read/coverage.h"
#include "engine/read/top.h"

#include <stdlib.h>

// ---- baseline option ----------------------------------------------------------------------------

enum pps_status pps_baseline_option(const struct pps_args *args, const char *objective,
                                    struct pps_view_ask *view, struct pps_baseline **baseline,
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

enum pps_status pps_baseline_option_best(const struct pps_args *args, const char *path,
                                         const char *objective, struct pps_error *err)
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

// ---- result arguments ---------------------------------------------------------------------------

static int count_given(const struct pps_args *args, const char *option)
{
    int n = 0;
    while (option != NULL && pps_arg_nth(args, option, n) != NULL)
        n++;
    return n;
}

enum pps_status pps_result_arguments_side(const struct pps_args *args, int side, int sides,
                                          const char *option, struct pps_view_ask *view,
                                          struct pps_error *err)
{
    const int words = pps_arg_words(args) - sides, own = count_given(args, option);
    const int n_lets = count_given(args, "let");
    const char **filters = calloc((size_t)(words + own) + 1, sizeof *filters);
    const char **lets = calloc((size_t)n_lets + 1, sizeof *lets);
    *view = (struct pps_view_ask){.path = pps_arg_word(args, side),
                                  .kernels = pps_arg_kernels(args),
                                  .filters = filters,
                                  .lets = lets};
    if (filters == NULL || lets == NULL)
        return pps_fail_memory(err, "the command line");
    for (int i = 0; i < words; i++)
        filters[view->n_filters++] = pps_arg_word(args, sides + i);
    for (int i = 0; i < own; i++)
        filters[view->n_filters++] = pps_arg_nth(args, option, i);
    for (int i = 0; i < n_lets; i++)
        lets[view->n_lets++] = pps_arg_nth(args, "let", i);
    return pps_resultpath_check(view->path, err);
}

enum pps_status pps_result_arguments_view(const struct pps_args *args,
                                          struct pps_view_ask *view, struct pps_error *err)
{
    return pps_result_arguments_side(args, 0, 1, NULL, view, err);
}

enum pps_status pps_read_ahead_option(const struct pps_args *args, struct pps_read_watch *watch,
                                      struct pps_error *err)
{
    uint64_t n = (uint64_t)pps_machine_cpus();
    const enum pps_status status = pps_arg_count(args, "threads", 1, 4096, &n, err);
    watch->ahead = n > 1;
    return status;
}

void pps_result_arguments_say_partial(const struct pps_args *args,
                                      const struct pps_view_ask *view)
{
    struct pps_coverage coverage;
    char text[160];
    pps_coverage_read(view->path, &coverage);
    pps_coverage_text(&coverage, text, sizeof text);
    if (text[0] != '\0' && pps_arg(args, "quiet") == NULL)
        pps_say(stderr, "ppsweep: %s is %s", view->path, text);
}

void pps_result_arguments_free(struct pps_view_ask *view)
{
    free(view->filters);
    free(view->lets);
    view->filters = view->lets = NULL;
}
