// SPDX-License-Identifier: Apache-2.0
// ppsweep balance replay: strategies of a file, replayed and compared without a search.
#include "engine/command/signals.h"
#include "planner/balance/commands.h"
#include "planner/balance/layers_input.h"
#include "planner/balance/manual/manual_file.h"
#include "planner/balance/output.h"
#include "planner/balance/request.h"
#include "planner/balance/show.h"
#include "planner/balance/solution.h"

static const struct pps_opt options[] = {
    BALANCE_LAYERS_OPTIONS,
    BALANCE_PIPELINE_OPTIONS,
    {"manual-config", 0, "FILE", "the strategies, as YAML"},
    {"output-folder", 'o', "DIR",
     "write pictures, configurations and result.json to DIR (output)"},
    {"trace", 0, "FILE", "timeline of the first strategy: NAME.json, .svg, .png or .csv"},
    {"simulate-naive", 0, "0|1", "also replay the even split with all or no recomputation (0)"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {NULL, 0, NULL, NULL},
};

static const struct pps_opt_alias aliases[] = {BALANCE_PIPELINE_ALIASES,
                                               {"lf", "layer-folder"},
                                               {"naive", "simulate-naive"},
                                               {"manual", "manual-config"},
                                               {NULL, NULL}};

static const char details[] =
    "The command simulates a training step for each strategy of FILE and prints step time,\n"
    "bubble and memory. LAYERS and FILE are those of ppsweep balance. A strategy may have its\n"
    "own number of chunks (interleave_num). A strategy that is wrong is left out. The strategy\n"
    "of a plan or a training is the row mine; --manual-config is not needed then.\n"
    "\n"
    "  ppsweep balance replay sweep_configs/layers/175b.json --stages 16 --chunks 3 -mb 16 --manual mine.yaml\n"
    "  ppsweep balance replay my-training.sh h100\n";

static enum pps_status replay(const struct balance_request *request,
                              const struct balance_manual_file *manual,
                              const struct balance_output *output,
                              struct balance_solution *solution, struct pps_error *err)
{
    enum pps_status status = balance_solution_open(solution, request, err);
    if (status == PPS_OK)
        status = balance_solution_replay(solution, pps_signals_install(), err);
    if (status == PPS_OK)
        status = balance_add_mine(solution, err);
    if (status == PPS_OK)
        status = balance_add_manual(solution, &manual->manual, err);
    if (status == PPS_OK && solution->n == 0)
        return balance_manual_file_check(manual, err);
    if (status == PPS_OK && output->naive)
        status = balance_add_naive(solution, err);
    if (status == PPS_OK)
        status = balance_show(request, solution, stdout, err);
    if (status == PPS_OK)
        status = balance_write_output(output, solution, 1e-3, err);
    return status == PPS_OK ? balance_manual_file_check(manual, err) : status;
}

static enum pps_status replay_request(struct balance_request *request,
                                      const struct pps_args *args, struct pps_error *err)
{
    struct balance_output output;
    struct balance_manual_file manual = {.manual = {.n = 0}};
    struct balance_solution solution = {.n = 0};
    const char *path = pps_arg(args, "manual-config");
    enum pps_status status = balance_read_layers(request, args, err);
    if (status == PPS_OK)
        status = balance_read_pipeline(request, args, err);
    if (status == PPS_OK)
        status = balance_read_search(request, args, err);
    if (status == PPS_OK && path == NULL && balance_request_mine(request) == NULL)
        return pps_fail(err, PPS_E_INPUT, "give the strategies: --manual-config FILE");
    if (status == PPS_OK && path != NULL)
        status = balance_manual_file_read(&manual, path, &request->layers,
                                          request->shape.stages, request->shape.chunks, err);
    if (status == PPS_OK)
        status = balance_read_output(&output, args, &manual.manual, request->path, err);
    if (status == PPS_OK)
        status = replay(request, &manual, &output, &solution, err);
    balance_solution_free(&solution);
    balance_manual_file_free(&manual);
    return status;
}

static enum pps_status replay_main(const struct pps_args *args, struct pps_error *err)
{
    struct balance_request request = {.seed = 0};
    const enum pps_status status = replay_request(&request, args, err);
    balance_request_free(&request);
    return status;
}

const struct pps_command balance_replay_command = {
    .name = "balance replay",
    .summary = "replay strategies of layers and recomputation",
    .usage = "[options] [LAYERS|FILE [CLUSTER]]",
    .details = details,
    .options = options,
    .aliases = aliases,
    .config = true,
    .one_dash = true,
    .max_words = 2,
    .main = replay_main,
};
