// SPDX-License-Identifier: Apache-2.0
// ppsweep verify: checks that results are complete and unchanged.
#include "engine/check/verify.h"
#include "base/document/json.h"
#include "base/text/human.h"
#include "base/text/say.h"

#include "engine/cli/options/experiment_options.h"
#include "engine/cli/report/progress.h"
#include "engine/cli/verbs.h"
#include "engine/command/signals.h"
#include "engine/job/result_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct pps_opt options[] = {
    {"sample", 0, "F", "fraction of the rows to compute again, from 0 to 1 (0.001)"},
    {"reference", 0, NULL, "also compute these rows with the reference of the kernel"},
    {"input", 'i', "SLOT=FILE", "file of a document that is too large for the manifest"},
    {"threads", 'j', "N", "number of worker threads (all CPUs this process may use)"},
    {"progress", 0, "HOW", "auto, line, log, json or never (auto)"},
    {"quiet", 'q', NULL, "print errors only"},
    {"json", 0, NULL, "print one JSON array, with an object for every result"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "RESULT is NAME.csv.gz, .csv or .parquet. Its index (NAME.csv.gz.idx) and its manifest\n"
    "(NAME.csv.gz.json) must be in the same folder.\n"
    "\n"
    "verify checks:\n"
    "  - every byte of the three files, by checksums\n"
    "  - that the counts in the three files agree\n"
    "  - that all blocks are present and in order\n"
    "  - the parameters of every row, against the experiment in the manifest\n"
    "  - some rows, by computing them again: --sample 1 all rows, --sample 0 none.\n"
    "    The choice of rows depends only on the fraction F.\n"
    "\n"
    "verify reports the first error in each file. For several shards of one sweep it also\n"
    "reports which shard is missing.\n"
    "\n"
    "Rows can only be computed again by the version of ppsweep and of the kernel that wrote\n"
    "them. If the points were read from a file, this file must not have changed. A document\n"
    "of more than 1 MiB is not part of the manifest: give its file with --input.\n"
    "\n"
    "exit status:\n"
    "  0  every result is correct\n"
    "  1  a result is wrong, or the machine failed\n"
    "  2  wrong usage, a file is missing, or rows cannot be computed again\n"
    "  5  stopped by Ctrl-C or SIGTERM\n"
    "\n"
    "  ppsweep verify outputs/data/first.csv.gz\n"
    "  ppsweep verify --sample 1 --reference shards/*.csv.gz\n";

static enum pps_status fill_ask(const struct pps_args *args, struct pps_verify_ask *ask,
                                struct pps_error *err)
{
    *ask = (struct pps_verify_ask){.kernels = pps_arg_kernels(args),
                                   .version = PPS_VERSION,
                                   .sample = 0.001,
                                   .reference = pps_arg(args, "reference") != NULL};
    enum pps_status status = pps_arg_number(args, "sample", 0, 1, &ask->sample, err);
    if (status == PPS_OK && ask->reference && ask->sample == 0)
        status =
            pps_fail(err, PPS_E_INPUT, "--reference needs rows to compute; remove --sample 0");
    return status == PPS_OK ? pps_request_threads(args, &ask->threads, err) : status;
}

// The progress of one result.
struct watching {
    struct pps_progress progress;
    enum pps_progress_kind kind;
    const struct pps_verified *verified;
    bool begun;
};

static void show_progress(void *self, const struct pps_passed *passed)
{
    struct watching *w = self;
    if (!w->begun)
        pps_progress_begin(&w->progress, w->kind, w->verified->points);
    w->begun = true;
    pps_progress_update(&w->progress, passed);
}

static enum pps_status verify_one(const struct pps_verify_ask *ask,
                                  struct pps_verified *verified, struct pps_error *err)
{
    struct watching *w = ask->watch.self;
    w->verified = verified;
    w->begun = false;
    const enum pps_status status = pps_verify(ask, verified, err);
    if (w->begun)
        pps_progress_end(&w->progress);
    return status;
}

static void print_count(double n, const char *what)
{
    char text[32];
    pps_human_count(n, text, sizeof text);
    printf("%s %s%s", text, what, n == 1 ? "" : "s");
}

static void print_computed(const struct pps_verify_ask *ask,
                           const struct pps_verified *verified)
{
    if (ask->sample == 0)
        return;
    printf("recomputed  ");
    print_count((double)verified->computed, "row");
    pps_say(stdout, " with %s %s: identical", verified->kernel, verified->version);
    if (!ask->reference)
        return;
    printf("reference   ");
    print_count((double)verified->audited.rows, "row");
    printf(" computed by the reference: largest difference %.2g\n", verified->audited.largest);
    if (verified->audited.sensitive == 0)
        return;
    printf("sensitive   ");
    print_count((double)verified->audited.sensitive, "row");
    printf(" with a larger difference; the reference differs as much if the last bits of "
           "inputs change\n");
}

static void print_verified(const struct pps_verify_ask *ask,
                           const struct pps_verified *verified)
{
    pps_say(stdout, "OK          %s", ask->path);
    if (verified->n_shards > 1)
        printf("shard       %" PRIu32 " of %" PRIu32 "\n", verified->shard, verified->n_shards);
    printf("checksums   ");
    print_count((double)verified->data_bytes, "byte");
    printf(" in ");
    print_count((double)verified->blocks, "block");
    printf(", index and manifest\n");
    printf("rows        ");
    print_count((double)verified->counts.rows, "row");
    printf(" of ");
    print_count((double)verified->points, "point");
    if (verified->counts.failed > 0)
        printf(", %s failed", pps_count_text((double)verified->counts.failed).text);
    if (verified->counts.infeasible > 0)
        printf(", %s infeasible", pps_count_text((double)verified->counts.infeasible).text);
    if (verified->in_order)
        printf("%s, in the order of the experiment\n",
               verified->only_some ? " (only the best rows)" : "");
    else
        pps_say(stdout, "; not compared with the experiment: %s", verified->why_not);
    print_computed(ask, verified);
}

static cJSON *verified_tree(const struct pps_verify_ask *ask, const struct pps_verified *v,
                            const struct pps_error *wrong)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "result", ask->path);
    cJSON_AddBoolToObject(root, "right", wrong == NULL);
    if (wrong != NULL) {
        cJSON_AddStringToObject(root, "error", wrong->text);
        return root;
    }
    pps_json_add_count(root, "points", v->points);
    pps_json_add_count(root, "rows", v->counts.rows);
    pps_json_add_count(root, "failed", v->counts.failed);
    pps_json_add_count(root, "infeasible", v->counts.infeasible);
    pps_json_add_count(root, "recomputed", v->computed);
    cJSON_AddBoolToObject(root, "in_order", v->in_order);
    if (ask->reference)
        cJSON_AddNumberToObject(root, "reference_largest_difference", v->audited.largest);
    return root;
}

// Reports whether all shards of the sweep are given.
static void print_together(struct pps_verified *verified, int n)
{
    uint32_t here, missing;
    if (n < 2 || !pps_shards_together(verified, (size_t)n, &here, &missing))
        return;
    printf("shards      %" PRIu32 " of %" PRIu32 " of the sweep", here, verified[0].n_shards);
    if (here < verified[0].n_shards)
        printf("; the first missing shard is %" PRIu32 "\n", missing);
    else
        printf(": complete\n");
}

// Reports the first error in each file; the first error decides the exit status.
static enum pps_status verify_all(const struct pps_args *args, struct pps_verify_ask *ask,
                                  struct pps_verified *verified, struct pps_error *err)
{
    cJSON *list = pps_arg(args, "json") != NULL ? cJSON_CreateArray() : NULL;
    const bool quiet = pps_arg(args, "quiet") != NULL || list != NULL;
    enum pps_status first = PPS_OK;
    int n = 0;
    for (int i = 0; i < pps_arg_words(args); i++) {
        ask->path = pps_arg_word(args, i);
        if (pps_resultpath_is_beside(ask->path))
            continue;
        const enum pps_status status = verify_one(ask, &verified[n], err);
        if (status == PPS_OK && !quiet)
            print_verified(ask, &verified[n]);
        if (list != NULL)
            cJSON_AddItemToArray(
                list, verified_tree(ask, &verified[n], status == PPS_OK ? NULL : err));
        n++;
        if (status == PPS_OK)
            continue;
        fflush(stdout);
        pps_error_print(err);
        first = first == PPS_OK ? status : first;
        if (status == PPS_E_STOPPED)
            break;
    }
    if (list != NULL && n > 0)
        pps_json_put(stdout, list);
    else
        cJSON_Delete(list);
    if (n == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "none of these files is a result; expected a .csv.gz or .csv file");
    if (first == PPS_OK && !quiet)
        print_together(verified, n);
    err->text[0] = '\0'; // already printed
    return first;
}

static enum pps_status verify_main(const struct pps_args *args, struct pps_error *err)
{
    const char *words[PPS_MAX_INPUT_WORDS];
    struct watching watching = {.kind = PPS_PROGRESS_NEVER};
    struct pps_verify_ask ask;
    enum pps_status status = fill_ask(args, &ask, err);
    ask.stop = pps_signals_install();
    ask.watch = (struct pps_watch){&watching, show_progress};
    if (status == PPS_OK)
        status = pps_request_inputs(args, words, &ask.inputs, err);
    if (status == PPS_OK)
        status = pps_progress_parse(pps_arg(args, "progress"), &watching.kind, err);
    if (pps_arg(args, "quiet") != NULL)
        watching.kind = PPS_PROGRESS_NEVER;
    if (status != PPS_OK)
        return status;
    struct pps_verified *verified = calloc((size_t)pps_arg_words(args), sizeof *verified);
    if (verified == NULL)
        return pps_fail_memory(err, "the results");
    status = verify_all(args, &ask, verified, err);
    free(verified);
    return status;
}

const struct pps_command pps_command_verify = {
    .name = "verify",
    .summary = "check a result: checksums, order of rows, and some rows computed again",
    .usage = "[options] RESULT...",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .kernels = true,
    .main = verify_main,
};
