// SPDX-License-Identifier: Apache-2.0
// Reads a log line by line through one buffer.
#include "planner/profiles/log_file.h"

#include "base/system/text_reader.h"
#include "base/text/grow_list.h"
#include "planner/profiles/log_line.h"

#include <stdlib.h>
#include <string.h>

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
    *log = (struct log_file){0};
}

// ---- figures ------------------------------------------------------------------------------------

static double greater(double a, double b)
{
    return a > b ? a : b;
}

bool log_peaks_add(struct log_peak **peaks,
                   size_t *n,
                   size_t *room,
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
    if (line->is_running)
        clear_error(log);
    return log_peaks_add(&log->peaks, &log->n_peaks, &log->room, &peak);
}

static bool take_line(struct reading *r, char *text, size_t n)
{
    struct log_line line;
    r->line++;
    n = log_line_clean(text, n);
    log_line_read(text, n, &line);
    const size_t prefix = log_line_prefix(text, n);
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

static enum pps_status read_lines(struct reading *r,
                                  struct pps_text_source *source,
                                  char *buffer,
                                  struct pps_error *err)
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

enum pps_status log_file_read(struct log_file *log,
                              const char *path,
                              int32_t default_rank,
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
