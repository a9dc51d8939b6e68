// SPDX-License-Identifier: Apache-2.0
// Reads the options of the experiment of the published project.
#include "extras/judge/published.h"

#include "base/text/number.h"
#include "engine/command/signals.h"
#include "planner/shared/options.h"

enum { LEVELS_MAX = 64, THREADS_MAX = 64, SIZE_MAX_OF_PROBLEM = 1024, TRIALS_MAX = 100000 };

// ---- levels -------------------------------------------------------------------------------------

static enum pps_status read_levels(const char *text, double *level, int *n_levels,
                                   struct pps_error *err)
{
    const char *rest = text;
    size_t n;
    *n_levels = 0;
    for (const char *word; (word = plan_next_word(&rest, &n)) != NULL; ++*n_levels) {
        if (*n_levels == LEVELS_MAX)
            return pps_fail(err, PPS_E_INPUT, "--levels %s: more than %d levels", text,
                            LEVELS_MAX);
        if (!number_text_read(word, n, &level[*n_levels]) || !(level[*n_levels] >= 0) ||
            !(level[*n_levels] < 1))
            return pps_fail(
                err, PPS_E_INPUT,
                "--levels %.*s: expected numbers from 0 to below 1, such as 0,0.1,0.3", (int)n,
                word);
    }
    if (*n_levels == 0)
        return pps_fail(err, PPS_E_INPUT, "--levels: expected numbers, such as 0,0.1,0.3");
    return PPS_OK;
}

// ---- numbers ------------------------------------------------------------------------------------

static enum pps_status read_counts(struct published_request *request,
                                   const struct pps_args *args, struct pps_error *err)
{
    uint64_t devices = (uint64_t)request->problem.devices,
             items = (uint64_t)request->problem.micro_batches,
             trials = (uint64_t)request->trials, episodes = (uint64_t)request->episodes;
    enum pps_status status =
        pps_arg_count(args, "devices", 1, SIZE_MAX_OF_PROBLEM, &devices, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "micro-batches", 1, SIZE_MAX_OF_PROBLEM, &items, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "replicates", 2, TRIALS_MAX, &trials, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "episodes", 0, 1000000, &episodes, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seed", 0, UINT64_MAX / 2, &request->seed, err);
    request->problem.devices = (int32_t)devices;
    request->problem.micro_batches = (int32_t)items;
    request->trials = (int)trials;
    request->episodes = (int32_t)episodes;
    return status;
}

static enum pps_status read_times(struct serial_problem *problem, const struct pps_args *args,
                                  struct pps_error *err)
{
    static const double least = 1e-9, most = 1e9;
    enum pps_status status = pps_arg_number(args, "size", 1, most, &problem->size, err);
    if (status == PPS_OK)
        status = pps_arg_number(args, "base", least, most, &problem->base, err);
    if (status == PPS_OK)
        status = pps_arg_number(args, "base-comm", 0, most, &problem->base_comm, err);
    return status;
}

enum pps_status published_main(const struct pps_args *args, struct pps_error *err)
{
    double level[LEVELS_MAX] = {0};
    struct published_request request = {.problem = serial_defaults(),
                                        .level = level,
                                        .trials = 10,
                                        .episodes = 50,
                                        .seed = 42};
    const char *levels = pps_arg(args, "levels");
    uint64_t threads;
    enum pps_status status =
        read_levels(levels != NULL ? levels : "0,0.1,0.2,0.3", level, &request.n_levels, err);
    if (status == PPS_OK)
        status = read_counts(&request, args, err);
    if (status == PPS_OK)
        status = read_times(&request.problem, args, err);
    if (status == PPS_OK)
        status = plan_arg_threads(args, THREADS_MAX, &threads, err);
    if (status != PPS_OK)
        return status;
    return published_judge(&request, (int)threads, pps_signals_install(), err);
}
