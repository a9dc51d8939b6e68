// SPDX-License-Identifier: Apache-2.0
// Reads text of TOML documents: "basic", 'literal', and both on several lines in three quotes.
#include "base/document/plain_toml_private.h"
#include "base/text/characters.h"
#include "base/text/text_buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- escapes ------------------------------------------------------------------------------------

static int hex_of(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (int)((found - digits) % 16) : -1;
}

// Reads the character with n hexadecimal digits after the letter at p->at. U+0000 becomes U+FFFD, as
// text in the tree cannot hold it.
static bool read_code(struct plain *p, int n, struct text_buffer *out)
{
    const size_t start = p->at - 1;
    uint32_t code = 0;
    char bytes[8];
    p->at++;
    for (int i = 0; i < n; i++, p->at++) {
        const int digit = hex_of(p->text[p->at]);
        if (digit < 0)
            return plain_fail(p, start, "expected %d hexadecimal digits after \\%c", n,
                              p->text[start + 1]);
        code = code * 16 + (uint32_t)digit;
    }
    const size_t length = pps_utf8_write(bytes, code == 0 ? 0xfffd : code);
    text_buffer_add_bytes(out, bytes, length);
    return length > 0 || plain_fail(p, start, "not a valid Unicode escape");
}

// Skips a line break that a backslash hides, and all blanks and line breaks after it. false: the
// backslash does not end its line.
static bool skip_line_break(struct plain *p)
{
    size_t end = p->at + 1;
    end += strspn(p->text + end, " \t");
    if (p->text[end] != '\n')
        return false;
    p->at = end + strspn(p->text + end, " \t\n");
    return true;
}

static bool read_escape(struct plain *p, bool lines, struct text_buffer *out)
{
    static const char names[] = "\"\\bfnrte", values[] = "\"\\\b\f\n\r\t\x1b";
    if (lines && skip_line_break(p))
        return true;
    const char c = p->text[++p->at];
    if (c == 'u' || c == 'U' || c == 'x')
        return read_code(p, c == 'u' ? 4 : c == 'U' ? 8 : 2, out);
    const char *found = c != '\0' ? strchr(names, c) : NULL;
    if (found == NULL)
        return plain_fail(p, p->at - 1,
                          "unknown escape; write \\\\ for a backslash, or text in single "
                          "quotes");
    text_buffer_add_bytes(out, values + (found - names), 1);
    p->at++;
    return true;
}

// ---- text in quotes -----------------------------------------------------------------------------

// Returns the number of quotes at p->at, at most `most`.
static size_t quotes_at(const struct plain *p, char quote, size_t most)
{
    size_t n = 0;
    while (n < most && p->text[p->at + n] == quote)
        n++;
    return n;
}

static bool read_one_line(struct plain *p, char quote, struct text_buffer *out)
{
    const size_t start = p->at++;
    while (p->text[p->at] != quote) {
        const char c = p->text[p->at];
        if (c == '\0' || c == '\n')
            return plain_fail(p, start, "this text has no closing %c on its line", quote);
        if (c == '\\' && quote == '"') {
            if (!read_escape(p, false, out))
                return false;
            continue;
        }
        text_buffer_add_bytes(out, &c, 1);
        p->at++;
    }
    p->at++;
    return true;
}

// Text ends at three quotes; up to two more quotes before them belong to the text.
static bool read_lines(struct plain *p, char quote, struct text_buffer *out)
{
    const size_t start = p->at;
    p->at += 3;
    p->at += p->text[p->at] == '\n'; // not part of the text
    for (;;) {
        const char c = p->text[p->at];
        const size_t n = quotes_at(p, quote, 5);
        if (c == '\0')
            return plain_fail(p, start, "this text has no closing %c%c%c", quote, quote, quote);
        if (c == '\\' && quote == '"') {
            if (!read_escape(p, true, out))
                return false;
            continue;
        }
        const size_t n_text = n >= 3 ? n - 3 : n > 0 ? n : 1;
        text_buffer_add_bytes(out, p->text + p->at, n_text);
        p->at += n >= 3 ? n : n_text;
        if (n >= 3)
            return true;
    }
}

static char *finish(struct plain *p, bool ok, struct text_buffer *out)
{
    text_buffer_add_bytes(out, "", 0);
    if (ok && out->failed)
        plain_no_memory(p);
    if (ok && !out->failed)
        return out->text;
    text_buffer_free(out);
    return NULL;
}

char *toml_key_text(struct plain *p)
{
    struct text_buffer out = {.text = NULL};
    const char quote = p->text[p->at];
    if (quotes_at(p, quote, 3) == 3) {
        plain_fail(p, p->at, "a key cannot be text on several lines");
        return NULL;
    }
    return finish(p, read_one_line(p, quote, &out), &out);
}

char *toml_text(struct plain *p)
{
    struct text_buffer out = {.text = NULL};
    const char quote = p->text[p->at];
    const bool ok = quotes_at(p, quote, 3) == 3 ? read_lines(p, quote, &out)
                                                : read_one_line(p, quote, &out);
    return finish(p, ok, &out);
}
