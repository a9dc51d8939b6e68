// SPDX-License-Identifier: Apache-2.0
// Prints one-line messages: replaces control characters and line ends.
#include "base/text/say.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 16000 };

// Returns the number of bytes of the control character or line end at text: in ASCII, or in
// UTF-8 U+0080 to U+009F, U+2028 and U+2029. Returns 0 for other characters.
static size_t control_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (iscntrl(c[0]))
        return 1;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
        return 2;
    return c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

void pps_one_line(char *text)
{
    char *to = text;
    while (*text != '\0') {
        const size_t n = control_bytes(text);
        *to++ = n > 0 ? '?' : *text;
        text += n > 0 ? n : 1;
    }
    *to = '\0';
}

static void say(FILE *out, const char *end, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

// Prints in one write, so that lines of several processes do not mix.
static void say(FILE *out, const char *end, const char *format, va_list args)
{
    char line[LONGEST + 2];
    line[0] = '\0';
    vsnprintf(line, LONGEST, format, args);
    pps_one_line(line);
    strcat(line, end);
    fputs(line, out);
}

void pps_say(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(out, "\n", format, args);
    va_end(args);
}

void pps_say_part(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(out, "", format, args);
    va_end(args);
}

// ---- shell words ----------------------------------------------------------------------------

static bool is_plain(const char *word, size_t n)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-+=./:,@%";
    return n > 0 && strspn(word, safe) >= n;
}

static bool has_control(const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (control_bytes(word + i) > 0)
            return true;
    return false;
}

// 'it'\''s': no character has a special meaning in single quotes.
static void print_quoted(FILE *out, const char *word, size_t n)
{
    fputc('\'', out);
    for (size_t i = 0; i < n; i++)
        if (word[i] == '\'')
            fputs("'\\''", out);
        else
            fputc(word[i], out);
    fputc('\'', out);
}

static void print_escaped_byte(FILE *out, char byte, bool control)
{
    if (control && byte == '\n')
        fputs("\\n", out);
    else if (control)
        fprintf(out, "\\%03o", (unsigned)(unsigned char)byte);
    else
        fprintf(out, byte == '\'' || byte == '\\' ? "\\%c" : "%c", byte);
}

// $'two\nlines': control characters and line ends as octal numbers.
static void print_escaped(FILE *out, const char *word, size_t n)
{
    fputs("$'", out);
    for (size_t i = 0; i < n;) {
        const size_t control = control_bytes(word + i);
        for (size_t end = i + (control > 0 ? control : 1); i < end; i++)
            print_escaped_byte(out, word[i], control > 0);
    }
    fputc('\'', out);
}

void pps_say_word(FILE *out, const char *word, size_t n)
{
    n = strnlen(word, n);
    if (is_plain(word, n))
        fwrite(word, 1, n, out);
    else if (has_control(word, n))
        print_escaped(out, word, n);
    else
        print_quoted(out, word, n);
}
