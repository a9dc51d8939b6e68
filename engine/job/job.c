// SPDX-License-Identifier: Apache-2.0
// Runs a sweep and writes its blocks to a file or to stdout.
#include "engine/job/job.h"

#include "base/text/say.h"
#include "engine/cli/options/best_options.h"
#include "engine/cli/signals.h"
#include "engine/job/continued.h"
#include "engine/manifest/manifest.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A result of only the best rows is one block.
static uint64_t block_points(const struct pps_running *run)
{
    return run->sweep.only_best ? run->experiment->n_points : run->sweep.block_points;
}

enum pps_status pps_running_manifest(const struct pps_running *run,
                                     struct pps_totals *totals,
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
    return *text != NULL ? PPS_OK
                         : pps_fail(err, PPS_E_MACHINE, "out of memory for the manifest");
}

// ---- output of blocks -------------------------------------------------------------------------

static enum pps_status block_to_file(void *self,
                                     const struct pps_block *block,
                                     struct pps_error *err)
{
    struct pps_running *run = self;
    return pps_output_append(run->output, block, err);
}

static enum pps_status block_to_stdout(void *self,
                                       const struct pps_block *block,
                                       struct pps_error *err)
{
    struct pps_running *run = self;
    if (fwrite(block->data, 1, block->data_bytes, stdout) != block->data_bytes ||
        fflush(stdout) != 0)
        return pps_fail_errno(err, "cannot write", "stdout");
    run->data_bytes += block->data_bytes;
    return PPS_OK;
}

static enum pps_status open_file(struct pps_running *run,
                                 const char *header,
                                 struct pps_error *err)
{
    char *manifest = NULL, command[PPS_COMMAND_TEXT];
    pps_continue_command(run->args, command);
    enum pps_status status = pps_running_manifest(run, NULL, &manifest, err);
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
        .stop = run->sweep.stop,
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
        pps_say(stderr, "warning: this file system has no locks; no other run may write %s",
                run->path.path);
    return status;
}

static enum pps_status open_sink(struct pps_running *run, struct pps_error *err)
{
    char *header = pps_experiment_header(run->experiment);
    if (header == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for the header");
    enum pps_status status = PPS_OK;
    if (strcmp(run->path.path, "-") == 0) {
        run->sweep.sink = (struct pps_sink){run, block_to_stdout};
        if (fputs(header, stdout) == EOF)
            status = pps_fail_errno(err, "cannot write", "stdout");
    } else {
        run->sweep.sink = (struct pps_sink){run, block_to_file};
        signal(SIGPIPE, SIG_IGN); // a closed pipe on stderr does not end the run
        status = open_file(run, header, err);
    }
    free(header);
    return status;
}

static enum pps_status finish_file(struct pps_running *run, struct pps_error *err)
{
    struct pps_output *output = run->output;
    char *text;
    enum pps_status status = pps_running_manifest(run, &run->totals, &text, err);
    if (status != PPS_OK)
        return status;
    run->output = NULL;
    status = pps_output_finish(output, text, err);
    free(text);
    if (status == PPS_OK && run->sweep.only_best)
        pps_snapshot_remove(run->path.path);
    return status;
}

// Writes a snapshot of a stopped --only-top run: its position and its totals.
static enum pps_status keep_snapshot(struct pps_running *run, struct pps_error *err)
{
    struct pps_totals none = {.points = 0};
    const struct pps_snapshot snapshot = {.sweep = &run->sweep,
                                          .path = run->path.path,
                                          .earlier = &none,
                                          .totals = &run->totals};
    if (run->output == NULL || !run->sweep.only_best)
        return PPS_OK;
    return pps_snapshot_write(&snapshot, err);
}

static enum pps_status stopped_early(struct pps_running *run, struct pps_error *err)
{
    struct pps_output *output = run->output;
    enum pps_status status = keep_snapshot(run, err);
    run->output = NULL;
    if (output != NULL && status != PPS_OK)
        pps_output_abandon(output);
    else if (output != NULL)
        status = pps_output_stop(output, err);
    if (status != PPS_OK)
        return status;
    if (run->sweep.only_best && output == NULL)
        return pps_fail(err, PPS_E_STOPPED,
                        "stopped after %llu of %llu points; --only-top prints rows only at the "
                        "end",
                        (unsigned long long)run->totals.points,
                        (unsigned long long)run->experiment->n_points);
    pps_fail(err, PPS_E_STOPPED,
             "stopped after %llu of %llu points; the partial result is %s%s%s",
             (unsigned long long)run->totals.points,
             (unsigned long long)(pps_sweep_points(&run->sweep) + run->totals.earlier),
             output != NULL ? "in " : "on stdout", output != NULL ? run->path.path : "",
             output != NULL ? ".part" : "");
    if (output != NULL)
        pps_continue_hint(run->args, run->path.path, err);
    return PPS_E_STOPPED;
}

// Reads the snapshot of an interrupted --only-top run. Without a snapshot, or with a damaged
// one, the run starts at the first point.
static enum pps_status take_up_best(struct pps_running *run, struct pps_error *err)
{
    const char *path = run->path.path;
    if (pps_output_prefix(run->output)->n_records == 0) {
        pps_snapshot_remove(path);
        return PPS_OK;
    }
    struct pps_error wrong;
    enum pps_status status =
        pps_snapshot_read(&run->sweep, path, &run->sweep.skip, &run->earlier, &wrong);
    if (status == PPS_E_WRONG) {
        pps_say(stderr, "warning: %s.top.part %s; the run starts at the first point", path,
                wrong.text);
        pps_totals_free(&run->earlier);
        run->earlier = (struct pps_totals){.points = 0};
        run->sweep.skip = 0;
        return PPS_OK;
    }
    run->sweep.rivals = &run->earlier.best;
    if (status != PPS_OK)
        *err = wrong;
    if (status == PPS_OK && !run->quiet)
        pps_continue_say(run->earlier.points, pps_sweep_points(&run->sweep), path);
    return status;
}

// Reads the totals of an interrupted run, as far as its rows contain them.
static enum pps_status take_up(struct pps_running *run, struct pps_error *err)
{
    const struct pps_prefix *prefix = pps_output_prefix(run->output);
    if (run->sweep.only_best)
        return take_up_best(run, err);
    if (prefix->n_records == 0)
        return PPS_OK;
    enum pps_status status =
        pps_continue_totals(&run->sweep, prefix, run->path.path, &run->earlier, err);
    run->sweep.skip = prefix->n_records - 1;
    if (status == PPS_OK && !run->earlier.complete)
        return pps_fail(err, PPS_E_STOPPED,
                        "stopped while reading %s.part; nothing in it is lost", run->path.path);
    if (status == PPS_OK && !run->quiet)
        pps_continue_say(run->earlier.points, pps_sweep_points(&run->sweep), run->path.path);
    return status;
}

// Computes the totals of an interrupted run that its rows do not contain.
static enum pps_status review(struct pps_running *run, struct pps_error *err)
{
    if (run->output == NULL || !run->totals.complete)
        return PPS_OK;
    return pps_continue_review(&run->sweep, pps_output_prefix(run->output), &run->earlier,
                               &run->totals.complete, err);
}

static enum pps_status compute(struct pps_running *run, struct pps_error *err)
{
    struct pps_progress *progress = &run->progress;
    pps_progress_begin(progress, progress->kind,
                       run->earlier.points + pps_sweep_points(&run->sweep));
    progress->experiment = run->experiment;
    progress->only_best = run->sweep.only_best;
    progress->earlier_points = run->earlier.points;
    progress->earlier_rows = run->earlier.rows;
    pps_progress_costly(progress);
    const struct pps_sink sink = run->sweep.sink;
    run->snapshot = (struct pps_snapshot){.sweep = &run->sweep,
                                          .path = run->path.path,
                                          .earlier = &run->earlier,
                                          .totals = &run->totals};
    if (run->sweep.only_best)
        run->sweep.sink =
            run->output != NULL ? pps_snapshot_sink(&run->snapshot) : pps_top_no_sink();
    enum pps_status status = pps_sweep_run(&run->sweep, &run->totals, err);
    run->sweep.sink = sink;
    pps_progress_end(progress);
    if (status == PPS_OK)
        status = review(run, err);
    if (status == PPS_OK)
        status = pps_totals_join(&run->totals, &run->earlier, err);
    return status;
}

enum pps_status pps_running_execute(struct pps_running *run, struct pps_error *err)
{
    pps_signals_end_at_once(NULL); // there are files to close
    enum pps_status status = open_sink(run, err);
    if (status == PPS_OK && run->output != NULL)
        status = take_up(run, err);
    if (status == PPS_E_STOPPED)
        pps_continue_hint(run->args, run->path.path, err);
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

enum pps_status pps_running_give_up(struct pps_running *run,
                                    enum pps_status status,
                                    struct pps_error *err)
{
    pps_output_abandon(run->output);
    run->output = NULL;
    if (status == PPS_E_MACHINE)
        pps_continue_hint(run->args, run->path.path, err);
    return status;
}
