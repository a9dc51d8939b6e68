// SPDX-License-Identifier: Apache-2.0
// ppsweep run: runs a sweep.
#include "engine/cli/verbs.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/terminal.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/cli/options/picture_options.h"
#include "engine/cli/options/result_arguments.h"
#include "engine/cli/options/style_options.h"
#include "engine/cli/plan.h"
#include "engine/cli/report/progress.h"
#include "engine/cli/report/run_report.h"
#include "engine/command/shard_option.h"
#include "engine/command/signals.h"
#include "engine/job/job.h"
#include "engine/picture/scatter.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_opt options[] = {
    PPS_REQUEST_OPTIONS,
    {"output", 'o', "PATH",
     "NAME.csv.gz, .csv or .parquet, a folder, or - for stdout (outputs/data/)"},
    PPS_FORMAT_OPTION,
    {"force", 0, NULL, "overwrite the result if it exists"},
    {"resume", 0, NULL, "continue an interrupted run, if there is one"},
    {"time-limit", 0, "TIME", "stop after TIME, as in 90s, 5m, 1h30m; --resume continues"},
    {"shard", 0, "K/N", "compute shard K of N (K from 0); auto or auto/N asks the launcher"},
    {"compress", 0, "CODEC",
     "zlib:1 to zlib:9, isal:0 to isal:3, none, parquet:1 to :9 (zlib:1)"},
    PPS_TOP_OPTIONS,
    PPS_BASELINE_OPTION,
    {"reuse", 0, "FILE", "copy rows from the earlier result FILE instead of computing them"},
    {"audit", 0, "F", "compare a fraction F of the rows with the reference of the kernel"},
    {"fail-fast", 0, NULL, "stop at the first point that fails (exit status 4)"},
    {"plot", 0, NULL, "draw the result at the end, as ppsweep plot does (24 maps at most)"},
    {"dry-run", 0, NULL, "print the plan and stop: the same as ppsweep plan"},
    {"progress", 0, "HOW", "auto, line, log, json or never (auto)"},
    {"quiet", 'q', NULL, "print errors only"},
    {"simulator", 0, "NAME", NULL},
    {"json", 0, NULL, "print the summary as JSON on stdout, or last on stderr with -o -"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "An experiment is an object from parameter to values, in JSON (or YAML or TOML):\n"
    "\n"
    "  { \"n\": [8, 16], \"sync_freq\": \"divisors(n)\", \"where\": \"sync_freq < 8\",\n"
    "    \"bwd_len\": {\"start\": 2, \"stop\": 3, \"step\": 0.5} }\n"
    "\n"
    "\"sample\": {\"count\": 1000, \"method\": \"sobol\"} draws a sample of the points.\n"
    "Methods are random, sobol and lhs, and saltelli and morris, whose rows ppsweep\n"
    "sensitivity reads. --sample saltelli:1000 does the same. An axis of a sample may be\n"
    "continuous:\n"
    "{\"start\": 1, \"stop\": 3, \"continuous\": true}.\n"
    "\n"
    "--let NAME=EXPR adds a result column that is computed from parameters, results and earlier\n"
    "such columns, with the operators and functions of rules. Results that it uses are added,\n"
    "too. It has six decimals (--digits). \"let\": {\"gain\": \"1 - ideal_time/total_time\"} in an\n"
    "experiment does the same.\n"
    "\n"
    "\"command\": \"python3 sim.py --n {n}\" runs a program for every point in place of a kernel\n"
    "(docs/command.md).\n"
    "\n"
    "\"inputs\": {\"model\": \"m.json\"} names the input documents of a kernel.\n"
    "\"preset\" names a set of axes and rules of the kernel.\n"
    "\n"
    "`ppsweep kernels contention` lists the parameters of the kernel contention. The folder\n"
    "sweep_configs/ contains experiments.\n"
    "\n"
    "Without -o, the result is outputs/data/<experiment>-<digest>.csv.gz. If the result of the\n"
    "same experiment exists, the command repeats its summary. The index (.idx) and the "
    "manifest (.json) are in the same\n"
    "folder. During the run, the names end in .part. If a run is stopped or killed, the same\n"
    "command with --resume continues it; the result has the same bytes.\n"
    "\n"
    "--only-top writes only the best rows (--top K, --by NAMES), in the order of the sweep.\n"
    "\n"
    "--reuse copies rows from an earlier result with the same kernel, version, digits and\n"
    "columns. A row is copied if all parameters are equal. --reuse needs about 60 MB of\n"
    "memory per million rows of the earlier result. Rows selected by --audit are computed\n"
    "and must match the earlier result.\n"
    "\n"
    "A shard is named NAME.shard-K-of-N.csv.gz. `ppsweep merge` joins all N shards.\n"
    "--shard auto gets K and N from the launcher: srun, mpirun, or a Slurm job array\n"
    "0-(N-1). --shard auto/N gets only K, so that some tasks of an array can be submitted\n"
    "again; a Kubernetes Indexed Job needs it, because its pods do not know N.\n";

// A run of the command.
struct run {
    const struct pps_args *args;
    struct pps_job job;
    struct pps_request_words words;
    char shard_source[PPS_SHARD_SOURCE];
    char resume_command[2048];
    struct pps_progress progress;
    struct pps_job_result result;
    bool quiet, json;
};

// ---- reading the options ----------------------------------------------------------------------

static enum pps_status read_audit(const struct pps_args *args, double *fraction,
                                  struct pps_error *err)
{
    const char *text = pps_arg(args, "audit");
    char *end;
    if (text == NULL)
        return PPS_OK;
    *fraction = strtod(text, &end);
    if (end == text || *end != '\0' || !(*fraction > 0 && *fraction <= 1))
        return pps_fail(err, PPS_E_INPUT,
                        "--audit %s: expected a fraction above 0 and at most 1, such as 1e-4",
                        text);
    return PPS_OK;
}

// Reads --simulator of the published tool, whose two simulators are one model and differ in how the
// timeline is drawn.
static enum pps_status read_simulator(struct run *run, struct pps_error *err)
{
    static const char *const views[] = {"single", "dual"};
    const char *name = pps_arg(run->args, "simulator");
    for (int v = 0; name != NULL && v < 2; v++)
        if (strncmp(name, views[v], strlen(views[v])) == 0 &&
            strcmp(name + strlen(views[v]), "_channel") == 0)
            run->job.view = views[v];
    if (name != NULL && run->job.view == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--simulator %s: expected single_channel or dual_channel", name);
    if (name != NULL && !run->quiet)
        pps_say(
            stderr,
            "note      --simulator %s selects how trace draws timelines (--view %s); the rows "
            "do not depend on it. Two independent ports are another model: -s channels=duplex",
            name, run->job.view);
    return PPS_OK;
}

static enum pps_status read_options(struct run *run, struct pps_error *err)
{
    const struct pps_args *args = run->args;
    struct pps_job *job = &run->job;
    enum pps_progress_kind kind = PPS_PROGRESS_NEVER;
    enum pps_status status = pps_request_threads(args, &job->threads, err);
    if (status == PPS_OK)
        status = pps_progress_parse(pps_arg(args, "progress"), &kind, err);
    if (status == PPS_OK)
        status = pps_shard_choose(args, &job->shard, run->shard_source, err);
    if (status == PPS_OK)
        status = pps_request_read(args, &run->words, &job->request, err);
    if (status == PPS_OK)
        status = pps_top_options(args, job, err);
    if (status == PPS_OK)
        status = read_audit(args, &job->audit, err);
    if (status == PPS_OK)
        status = read_simulator(run, err);
    run->progress.kind = run->quiet ? PPS_PROGRESS_NEVER : kind;
    pps_arg_line_resume(args, run->resume_command, sizeof run->resume_command);
    job->output = pps_arg(args, "output");
    if (status == PPS_OK)
        status = pps_format_option(args, job->output, &job->codec, err);
    job->rows = stdout;
    job->gate = pps_arg_gate(args);
    job->force = pps_arg(args, "force") != NULL;
    job->resume = pps_arg(args, "resume") != NULL;
    job->reuse = pps_arg(args, "reuse");
    job->fail_fast = pps_arg(args, "fail-fast") != NULL;
    job->command = pps_arg_line(args);
    job->resume_command = run->resume_command;
    return status;
}

// From now on the time limit counts, and signals stop the run: at once as long as it only reads.
static enum pps_status start_clock(struct run *run, struct pps_error *err)
{
    double limit_s = 0;
    pps_signals_end_at_once("ppsweep: stopped before the first point; no file was changed\n");
    run->job.stop = pps_signals_install();
    enum pps_status status = pps_arg_duration(run->args, "time-limit", &limit_s, err);
    if (limit_s > 0)
        pps_signals_alarm(limit_s);
    return status;
}

// ---- messages during the run ------------------------------------------------------------------

static void say_loaded(const struct run *run)
{
    const struct pps_shard shard = run->job.shard;
    if (run->quiet)
        return;
    if (run->shard_source[0] != '\0')
        fprintf(stderr, "shard     %u of %u (from %s)\n", (unsigned)shard.index,
                (unsigned)shard.count, run->shard_source);
    fputs(run->result.experiment->notes, stderr);
    pps_documents_warn(run->result.experiment->inputs, stderr);
}

// Called before files change.
static void prepare_files(const struct run *run, const struct pps_job_result *r)
{
    if (r->reuse_unchecked && !run->quiet)
        pps_say(stderr,
                "note      %s.idx is missing: the rows of %s are reused without a check",
                r->reuse, r->reuse);
    pps_signals_end_at_once(NULL); // there are files to close
    if (strcmp(r->path.path, "-") != 0)
        signal(SIGPIPE, SIG_IGN); // a closed pipe on stderr does not end the run
}

static void say_resumed(const struct pps_job_result *r)
{
    char done[48], all[48];
    pps_human_count((double)r->earlier_points, done, sizeof done);
    pps_human_count((double)r->n_points, all, sizeof all);
    pps_say(stderr, "resume    %s of %s points are done, in %s.part", done, all, r->path.path);
}

static void begin(struct run *run, const struct pps_job_result *r)
{
    struct pps_progress *progress = &run->progress;
    const char *path = r->path.path;
    if (r->unlocked && !run->quiet)
        pps_say(stderr, "warning: this file system has no locks; no other run may write %s",
                path);
    if (r->snapshot_fault.code != PPS_OK)
        pps_say(stderr, "warning: %s.top.part %s; the run starts at the first point", path,
                r->snapshot_fault.text);
    if (r->resumed && !run->quiet)
        say_resumed(r);
    pps_progress_begin(progress, progress->kind, r->n_points);
    progress->experiment = r->experiment;
    progress->only_best = r->sweep.only_best;
    progress->earlier_points = r->earlier_points;
    progress->earlier_rows = r->earlier_rows;
    pps_progress_costly(progress);
}

static bool watch(void *self, enum pps_job_event event, const struct pps_job_result *r)
{
    struct run *run = self;
    switch (event) {
    case PPS_JOB_FOUND:
        if (!run->quiet)
            pps_say(stderr,
                    "complete  %s already contains this result; --force computes it again",
                    r->path.path);
        break;
    case PPS_JOB_READY:
        prepare_files(run, r);
        break;
    case PPS_JOB_BEGINS:
        begin(run, r);
        break;
    case PPS_JOB_PASSED:
        pps_progress_update(&run->progress, &r->passed);
        break;
    case PPS_JOB_ENDS:
        pps_progress_end(&run->progress);
        break;
    }
    return true;
}

// ---- the end of the run -----------------------------------------------------------------------

static enum pps_status plot(const struct run *run, struct pps_error *err)
{
    struct pps_plot_count count = {0};
    struct pps_picture_gate gate;
    pps_picture_gate_make(&gate, pps_arg_gate(run->args), run->result.path.path);
    struct pps_plot_ask ask = {
        .cut.view = {.path = run->result.path.path, .kernels = pps_arg_kernels(run->args)},
        .pictures = {.png = true,
                     .svg = true,
                     .gate = &gate.gate,
                     .threads = run->job.threads,
                     .paths = run->quiet  ? NULL
                              : run->json ? stderr
                                          : stdout},
        .limit = PPS_PLOT_LIMIT,
    };
    if (pps_arg(run->args, "plot") == NULL)
        return PPS_OK;
    fflush(stdout); // nothing that was said is lost when a signal comes
    pps_signals_end_at_once("ppsweep: stopped while drawing; the result is complete\n");
    struct pps_style_words words;
    const struct pps_scatter_ask scatter = {.view = ask.cut.view};
    enum pps_status status = pps_style_about(ask.cut.view.path, &words, &ask.pictures, err);
    if (status == PPS_OK && pps_scatter_suits(ask.cut.view.path))
        status = pps_scatter_plot(&scatter, &ask.pictures, err);
    else if (status == PPS_OK)
        status = pps_plot(&ask, &count, err);
    if (status == PPS_OK && !run->quiet)
        pps_plot_report(&count);
    pps_style_free(&words);
    return status;
}

// Notes on a result that an earlier run has made.
static void say_repeated(const struct run *run)
{
    const struct pps_job_result *r = &run->result;
    if (run->quiet)
        return;
    if (r->no_totals)
        pps_say(stderr, "note      %s.idx is missing, so there is no summary", r->path.path);
    else if (run->job.audit > 0 && r->audit != run->job.audit)
        pps_say(stderr, "note      the result was made %s; --force audits it as asked",
                r->audit > 0 ? "with another --audit" : "without --audit");
}

static bool has_values(const struct pps_job_result *r)
{
    const struct pps_counts *counts = &r->totals.counts;
    return !r->no_totals && counts->rows > counts->failed + counts->infeasible;
}

// The summary, the pictures, and the exit status of a complete result.
static enum pps_status report(struct run *run, struct pps_error *err)
{
    struct pps_job_result *r = &run->result;
    const bool to_stdout = strcmp(r->path.path, "-") == 0;
    enum pps_status status = PPS_OK;
    if (r->repeated)
        say_repeated(run);
    if (!r->no_totals && !run->quiet && !(run->json && to_stdout))
        pps_report_print(r);
    if (!r->no_totals && run->json)
        status = pps_report_json(r, to_stdout ? stderr : stdout, err);
    if (status == PPS_OK && !run->quiet && has_values(r))
        status = pps_baseline_option_best(run->args, r->path.path,
                                          pps_arg(run->args, "objective"), err);
    if (status == PPS_OK)
        status = plot(run, err);
    return status == PPS_OK && r->totals.counts.failed > 0 ? PPS_E_POINTS : status;
}

// ---- the whole --------------------------------------------------------------------------------

// Runs the sweep. Rows that go to a terminal (-o -) lose their control characters.
static enum pps_status sweep(struct run *run, struct pps_error *err)
{
    FILE *terminal = NULL;
    if (isatty(STDOUT_FILENO)) {
        terminal = pps_terminal_open(stdout);
        if (terminal == NULL)
            return pps_fail_memory(err, "standard output");
        run->job.rows = terminal;
    }
    const enum pps_status status = pps_job_run(&run->job, &run->result, err);
    if (terminal != NULL)
        fclose(terminal);
    return status;
}

static enum pps_status run_job(struct run *run, struct pps_error *err)
{
    enum pps_status status = pps_job_load(&run->job, &run->result, err);
    if (status != PPS_OK)
        return status;
    say_loaded(run);
    if (pps_arg(run->args, "plot") != NULL && strcmp(run->result.path.path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--plot needs a result file, not -o -");
    const char *baseline = pps_arg(run->args, "baseline");
    if (baseline != NULL && strcmp(run->result.path.path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--baseline needs a result file, not -o -");
    if (baseline != NULL)
        status = pps_baseline_check(run->result.experiment->kernel, baseline, err);
    if (status == PPS_OK)
        status = sweep(run, err);
    return status == PPS_OK ? report(run, err) : status;
}

static enum pps_status run_main(const struct pps_args *args, struct pps_error *err)
{
    struct run run = {.args = args,
                      .quiet = pps_arg(args, "quiet") != NULL,
                      .json = pps_arg(args, "json") != NULL};
    if (pps_arg(args, "dry-run") != NULL)
        return pps_plan_print(args, err);
    run.job.watch = watch;
    run.job.self = &run;
    enum pps_status status = start_clock(&run, err);
    if (status == PPS_OK)
        status = read_options(&run, err);
    if (status == PPS_OK)
        status = run_job(&run, err);
    pps_job_free(&run.result);
    pps_request_free(&run.words);
    return status;
}

const struct pps_command pps_command_run = {
    .name = "run",
    .summary = "run a sweep: write a row for every point to a compressed CSV",
    .usage = "-c EXPERIMENT.json [options]",
    .details = details,
    .options = options,
    .aliases = pps_request_aliases,
    .kernels = true,
    .kernel_options = true,
    .main = run_main,
};
