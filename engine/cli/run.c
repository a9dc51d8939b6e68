// SPDX-License-Identifier: Apache-2.0
// ppsweep run: runs a sweep.
#include "engine/cli/verbs.h"
#include "engine/command/duration.h"
#include "engine/job/continued.h"

#include "base/text/say.h"
#include "engine/cli/options/best_options.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/cli/options/shard_option.h"
#include "engine/cli/plan.h"
#include "engine/cli/report/run_report.h"
#include "engine/cli/signals.h"
#include "engine/job/finished_result.h"
#include "engine/job/job.h"
#include "engine/picture/plot.h"
#include "engine/picture/scatter.h"
#include "engine/run/sweep.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_opt options[] = {
    PPS_REQUEST_OPTIONS,
    {"output", 'o', "PATH", "NAME.csv.gz, NAME.csv, a folder, or - for stdout (outputs/data/)"},
    {"force", 0, NULL, "overwrite the result if it exists"},
    {"resume", 0, NULL, "continue an interrupted run, if there is one"},
    {"time-limit", 0, "TIME", "stop after TIME, as in 90s, 5m, 1h30m; --resume continues"},
    {"shard", 0, "K/N", "compute shard K of N (K from 0); auto or auto/N asks the launcher"},
    {"compress", 0, "CODEC", "zlib:1 to zlib:9, isal:0 to isal:3, or none (zlib:1)"},
    PPS_TOP_OPTIONS,
    {"reuse", 0, "FILE", "copy rows from the earlier result FILE instead of computing them"},
    {"audit", 0, "F", "compare a fraction F of the rows with the reference of the kernel"},
    {"fail-fast", 0, NULL, "stop at the first point that fails (exit status 4)"},
    {"plot", 0, NULL, "draw the result at the end, as ppsweep plot does"},
    {"dry-run", 'n', NULL, "print the plan and stop: the same as ppsweep plan"},
    {"progress", 0, "HOW", "auto, line, log, json or never (auto)"},
    {"quiet", 'q', NULL, "print errors only"},
    {"json", 0, NULL, "print the summary as JSON on stdout, or last on stderr with -o -"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "An experiment is a JSON object from parameter to values:\n"
    "\n"
    "  { \"n\": [8, 16], \"sync_freq\": \"divisors(n)\", \"where\": \"sync_freq < 8\",\n"
    "    \"bwd_len\": {\"start\": 2, \"stop\": 3, \"step\": 0.5} }\n"
    "\n"
    "\"sample\": {\"count\": 1000, \"method\": \"sobol\"} draws a sample of the points.\n"
    "Methods are random, sobol and lhs. An axis of a sample may be continuous:\n"
    "{\"start\": 1, \"stop\": 3, \"continuous\": true}.\n"
    "\n"
    "\"inputs\": {\"model\": \"m.json\"} names the input documents of a kernel.\n"
    "\"preset\" names a set of axes and rules of the kernel.\n"
    "\n"
    "`ppsweep kernels contention` lists the parameters of the kernel contention. The folder\n"
    "sweep_configs/ contains experiments.\n"
    "\n"
    "Without -o, the result is outputs/data/<experiment>-<digest>.csv.gz. If the result of "
    "the\n"
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
    "again.\n";

// ---- reading the options ----------------------------------------------------------------------

static enum pps_status read_audit(const struct pps_running *run,
                                  double *fraction,
                                  struct pps_error *err)
{
    const char *text = pps_arg(run->args, "audit");
    char *end;
    if (text == NULL)
        return PPS_OK;
    *fraction = strtod(text, &end);
    if (end == text || *end != '\0' || !(*fraction > 0 && *fraction <= 1))
        return pps_fail(err, PPS_E_INPUT,
                        "--audit %s: expected a fraction above 0 and at most 1, such as 1e-4",
                        text);
    return pps_audit_possible(run->experiment->kernel, err);
}

static enum pps_status read_reuse(struct pps_running *run, struct pps_error *err)
{
    const char *path = pps_arg(run->args, "reuse");
    if (path == NULL)
        return PPS_OK;
    // The text of a result is rounded: it cannot decide between almost equal rows.
    if (run->sweep.only_best)
        return pps_fail(err, PPS_E_INPUT,
                        "--only-top and --reuse cannot be used together; remove --only-top and "
                        "run ppsweep top on the result");
    enum pps_status status =
        pps_reuse_open(&run->reuse, path, run->experiment, run->sweep.objective, err);
    run->sweep.reuse = run->reuse;
    if (status == PPS_OK && !run->quiet && !pps_reuse_is_checked(run->reuse))
        pps_say(stderr,
                "note      %s.idx is missing: the rows of %s are reused without a check", path,
                path);
    return status;
}

static enum pps_status prepare(struct pps_running *run, struct pps_error *err)
{
    struct pps_sweep *sweep = &run->sweep;
    enum pps_progress_kind kind = PPS_PROGRESS_NEVER;
    char source[PPS_SHARD_SOURCE];
    size_t scratch_bytes;
    enum pps_status status = pps_request_threads(run->args, &sweep->threads, err);
    if (status == PPS_OK)
        status = pps_progress_parse(pps_arg(run->args, "progress"), &kind, err);
    if (status == PPS_OK)
        status = pps_shard_choose(run->args, &sweep->shard, source, err);
    if (status == PPS_OK)
        status = pps_request_load(run->args, &run->experiment, err);
    if (status == PPS_OK)
        status = pps_top_options(run->args, run->experiment, sweep, run->by, err);
    if (status == PPS_OK)
        status = read_audit(run, &sweep->audit, err);
    if (status == PPS_OK)
        status =
            pps_resultpath_choose(run->args, run->experiment, sweep->shard, &run->path, err);
    if (status == PPS_OK)
        status = pps_scratch_bytes(run->experiment, sweep->threads, &scratch_bytes, err);
    if (status != PPS_OK)
        return status;
    sweep->experiment = run->experiment;
    sweep->fail_fast = pps_arg(run->args, "fail-fast") != NULL;
    sweep->block_points = pps_block_points(run->experiment);
    sweep->codec = run->path.codec;
    sweep->progress = &run->progress;
    run->progress.kind = run->quiet ? PPS_PROGRESS_NEVER : kind;
    if (source[0] != '\0' && !run->quiet)
        fprintf(stderr, "shard     %u of %u (from %s)\n", (unsigned)sweep->shard.index,
                (unsigned)sweep->shard.count, source);
    return PPS_OK;
}

static struct pps_report report_of(struct pps_running *run)
{
    return (struct pps_report){
        .experiment = run->experiment,
        .sweep = &run->sweep,
        .totals = &run->totals,
        .objective = run->sweep.objective,
        .by = run->sweep.by,
        .n_by = run->sweep.n_by,
        .by_work = pps_arg(run->args, "by") == NULL,
        .path = run->path.path,
        .shard = run->sweep.shard,
        .data_bytes = run->data_bytes,
        .audit = run->sweep.audit,
        .reuse = pps_arg(run->args, "reuse"),
        .threads = run->sweep.threads,
    };
}

static enum pps_status plot(struct pps_running *run, struct pps_error *err)
{
    struct pps_plot_count count;
    struct pps_plot_ask ask = {
        .cut.view = {.path = run->path.path, .kernels = pps_kernels},
        .pictures = {.png = true,
                     .svg = true,
                     .force = pps_arg(run->args, "force") != NULL,
                     .paths = run->quiet  ? NULL
                              : run->json ? stderr
                                          : stdout},
        .limit = PPS_PLOT_LIMIT,
    };
    if (pps_arg(run->args, "plot") == NULL)
        return PPS_OK;
    fflush(stdout); // nothing that was said is lost when a signal comes
    pps_signals_end_at_once("ppsweep: stopped while drawing; the result is complete\n");
    const struct pps_scatter_ask scatter = {.view = ask.cut.view};
    return pps_scatter_suits(run->path.path) ? pps_scatter_plot(&scatter, &ask.pictures, err)
                                             : pps_plot(&ask, &count, err);
}

// From now on the time limit counts, and signals stop the run: at once as long as it only reads.
static enum pps_status start_clock(struct pps_running *run, struct pps_error *err)
{
    double limit_s = 0;
    pps_signals_end_at_once("ppsweep: stopped before the first point; no file was changed\n");
    run->sweep.stop = pps_signals_install(false);
    enum pps_status status = pps_arg_duration(run->args, "time-limit", &limit_s, err);
    if (limit_s > 0)
        pps_signals_alarm(limit_s);
    return status;
}

// The same command finds its own result again.
static enum pps_status find_complete(struct pps_running *run,
                                     bool *complete,
                                     struct pps_error *err)
{
    char *manifest;
    enum pps_status status = pps_running_manifest(run, NULL, &manifest, err);
    if (status == PPS_OK)
        status = pps_continue_find(run->args, run->path.path, manifest, complete, err);
    free(manifest);
    return status;
}

// The summary, the pictures, and the exit status of a complete result.
static enum pps_status finish(struct pps_running *run,
                              const struct pps_report *report,
                              struct pps_error *err)
{
    const bool to_stdout = strcmp(run->path.path, "-") == 0;
    enum pps_status status = PPS_OK;
    if (!run->quiet && !(run->json && to_stdout))
        pps_report_print(report);
    if (run->json)
        status = pps_report_json(report, to_stdout ? stderr : stdout, err);
    if (status == PPS_OK)
        status = plot(run, err);
    return status == PPS_OK && report->totals->failed > 0 ? PPS_E_POINTS : status;
}

// ---- a result that is complete already --------------------------------------------------------

static enum pps_status stopped_reading(const char *path, struct pps_error *err)
{
    return pps_fail(err, PPS_E_STOPPED, "stopped while reading %s, which is complete", path);
}

static struct pps_report report_earlier(struct pps_running *run, struct pps_finished *found)
{
    struct pps_report report = report_of(run);
    report.totals = &found->totals;
    report.data_bytes = found->data_bytes;
    report.audit = found->audit;
    report.reuse = found->reuse;
    report.threads = found->threads;
    report.earlier = true;
    return report;
}

static enum pps_status summarize(struct pps_running *run,
                                 struct pps_finished *found,
                                 struct pps_error *err)
{
    const char *path = run->path.path;
    if (!found->has_index) {
        if (!run->quiet)
            pps_say(stderr, "note      %s.idx is missing, so there is no summary", path);
        return plot(run, err);
    }
    if (!found->totals.complete)
        return stopped_reading(path, err);
    if (run->sweep.audit > 0 && found->audit != run->sweep.audit && !run->quiet)
        pps_say(stderr, "note      the result was made %s; --force audits it as asked",
                found->audit > 0 ? "with another --audit" : "without --audit");
    const struct pps_report report = report_earlier(run, found);
    return finish(run, &report, err);
}

// Prints the summary of the run that made the result.
static enum pps_status repeat(struct pps_running *run, struct pps_error *err)
{
    struct pps_finished found;
    run->sweep.stop = pps_signals_install(false);
    if (!run->quiet)
        pps_say(stderr, "complete  %s already contains this result; --force computes it again",
                run->path.path);
    enum pps_status status = pps_finished_read(&run->sweep, run->path.path, &found, err);
    if (status == PPS_OK)
        status = summarize(run, &found, err);
    pps_finished_free(&found);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------

static enum pps_status run_whole(struct pps_running *run, struct pps_error *err)
{
    enum pps_status status = prepare(run, err);
    if (status != PPS_OK)
        return status;
    if (!run->quiet && run->experiment->notes[0] != '\0')
        fputs(run->experiment->notes, stderr);
    if (pps_arg(run->args, "plot") != NULL && strcmp(run->path.path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--plot needs a result file, not -o -");
    if (pps_arg(run->args, "resume") != NULL && strcmp(run->path.path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--resume needs a result file, not -o -");
    bool complete = false;
    status = find_complete(run, &complete, err);
    if (status != PPS_OK)
        return status;
    if (complete)
        return repeat(run, err);
    status = read_reuse(run, err);
    if (status == PPS_OK)
        status = pps_running_execute(run, err);
    if (status != PPS_OK)
        return run->opened ? pps_running_give_up(run, status, err) : status;
    const struct pps_report done = report_of(run);
    return finish(run, &done, err);
}

static enum pps_status run_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_running run = {.args = args};
    if (pps_arg(args, "dry-run") != NULL)
        return pps_plan_print(args, err);
    run.quiet = pps_arg(args, "quiet") != NULL;
    run.json = pps_arg(args, "json") != NULL;
    enum pps_status status = start_clock(&run, err);
    if (status == PPS_OK)
        status = run_whole(&run, err);
    pps_output_abandon(run.output);
    pps_totals_free(&run.totals);
    pps_reuse_close(run.reuse);
    pps_totals_free(&run.earlier);
    pps_experiment_free(run.experiment);
    return status;
}

const struct pps_command pps_command_run = {
    .name = "run",
    .summary = "run a sweep: write a row for every point to a compressed CSV",
    .usage = "-c EXPERIMENT.json [options]",
    .details = details,
    .options = options,
    .kernel_options = true,
    .main = run_main,
};
