// SPDX-License-Identifier: Apache-2.0
// Reads the peaks of dry runs from CSV or JSON tables and from folders of logs.
#include "planner/nd/input/dry_run_peaks.h"

#include "base/document/json.h"
#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "planner/shared/document_read.h"

#include <dirent.h>
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

// Returns the number after `key` in a name of degrees joined with '_', or 0 without one.
static int32_t degree_of(const char *name, const char *key)
{
    const size_t n = strlen(key);
    for (const char *at = name; at != NULL; at = strchr(at, '_')) {
        at += *at == '_';
        if (strncmp(at, key, n) == 0) {
            const long value = strtol(at + n, NULL, 10);
            return value >= 1 && value <= 1000000000 ? (int32_t)value : 0;
        }
    }
    return 0;
}

// Returns the largest figure in a log, or 0 without one.
static double peak_of(const char *text, size_t n)
{
    double peak = 0;
    for (const char *at = text;
         (at = memmem(at, n - (size_t)(at - text), said, sizeof said - 1));) {
        at += sizeof said - 1;
        const double mb = strtod(at, NULL);
        peak = mb > peak ? mb : peak;
    }
    return peak;
}

// Finds the largest peak in all files of the folder.
static enum pps_status read_folder(const char *folder, double *peak, struct pps_error *err)
{
    char path[PATH_BYTES];
    struct stat info;
    enum pps_status status = PPS_OK;
    DIR *files = opendir(folder);
    *peak = 0;
    if (files == NULL)
        return pps_fail_errno(err, "cannot read", folder);
    for (struct dirent *entry; status == PPS_OK && (entry = readdir(files)) != NULL;) {
        char *text;
        size_t n;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_BYTES ||
            stat(path, &info) != 0 || !S_ISREG(info.st_mode))
            continue;
        status = pps_whole_file_read(path, PLAN_DOCUMENT_MAX, &text, &n, err);
        if (status == PPS_OK) {
            const double mb = peak_of(text, n);
            *peak = mb > *peak ? mb : *peak;
        }
        free(text);
    }
    closedir(files);
    return status;
}

static bool add_peak(struct nd_dryrun_peaks *peaks, const struct nd_dryrun_peak *peak)
{
    struct nd_dryrun_peak *grown = realloc(peaks->rows, (peaks->n + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    peaks->rows = grown;
    peaks->rows[peaks->n++] = *peak;
    return true;
}

static enum pps_status read_run(const char *path,
                                const char *name,
                                struct nd_dryrun_peaks *peaks,
                                struct pps_error *err)
{
    struct nd_dryrun_peak peak = {.dp = degree_of(name, "DP"),
                                  .tp = degree_of(name, "TP"),
                                  .pp = degree_of(name, "PP"),
                                  .ep = degree_of(name, "EP"),
                                  .cp = degree_of(name, "CP")};
    if (peak.dp == 0 || peak.tp == 0 || peak.pp == 0)
        return PPS_OK; // a folder of something else
    const enum pps_status status = read_folder(path, &peak.peak_mb, err);
    if (status != PPS_OK)
        return status;
    if (peak.peak_mb == 0)
        pps_say(stderr, "dry run   %s: skipped: no file contains \"%s 51234M\"", path, said);
    else if (!add_peak(peaks, &peak))
        return pps_fail_memory(err, "the peaks");
    return PPS_OK;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum pps_status read_logs(const char *path,
                                 struct nd_dryrun_peaks *peaks,
                                 struct pps_error *err)
{
    char folder[PATH_BYTES];
    struct stat info;
    struct dirent **entries;
    enum pps_status status = PPS_OK;
    const int n = scandir(path, &entries, NULL, by_name);
    if (n < 0)
        return pps_fail_errno(err, "cannot read", path);
    for (int k = 0; k < n; k++) {
        const char *name = entries[k]->d_name;
        if (status == PPS_OK &&
            snprintf(folder, sizeof folder, "%s/%s", path, name) < PATH_BYTES &&
            stat(folder, &info) == 0 && S_ISDIR(info.st_mode))
            status = read_run(folder, name, peaks, err);
        free(entries[k]);
    }
    free(entries);
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
