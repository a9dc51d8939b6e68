// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of commands that inspect a result.
#include "engine/cli/options/result_arguments.h"

#include "base/system/machine.h"
#include "base/text/say.h"
#include "engine/job/result_path.h"
#include "engine/read/coverage.h"

#include <stdlib.h>

enum pps_status pps_result_arguments_view(const struct pps_args *args,
                                          struct pps_view_ask *view,
                                          struct pps_error *err)
{
    const int n = pps_arg_words(args) - 1;
    const char **filters = calloc((size_t)n + 1, sizeof *filters);
    const char **lets = calloc(PPS_DERIVED_COLUMNS + 1, sizeof *lets);
    *view = (struct pps_view_ask){.path = pps_arg_word(args, 0),
                                  .kernels = pps_arg_kernels(args),
                                  .filters = filters,
                                  .n_filters = n,
                                  .lets = lets};
    if (filters == NULL || lets == NULL)
        return pps_fail_memory(err, "the command line");
    for (int i = 0; i < n; i++)
        filters[i] = pps_arg_word(args, i + 1);
    while (view->n_lets <= PPS_DERIVED_COLUMNS &&
           pps_arg_nth(args, "let", view->n_lets) != NULL) {
        lets[view->n_lets] = pps_arg_nth(args, "let", view->n_lets);
        view->n_lets++;
    }
    return pps_resultpath_check(view->path, err);
}

enum pps_status pps_read_ahead_option(const struct pps_args *args,
                                      struct pps_read_watch *watch,
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
