// SPDX-License-Identifier: Apache-2.0
// Checks one JSON token strictly. Refuses tokens that cJSON accepts: numbers that it would
// round or make infinite, and characters that a C string cannot hold.
#include "base/document/json_private.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER 63 // cJSON's own limit
#define SHOWN          40 // maximum characters of a token in an error
#define WHOLE_LIMIT    0x1p53

// ---- strings -------------------------------------------------------------------------------

// Returns the value of the four hexadecimal digits at `at`, or -1 if they are missing.
static int32_t hex4(const struct pps_json *json, size_t at)
{
    int32_t value = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = i < json->n ? json->text[i] : ' ';
        if (!isxdigit((unsigned char)c))
            return -1;
        value = value * 16 + (isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static bool is_escape(const struct pps_json *json, size_t at)
{
    return at + 1 < json->n && json->text[at] == '\\' && json->text[at + 1] == 'u';
}

// Checks an escape \uXXXX; *at is its backslash.
static enum pps_status unicode_escape(const struct pps_json *json, size_t *at,
                                      struct pps_error *err)
{
    int32_t code = hex4(json, *at + 2), low;
    if (code < 0)
        return pps_json_fail_byte(json, *at, err,
                                  "\\u must be followed by four hexadecimal digits");
    if (code == 0)
        return pps_json_fail_byte(json, *at, err, "\\u0000 cannot be part of a text");
    if (code >= 0xd800 && code < 0xe000) {
        low = is_escape(json, *at + 6) ? hex4(json, *at + 8) : -1;
        if (code >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
            return pps_json_fail_byte(json, *at, err,
                                      "half a surrogate pair; write the character itself");
        *at += 6;
    }
    *at += 6;
    return PPS_OK;
}

static enum pps_status escape(const struct pps_json *json, size_t *at, struct pps_error *err)
{
    char c = *at + 1 < json->n ? json->text[*at + 1] : ' ';
    if (c == 'u')
        return unicode_escape(json, at, err);
    if (strchr("\"\\/bfnrt", c) == NULL)
        return pps_json_fail_byte(json, *at, err, "unknown escape; write \\\\ for a backslash");
    *at += 2;
    return PPS_OK;
}

enum pps_status pps_json_string(const struct pps_json *json, size_t *at, struct pps_error *err)
{
    size_t open_at = *at;
    enum pps_status status = PPS_OK;
    (*at)++;
    while (*at < json->n && json->text[*at] != '"' && status == PPS_OK) {
        unsigned char c = (unsigned char)json->text[*at];
        if (c == '\n' || c == '\r')
            break;
        if (c < 0x20)
            return pps_json_fail_byte(json, *at, err,
                                      "control character 0x%02x in a string; write \\u%04x",
                                      (unsigned)c, (unsigned)c);
        if (c == '\\')
            status = escape(json, at, err);
        else
            (*at)++;
    }
    if (status != PPS_OK)
        return status;
    if (*at == json->n || json->text[*at] != '"')
        return pps_json_fail_byte(json, open_at, err,
                                  "the string that begins here does not end on its line; "
                                  "write \" at its end, and \\n for a new line in it");
    (*at)++;
    return PPS_OK;
}

// ---- numbers -------------------------------------------------------------------------------

struct token {
    const char *s;
    size_t n;
    int shown; // characters to show in an error, at most SHOWN
};

// Returns the longest run of characters that numbers and words consist of.
static struct token token_at(const struct pps_json *json, size_t at)
{
    struct token t = {json->text + at, 0, 0};
    while (at + t.n < json->n &&
           (isalnum((unsigned char)t.s[t.n]) || (t.s[t.n] != '\0' && strchr("_+-.", t.s[t.n]))))
        t.n++;
    t.shown = t.n < SHOWN ? (int)t.n : SHOWN;
    return t;
}

static size_t digits(struct token t, size_t from)
{
    size_t n = 0;
    while (from + n < t.n && isdigit((unsigned char)t.s[from + n]))
        n++;
    return n;
}

// Reports a number without a digit in its integer part, which starts at `from`.
static enum pps_status no_digit(const struct pps_json *json, struct token t, size_t from,
                                struct pps_error *err)
{
    size_t at = (size_t)(t.s - json->text);
    if (from < t.n && t.s[from] == '.' && digits(t, from + 1) > 0)
        return pps_json_fail_byte(
            json, at, err, "%.*s: a number begins with a digit; write %.*s0%.*s", t.shown, t.s,
            (int)from, t.s, t.shown - (int)from, t.s + from);
    if (t.s[0] == '+' && digits(t, 1) > 0)
        return pps_json_fail_byte(json, at, err, "%.*s: a number has no plus sign; write %.*s",
                                  t.shown, t.s, t.shown - 1, t.s + 1);
    if (t.n - from >= 3 &&
        (strncasecmp(t.s + from, "inf", 3) == 0 || strncasecmp(t.s + from, "nan", 3) == 0))
        return pps_json_fail_byte(json, at, err, "%.*s is not a finite number", t.shown, t.s);
    return pps_json_fail_byte(json, at, err, "%.*s is not a number", t.shown, t.s);
}

static enum pps_status leading_zero(const struct pps_json *json, struct token t, size_t from,
                                    struct pps_error *err)
{
    size_t zeros = 0;
    while (t.s[from + zeros] == '0' && digits(t, from + zeros) > 1)
        zeros++;
    return pps_json_fail_byte(json, (size_t)(t.s - json->text), err,
                              "%.*s: a number has no leading zero; write %.*s%.*s", t.shown,
                              t.s, (int)from, t.s, (int)(t.n - from - zeros),
                              t.s + from + zeros);
}

// Checks the form [-] integer [. digits] [e [sign] digits], with nothing after it.
static enum pps_status number_form(const struct pps_json *json, struct token t, bool *whole,
                                   struct pps_error *err)
{
    size_t at = (size_t)(t.s - json->text), from = t.s[0] == '-', n = digits(t, from), i;
    if (n == 0)
        return no_digit(json, t, from, err);
    if (n > 1 && t.s[from] == '0')
        return leading_zero(json, t, from, err);
    i = from + n;
    *whole = i == t.n;
    if (i < t.n && t.s[i] == '.') {
        n = digits(t, i + 1);
        if (n == 0)
            return pps_json_fail_byte(json, at, err,
                                      "%.*s: digits are missing after the point; write %.*s.0",
                                      t.shown, t.s, (int)i, t.s);
        i += 1 + n;
    }
    if (i < t.n && (t.s[i] == 'e' || t.s[i] == 'E')) {
        i += i + 1 < t.n && (t.s[i + 1] == '+' || t.s[i + 1] == '-') ? 2 : 1;
        n = digits(t, i);
        if (n == 0)
            return pps_json_fail_byte(json, at, err, "%.*s: digits are missing in the exponent",
                                      t.shown, t.s);
        i += n;
    }
    if (i < t.n)
        return pps_json_fail_byte(json, at, err, "%.*s is not a number", t.shown, t.s);
    return PPS_OK;
}

// Returns true if all digits before the exponent are 0.
static bool means_zero(struct token t)
{
    size_t n = 0;
    while (n < t.n && t.s[n] != 'e' && t.s[n] != 'E' && (t.s[n] < '1' || t.s[n] > '9'))
        n++;
    return n == t.n || t.s[n] == 'e' || t.s[n] == 'E';
}

static enum pps_status number_value(const struct pps_json *json, struct token t, bool whole,
                                    struct pps_error *err)
{
    size_t at = (size_t)(t.s - json->text);
    char copy[LONGEST_NUMBER + 1];
    double value;
    if (t.n > LONGEST_NUMBER)
        return pps_json_fail_byte(json, at, err, "a number of %zu digits; write at most %d",
                                  t.n, LONGEST_NUMBER);
    memcpy(copy, t.s, t.n);
    copy[t.n] = '\0';
    value = strtod(copy, NULL);
    if (!isfinite(value))
        return pps_json_fail_byte(json, at, err, "%s is not a finite number", copy);
    if (whole && fabs(value) >= WHOLE_LIMIT)
        return pps_json_fail_byte(json, at, err, "%s is above 2^53 and would be rounded", copy);
    if (value == 0 && !means_zero(t))
        return pps_json_fail_byte(json, at, err, "%s is too small and would become 0", copy);
    return PPS_OK;
}

enum pps_status pps_json_number(const struct pps_json *json, size_t *at, struct pps_error *err)
{
    struct token t = token_at(json, *at);
    bool whole = false;
    enum pps_status status = number_form(json, t, &whole, err);
    if (status != PPS_OK)
        return status;
    *at += t.n;
    return number_value(json, t, whole, err);
}

// ---- words ---------------------------------------------------------------------------------

enum pps_status pps_json_word(const struct pps_json *json, size_t *at, struct pps_error *err)
{
    static const char *const words[] = {"true", "false", "null"};
    struct token t = token_at(json, *at);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (t.n != strlen(words[i]) || strncasecmp(t.s, words[i], t.n) != 0)
            continue;
        if (memcmp(t.s, words[i], t.n) != 0)
            return pps_json_fail_byte(json, *at, err, "%.*s: write %s", t.shown, t.s, words[i]);
        *at += t.n;
        return PPS_OK;
    }
    if ((t.n == 3 && strncasecmp(t.s, "nan", 3) == 0) ||
        (t.n == 3 && strncasecmp(t.s, "inf", 3) == 0) ||
        (t.n == 8 && strncasecmp(t.s, "infinity", 8) == 0))
        return pps_json_fail_byte(json, *at, err, "%.*s is not a finite number", t.shown, t.s);
    return pps_json_fail_byte(json, *at, err,
                              "text is written in double quotes: write \"%.*s\"", t.shown, t.s);
}
