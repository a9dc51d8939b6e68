// SPDX-License-Identifier: Apache-2.0
// ppsweep nd pipeline: solves the layer split and recompute of one strategy, checks them against
// measured peaks, exports the program for other solvers, and reads their solutions.
#include "base/system/whole_file.h"
#include "planner/nd/commands/commands.h"

#include "base/math/units.h"
#include "base/text/characters.h"
#include "engine/command/signals.h"
#include "planner/figures/feedback.h"
#include "planner/nd/commands/pipeline_report.h"
#include "planner/nd/input/choice_price.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUDGET_S = 60,   // of a program
    PATIENCE_S = 20, // without a better split
};

static const struct pps_opt options[] = {
    {"at", 0, "DEGREES",
     "the strategy: dp=8,tp=4,pp=16,ep=8, also cp op vp mbs sp=on (from the file)"},
    {"vpp", 0, "N", "chunks per stage, same as vp in --at (the best of 1 to 3)"},
    {"layers", 0, "LIST",
     "report this split and compare it with the best: layers per stage, 4,5,4,3; mine: of MODEL"},
    {"recompute", 0, "LIST",
     "layers to recompute per stage of --layers (0); rows per chunk: 2,2|2,1"},
    {"layer-ratio", 0, "X", "forward time of a leading dense layer, in layer forwards"},
    {"b-ratio", 0, "X", "backward time of a layer, in forwards of that layer"},
    {"head-loss", 0, "X", "forward time of the output head, in layer forwards"},
    {"ra-ratio", 0, "X", "extra backward time with full recompute, in forwards"},
    ND_INPUT_OPTIONS("time limit per pipeline program; 0: none (60; none with --search-limit)",
                     "search steps before stopping without a proof; 0: no limit (0)"),
    {"progress", 0, "HOW", "auto, line, log, json or never (auto)"},
    {"check-data", 0, "FILE",
     "read measured peaks: CSV or JSON with dp,tp,pp,ep,stage,peak_mb"},
    {"check", 0, "y|n", "check the solution against the measured peaks (y)"},
    {"fit", 0, "N", "if a peak exceeds the limit: 0 tighten budgets, 1 fit memory figures (0)"},
    {"output", 'o', "DIR", "write configuration, memory figures and solution to this folder"},
    {"is-write", 0, "y|n", "with --output, write the configuration (y)"},
    {"mps", 0, NULL, "with --output, write the program as free MPS"},
    {"trace", 0, "FILE",
     "write a timeline of the step in us: NAME.json (Perfetto), .svg, .png or .csv"},
    {"plan", 0, "FILE", "write the step as a plan, which ppsweep schedule reads: NAME.json"},
    {"extract", 0, "y|n", "report the solution in --solution instead of solving (n)"},
    {"solution", 0, "FILE",
     "solution file for --extract: one variable name and value per line"},
    // published names
    {"dryrun", 0, "y|n", NULL},
    {NULL, 0, NULL, NULL},
};

#define NO_TRAINING "this command starts no training; see nd dryrun and nd profile"

// Options of the published tool.
static const struct plan_no_effect no_effect[] = {
    {"dryrun", "figures of memory come from --calibration or --memory-info"},
    {"mindformers", NO_TRAINING},
    {"mindspeed", NO_TRAINING},
    {NULL, NULL},
};

static const char details[] =
    "Time ratios come from options, else from a profile, else from the analytic models. Memory\n"
    "comes from --memory-info, else from --calibration, else from the models. Times are in\n"
    "forwards of one layer. A timeline (--trace) is in microseconds if the time of a layer is\n"
    "known, otherwise in layer forwards. Where only models are used, times and memory are those of\n"
    "ppsweep check for the same layers. Chunks per stage and micro-batch sizes that --at leaves open\n"
    "are tried as in nd rank, which finds the same step for the strategy. With --compat orig\n"
    "there is one chunk, and the first micro-batch size.\n"
    "\n"
    "A search without a proof ends after a minute (-t), when it has found nothing better for 20 s, or\n"
    "at Ctrl-C: the best split so far is printed and written, with the bound of all splits.\n"
    "\n"
    "If MODEL is the configuration of a framework, the split is one that such a file can say, and is\n"
    "compared with the training in the file (mine). If that has another placement or order than a\n"
    "loop with 1F1B, splits are tried in its order.\n"
    "\n"
    "  ppsweep nd pipeline sweep_configs/models/deepseek-v3.json -n 1024 --gbs 3840 \\\n"
    "      --at tp=4,pp=16,ep=16\n"
    "  ppsweep nd pipeline MODEL.json CLUSTER.json --at pp=8 --check-data peaks.csv -fit 1 -o out\n"
    "  ppsweep nd pipeline MODEL.json CLUSTER.json --at pp=8 -extract y -solution out.sol\n"
    "  ppsweep nd pipeline MODEL.json CLUSTER.json --at pp=8 --plan plan.json\n"
    "  ppsweep schedule plan.json\n";

// ---- the program --------------------------------------------------------------------------------

// Reads the ratio options.
static enum pps_status read_ratios(struct nd_input *input, const struct pps_args *args,
                                   struct pps_error *err)
{
    struct {
        const char *name;
        double *value;
    } all[] = {{"layer-ratio", &input->given.dense},
               {"b-ratio", &input->given.backward},
               {"head-loss", &input->given.head},
               {"ra-ratio", &input->given.recompute}};
    enum pps_status status = PPS_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all && status == PPS_OK; k++)
        status = pps_arg_number(args, all[k].name, 0, 1e6, all[k].value, err);
    return status;
}

static enum pps_status make_program(struct nd_pipe *pipe, struct nd_program *program,
                                    struct pps_error *err)
{
    struct nd_maker maker;
    struct nd_rank_case prepared;
    char why[256];
    nd_maker_open(&maker, pipe->input);
    const bool made = nd_maker_prepare(&maker, &pipe->strategy, &prepared, why, sizeof why);
    pipe->unit_of_model = maker.ratios.unit_of_model;
    pipe->profile = maker.ratios.profile;
    pipe->tokens_unknown = maker.ratios.tokens_unknown;
    if (!made)
        return pps_fail(err, PPS_E_INPUT, "%s", why);
    *program = prepared.program;
    program->chunks = pipe->strategy.vp;
    pipe->source = prepared.source;
    pipe->layer_ms = prepared.layer_ms;
    pipe->weights_time = prepared.weights_time;
    pipe->weights_memory = prepared.weights_memory;
    pipe->limit_mb = nd_input_limit_mb(pipe->input);
    pipe->key = (struct nd_figures_key){.layers = {program->layers[0], program->layers[1]},
                                        .micro_batches = program->micro_batches,
                                        .dp = pipe->strategy.dp,
                                        .tp = pipe->strategy.tp,
                                        .pp = pipe->strategy.pp,
                                        .vp = program->chunks,
                                        .ep = pipe->strategy.ep};
    struct nd_infeasible never;
    if (!nd_program_check(program, why, sizeof why))
        return pps_fail(err, PPS_E_INPUT, "%s", why);
    return nd_never_feasible(program, &never)
               ? pps_fail(err, PPS_E_INFEASIBLE, "%s", never.text)
               : PPS_OK;
}

// ---- the check ----------------------------------------------------------------------------------

static enum pps_status read_peaks(double *peaks, const struct nd_pipe *pipe, const char *path,
                                  struct pps_error *err)
{
    const struct nd_peak_key key = {pipe->strategy.dp, pipe->strategy.tp, pipe->strategy.pp,
                                    pipe->strategy.ep};
    struct plan_table data;
    struct pps_fault fault;
    bool found = false;
    enum pps_status status = plan_table_read(&data, path, err);
    if (status == PPS_OK && !nd_check_peaks_read(peaks, &key, data.table, &found, &fault))
        status = plan_fail_table(&data, &fault, err);
    plan_table_free(&data);
    if (status == PPS_OK && !found)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                           "no peaks for dp %lld, tp %lld, pp %lld, ep %lld", (long long)key.dp,
                           (long long)key.tp, (long long)key.pp, (long long)key.ep);
    return status;
}

static void print_check(const struct nd_feedback *feedback, double limit_mb)
{
    switch (feedback->end) {
    case ND_FEEDBACK_FITS:
        printf("check     fits in %.6g GiB after %d more solution%s\n", limit_mb / UNITS_KIB,
               feedback->rounds, feedback->rounds == 1 ? "" : "s");
        return;
    case ND_FEEDBACK_OVER:
        printf("check     stage %d is still %.1f MiB over the limit after %d more solution%s\n",
               feedback->stage, feedback->over_mb, feedback->rounds,
               feedback->rounds == 1 ? "" : "s");
        return;
    case ND_FEEDBACK_INFEASIBLE:
        printf("check     stage %d is %.1f MiB over the limit; no tighter split is feasible\n",
               feedback->stage, feedback->over_mb);
        return;
    case ND_FEEDBACK_REFUSED:
        printf("check     stage %d is %.1f MiB over the limit; %s\n", feedback->stage,
               feedback->over_mb, feedback->why);
        return;
    case ND_FEEDBACK_UNKNOWN:
    case ND_FEEDBACK_NO_MEMORY:
        printf("check     out of memory for the check\n");
        return;
    }
}

// peaks: [2][stages]; row 0 holds the measured peaks, row 1 receives the modelled peaks. Returns
// whether the final solution fits in the limit.
static bool check(const struct nd_pipe *pipe, enum nd_feedback_kind fit, double *peaks,
                  struct nd_program *program, struct nd_solution *solution)
{
    struct nd_measured measured = {.measured_mb = peaks,
                                   .modelled_mb = peaks + program->stages};
    const struct nd_check who = {nd_measured_peaks, &measured};
    struct nd_feedback feedback;
    nd_solve_progress_start(pipe->progress, pipe->effort);
    nd_feedback_run(&feedback, program, pipe->limit_mb, fit, &who, pipe->effort, solution);
    nd_solve_progress_end(pipe->progress);
    *program = feedback.program;
    print_check(&feedback, pipe->limit_mb);
    return feedback.end == ND_FEEDBACK_FITS;
}

// ---- the stages of a run ------------------------------------------------------------------------

// Writes the files that the options request for a choice.
static enum pps_status write_all(const struct nd_pipe *pipe,
                                 const struct nd_pipe_request *request,
                                 const struct nd_program *program,
                                 const struct nd_choice *choice, struct pps_error *err)
{
    enum pps_status status =
        nd_pipe_write_solution(pipe, &request->files, program, choice, err);
    if (status == PPS_OK && request->trace != NULL)
        status = nd_pipe_trace(pipe, program, choice, request->trace, err);
    if (status == PPS_OK && request->plan != NULL)
        status = nd_pipe_plan(pipe, program, choice, request->plan, err);
    return status;
}

enum nd_outcome nd_pipe_solve(const struct nd_pipe *pipe, const struct nd_program *program,
                              struct nd_solution *solution)
{
    nd_solve_progress_start(pipe->progress, pipe->effort);
    const enum nd_outcome outcome = nd_solve(program, pipe->effort, solution);
    nd_solve_progress_end(pipe->progress);
    return outcome;
}

// Without a solution within the limits, still writes the program, so that another solver can try.
static enum pps_status solve_first(const struct nd_pipe *pipe,
                                   const struct nd_pipe_request *request,
                                   const struct nd_program *program,
                                   struct nd_solution *solution, struct pps_error *err)
{
    enum pps_status status;
    if (nd_pipe_solve_best(pipe, program, solution) != ND_DONE)
        return pps_fail_memory(err, "the pipeline program");
    if (solution->found)
        return PPS_OK;
    if (solution->status == ND_INFEASIBLE)
        return pps_fail(
            err, PPS_E_INFEASIBLE, "%s%s",
            solution->why.limit == ND_LIMIT_MEMORY ? "please check the memory limit: " : "",
            solution->why.text);
    status = nd_pipe_write_program(pipe, &request->files, program, err);
    return status == PPS_OK ? pps_fail(err, PPS_E_INFEASIBLE,
                                       "no solution found within the time limit (-t) or the "
                                       "search limit (--search-limit)")
                            : status;
}

// peaks: see check(); NULL: skip the check.
static enum pps_status solve(const struct nd_pipe *pipe, const struct nd_pipe_request *request,
                             const struct nd_program *program, double *peaks,
                             struct pps_error *err)
{
    struct nd_solution solution = {.found = false};
    struct nd_program checked = *program;
    bool fits = true;
    enum pps_status status = solve_first(pipe, request, program, &solution, err);
    if (status == PPS_OK && peaks != NULL)
        fits = check(pipe, request->fit, peaks, &checked, &solution);
    if (status == PPS_OK)
        status = nd_pipe_read_back(pipe, &request->files, &checked, &solution.choice, err);
    if (status == PPS_OK) {
        nd_pipe_report(pipe, &checked, &solution.choice, solution.peaks);
        nd_pipe_report_solution(pipe, &checked, &solution);
        if (!fits)
            status = pps_fail(err, PPS_E_INFEASIBLE, "no solution fits the measured peaks");
    }
    if (status == PPS_OK)
        status = nd_pipe_write_program(pipe, &request->files, program, err);
    if (status == PPS_OK)
        status = write_all(pipe, request, &checked, &solution.choice, err);
    nd_solution_free(&solution);
    return status;
}

static enum pps_status solve_checked(const struct nd_pipe *pipe,
                                     const struct nd_pipe_request *request,
                                     const struct nd_program *program, struct pps_error *err)
{
    if (!request->check || request->check_data == NULL)
        return solve(pipe, request, program, NULL, err);
    double *peaks = calloc(2 * (size_t)program->stages, sizeof *peaks);
    if (peaks == NULL)
        return pps_fail_memory(err, "the peaks");
    enum pps_status status = read_peaks(peaks, pipe, request->check_data, err);
    if (status == PPS_OK)
        status = solve(pipe, request, program, peaks, err);
    free(peaks);
    return status;
}

static enum pps_status extract(const struct nd_pipe *pipe,
                               const struct nd_pipe_request *request,
                               const struct nd_program *program, struct pps_error *err)
{
    char *text;
    size_t n;
    struct nd_sol sol = {.room = NULL};
    struct pps_fault fault;
    const char *path = request->solution;
    enum pps_status status = pps_whole_file_read(path, PLAN_DATA_MAX, &text, &n, err);
    if (status == PPS_OK && !nd_sol_read(&sol, program, text, n, &fault))
        status =
            pps_fail_at(err, PPS_E_INPUT, path, fault.line, fault.column, "%s", fault.text);
    if (status == PPS_OK)
        status = nd_pipe_report_file(pipe, program, &sol, err);
    if (status == PPS_OK)
        status = nd_pipe_write_program(pipe, &request->files, program, err);
    if (status == PPS_OK)
        status = write_all(pipe, request, program, &sol.choice, err);
    nd_sol_free(&sol);
    free(text);
    return status;
}

static enum pps_status report_split(const struct nd_pipe *pipe,
                                    const struct nd_pipe_request *request,
                                    const struct nd_program *program, struct pps_error *err)
{
    struct nd_pipe_split split = {.room = NULL};
    enum pps_status status =
        strcmp(request->layers, "mine") == 0
            ? nd_pipe_split_of_mine(&split, pipe, program, err)
            : nd_pipe_split_read(&split, program, request->layers, request->recompute, err);
    if (status == PPS_OK)
        status = nd_pipe_read_back(pipe, &request->files, program, &split.choice, err);
    if (status == PPS_OK)
        status = nd_pipe_report_split(pipe, program, &split.choice, err);
    if (status == PPS_OK)
        status = nd_pipe_write_program(pipe, &request->files, program, err);
    if (status == PPS_OK)
        status = write_all(pipe, request, program, &split.choice, err);
    nd_pipe_split_free(&split);
    return status;
}

static enum pps_status check_paths(const struct nd_pipe *pipe,
                                   const struct nd_pipe_request *request, struct pps_error *err)
{
    const char *const paths[] = {request->trace, request->plan};
    enum pps_status status = nd_pipe_check_files(pipe, &request->files, err);
    if (status == PPS_OK && request->trace != NULL)
        status = nd_pipe_check_trace(pipe, &request->files, request->trace, err);
    if (status == PPS_OK && request->plan != NULL)
        status = nd_pipe_check_plan(pipe, &request->files, request->plan, err);
    return status == PPS_OK ? pps_gate_check_all(pipe->input->gate, paths, 2, err) : status;
}

static enum pps_status report(const struct nd_pipe *pipe, const struct nd_pipe_request *request,
                              const struct nd_program *program, struct pps_error *err)
{
    const bool ordered = nd_pipe_is_ordered(pipe) && !request->extract;
    if (request->layers != NULL && !ordered)
        return report_split(pipe, request, program, err);
    if (request->extract)
        return extract(pipe, request, program, err);
    return ordered ? nd_pipe_solve_ordered(pipe, request, program, err)
                   : solve_checked(pipe, request, program, err);
}

// As published, and with a search limit, the time is not limited.
static enum pps_status read_effort(struct nd_solve_progress *progress, struct nd_input *input,
                                   const struct pps_args *args, struct pps_error *err)
{
    const bool limited = input->compat == ND_ORIG || pps_arg(args, "time") != NULL ||
                         pps_arg(args, "search-limit") != NULL;
    input->effort.stop = pps_signals_install();
    if (!limited) {
        input->effort.max_seconds = BUDGET_S;
        progress->patience = PATIENCE_S;
    }
    progress->max_seconds = input->effort.max_seconds;
    if (input->quiet && pps_arg(args, "progress") == NULL)
        return PPS_OK;
    return pps_progress_parse(pps_arg(args, "progress"), &progress->kind, err);
}

// Writes no file before all inputs have been read and checked.
static enum pps_status run(struct nd_input *input, const struct pps_args *args,
                           struct pps_error *err)
{
    struct nd_pipe_request request;
    struct nd_program program;
    struct configuration written = {.parts = NULL};
    struct nd_solve_progress progress = {.kind = PPS_PROGRESS_NEVER, .layer_ms = (double)NAN};
    struct nd_ranked ranked = {.outcome = ND_RANK_NOT_PRICED};
    struct nd_pipe pipe = {.input = input,
                           .args = args,
                           .effort = &input->effort,
                           .progress = &progress,
                           .ranked = &ranked,
                           .written = &written};
    enum pps_status status = nd_pipe_read_request(&request, args, err);
    if (status == PPS_OK)
        status = nd_input_open(input, args, err);
    input->without_unit = true;
    if (status == PPS_OK)
        status = read_effort(&progress, input, args, err);
    if (status == PPS_OK)
        status = read_ratios(input, args, err);
    if (status == PPS_OK)
        status = nd_pipe_read_strategy(&pipe, &input->job, args, err);
    if (status == PPS_OK)
        status = nd_pipe_read_chunks(&pipe, args, err);
    if (status == PPS_OK)
        status = nd_pipe_choose(&pipe, err);
    if (status == PPS_OK)
        status = make_program(&pipe, &program, err);
    pipe.priced = status == PPS_OK && nd_choice_has_price(input, pipe.source);
    progress.layer_ms = pipe.layer_ms;
    if (status == PPS_OK)
        status = check_paths(&pipe, &request, err);
    if (status == PPS_OK && pipe.priced)
        status = plan_mine_open(&pipe.mine, &input->job.run, input->quiet, NULL, err);
    if (status == PPS_OK)
        status = report(&pipe, &request, &program, err);
    plan_mine_close(&pipe.mine);
    nd_ranked_free(&ranked);
    configuration_free(&written);
    return status;
}

static enum pps_status pipeline_main(const struct pps_args *args, struct pps_error *err)
{
    struct nd_input input = {.quiet = false};
    plan_note_no_effect(args, no_effect);
    const enum pps_status status = run(&input, args, err);
    nd_input_close(&input);
    if (status != PPS_OK) { // the message may quote options and files
        pps_make_printable(err->text);
        pps_make_printable(err->file);
    }
    if (status == PPS_OK)
        plan_note_folder(args, "pipeline_output");
    return status;
}

const struct pps_command nd_pipeline_command = {
    .name = "nd pipeline",
    .summary = "split a model's layers over the pipeline stages of one strategy",
    .usage = "[options] [--at DEGREES] MODEL [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .same = plan_same_options,
    .one_dash = true,
    .max_words = 2,
    .main = pipeline_main,
};
