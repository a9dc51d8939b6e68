// SPDX-License-Identifier: Apache-2.0
// Lists the dry runs of `ppsweep nd`, and fits the memory model to their peaks.
#include "planner/nd/commands/dry_runs.h"

#include "base/document/json.h"
#include "base/math/units.h"
#include "base/system/disk.h"
#include "base/system/whole_file.h"
#include "base/table/list_cell.h"
#include "base/text/grow_list.h"
#include "base/text/say.h"
#include "kernels/common/estimate/stage_layers.h"
#include "planner/nd/launch/configuration.h"
#include "planner/nd/profiling/peaks.h"
#include "planner/nd/strategies/walk.h"
#include "planner/profiles/log_file.h"
#include "planner/shared/document_read.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- dry run peaks ------------------------------------------------------------------------------

enum { PATH_BYTES = 4096 };

// ---- tables -------------------------------------------------------------------------------------

static enum pps_status fail_table(const char *path, const struct pps_json *json,
                                  const struct pps_fault *fault, struct pps_error *err)
{
    if (json != NULL)
        return pps_json_fail(json, fault->item, err, "%s", fault->text);
    return pps_fail_at(err, PPS_E_INPUT, path, fault->line, fault->column, "%s", fault->text);
}

static enum pps_status read_json_peaks(const char *path, bool dense,
                                       struct nd_dryrun_peaks *peaks, struct pps_error *err)
{
    struct pps_json json;
    struct table *table;
    struct pps_fault fault;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (!table_read_json(&table, json.root, &fault) ||
        !nd_dryrun_peaks_read(peaks, table, dense, &fault))
        status = fail_table(path, &json, &fault, err);
    table_free(table);
    pps_json_free(&json);
    return status;
}

static enum pps_status read_csv_peaks(const char *path, bool dense,
                                      struct nd_dryrun_peaks *peaks, struct pps_error *err)
{
    char *text;
    size_t n;
    struct table *table;
    struct pps_fault fault;
    enum pps_status status = pps_whole_file_read(path, PLAN_DOCUMENT_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    if (!table_read_csv(&table, text, n, &fault) ||
        !nd_dryrun_peaks_read(peaks, table, dense, &fault))
        status = fail_table(path, NULL, &fault, err);
    table_free(table);
    free(text);
    return status;
}

// ---- logs ---------------------------------------------------------------------------------------

static const char said[] = "Used peak memory usage (without fragments):";

static bool add_peak(struct nd_dryrun_peaks *peaks, const struct nd_dryrun_peak *peak)
{
    struct nd_dryrun_peak *grown = realloc(peaks->rows, (peaks->n + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    peaks->rows = grown;
    peaks->rows[peaks->n++] = *peak;
    return true;
}

static enum pps_status take_run(const struct run_folder *folder, const struct dry_run *run,
                                const struct run_files *files, struct nd_dryrun_peaks *peaks,
                                struct pps_error *err)
{
    char why[PATH_BYTES];
    const struct run_degrees *d = &folder->degrees;
    const struct log_peak all = dry_run_peak(run, d, -1);
    const struct nd_dryrun_peak peak = {.dp = d->dp,
                                        .tp = d->tp,
                                        .pp = d->pp,
                                        .ep = d->ep,
                                        .cp = d->cp,
                                        .op = d->op,
                                        .mbs = d->mbs,
                                        .rank = all.rank > 0 ? all.rank : 0,
                                        .peak_mb = log_peak_mb(&all)};
    if (run->failure != LOG_NO_FAILURE) {
        dry_run_describe_failure(run, files, why, sizeof why);
        pps_say(stderr, "dry run   %s: skipped: %s", folder->path, why);
    } else if (peak.peak_mb == 0) {
        pps_say(stderr, "dry run   %s: skipped: no file contains \"%s 51234M\"", folder->path,
                said);
    } else if (!add_peak(peaks, &peak)) {
        return pps_fail_memory(err, "the peaks");
    }
    return PPS_OK;
}

static enum pps_status read_run(const struct run_folder *folder, struct nd_dryrun_peaks *peaks,
                                struct pps_error *err)
{
    struct run_files files;
    struct dry_run run;
    enum pps_status status = run_files_list(&files, folder->path, err);
    if (status != PPS_OK)
        return status;
    status = dry_run_read(&run, &files, err);
    if (status == PPS_OK) {
        status = take_run(folder, &run, &files, peaks, err);
        dry_run_free(&run);
    }
    run_files_free(&files);
    return status;
}

static enum pps_status read_logs(const char *path, struct nd_dryrun_peaks *peaks,
                                 struct pps_error *err)
{
    struct run_folders runs;
    enum pps_status status = run_folders_find(&runs, path, NULL, err);
    if (status != PPS_OK)
        return status;
    for (size_t i = 0; status == PPS_OK && i < runs.n; i++)
        status = read_run(&runs.rows[i], peaks, err);
    run_folders_free(&runs);
    if (status == PPS_OK && peaks->n == 0)
        return pps_fail_at(
            err, PPS_E_INPUT, path, 0, 0,
            "expected a folder with a name like DP8_TP2_PP4_EP16 and a log that contains "
            "\"%s 51234M\"",
            said);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

// Reads a table (JSON if its name ends in .json, else CSV) or a folder of logs. A folder of logs
// has one folder per run, named by its degrees, for example DP8_TP2_PP4_EP16, with logs of MindSpore,
// Megatron-LM or torchtitan in it or below (planner/profiles). Runs without a peak and failed runs
// are named on stderr. After an error there is nothing to free.
static enum pps_status nd_dryrun_peaks_load(const char *path, bool dense,
                                            struct nd_dryrun_peaks *peaks,
                                            struct pps_error *err)
{
    struct stat info;
    const size_t n = strlen(path);
    enum pps_status status;
    *peaks = (struct nd_dryrun_peaks){.n = 0};
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        status = read_logs(path, peaks, err);
    else if (n > 5 && strcmp(path + n - 5, ".json") == 0)
        status = read_json_peaks(path, dense, peaks, err);
    else
        status = read_csv_peaks(path, dense, peaks, err);
    if (status != PPS_OK)
        nd_dryrun_peaks_free(peaks);
    return status;
}

// ---- peaks in -----------------------------------------------------------------------------------

static enum pps_status read_degrees(const struct pps_args *args,
                                    struct nd_test_degrees *degrees, struct pps_error *err)
{
    char rest;
    const char *word = pps_arg(args, "test-ep");
    *degrees = (struct nd_test_degrees){8, 16};
    if (word == NULL)
        return PPS_OK;
    if (sscanf(word, "%d,%d%c", &degrees->low, &degrees->high, &rest) != 2 ||
        degrees->low < 1 || degrees->high <= degrees->low)
        return pps_fail(err, PPS_E_INPUT,
                        "--test-ep %s: expected two degrees, the lower first: 8,16", word);
    return PPS_OK;
}

static void note_fits(const struct nd_epfit_result *fits, bool orig)
{
    for (size_t k = 0; k < fits->n_groups; k++) {
        const struct nd_epfit_group *g = &fits->groups[k];
        if (g->note == ND_EPFIT_INCOMPLETE)
            fprintf(stderr, "dry run   dp %d tp %d pp %d: one of two peaks is missing; %s\n",
                    g->dp, g->tp, g->pp, orig ? "using 0" : "using the estimate");
        else if (g->note == ND_EPFIT_NEGATIVE)
            fprintf(stderr, "dry run   dp %d tp %d pp %d: memory grows with ep%s\n", g->dp,
                    g->tp, g->pp, orig ? "" : "; using the larger peak for all ep");
    }
    for (size_t k = 0; k < fits->n_checks; k++) {
        const struct nd_epfit_check *c = &fits->checks[k];
        fprintf(stderr, "dry run   dp %d tp %d pp %d ep %d: %.1f MiB, fitted %.1f\n",
                c->peak.dp, c->peak.tp, c->peak.pp, c->peak.ep, c->peak.peak_mb, c->fitted_mb);
    }
}

enum pps_status nd_dryrun_fits(const struct nd_job *job, const struct pps_args *args,
                               struct nd_epfit_result *fits, struct pps_error *err)
{
    struct nd_test_degrees degrees;
    struct nd_dryrun_peaks peaks = {NULL, 0};
    const char *path = pps_arg(args, "dryrun-data");
    if (path == NULL)
        path = pps_arg(args, "dryrun-data-dir");
    *fits = (struct nd_epfit_result){0};
    enum pps_status status = read_degrees(args, &degrees, err);
    if (path == NULL || status != PPS_OK)
        return status;
    status = nd_dryrun_peaks_load(path, job->space.experts == 0, &peaks, err);
    if (status == PPS_OK) {
        const enum nd_epfit_status fitted =
            nd_epfit(peaks.rows, peaks.n, degrees, job->filters.ep_max,
                     units_to_mib(job->run.cluster.memory_limit), job->space.orig, fits);
        if (fitted == ND_EPFIT_EP_LIMIT)
            status = pps_fail(err, PPS_E_INPUT,
                              "--ep-max %d: with dry runs it must be a power of two",
                              job->filters.ep_max);
        else if (fitted != ND_EPFIT_OK)
            status = pps_fail_memory(err, "the dry runs");
    }
    nd_dryrun_peaks_free(&peaks);
    if (status == PPS_OK)
        note_fits(fits, job->space.orig);
    return status;
}

// ---- dry runs to make ---------------------------------------------------------------------------

enum { STAGES_MAX = 4096, SPLIT_TEXT = 16 * STAGES_MAX };

struct dryruns {
    const struct nd_space *space;
    struct nd_test_degrees degrees;
    bool v_schedule;
    struct nd_quad last;
    struct nd_dryrun *list;
    size_t n, room;
    struct text_buffer table;
    bool failed; // out of memory
};

// Writes the layers of each stage beyond an even split, or 0. For a V schedule, writes the layers
// of both chunks (orig: minus their base).
static void split_text(const struct dryruns *d, int32_t pp, char text[SPLIT_TEXT])
{
    int32_t rows[2 * STAGES_MAX];
    int64_t base;
    strcpy(text, "0");
    if (pp > STAGES_MAX)
        return;
    if (!d->v_schedule) {
        if (nd_offsets(d->space->layers, pp, rows))
            list_cell_write(text, SPLIT_TEXT, rows, 1, pp);
        return;
    }
    if (d->space->orig ? nd_v_offsets(d->space->layers, pp, rows, rows + pp, &base)
                       : nd_v_layers(d->space->layers, pp, rows, rows + pp))
        list_cell_write(text, SPLIT_TEXT, rows, 2, pp);
}

static bool add_dryruns(void *context, const struct nd_strategy *tuple)
{
    struct dryruns *d = context;
    struct nd_dryrun runs[2];
    char split[SPLIT_TEXT];
    const struct nd_quad quad = {tuple->dp, tuple->tp, tuple->cp, tuple->pp};
    if (memcmp(&quad, &d->last, sizeof quad) == 0)
        return true;
    d->last = quad;
    split_text(d, quad.pp, split);
    const int n = nd_dryruns_of(d->space, &quad, d->degrees, d->v_schedule, runs);
    struct nd_dryrun *list = pps_grow(d->list, &d->room, d->n + 2, sizeof *list);
    d->failed = list == NULL;
    if (d->failed)
        return false;
    d->list = list;
    for (int k = 0; k < n; k++) {
        d->list[d->n++] = runs[k];
        text_buffer_add(&d->table, "%d,%d,%d,%d,%d,%lld,%d,%s\n", runs[k].dp, runs[k].tp,
                        runs[k].pp, runs[k].ep > 0 ? runs[k].ep : 1, runs[k].cp,
                        (long long)runs[k].micro_batches, runs[k].rank, split);
    }
    return true;
}

// ---- files --------------------------------------------------------------------------------------

struct dryrun_files {
    const struct nd_job *job;
    const char *folder;
    const struct pps_gate *gate;
};

static enum pps_status write_configuration(const struct dryrun_files *files,
                                           const struct plan_document *document,
                                           const struct nd_dryrun *run, struct pps_error *err)
{
    char path[PLAN_PATH + 128], cp[24] = "", ep[24] = "";
    int32_t layers[STAGES_MAX];
    int32_t full[STAGES_MAX];
    struct text_buffer text = {.text = NULL};
    const int64_t all = files->job->space.layers;
    if (run->pp > STAGES_MAX)
        return PPS_OK;
    if (!nd_offsets(all, run->pp, layers))
        memset(layers, 0, (size_t)run->pp * sizeof *layers);
    for (int32_t i = 0; i < run->pp; i++)
        full[i] = layers[i] += (int32_t)(all / run->pp);
    const struct framework_settings settings = {.strategy = {run->dp, run->tp, run->cp, run->pp,
                                                             run->ep, -1, 1, 1, run->tp > 1,
                                                             ND_RECOMPUTE_FULL},
                                                .gbs = run->micro_batches * run->dp,
                                                .micro_batches = run->micro_batches,
                                                .layers = layers,
                                                .full = full,
                                                .dry_run = true};
    if (run->ep > 0)
        snprintf(ep, sizeof ep, "_EP%d", run->ep);
    if (run->cp > 1)
        snprintf(cp, sizeof cp, "_CP%d", run->cp);
    snprintf(path, sizeof path, "%s/dryrun_yaml/DP%d_TP%d_PP%d%s%s_pretrain%.16s",
             files->folder, run->dp, run->tp, run->pp, ep, cp,
             nd_configuration_ending(document));
    enum pps_status status = nd_configuration_write(&text, document, &settings, err);
    if (status == PPS_OK)
        status = plan_write_text(path, &text, files->gate, err);
    text_buffer_free(&text);
    return status;
}

static enum pps_status write_files(const struct dryrun_files *files, struct dryruns *d,
                                   struct pps_error *err)
{
    char path[PLAN_PATH + 128];
    const struct plan_document *document = plan_run_configuration(&files->job->run);
    snprintf(path, sizeof path, "%s/dryrun_yaml", files->folder);
    enum pps_status status = pps_disk_make_folder(document != NULL ? path : files->folder, err);
    snprintf(path, sizeof path, "%s/dry_runs.csv", files->folder);
    if (status == PPS_OK)
        status = plan_write_text(path, &d->table, files->gate, err);
    if (status == PPS_OK)
        pps_say(stdout, "wrote %s", path);
    if (status != PPS_OK || document == NULL)
        return status;
    if (d->v_schedule) {
        fprintf(stderr, "note      dry runs of a V schedule are not written as configurations; "
                        "the table lists their layers\n");
        return PPS_OK;
    }
    for (size_t k = 0; k < d->n && status == PPS_OK; k++)
        status = write_configuration(files, document, &d->list[k], err);
    if (status == PPS_OK)
        pps_say(stdout, "wrote %zu configurations in %s/dryrun_yaml", d->n, files->folder);
    return status;
}

enum pps_status nd_dryrun_print(const struct nd_job *job, const struct pps_args *args,
                                struct pps_error *err)
{
    struct dryruns d = {.space = &job->space,
                        .v_schedule = pps_arg(args, "v-schedule") != NULL};
    struct dryrun_files files = {job, pps_arg(args, "output"), pps_arg_gate(args)};
    if (files.folder == NULL)
        files.folder = pps_arg(args, "output-path");
    enum pps_status status = read_degrees(args, &d.degrees, err);
    if (status == PPS_OK && files.folder != NULL)
        status = plan_check_folder(files.folder, err);
    if (status != PPS_OK)
        return status;
    text_buffer_add(&d.table, "dp,tp,pp,ep,cp,micro_batches,rank,%s\n",
                    d.v_schedule && !job->space.orig ? "layers" : "offset");
    nd_tuples(&job->space, &job->filters, add_dryruns, &d);
    if (d.failed || d.table.failed)
        status = pps_fail_memory(err, "the dry runs");
    else if (d.n > 0 && files.folder != NULL)
        status = write_files(&files, &d, err);
    else
        fwrite(d.table.text, 1, d.table.n, stdout);
    if (status == PPS_OK && d.n == 0)
        status = pps_fail(err, PPS_E_INFEASIBLE,
                          "no dry runs: no remaining (dp, tp, cp, pp) allows ep %d or %d",
                          d.degrees.low, d.degrees.high);
    text_buffer_free(&d.table);
    free(d.list);
    return status;
}
