// SPDX-License-Identifier: Apache-2.0
// Filling and printing the error record.
#include "status.h"

#include <ctype.h>
#include <errno.h>
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

static void fill(struct pps_error *err,
                 enum pps_status code,
                 const char *file,
                 int line,
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

enum pps_status pps_fail_at(struct pps_error *err,
                            enum pps_status code,
                            const char *file,
                            int line,
                            int column,
                            const char *format,
                            ...)
{
    va_list args;
    fill(err, code, file, line, column);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

enum pps_status pps_fail_errno(struct pps_error *err, const char *what, const char *path)
{
    const char *why = strerror(errno);
    return pps_fail(err, PPS_E_MACHINE, "%s %s: %s", what, path, why);
}

// Bytes of the control character or line end that begins here: in ASCII, or in UTF-8 one of
// U+0080 to U+009F, U+2028 and U+2029; 0: none does.
static size_t control_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (iscntrl(c[0]))
        return 1;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
        return 2;
    return c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

// A name that was given may hold anything; a message is one line.
static void make_printable(char *text)
{
    char *to = text;
    while (*text != '\0') {
        const size_t n = control_bytes(text);
        *to++ = n > 0 ? '?' : *text;
        text += n > 0 ? n : 1;
    }
    *to = '\0';
}

void pps_error_print(const struct pps_error *err)
{
    char place[640] = "", text[sizeof err->text];
    if (err->file[0] != '\0' && err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", err->file, err->line, err->column);
    else if (err->file[0] != '\0' && err->line > 0)
        snprintf(place, sizeof place, "%s:%d: ", err->file, err->line);
    else if (err->file[0] != '\0')
        snprintf(place, sizeof place, "%s: ", err->file);
    snprintf(text, sizeof text, "%s", err->text);
    make_printable(place);
    make_printable(text);
    fprintf(stderr, "ppsweep: %s%s\n", place, text);
}
