// SPDX-License-Identifier: Apache-2.0
// Fills and prints the error record.
#include "base/text/status.h"

#include "base/text/say.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

int pps_exit_status(enum pps_status code)
{
    static const int exit_status[] = {
#define PPS_STATUS_EXIT(code, status, sentence) [code] = (status),
        PPS_STATUS_LIST(PPS_STATUS_EXIT)
#undef PPS_STATUS_EXIT
    };
    return exit_status[code];
}

static void fill(struct pps_error *err, enum pps_status code, const char *file, int line,
                 int column)
{
    err->code = code;
    snprintf(err->file, sizeof err->file, "%s", file);
    err->line = line;
    err->column = column;
}

enum pps_status pps_fail(struct pps_error *err, enum pps_status code, const char *format, ...)
{
    va_list args;
    fill(err, code, "", 0, 0);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

enum pps_status pps_fail_at(struct pps_error *err, enum pps_status code, const char *file,
                            int line, int column, const char *format, ...)
{
    va_list args;
    fill(err, code, file, line, column);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

enum pps_status pps_fail_memory(struct pps_error *err, const char *format, ...)
{
    static const char start[] = "out of memory for ";
    va_list args;
    pps_memory_note();
    fill(err, PPS_E_MACHINE, "", 0, 0);
    memcpy(err->text, start, sizeof start);
    va_start(args, format);
    vsnprintf(err->text + sizeof start - 1, sizeof err->text - sizeof start + 1, format, args);
    va_end(args);
    return PPS_E_MACHINE;
}

enum pps_status pps_fail_errno(struct pps_error *err, const char *what, const char *path)
{
    const char *why = strerror(errno);
    return pps_fail(err, PPS_E_MACHINE, "%s %s: %s", what, path, why);
}

void pps_error_print(const struct pps_error *err)
{
    char place[640] = "";
    if (err->file[0] != '\0' && err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", err->file, err->line, err->column);
    else if (err->file[0] != '\0' && err->line > 0)
        snprintf(place, sizeof place, "%s:%d: ", err->file, err->line);
    else if (err->file[0] != '\0')
        snprintf(place, sizeof place, "%s: ", err->file);
    pps_say(stderr, "ppsweep: %s%s", place, err->text);
}

// ---- memory -----------------------------------------------------------------------------------

// The memory that fails belongs to the process, and so does the count of failures.
static atomic_long failures, at_begin;

void pps_memory_note(void)
{
    atomic_fetch_add(&failures, 1);
}

long pps_memory_failures(void)
{
    return atomic_load(&failures);
}

void pps_memory_begin(void)
{
    atomic_store(&at_begin, atomic_load(&failures));
}

bool pps_memory_failed(void)
{
    return atomic_load(&failures) != atomic_load(&at_begin);
}
