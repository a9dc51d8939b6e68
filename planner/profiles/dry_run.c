// SPDX-License-Identifier: Apache-2.0
// Collects the figures of all logs of a run.
#include "planner/profiles/dry_run.h"

#include "base/text/characters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void dry_run_free(struct dry_run *run)
{
    free(run->peaks);
    *run = (struct dry_run){0};
}

// Returns whether the name of a file has the extension of a file that is not a log.
static bool is_other_file(const char *name)
{
    static const char *const ends[] = {
        ".json",        ".csv",    ".db",  ".bin",     ".pt",         ".pth",      ".ckpt",
        ".safetensors", ".npy",    ".npz", ".yaml",    ".yml",        ".toml",     ".sh",
        ".py",          ".pickle", ".pkl", ".png",     ".svg",        ".idx",      ".tar",
        ".tgz",         ".zip",    ".pb",  ".ir",      ".dot",        ".xlsx",     ".html",
        ".o",           ".so",     ".dat", ".json.gz", ".mindrecord", ".tfevents",
    };
    const size_t n = strlen(name);
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        const size_t length = strlen(ends[k]);
        if (n > length && strcasecmp(name + n - length, ends[k]) == 0)
            return true;
    }
    return false;
}

static void take_failure(struct dry_run *run, const struct log_file *log, size_t file)
{
    if (log->failure <= run->failure)
        return;
    run->failure = log->failure;
    run->failed_file = file;
    run->failed_line = log->line;
    memcpy(run->failed_text, log->text, sizeof run->failed_text);
}

static enum pps_status take_log(struct dry_run *run,
                                const struct run_files *files,
                                size_t file,
                                struct pps_error *err)
{
    struct log_file log;
    const char *path = files->paths[file];
    enum pps_status status = log_file_read(&log, path, run_file_rank(files, file), err);
    if (status != PPS_OK)
        return status;
    run->n_logs += log.is_text;
    for (size_t k = 0; status == PPS_OK && k < log.n_peaks; k++) {
        log.peaks[k].file = file;
        if (!log_peaks_add(&run->peaks, &run->n_peaks, &run->room, &log.peaks[k]))
            status = pps_fail_memory(err, "the peaks of %s", path);
    }
    if (status == PPS_OK)
        take_failure(run, &log, file);
    log_file_free(&log);
    return status;
}

enum pps_status dry_run_read(struct dry_run *run,
                             const struct run_files *files,
                             struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    *run = (struct dry_run){0};
    for (size_t i = 0; status == PPS_OK && i < files->n; i++)
        if (!is_other_file(run_file_name(files->paths[i])))
            status = take_log(run, files, i, err);
    if (status != PPS_OK)
        dry_run_free(run);
    return status;
}

// A run of one stage needs no ranks.
static bool is_of_stage(const struct log_peak *peak,
                        const struct run_degrees *degrees,
                        int32_t stage)
{
    return stage < 0 || (degrees->pp == 1 && peak->rank < 0) ||
           run_stage_of(degrees, peak->rank) == stage;
}

struct log_peak dry_run_peak(const struct dry_run *run,
                             const struct run_degrees *degrees,
                             int32_t stage)
{
    struct log_peak sum = {.rank = -1}, *all = &sum;
    size_t n = 1, room = 1;
    for (size_t k = 0; k < run->n_peaks; k++) {
        struct log_peak peak = run->peaks[k];
        peak.rank = -1;
        if (is_of_stage(&run->peaks[k], degrees, stage))
            log_peaks_add(&all, &n, &room, &peak); // has room for the one rank
    }
    for (size_t k = 0; k < run->n_peaks; k++)
        if (sum.line > 0 && run->peaks[k].file == sum.file && run->peaks[k].line == sum.line)
            sum.rank = run->peaks[k].rank;
    return sum;
}

void dry_run_describe_failure(const struct dry_run *run,
                              const struct run_files *files,
                              char *text,
                              size_t size)
{
    snprintf(text, size, "%s (%s:%" PRIu64 ": %s)", log_failure_name(run->failure),
             files->paths[run->failed_file], run->failed_line, run->failed_text);
    pps_make_printable(text);
}
