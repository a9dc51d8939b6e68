// SPDX-License-Identifier: Apache-2.0
// Breaks lines at blanks.
#include "engine/command/wrap.h"

#include "base/text/characters.h"
#include "base/text/text_buffer.h"

#include <string.h>

// Returns the bytes of the words at the start of n bytes that fit into `columns`; at least one word.
static size_t fitting(const char *text, size_t n, size_t columns)
{
    size_t fits = 0;
    for (size_t end = 0; end <= n; end++) {
        if (end < n && text[end] != ' ')
            continue;
        if (fits > 0 && pps_utf8_count(text, end) > columns)
            return fits;
        fits = end;
    }
    return n;
}

static void print_words(FILE *out, const char *text, size_t n, size_t at, size_t indent)
{
    for (;;) {
        const size_t fits = fitting(text, n, PPS_WRAP_WIDTH - at);
        fprintf(out, "%.*s\n", (int)fits, text);
        if (fits == n)
            return;
        text += fits + 1;
        n -= fits + 1;
        fprintf(out, "%*s", (int)indent, "");
        at = indent;
    }
}

void pps_wrap_print(FILE *out, const char *text, size_t at, size_t indent)
{
    print_words(out, text, strlen(text), at, indent);
}

// Prints a command whose lines a shell joins. Its first `start` bytes are blanks.
static void print_command(FILE *out, const char *line, size_t n, size_t start)
{
    enum { BACKSLASH = 2, INDENT = 4 };
    size_t at = start;
    fprintf(out, "%.*s", (int)start, line);
    for (size_t done = start, fits; done < n; done += fits + 1, at = start + INDENT) {
        fits = fitting(line + done, n - done, PPS_WRAP_WIDTH - at);
        if (fits < n - done)
            fits = fitting(line + done, n - done, PPS_WRAP_WIDTH - at - BACKSLASH);
        fprintf(out, "%*s%.*s%s\n", done > start ? INDENT + (int)start : 0, "", (int)fits,
                line + done, done + fits < n ? " \\" : "");
    }
}

// Prints an indented line. The text of "  name  text" gets further lines below itself.
static void print_indented(FILE *out, const char *line, size_t n)
{
    const size_t start = strspn(line, " ");
    size_t text = start;
    while (text < n && !(text > start && line[text - 1] == ' ' && line[text] != ' ' &&
                         line[text - 2] == ' '))
        text++;
    if (pps_utf8_count(line, n) <= PPS_WRAP_WIDTH) {
        fprintf(out, "%.*s\n", (int)n, line);
        return;
    }
    if (text == n) {
        print_command(out, line, n, start);
        return;
    }
    const size_t at = pps_utf8_count(line, text);
    fprintf(out, "%.*s", (int)text, line);
    print_words(out, line + text, n - text, at, at);
}

void pps_wrap_paragraphs(FILE *out, const char *text)
{
    struct text_buffer line = {.text = NULL}; // what is left of the lines before, and this one
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        const char *next = text + n + (text[n] == '\n');
        const bool prose = n > 0 && text[0] != ' ',
                   more = *next != '\0' && *next != '\n' && *next != ' ';
        if (!prose)
            print_indented(out, text, n);
        else
            text_buffer_add(&line, "%s%.*s", line.n > 0 ? " " : "", (int)n, text);
        text = next;
        if (!prose || line.failed)
            continue;
        const size_t fits = fitting(line.text, line.n, PPS_WRAP_WIDTH);
        if (fits == line.n || !more) {
            print_words(out, line.text, line.n, 0, 0);
            text_buffer_clear(&line);
            continue;
        }
        fprintf(out, "%.*s\n", (int)fits, line.text);
        memmove(line.text, line.text + fits + 1, line.n - fits);
        line.n -= fits + 1;
    }
    text_buffer_free(&line);
}
