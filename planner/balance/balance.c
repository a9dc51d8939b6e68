// SPDX-License-Identifier: Apache-2.0
// ppsweep balance: layers and recomputation over the chunks of a pipeline.
#include "engine/command/signals.h"
#include "planner/balance/commands.h"
#include "planner/balance/explore.h"
#include "planner/balance/layers_input.h"
#include "planner/balance/manual/manual_file.h"
#include "planner/balance/output.h"
#include "planner/balance/request.h"
#include "planner/balance/show.h"
#include "planner/balance/solution.h"
#include "planner/shared/options.h"

#include <string.h>

static const struct pps_opt options[] = {
    BALANCE_LAYERS_OPTIONS,
    BALANCE_PIPELINE_OPTIONS,
    {"recompute", 0, "KINDS",
     "kinds that layers may have: select, select_comm, both, full (all that the file knows)"},
    {"allow-empty", 0, NULL, "chunks may have no layers (as those of the training)"},
    {"objective", 0, "NAME",
     "minimise the simulated step (makespan) or the published proxy (makespan)"},
    {"optimization-level", 'O', "0|1|2", "form of the published proxy (1)"},
    {"budget", 0, "N", "evaluations of the search (300k)"},
    {"seed", 0, "N", "seed of the search (42)"},
    {"time-limit", 't', "TIME", "stop the search early, after 90, 90s or 5m (none)"},
    {"manual-config", 0, "FILE", "also replay the strategies of a YAML file"},
    {"simulate-naive", 0, "0|1", "pictures of the even split with all or no recomputation (0)"},
    {"output-folder", 'o', "DIR",
     "write pictures, configurations and result.json to DIR (output)"},
    {"trace", 0, "FILE", "timeline of the best strategy: NAME.json, .svg, .png or .csv"},
    {"explore", 0, "AXES",
     "search all combinations, as in v=1..4 order=big,less m=8,16,32; no files are written"},
    {"threads", 'j', "N", "worker threads of --explore (all CPUs this process may use)"},
    {"init", 0, "FILE",
     "fit the layers from FILE, like ppsweep balance fit, and write NAME.json to "
     "--layer-folder"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {"guide", 0, NULL, "ask the questions of ppsweep balance guide, and stop"},
    {"exec", 0, "0|1", "0: print the layers and stop (1)"},
    {NULL, 0, NULL, NULL},
};

static const struct pps_opt_alias aliases[] = {BALANCE_PIPELINE_ALIASES,
                                               {"lf", "layer-folder"},
                                               {"naive", "simulate-naive"},
                                               {"manual", "manual-config"},
                                               {NULL, NULL}};

static const char details[] =
    "The command decides how many layers every chunk of a pipeline gets, and how many of them\n"
    "recompute what, so that a training step is as short as possible and every stage fits in\n"
    "the memory of its device. The step is replayed for every strategy that the search tries:\n"
    "times are simulated, memory is exact for the order of operations. Transfers take\n"
    "the transfer_time of the layers; without it, no time.\n"
    "\n"
    "LAYERS is a JSON file with the times and memory of head, body and tail (ppsweep balance\n"
    "fit and layers write it), or a plan of ppsweep check, balance or nd pipeline, whose stages,\n"
    "chunks, micro-batches and memory are then the defaults. Times have any one unit\n"
    "(plan.json takes ms); memory is MiB (2^20 bytes). FILE of --manual-config has named\n"
    "strategies with offset, recompute, select_recompute and select_comm_recompute.\n"
    "\n"
    "FILE is a training: a configuration of Megatron-LM, MindSpeed, MindFormers or torchtitan,\n"
    "priced on CLUSTER as by ppsweep check. Its pipeline and the memory of a device are the\n"
    "defaults, times are ms, and the row mine is the strategy of the file. Leading dense layers\n"
    "stay in the first chunk, with the recomputation of the file.\n"
    "\n"
    "  ppsweep balance sweep_configs/layers/175b.json --stages 16 --chunks 3 -mb 16 --order less\n"
    "  ppsweep balance my-training.sh h100\n"
    "  ppsweep balance sweep_configs/layers/175b.json --stages 16 --explore v=1..4 order=big,less m=16,32\n"
    "  ppsweep balance --model-name 175b -lf sweep_configs/layers --stages 16 --chunks 3 -mb 16 -lm 1 -naive 1\n";

// ---- reports ------------------------------------------------------------------------------------

static enum pps_status fail_infeasible(const struct balance_solution *solution,
                                       struct pps_error *err)
{
    const struct proxy_lack *lack = &solution->answer.lack;
    return pps_fail(
        err, PPS_E_INFEASIBLE,
        "no strategy fits: stage %d lacks %.1f MiB with %d layers and the strongest "
        "recomputation; the least memory that suffices is %.1f MiB",
        lack->stage, lack->lacks_mb, lack->layers, lack->least_limit_mb + solution->margin_mb);
}

static enum pps_status report(const struct balance_request *request,
                              struct balance_solution *solution,
                              const struct balance_manual_file *manual,
                              const struct balance_output *output, struct pps_error *err)
{
    if (solution->outcome == BALANCE_INFEASIBLE)
        return fail_infeasible(solution, err);
    enum pps_status status = balance_add_found(solution, err);
    if (status == PPS_OK && solution->n == 0)
        return pps_fail(err, PPS_E_STOPPED, "stopped before a strategy was found");
    if (status == PPS_OK)
        status = balance_add_mine(solution, err);
    if (status == PPS_OK)
        status = balance_add_naive(solution, err);
    if (status == PPS_OK)
        status = balance_add_manual(solution, &manual->manual, err);
    if (status == PPS_OK)
        status = balance_show(request, solution, stdout, err);
    return status == PPS_OK ? balance_write_output(output, solution, 1e-3, err) : status;
}

// ---- the command --------------------------------------------------------------------------------

static enum pps_status read_manual(const struct balance_request *request,
                                   const struct pps_args *args,
                                   struct balance_manual_file *manual, struct pps_error *err)
{
    const char *path = pps_arg(args, "manual-config");
    if (path == NULL)
        return PPS_OK;
    return balance_manual_file_read(manual, path, &request->layers, request->shape.stages,
                                    request->shape.chunks, err);
}

static enum pps_status solve(const struct balance_request *request, const struct pps_args *args,
                             struct pps_error *err)
{
    struct balance_solution solution = {.n = 0};
    struct balance_manual_file manual = {.manual = {.n = 0}};
    struct balance_output output;
    enum pps_status status = read_manual(request, args, &manual, err);
    if (status == PPS_OK)
        status = balance_read_output(&output, args, &manual.manual, request->path, err);
    if (status == PPS_OK)
        status = balance_solution_open(&solution, request, err);
    if (status == PPS_OK) {
        atomic_bool *stop = pps_signals_install();
        if (request->seconds > 0)
            pps_signals_alarm(request->seconds);
        status = balance_solve(&solution, request, &manual.manual, stop, err);
    }
    if (status == PPS_OK)
        status = report(request, &solution, &manual, &output, err);
    if (status == PPS_OK)
        status = balance_manual_file_check(&manual, err);
    balance_solution_free(&solution);
    balance_manual_file_free(&manual);
    return status;
}

// Axes may also follow as words of their own: --explore v=1..4 m=8,16.
static enum pps_status read_axes(const struct pps_args *args, struct balance_axes *axes,
                                 struct pps_error *err)
{
    *axes = (struct balance_axes){.n_chunks = 0};
    enum pps_status status =
        balance_axes_read(axes, "--explore", pps_arg(args, "explore"), err);
    for (int i = 0; i < pps_arg_words(args) && status == PPS_OK; i++)
        if (strchr(pps_arg_word(args, i), '=') != NULL)
            status = balance_axes_read(axes, "--explore", pps_arg_word(args, i), err);
    return status;
}

static enum pps_status explore(const struct balance_request *request,
                               const struct pps_args *args, struct pps_error *err)
{
    struct balance_exploration exploration = {.n = 0};
    struct balance_axes axes;
    uint64_t threads;
    enum pps_status status = read_axes(args, &axes, err);
    if (status == PPS_OK)
        status = plan_arg_threads(args, 1024, &threads, err);
    if (status == PPS_OK) {
        atomic_bool *stop = pps_signals_install();
        if (request->seconds > 0)
            pps_signals_alarm(request->seconds);
        status = balance_explore(&exploration, request, &axes, (int)threads, stop, err);
    }
    if (status == PPS_OK)
        balance_explore_show(&exploration, request, stdout);
    balance_exploration_free(&exploration);
    return status;
}

static enum pps_status run(struct balance_request *request, const struct pps_args *args,
                           struct pps_error *err)
{
    bool executes = true;
    enum pps_status status = plan_arg_bool(args, "exec", &executes, err);
    if (status == PPS_OK)
        status = balance_read_layers(request, args, err);
    if (status == PPS_OK && !executes) {
        balance_show_layers(&request->layers, stdout);
        return PPS_OK;
    }
    if (status == PPS_OK)
        status = balance_read_pipeline(request, args, err);
    if (status == PPS_OK)
        status = balance_read_search(request, args, err);
    if (status == PPS_OK && pps_arg(args, "explore") != NULL)
        return explore(request, args, err);
    return status == PPS_OK ? solve(request, args, err) : status;
}

static enum pps_status balance_main(const struct pps_args *args, struct pps_error *err)
{
    struct balance_request request = {.seed = 0};
    if (pps_arg(args, "guide") != NULL)
        return balance_guide_ask(err);
    const enum pps_status status = run(&request, args, err);
    balance_request_free(&request);
    return status;
}

const struct pps_command balance_command = {
    .name = "balance",
    .summary = "split layers and recomputation over a pipeline",
    .usage = "[options] [LAYERS|FILE [CLUSTER]] [AXES]",
    .details = details,
    .options = options,
    .aliases = aliases,
    .config = true,
    .one_dash = true,
    .max_words = -1,
    .main = balance_main,
};
