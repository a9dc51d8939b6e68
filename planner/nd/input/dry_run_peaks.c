// SPDX-License-Identifier: Apache-2.0
// Reads the peaks of dry runs from CSV or JSON tables and from folders of logs.
#include "planner/nd/input/dry_run_peaks.h"

#include "base/document/json.h"
#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "planner/profiles/dry_run.h"
#include "planner/shared/document_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

// ---- tables -------------------------------------------------------------------------------------

static enum pps_status fail_table(const char *path,
                                  const struct pps_json *json,
                                  const struct pps_fault *fault,
                                  struct pps_error *err)
{
    if (json != NULL)
        return pps_json_fail(json, fault->item, err, "%s", fault->text);
    return pps_fail_at(err, PPS_E_INPUT, path, fault->line, fault->column, "%s", fault->text);
}

static enum pps_status read_json_peaks(const char *path,
                                       bool dense,
                                       struct nd_dryrun_peaks *peaks,
                                       struct pps_error *err)
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

static enum pps_status read_csv_peaks(const char *path,
                                      bool dense,
                                      struct nd_dryrun_peaks *peaks,
                                      struct pps_error *err)
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

static enum pps_status take_run(const struct run_folder *folder,
                                const struct dry_run *run,
                                const struct run_files *files,
                                struct nd_dryrun_peaks *peaks,
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

static enum pps_status read_run(const struct run_folder *folder,
                                struct nd_dryrun_peaks *peaks,
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

static enum pps_status read_logs(const char *path,
                                 struct nd_dryrun_peaks *peaks,
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

enum pps_status nd_dryrun_peaks_load(const char *path,
                                     bool dense,
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
