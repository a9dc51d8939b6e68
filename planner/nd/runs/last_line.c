// SPDX-License-Identifier: Apache-2.0
// Logs of training frameworks: exceptions of Python, and messages about memory.
#include "planner/nd/runs/last_line.h"

#include "base/text/characters.h"

#include <ctype.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL = 256 << 10, LINE = 1024, MOST_FILES = 256 };

// PyTorch: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ...", "NPU out of memory".
// MindSpore: "Memory not enough: Device(id:0) memory isn't enough and alloc failed". CANN: EL0004.
static const char *const no_memory[] = {
    "out of memory",       "OutOfMemory", "Memory not enough",
    "memory isn't enough", "MemoryError", "EL0004",
};

static bool is_no_memory(const char *line)
{
    for (size_t k = 0; k < sizeof no_memory / sizeof *no_memory; k++)
        if (strcasestr(line, no_memory[k]) != NULL)
            return true;
    return false;
}

// Skips "[rank0]: ", "[default0]:" and the like.
static const char *skip_prefix(const char *line)
{
    while (line[0] == '[') {
        const char *end = strchr(line, ']');
        if (end == NULL || end - line > 40)
            break;
        line = end + 1 + (end[1] == ':');
        line += strspn(line, " ");
    }
    return line;
}

// "ValueError: text", "module.SomeException", not "UserWarning: text". A launcher's ChildFailedError
// hides the exception of its child.
static bool is_exception(const char *line)
{
    static const char *const ends[] = {"Error", "Exception", "Interrupt", "Exit"};
    char name[160];
    line = skip_prefix(line);
    const size_t n =
        strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    if (n == 0 || n >= sizeof name || (line[n] != '\0' && line[n] != ':') ||
        isdigit((unsigned char)line[0]))
        return false;
    memcpy(name, line, n);
    name[n] = '\0';
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (pps_ends_with(name, ends[k]) && strcmp(name, ends[k]) != 0)
            return !pps_ends_with(name, "ChildFailedError");
    return false;
}

// Copies a line without colours and without the earlier states of a progress bar.
static void clean(const char *from, size_t n, char line[LINE])
{
    size_t to = 0;
    for (size_t k = 0; k < n && to < LINE - 1; k++) {
        if (from[k] == '\033' && k + 1 < n && from[k + 1] == '[') {
            while (k < n && !isalpha((unsigned char)from[k]))
                k++;
        } else if (from[k] == '\r') {
            to = k + 1 < n ? 0 : to;
        } else {
            line[to++] = from[k] == '\t' || from[k] == '\0' ? ' ' : from[k];
        }
    }
    while (to > 0 && line[to - 1] == ' ')
        to--;
    line[to] = '\0';
    pps_make_printable(line);
}

static void consider(struct nd_last_line *best, const char *line)
{
    enum nd_line_kind kind = ND_LINE_PLAIN;
    const char *text = line + strspn(line, " ");
    if (*text == '\0')
        return;
    if (!best->plain && is_no_memory(text))
        kind = ND_LINE_NO_MEMORY;
    else if (!best->plain && is_exception(text))
        kind = ND_LINE_EXCEPTION;
    if (kind < best->kind || (kind == best->kind && kind == ND_LINE_NO_MEMORY))
        return;
    best->kind = kind;
    snprintf(best->text, sizeof best->text, "%.*s", (int)sizeof best->text - 1, text);
    pps_make_printable(best->text); // the last character may be cut
}

void nd_last_line_find(struct nd_last_line *best, const char *text, size_t n)
{
    char line[LINE];
    for (const char *at = text, *end = text + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((newline != NULL ? newline : end) - at);
        clean(at, length, line);
        consider(best, line);
        at += length + 1;
    }
}

void nd_last_line_read(struct nd_last_line *best, const char *log)
{
    struct stat info;
    const int fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = malloc(TAIL);
    if (fd >= 0 && text != NULL && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        const off_t from = info.st_size > TAIL ? info.st_size - TAIL : 0;
        const ssize_t n = pread(fd, text, TAIL, from);
        const char *start = text, *newline = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
        if (from > 0 && newline != NULL) // a part of a line
            start = newline + 1;
        if (n > 0)
            nd_last_line_find(best, start, (size_t)(text + n - start));
    }
    free(text);
    if (fd >= 0)
        close(fd);
}

static bool is_log(const char *name)
{
    return pps_ends_with(name, ".log") || pps_ends_with(name, ".txt") ||
           pps_ends_with(name, ".out") || pps_ends_with(name, ".err");
}

void nd_last_line_read_folder(struct nd_last_line *best, const char *folder, time_t since)
{
    char *copy = strdup(folder);
    char *const roots[] = {copy, NULL};
    FTS *files = copy != NULL ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    int n = 0;
    for (FTSENT *file; files != NULL && n < MOST_FILES && (file = fts_read(files)) != NULL;) {
        struct nd_last_line line = {.kind = ND_LINE_NONE};
        if (file->fts_info != FTS_F || !is_log(file->fts_name) ||
            file->fts_statp->st_mtime < since)
            continue;
        n++;
        nd_last_line_read(&line, file->fts_accpath);
        if (line.kind > best->kind)
            *best = line;
    }
    if (files != NULL)
        fts_close(files);
    free(copy);
}
