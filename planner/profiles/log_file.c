// SPDX-License-Identifier: Apache-2.0
// Reads a log line by line through one buffer.
#include "planner/profiles/log_file.h"

#include "base/system/text_reader.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "planner/profiles/log_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CHUNK = 1 << 16, LONGEST = 1 << 16, LOOK = 4096 };

double log_peak_mb(const struct log_peak *peak)
{
    return peak->used_mb > 0   ? peak->used_mb
           : peak->held_mb > 0 ? peak->held_mb
                               : peak->theory_mb;
}

const char *log_failure_name(enum log_failure failure)
{
    static const char *const names[] = {"", "error", "out of memory"};
    return names[failure];
}

void log_file_free(struct log_file *log)
{
    free(log->peaks);
    free(log->seconds.values);
    free(log->tokens.values);
    *log = (struct log_file){0};
}

// ---- figures ------------------------------------------------------------------------------------

static double greater(double a, double b)
{
    return a > b ? a : b;
}

// Adds the figures of a peak to the entry of its rank. false: out of memory.
static bool add_peak(struct log_peak **peaks, size_t *n, size_t *room,
                     const struct log_peak *peak)
{
    size_t i = 0;
    while (i < *n && (*peaks)[i].rank != peak->rank)
        i++;
    if (i == *n) {
        struct log_peak *grown = pps_grow(*peaks, room, *n + 1, sizeof *grown);
        if (grown == NULL)
            return false;
        *peaks = grown;
        grown[(*n)++] = (struct log_peak){.rank = peak->rank};
    }
    struct log_peak *at = &(*peaks)[i];
    const double before = log_peak_mb(at);
    const bool was_theory = at->used_mb == 0 && at->held_mb == 0;
    at->used_mb = greater(at->used_mb, peak->used_mb);
    at->held_mb = greater(at->held_mb, peak->held_mb);
    at->theory_mb = greater(at->theory_mb, peak->theory_mb);
    const bool is_theory = at->used_mb == 0 && at->held_mb == 0;
    if (log_peak_mb(at) > before || was_theory != is_theory) {
        at->line = peak->line;
        at->file = peak->file;
    }
    return true;
}

static bool add_step(struct log_steps *steps, double value)
{
    if (value <= 0)
        return true;
    double *grown = pps_grow(steps->values, &steps->room, steps->n + 1, sizeof *grown);
    if (grown == NULL)
        return false;
    steps->values = grown;
    grown[steps->n++] = value;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double log_steps_median(struct log_steps *steps)
{
    const size_t from = steps->n > 1, n = steps->n - from;
    if (steps->n == 0)
        return 0;
    double *values = steps->values + from;
    qsort(values, n, sizeof *values, by_value);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// ---- lines --------------------------------------------------------------------------------------

struct reading {
    struct log_file *log;
    const char *path;
    int32_t default_rank;
    uint64_t line;
    bool in_traceback;
};

static void set_failure(struct reading *r, enum log_failure failure, const char *text, size_t n)
{
    struct log_file *log = r->log;
    if (log->failure >= failure)
        return; // the first of the gravest kind
    const size_t most = sizeof log->text - 1;
    n = n < most ? n : most;
    while (n > 0 && n == most && (text[n] & 0xc0) == 0x80)
        n--; // not within a character
    log->failure = failure;
    log->line = r->line;
    memcpy(log->text, text, n);
    log->text[n] = '\0';
}

// Takes the line that ends a traceback: the first line that is not indented.
static void take_exception(struct reading *r, const char *text, size_t n)
{
    if (n == 0 || text[0] == ' ' || text[0] == '\t')
        return;
    r->in_traceback = false;
    set_failure(r, LOG_ERROR, text, n);
}

static void clear_error(struct log_file *log)
{
    if (log->failure == LOG_ERROR)
        log->failure = LOG_NO_FAILURE;
}

static bool take_figures(struct reading *r, const struct log_line *line)
{
    struct log_file *log = r->log;
    struct log_peak peak = {.rank = line->rank >= 0 ? line->rank : r->default_rank,
                            .line = r->line};
    if (line->kind == LOG_LINE_THEORY) {
        peak.theory_mb = line->used_mb;
    } else {
        peak.used_mb = line->used_mb;
        peak.held_mb = line->held_mb;
    }
    return add_peak(&log->peaks, &log->n_peaks, &log->room, &peak);
}

static bool take_line(struct reading *r, char *text, size_t n)
{
    struct log_line line;
    r->line++;
    n = log_line_clean(text, n);
    log_line_read(text, n, &line);
    const size_t prefix = log_line_prefix(text, n);
    if (!add_step(&r->log->seconds, line.step_seconds) ||
        !add_step(&r->log->tokens, line.device_tokens))
        return false;
    if (line.is_running)
        clear_error(r->log);
    if (line.kind == LOG_LINE_PEAK || line.kind == LOG_LINE_THEORY)
        return take_figures(r, &line);
    if (line.kind == LOG_LINE_NO_MEMORY)
        set_failure(r, LOG_NO_MEMORY, text + prefix, n - prefix);
    else if (line.kind == LOG_LINE_TRACEBACK)
        r->in_traceback = true;
    else if (r->in_traceback)
        take_exception(r, text + prefix, n - prefix);
    return true;
}

// ---- the file -----------------------------------------------------------------------------------

static enum pps_status read_lines(struct reading *r, struct pps_text_source *source,
                                  char *buffer, struct pps_error *err)
{
    size_t n = 0, got = 1; // bytes of the current line in the buffer; of the last read
    bool is_first = true;
    while (got > 0) {
        enum pps_status status = pps_text_source_read(source, buffer + n, CHUNK, &got, err);
        if (status != PPS_OK)
            return status;
        r->log->is_text = !is_first || memchr(buffer, '\0', got < LOOK ? got : LOOK) == NULL;
        if (!r->log->is_text)
            return PPS_OK;
        is_first = false;
        char *from = buffer, *end = buffer + n + got, *stop;
        bool stored = true;
        while (stored && (stop = memchr(from, '\n', (size_t)(end - from))) != NULL) {
            stored = take_line(r, from, (size_t)(stop - from));
            from = stop + 1;
        }
        n = (size_t)(end - from);
        if (stored && got == 0 && n > 0)
            stored = take_line(r, from, n);
        if (!stored)
            return pps_fail_memory(err, "the peaks of %s", r->path);
        n = n < LONGEST ? n : LONGEST;
        memmove(buffer, from, n);
    }
    return PPS_OK;
}

enum pps_status log_file_read(struct log_file *log, const char *path, int32_t default_rank,
                              struct pps_error *err)
{
    struct reading r = {.log = log, .path = path, .default_rank = default_rank};
    static const char no_end[] = "the log ends within a traceback";
    struct pps_text_source *source;
    *log = (struct log_file){.is_text = true};
    enum pps_status status = pps_text_source_open(&source, path, true, err);
    if (status != PPS_OK)
        return status;
    char *buffer = malloc(LONGEST + CHUNK);
    status =
        buffer == NULL ? pps_fail_memory(err, "%s", path) : read_lines(&r, source, buffer, err);
    free(buffer);
    pps_text_source_close(source);
    if (status != PPS_OK)
        log_file_free(log);
    else if (r.in_traceback)
        set_failure(&r, LOG_ERROR, no_end, sizeof no_end - 1);
    return status;
}

// ---- dry run ------------------------------------------------------------------------------------

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

static enum pps_status take_log(struct dry_run *run, const struct run_files *files, size_t file,
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
        if (!add_peak(&run->peaks, &run->n_peaks, &run->room, &log.peaks[k]))
            status = pps_fail_memory(err, "the peaks of %s", path);
    }
    if (status == PPS_OK)
        take_failure(run, &log, file);
    log_file_free(&log);
    return status;
}

enum pps_status dry_run_read(struct dry_run *run, const struct run_files *files,
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
static bool is_of_stage(const struct log_peak *peak, const struct run_degrees *degrees,
                        int32_t stage)
{
    return stage < 0 || (degrees->pp == 1 && peak->rank < 0) ||
           run_stage_of(degrees, peak->rank) == stage;
}

struct log_peak dry_run_peak(const struct dry_run *run, const struct run_degrees *degrees,
                             int32_t stage)
{
    struct log_peak sum = {.rank = -1}, *all = &sum;
    size_t n = 1, room = 1;
    for (size_t k = 0; k < run->n_peaks; k++) {
        struct log_peak peak = run->peaks[k];
        peak.rank = -1;
        if (is_of_stage(&run->peaks[k], degrees, stage))
            add_peak(&all, &n, &room, &peak); // has room for the one rank
    }
    for (size_t k = 0; k < run->n_peaks; k++)
        if (sum.line > 0 && run->peaks[k].file == sum.file && run->peaks[k].line == sum.line)
            sum.rank = run->peaks[k].rank;
    return sum;
}

void dry_run_describe_failure(const struct dry_run *run, const struct run_files *files,
                              char *text, size_t size)
{
    snprintf(text, size, "%s (%s:%" PRIu64 ": %s)", log_failure_name(run->failure),
             files->paths[run->failed_file], run->failed_line, run->failed_text);
    pps_make_printable(text);
}
