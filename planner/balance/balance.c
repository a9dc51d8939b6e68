// SPDX-License-Identifier: Apache-2.0
// ppsweep balance: layers and recomputation over the chunks of a pipeline.
#include "planner/balance/commands.h"

#include "engine/command/signals.h"
#include "planner/balance/request.h"
#include "planner/balance/show.h"
#include "planner/balance/solution.h"

static const struct pps_opt options[] = {
    {"model-name", 'm', "NAME", "layers of a model: NAME.json in --layer-folder"},
    {"layer-folder", 0, "DIR", "folder of --model-name (./layers)"},
    BALANCE_PIPELINE_OPTIONS,
    {"less-memory", 0, "0|1", "published form of --order: 1 is less (0)"},
    {"recompute", 0, "KINDS",
     "kinds that layers may have: select, select_comm, both, full (all that the file knows)"},
    {"allow-empty", 0, NULL, "chunks may have no layers"},
    {"optimization-level", 'O', "0|1|2", "form of the published proxy (1)"},
    {"budget", 0, "N", "evaluations of the search (300k)"},
    {"seed", 0, "N", "seed of the search (42)"},
    {"time-limit", 't', "TIME", "stop the search early, after 90, 90s or 5m (none)"},
    {"simulate-naive", 0, "0|1", "also replay the even split with all or no recomputation (1)"},
    {NULL, 0, NULL, NULL},
};

static const struct pps_opt_alias aliases[] = {BALANCE_PIPELINE_ALIASES,
                                               {"lf", "layer-folder"},
                                               {"naive", "simulate-naive"},
                                               {NULL, NULL}};

static const char details[] =
    "The command decides how many layers every chunk of a pipeline gets, and how many of them\n"
    "recompute what, so that a training step is as short as possible and every stage fits in\n"
    "the memory of its device. The step is replayed for every strategy that the search tries:\n"
    "times are simulated, memory is exact for the order of operations.\n"
    "\n"
    "LAYERS is a JSON file with the times and memory of head, body and tail. Times have any\n"
    "one unit; memory is MiB (2^20 bytes).\n"
    "\n"
    "  ppsweep balance layers/175b.json -s 16 -i 3 --micro-batches 16 --order less\n";

static enum pps_status fail_infeasible(const struct balance_solution *solution,
                                       struct pps_error *err)
{
    const struct proxy_lack *lack = &solution->answer.lack;
    return pps_fail(
        err, PPS_E_INFEASIBLE,
        "no strategy fits: stage %d lacks %.1f MiB with %d layers and the strongest "
        "recomputation; the least limit that suffices is %.1f MiB",
        lack->stage, lack->lacks_mb, lack->layers, lack->least_limit_mb);
}

static enum pps_status report(const struct balance_request *request,
                              struct balance_solution *solution,
                              struct pps_error *err)
{
    if (solution->outcome == BALANCE_INFEASIBLE)
        return fail_infeasible(solution, err);
    enum pps_status status = balance_add_found(solution, err);
    if (status == PPS_OK)
        status = balance_add_naive(solution, err);
    if (status != PPS_OK)
        return status;
    if (!solution->answer.best.is_known)
        return pps_fail(err, PPS_E_STOPPED, "stopped before a strategy was found");
    balance_show(request, solution, stdout);
    return PPS_OK;
}

static enum pps_status balance_main(const struct pps_args *args, struct pps_error *err)
{
    struct balance_request request;
    struct balance_solution solution = {.n = 0};
    enum pps_status status = balance_read_layers(&request, args, err);
    if (status == PPS_OK)
        status = balance_read_pipeline(&request, args, err);
    if (status == PPS_OK)
        status = balance_read_search(&request, args, err);
    if (status != PPS_OK)
        return status;
    atomic_bool *stop =
        request.seconds > 0 ? pps_signals_alarm(request.seconds) : pps_signals_install();
    status = balance_solve(&solution, &request, stop, err);
    if (status == PPS_OK)
        status = report(&request, &solution, err);
    balance_solution_free(&solution);
    return status;
}

const struct pps_command balance_command = {
    .name = "balance",
    .summary = "split layers and recomputation over a pipeline",
    .usage = "[options] [LAYERS]",
    .details = details,
    .options = options,
    .aliases = aliases,
    .config = true,
    .one_dash = true,
    .min_words = 0,
    .max_words = 1,
    .main = balance_main,
};
