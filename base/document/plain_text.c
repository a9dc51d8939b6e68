// SPDX-License-Identifier: Apache-2.0
// Reads single values of plain documents: text in quotes, and words, which may be numbers.
#include "base/document/plain_private.h"
#include "base/text/characters.h"
#include "base/text/number.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- text in quotes -------------------------------------------------------------------------

static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Reads n hexadecimal digits at `at`; false: no n digits there.
static bool read_hex(const struct plain *p, size_t at, int n, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < n; i++) {
        const int digit = hex_of(p->text[at + (size_t)i]);
        if (digit < 0)
            return false;
        *code = *code * 16 + (uint32_t)digit;
    }
    return true;
}

// Reads \u and four digits, twice for a surrogate pair, or \U and eight digits.
static bool read_code(struct plain *p, char **out)
{
    const size_t start = p->at - 1;
    const int n = p->text[p->at] == 'u' ? 4 : 8;
    uint32_t code, low;
    bool whole = read_hex(p, p->at + 1, n, &code);
    if (whole)
        p->at += (size_t)n + 1;
    if (whole && code >= 0xd800 && code < 0xdc00 && strncmp(p->text + p->at, "\\u", 2) == 0 &&
        read_hex(p, p->at + 2, 4, &low) && low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        p->at += 6;
    }
    const size_t written = whole && code != 0 ? pps_utf8_write(*out, code) : 0;
    *out += written;
    return written > 0 || plain_fail(p, start, "not a valid Unicode escape");
}

static bool read_escape(struct plain *p, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char c = p->text[++p->at];
    const char *found = c != '\0' ? strchr(names, c) : NULL;
    if (c == 'u' || c == 'U')
        return read_code(p, out);
    if (found == NULL)
        return plain_fail(p, p->at - 1, "unknown escape; write \\\\ for a backslash");
    *(*out)++ = values[found - names];
    p->at++;
    return true;
}

static bool read_inside(struct plain *p, char quote, size_t start, char *out)
{
    for (;;) {
        const char c = p->text[p->at];
        if (c == '\0' || c == '\n')
            return plain_fail(p, start, "this text has no closing %c on its line", quote);
        if (c == '\\' && quote == '"') {
            if (!read_escape(p, &out))
                return false;
            continue;
        }
        if (c == quote)
            break;
        *out++ = c;
        p->at++;
    }
    p->at++;
    *out = '\0';
    return true;
}

char *plain_quoted(struct plain *p)
{
    const size_t start = p->at;
    const char quote = p->text[start];
    // An escape is never shorter than the bytes it encodes.
    char *text = malloc(strcspn(p->text + start, "\n") + 1);
    if (text == NULL) {
        plain_no_memory(p);
        return NULL;
    }
    if (p->text[start + 1] == quote && p->text[start + 2] == quote) {
        plain_fail(p, start, "multi-line text is not supported");
        free(text);
        return NULL;
    }
    p->at++;
    if (read_inside(p, quote, start, text))
        return text;
    free(text);
    return NULL;
}

// ---- words ----------------------------------------------------------------------------------

static bool is_one_of(const char *word, size_t n, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strlen(*words) == n && memcmp(*words, word, n) == 0)
            return true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

// Returns the length of the decimal number at the start of the text; 0: none.
static size_t number_length(const char *text)
{
    const char *c = text + (*text == '+' || *text == '-');
    const size_t n_whole = digits_at(c);
    size_t n_part = 0;
    c += n_whole;
    if (*c == '.') {
        n_part = digits_at(c + 1);
        c += 1 + n_part;
    }
    if (n_whole + n_part == 0)
        return 0;
    if (*c == 'e' || *c == 'E') {
        const size_t sign = c[1] == '+' || c[1] == '-';
        const size_t n = digits_at(c + 1 + sign);
        if (n == 0)
            return 0;
        c += 1 + sign + n;
    }
    return (size_t)(c - text);
}

static bool has_leading_zero(const char *text)
{
    text += *text == '+' || *text == '-';
    return text[0] == '0' && is_digit(text[1]);
}

static cJSON *number_value(struct plain *p, size_t at, const char *text, size_t n)
{
    double x;
    bool whole = strcspn(text, ".eE") == n;
    if (has_leading_zero(text)) {
        plain_fail(p, at, "a number cannot begin with 0; put text in quotes");
        return NULL;
    }
    if (!number_text_read(text, n, &x) ||
        (whole && (x >= 9007199254740992.0 || x <= -9007199254740992.0))) {
        plain_fail(p, at, "%s",
                   whole ? "whole numbers must be below 2^53" : "numbers must be finite");
        return NULL;
    }
    return plain_note(p, cJSON_CreateNumber(x), at);
}

// Copies the word with a NUL. false: not a number.
static bool copy_number(const char *word, size_t n, char *copy, size_t cap)
{
    if (n == 0 || n >= cap)
        return false;
    memcpy(copy, word, n);
    copy[n] = '\0';
    return number_length(copy) == n;
}

static cJSON *text_value(struct plain *p, size_t at, size_t n)
{
    char *copy = strndup(p->text + at, n);
    cJSON *item = copy != NULL ? cJSON_CreateString(copy) : NULL;
    free(copy);
    return plain_note(p, item, at);
}

cJSON *plain_word(struct plain *p, size_t at, size_t n)
{
    static const char *const nulls[] = {"null", "~", NULL}, *const truths[] = {"true", NULL},
                             *const lies[] = {"false", NULL},
                             *const loose_truths[] = {"True", "TRUE", NULL},
                             *const loose_lies[] = {"False", "FALSE", NULL};
    const char *word = p->text + at;
    char number[72];
    if (is_one_of(word, n, nulls))
        return plain_note(p, cJSON_CreateNull(), at);
    if (is_one_of(word, n, truths) || is_one_of(word, n, loose_truths))
        return plain_note(p, cJSON_CreateTrue(), at);
    if (is_one_of(word, n, lies) || is_one_of(word, n, loose_lies))
        return plain_note(p, cJSON_CreateFalse(), at);
    if (copy_number(word, n, number, sizeof number))
        return number_value(p, at, number, strlen(number));
    return text_value(p, at, n);
}
