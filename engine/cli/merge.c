// SPDX-License-Identifier: Apache-2.0
// ppsweep merge: joins shards into one result.
#include "engine/cli/verbs.h"

#include "base/text/characters.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/gate.h"
#include "engine/check/merge.h"
#include "engine/cli/report/next_commands.h"
#include "engine/cli/report/progress.h"
#include "engine/command/signals.h"
#include "engine/job/result_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const struct pps_opt options[] = {
    {"output", 'o', "FILE",
     "NAME.csv.gz, .csv or .parquet (name of a shard without .shard-K-of-N)"},
    {"force", 0, NULL, "overwrite FILE if it exists"},
    {"progress", 0, "HOW", "auto, line, log, json or never (auto)"},
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "merge joins all N shards of a sweep, given in any order. The merged result has the same\n"
    "bytes as the result of one run of the whole sweep. Blocks are checked and copied, not\n"
    "compressed again. If a shard is missing, merge prints the command that computes it. To\n"
    "continue an interrupted merge, run the same command again.\n"
    "\n"
    "  ppsweep -c e.json -o r.csv.gz --shard 0/2\n"
    "  ppsweep -c e.json -o r.csv.gz --shard 1/2\n"
    "  ppsweep merge r.shard-*-of-2.csv.gz\n";

// Raises the limit of open files: two files per shard are open.
static void allow_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static enum pps_status open_shards(const struct pps_args *args, struct pps_merge *merge,
                                   struct pps_error *err)
{
    const int n_words = pps_arg_words(args);
    const char **paths = calloc((size_t)n_words, sizeof *paths);
    size_t n = 0;
    if (paths == NULL)
        return pps_fail_memory(err, "the command line");
    for (int i = 0; i < n_words; i++)
        if (!pps_resultpath_is_beside(pps_arg_word(args, i)))
            paths[n++] = pps_arg_word(args, i);
    enum pps_status status =
        n > 0
            ? pps_merge_open(merge, paths, n, err)
            : pps_fail(
                  err, PPS_E_INPUT,
                  "none of these files is a result; expected .csv.gz, .csv or .parquet files");
    free(paths);
    return status;
}

static enum pps_status choose_output(const struct pps_args *args, const struct pps_merge *merge,
                                     char **path, struct pps_error *err)
{
    const struct pps_shardfile *first = &merge->files[0];
    const char *asked = pps_arg(args, "output");
    const char *ending = pps_codec_ending((enum pps_codec_kind)first->index.head.codec_kind);
    *path =
        asked != NULL ? strdup(asked) : pps_shardfile_sibling(first, (struct pps_shard){0, 0});
    if (*path == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: cannot derive the name of the merged result; write -o NAME%s",
                        first->path, ending);
    if (!pps_ends_with(*path, ending))
        return pps_fail(err, PPS_E_INPUT,
                        "-o %s: the result of these shards is a %s file; end the name in %s",
                        *path, ending, ending);
    enum pps_status status = pps_resultpath_fits(*path, err);
    for (size_t i = 0; i < merge->n && status == PPS_OK; i++)
        status = pps_gate_apart(*path, merge->files[i].path, err);
    return status;
}

static void report(const struct pps_merge *merge, const char *path)
{
    char rows[48], bytes[32];
    pps_human_count((double)merge->counts.rows, rows, sizeof rows);
    pps_human_bytes((double)merge->data_bytes, bytes, sizeof bytes);
    fprintf(stderr, "merged    %zu shard%s, %s row%s\n", merge->n, merge->n == 1 ? "" : "s",
            rows, merge->counts.rows == 1 ? "" : "s");
    if (merge->counts.rows == 0)
        fputs("warning   the result has no rows: every point is skipped\n", stderr);
    if (merge->counts.failed > 0) {
        char failed[48];
        pps_human_count((double)merge->counts.failed, failed, sizeof failed);
        fprintf(stderr, "failed    %s point%s (rows with empty results)\n", failed,
                merge->counts.failed == 1 ? "" : "s");
    }
    pps_say(stderr, "result    %s (%s)", path, bytes);
    if (merge->counts.rows > merge->counts.failed + merge->counts.infeasible)
        pps_next_look(path);
}

// Adds the command that continues the merge to the text of an error.
static void say_again(enum pps_status status, const struct pps_args *args,
                      struct pps_error *err)
{
    const size_t n = strlen(err->text);
    if (status == PPS_E_STOPPED || status == PPS_E_MACHINE)
        snprintf(err->text + n, sizeof err->text - n, "; to continue: %s", pps_arg_line(args));
}

static void show_progress(void *progress, const struct pps_passed *passed)
{
    pps_progress_update(progress, passed);
}

static enum pps_status merge_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_progress progress = {.kind = PPS_PROGRESS_NEVER};
    struct pps_merge merge = {.stop = pps_signals_install(),
                              .watch = {&progress, show_progress}};
    const bool quiet = pps_arg(args, "quiet") != NULL;
    char *path = NULL;
    enum pps_progress_kind kind;
    allow_files();
    enum pps_status status = pps_progress_parse(pps_arg(args, "progress"), &kind, err);
    if (status == PPS_OK)
        status = open_shards(args, &merge, err);
    if (status == PPS_OK)
        status = choose_output(args, &merge, &path, err);
    if (status == PPS_OK) {
        pps_progress_begin(&progress, quiet ? PPS_PROGRESS_NEVER : kind,
                           merge.files[0].index.head.n_points);
        status = pps_merge_write(&merge, path, pps_arg(args, "force") != NULL, err);
        pps_progress_end(&progress);
        say_again(status, args, err);
    }
    if (status == PPS_OK && !quiet)
        report(&merge, path);
    if (status == PPS_OK && merge.counts.failed > 0)
        status = PPS_E_POINTS; // as for one run of the whole sweep
    free(path);
    pps_merge_close(&merge);
    return status;
}

const struct pps_command pps_command_merge = {
    .name = "merge",
    .summary = "join the shards of a sweep into one result",
    .usage = "[options] SHARD...",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .main = merge_main,
};
