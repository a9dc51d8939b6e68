// SPDX-License-Identifier: Apache-2.0
// ppsweep run: the sweep.
#include "command.h"
#include "continue.h"
#include "duration.h"

#include "engine/machine.h"
#include "engine/manifest.h"
#include "engine/plot.h"
#include "engine/sweep.h"
#include "kernels/registry.h"
#include "plan.h"
#include "report.h"
#include "request.h"
#include "resultpath.h"
#include "shardoption.h"
#include "signals.h"
#include "topoptions.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_opt options[] = {
    PPS_REQUEST_OPTIONS,
    {"output", 'o', "PATH", "NAME.csv.gz, NAME.csv, a folder, or - for stdout (outputs/data/)"},
    {"force", 0, NULL, "replace a result of this name"},
    {"resume", 0, NULL, "go on from an interrupted run of this name, where there is one"},
    {"time-limit", 0, "TIME", "stop then, resumable (exit 5): 90s, 5m, 1h30m"},
    {"shard", 0, "K/N", "every N-th block from the K-th on (K from 0); auto or auto/N"},
    {"compress", 0, "CODEC", "zlib:1 ... zlib:9, isal:0 ... isal:3, or none (zlib:1)"},
    PPS_TOP_OPTIONS,
    {"reuse", 0, "FILE", "take rows that this earlier result holds instead of computing them"},
    {"audit", 0, "F", "recompute a fraction F of the rows by the kernel's reference"},
    {"plot", 0, NULL, "draw the heatmaps when done"},
    {"dry-run", 'n', NULL, "only say what would run: the same as ppsweep plan"},
    {"progress", 0, "HOW", "auto, line, log, json or never"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"json", 0, NULL, "the summary as JSON on stdout"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "An experiment is a JSON object from parameter to values:\n"
    "\n"
    "  { \"n\": [8, 16], \"sync_freq\": \"divisors(n)\",\n"
    "    \"bwd_len\": {\"start\": 2, \"stop\": 3, \"step\": 0.5}, \"where\": \"sync_freq < 8\" "
    "}\n"
    "\n"
    "\"sample\": {\"count\": 1000, \"method\": \"sobol\"} draws points instead of taking all "
    "of "
    "them\n"
    "(methods random, sobol, lhs); then a range may be {\"start\": 1, \"stop\": 3, "
    "\"continuous\": true}.\n"
    "\n"
    "ppsweep kernels contention lists the parameters; sweep_configs/ holds experiments to "
    "try.\n"
    "--only-top writes the best rows alone (--top K, --by NAMES), in the order of the whole "
    "result.\n"
    "--reuse takes rows from an earlier result of the same kernel, version, digits and "
    "columns,\n"
    "found by the values of all parameters; about 60 MB of memory a million rows.\n"
    "\n"
    "The result is named outputs/data/<experiment>-<digest>.csv.gz, so that the same command\n"
    "finds it again; beside it lie an index (.idx) and a manifest (.json). While it is made "
    "its\n"
    "name ends in .part; however a run ends, the same command with --resume goes on from "
    "there\n"
    "and gives the same bytes.\n"
    "\n"
    "A shard is named NAME.shard-K-of-N.csv.gz; ppsweep merge joins all N. --shard auto asks "
    "the\n"
    "launcher for K and N (srun, mpirun, a Slurm job array 0-(N-1)); --shard auto/N for K "
    "only, "
    "so\n"
    "that some tasks of an array can be submitted again.\n";

// Everything a run holds.
struct run {
    const struct pps_args *args;
    struct pps_experiment *experiment;
    struct pps_resultpath path;
    struct pps_output *output;
    struct pps_progress progress;
    struct pps_sweep sweep;
    struct pps_totals totals;
    struct pps_totals earlier; // what an interrupted run had found
    double limit_s;            // --time-limit; 0: none
    uint64_t data_bytes;
    int by[PPS_MAX_PARAMS];
    struct pps_reuse *reuse; // or NULL
    bool quiet, json;
    bool opened; // a .part may be there
};

// A result of the best rows alone is one block.
static uint64_t block_points(const struct run *run)
{
    return run->sweep.only_best ? run->experiment->n_points : run->sweep.block_points;
}

// The manifest, without its counts while they are not known; the caller frees it.
static enum pps_status manifest_text(const struct run *run,
                                     const struct pps_totals *totals,
                                     char **text,
                                     struct pps_error *err)
{
    const struct pps_manifest manifest = {
        .experiment = run->experiment,
        .totals = totals,
        .shard = run->sweep.shard,
        .codec = run->path.codec,
        .block_points = block_points(run),
        .sweep = &run->sweep,
        .reuse = pps_arg(run->args, "reuse"),
        .data_bytes = run->data_bytes,
        .audit = run->sweep.audit,
        .threads = run->sweep.threads,
        .version = PPS_VERSION,
        .command = pps_arg_line(run->args),
    };
    *text = pps_manifest_text(&manifest);
    return *text != NULL ? PPS_OK : pps_fail(err, PPS_E_MACHINE, "no memory for the manifest");
}

// ---- where the blocks go ----------------------------------------------------------------------

static enum pps_status block_to_file(void *self,
                                     const struct pps_block *block,
                                     struct pps_error *err)
{
    struct run *run = self;
    return pps_output_append(run->output, block, err);
}

static enum pps_status block_to_stdout(void *self,
                                       const struct pps_block *block,
                                       struct pps_error *err)
{
    struct run *run = self;
    if (fwrite(block->data, 1, block->data_bytes, stdout) != block->data_bytes ||
        fflush(stdout) != 0)
        return pps_fail_errno(err, "cannot write", "stdout");
    run->data_bytes += block->data_bytes;
    return PPS_OK;
}

static enum pps_status open_file(struct run *run, const char *header, struct pps_error *err)
{
    char *manifest = NULL, command[PPS_COMMAND_TEXT];
    pps_continue_command(run->args, command);
    enum pps_status status = manifest_text(run, NULL, &manifest, err);
    const struct pps_output_plan plan = {
        .path = run->path.path,
        .codec = run->path.codec,
        .header = header,
        .digest = run->experiment->digest,
        .n_points = run->experiment->n_points,
        .block_points = block_points(run),
        .n_reasons = run->experiment->space.n_reasons,
        .shard = run->sweep.shard.index,
        .n_shards = run->sweep.shard.count,
        .force = pps_arg(run->args, "force") != NULL,
        .resume = pps_arg(run->args, "resume") != NULL,
        .manifest = manifest,
        .resume_hint = command,
    };
    if (status == PPS_OK)
        status = pps_resultpath_folder(&run->path, err);
    if (status == PPS_OK)
        status = pps_output_open(&run->output, &plan, err);
    free(manifest);
    run->opened = status == PPS_OK;
    if (status == PPS_OK && !pps_output_is_locked(run->output) && !run->quiet)
        fprintf(stderr, "warning: this file system has no locks; let no other run write %s\n",
                run->path.path);
    return status;
}

static enum pps_status open_sink(struct run *run, struct pps_error *err)
{
    char *header = pps_experiment_header(run->experiment);
    if (header == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for the header");
    enum pps_status status = PPS_OK;
    if (strcmp(run->path.path, "-") == 0) {
        run->sweep.sink = (struct pps_sink){run, block_to_stdout};
        if (fputs(header, stdout) == EOF)
            status = pps_fail_errno(err, "cannot write", "stdout");
    } else {
        run->sweep.sink = (struct pps_sink){run, block_to_file};
        signal(SIGPIPE, SIG_IGN); // a reader of stderr that goes away does not end the run
        status = open_file(run, header, err);
    }
    free(header);
    return status;
}

// ---- the run ----------------------------------------------------------------------------------

static enum pps_status read_audit(const struct run *run,
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
                        "--audit %s: want a fraction of the rows above 0, at most 1, such as "
                        "1e-4",
                        text);
    return pps_audit_possible(run->experiment->kernel, err);
}

static enum pps_status read_reuse(struct run *run, struct pps_error *err)
{
    const char *path = pps_arg(run->args, "reuse");
    if (path == NULL)
        return PPS_OK;
    // Results as text do not say which of two rows was better by a hair.
    if (run->sweep.only_best)
        return pps_fail(
            err, PPS_E_INPUT,
            "--only-top and --reuse exclude each other; ask ppsweep top for the best "
            "rows of the whole result");
    enum pps_status status =
        pps_reuse_open(&run->reuse, path, run->experiment, run->sweep.objective, err);
    run->sweep.reuse = run->reuse;
    return status;
}

static enum pps_status prepare(struct run *run, struct pps_error *err)
{
    struct pps_sweep *sweep = &run->sweep;
    enum pps_progress_kind kind = PPS_PROGRESS_NEVER;
    char source[PPS_SHARD_SOURCE];
    size_t scratch_bytes;
    enum pps_status status = pps_request_threads(run->args, &sweep->threads, err);
    if (status == PPS_OK)
        status = pps_progress_parse(pps_arg(run->args, "progress"), &kind, err);
    if (status == PPS_OK)
        status = pps_arg_duration(run->args, "time-limit", &run->limit_s, err);
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
    sweep->block_points = pps_block_points(run->experiment);
    sweep->codec = run->path.codec;
    sweep->progress = &run->progress;
    run->progress.kind = run->quiet ? PPS_PROGRESS_NEVER : kind;
    if (source[0] != '\0' && !run->quiet)
        fprintf(stderr, "shard     %u of %u, as %s says\n", (unsigned)sweep->shard.index,
                (unsigned)sweep->shard.count, source);
    return PPS_OK;
}

static enum pps_status finish_file(struct run *run, struct pps_error *err)
{
    struct pps_output *output = run->output;
    char *text;
    enum pps_status status = manifest_text(run, &run->totals, &text, err);
    if (status != PPS_OK)
        return status;
    run->output = NULL;
    status = pps_output_finish(output, text, err);
    free(text);
    return status;
}

static enum pps_status stopped_early(struct run *run, struct pps_error *err)
{
    struct pps_output *output = run->output;
    run->output = NULL;
    enum pps_status status = output != NULL ? pps_output_stop(output, err) : PPS_OK;
    if (status != PPS_OK)
        return status;
    if (run->sweep.only_best) {
        pps_top_clean_up(run->path.path);
        return pps_fail(err, PPS_E_STOPPED,
                        "stopped after %llu of %llu points; --only-top keeps nothing of an "
                        "unfinished run",
                        (unsigned long long)run->totals.points,
                        (unsigned long long)run->experiment->n_points);
    }
    pps_fail(err, PPS_E_STOPPED, "stopped after %llu of %llu points; what is done %s%s%s",
             (unsigned long long)run->totals.points,
             (unsigned long long)(pps_sweep_points(&run->sweep) + run->totals.earlier),
             output != NULL ? "is in " : "was printed", output != NULL ? run->path.path : "",
             output != NULL ? ".part" : "");
    if (output != NULL)
        pps_continue_hint(run->args, run->path.path, err);
    return PPS_E_STOPPED;
}

// Reads back what an interrupted run had found out.
static enum pps_status take_up(struct run *run, struct pps_error *err)
{
    const struct pps_prefix *prefix = pps_output_prefix(run->output);
    if (prefix->n_records == 0)
        return PPS_OK;
    enum pps_status status =
        pps_continue_totals(&run->sweep, prefix, run->path.path, &run->earlier, err);
    run->sweep.skip = prefix->n_records - 1;
    if (status == PPS_OK && !run->quiet)
        pps_continue_say(run->earlier.points, pps_sweep_points(&run->sweep), run->path.path);
    return status;
}

static enum pps_status compute(struct run *run, struct pps_error *err)
{
    struct pps_progress *progress = &run->progress;
    pps_progress_begin(progress, progress->kind,
                       run->earlier.points + pps_sweep_points(&run->sweep));
    progress->earlier_points = run->earlier.points;
    progress->earlier_rows = run->earlier.rows;
    const struct pps_sink sink = run->sweep.sink;
    if (run->sweep.only_best)
        run->sweep.sink = pps_top_no_sink();
    enum pps_status status = pps_sweep_run(&run->sweep, &run->totals, err);
    run->sweep.sink = sink;
    pps_progress_end(progress);
    if (status == PPS_OK)
        status = pps_totals_join(&run->totals, &run->earlier, err);
    return status;
}

static enum pps_status execute(struct run *run, struct pps_error *err)
{
    run->sweep.stop = pps_signals_install(false);
    if (run->limit_s > 0)
        pps_signals_alarm(run->limit_s);
    enum pps_status status = open_sink(run, err);
    if (status == PPS_OK && run->output != NULL)
        status = take_up(run, err);
    if (status == PPS_OK)
        status = compute(run, err);
    if (status != PPS_OK)
        return status;
    if (!run->totals.complete)
        return stopped_early(run, err);
    if (run->sweep.only_best)
        status = pps_top_write(&run->sweep, &run->sweep.sink, &run->totals, err);
    if (status != PPS_OK)
        return status;
    if (run->output != NULL) {
        run->data_bytes = pps_output_bytes(run->output);
        return finish_file(run, err);
    }
    return PPS_OK;
}

static enum pps_status give_up(struct run *run, enum pps_status status, struct pps_error *err)
{
    pps_output_abandon(run->output);
    run->output = NULL;
    if (status == PPS_E_MACHINE)
        pps_continue_hint(run->args, run->path.path, err);
    return status;
}

static struct pps_report report_of(struct run *run)
{
    return (struct pps_report){
        .experiment = run->experiment,
        .totals = &run->totals,
        .objective = run->sweep.objective,
        .path = run->path.path,
        .shard = run->sweep.shard,
        .data_bytes = run->data_bytes,
        .audit = run->sweep.audit,
        .reuse = pps_arg(run->args, "reuse"),
        .threads = run->sweep.threads,
    };
}

static enum pps_status plot(struct run *run, struct pps_error *err)
{
    char scripts[4096];
    struct pps_plot_count count;
    struct pps_plot_ask ask = {
        .cut.view = {.path = run->path.path, .kernels = pps_kernels},
        .scripts = scripts,
        .png = true,
        .svg = true,
        .force = pps_arg(run->args, "force") != NULL,
        .limit = PPS_PLOT_LIMIT,
        .paths = run->json ? stderr : stdout,
    };
    if (pps_arg(run->args, "plot") == NULL)
        return PPS_OK;
    enum pps_status status = pps_plot_scripts(PPS_PLOT_SCRIPTS, scripts, sizeof scripts, err);
    return status == PPS_OK ? pps_plot(&ask, &count, err) : status;
}

// The same command finds its own result again.
static enum pps_status find_complete(struct run *run, bool *complete, struct pps_error *err)
{
    char *manifest;
    enum pps_status status = manifest_text(run, NULL, &manifest, err);
    if (status == PPS_OK)
        status = pps_continue_find(run->args, run->path.path, run->path.is_default, manifest,
                                   complete, err);
    free(manifest);
    return status;
}

static enum pps_status run_whole(struct run *run, struct pps_error *err)
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
    if (complete) {
        const struct pps_report report = report_of(run);
        if (!run->quiet)
            fprintf(stderr,
                    "complete  %s holds this experiment already; --force computes it "
                    "again\n",
                    run->path.path);
        if (!run->quiet)
            pps_report_next(&report);
        return plot(run, err);
    }
    status = read_reuse(run, err);
    if (status == PPS_OK)
        status = execute(run, err);
    if (status != PPS_OK)
        return run->opened ? give_up(run, status, err) : status;
    const struct pps_report done = report_of(run);
    if (run->json)
        pps_report_json(&done);
    if (!run->quiet)
        pps_report_print(&done);
    status = plot(run, err);
    return status == PPS_OK && run->totals.failed > 0 ? PPS_E_POINTS : status;
}

static enum pps_status run_main(const struct pps_args *args, struct pps_error *err)
{
    struct run run = {.args = args};
    if (pps_arg(args, "dry-run") != NULL)
        return pps_plan_print(args, err);
    run.quiet = pps_arg(args, "quiet") != NULL;
    run.json = pps_arg(args, "json") != NULL;
    enum pps_status status = run_whole(&run, err);
    pps_output_abandon(run.output);
    pps_totals_free(&run.totals);
    pps_reuse_close(run.reuse);
    pps_totals_free(&run.earlier);
    pps_experiment_free(run.experiment);
    return status;
}

const struct pps_command pps_command_run = {
    .name = "run",
    .summary = "the sweep: every point of an experiment, rows to a compressed CSV",
    .usage = "-c EXPERIMENT.json [options]",
    .details = details,
    .options = options,
    .kernel_options = true,
    .main = run_main,
};
