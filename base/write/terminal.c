// SPDX-License-Identifier: Apache-2.0
// Replaces control characters.
#include "base/write/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>

struct terminal {
    FILE *out;
    bool after_c2; // the last byte began a character of U+0080 to U+00BF
};

static void put(struct terminal *t, unsigned char c)
{
    const bool second = t->after_c2 && c >= 0x80 && c <= 0x9f; // U+0080 to U+009F are controls
    if (t->after_c2 && !second)
        putc(0xc2, t->out);
    t->after_c2 = c == 0xc2;
    if (!t->after_c2)
        putc(second || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? '?' : c, t->out);
}

static ssize_t write_printable(void *cookie, const char *data, size_t n)
{
    struct terminal *t = cookie;
    for (size_t i = 0; i < n; i++)
        put(t, (unsigned char)data[i]);
    return ferror(t->out) ? 0 : (ssize_t)n;
}

static int close_terminal(void *cookie)
{
    struct terminal *t = cookie;
    if (t->after_c2)
        putc(0xc2, t->out);
    const int rc = fflush(t->out);
    free(t);
    return rc;
}

FILE *pps_terminal_open(FILE *out)
{
    struct terminal *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->out = out;
    FILE *file = fopencookie(
        t, "w", (cookie_io_functions_t){NULL, write_printable, NULL, close_terminal});
    if (file == NULL)
        free(t);
    return file;
}
