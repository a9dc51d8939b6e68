// SPDX-License-Identifier: Apache-2.0
// Reads TOML values without quotes: numbers, truth values, dates and times.
#include "base/document/plain_toml_private.h"
#include "base/text/number.h"

#include <stdlib.h>
#include <string.h>

static const double WHOLE_MAX = 9007199254740992.0; // 2^53

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

// ---- dates and times ----------------------------------------------------------------------------

// Reads n digits with a value from min to max, and moves on. false: none there.
static bool digits(const char **text, int n, int min, int max, int *value)
{
    *value = 0;
    for (int i = 0; i < n; i++, (*text)++) {
        if (!is_digit(**text))
            return false;
        *value = *value * 10 + (**text - '0');
    }
    return *value >= min && *value <= max;
}

static bool character(const char **text, char c)
{
    const bool found = **text == c;
    *text += found;
    return found;
}

static bool read_date(const char **text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (!digits(text, 4, 0, 9999, &year) || !character(text, '-') ||
        !digits(text, 2, 1, 12, &month) || !character(text, '-'))
        return false;
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return digits(text, 2, 1, days[month - 1] + (leap && month == 2), &day);
}

static bool read_time(const char **text)
{
    int value;
    if (!digits(text, 2, 0, 23, &value) || !character(text, ':') ||
        !digits(text, 2, 0, 59, &value))
        return false;
    if (!character(text, ':'))
        return true; // seconds are optional since TOML 1.1
    if (!digits(text, 2, 0, 60, &value))
        return false;
    if (!character(text, '.'))
        return true;
    const size_t n = strspn(*text, "0123456789");
    *text += n;
    return n > 0;
}

static bool read_offset(const char **text)
{
    int value;
    if (**text == 'Z' || **text == 'z') {
        (*text)++;
        return true;
    }
    if (**text != '+' && **text != '-')
        return true; // a local time
    (*text)++;
    return digits(text, 2, 0, 23, &value) && character(text, ':') &&
           digits(text, 2, 0, 59, &value);
}

// Returns the length of the date, time or both at the start of the text; 0: not a valid one.
static size_t moment_length(const char *text)
{
    const char *end = text;
    if (is_digit(text[0]) && is_digit(text[1]) && text[2] == ':')
        return read_time(&end) ? (size_t)(end - text) : 0;
    if (!read_date(&end))
        return 0;
    const bool time = *end == 'T' || *end == 't' || (*end == ' ' && is_digit(end[1]));
    if (!time)
        return (size_t)(end - text);
    end++;
    return read_time(&end) && read_offset(&end) ? (size_t)(end - text) : 0;
}

static bool looks_like_moment(const char *text)
{
    const size_t n = strspn(text, "0123456789");
    return (n == 4 && text[4] == '-') || (n == 2 && text[2] == ':');
}

// ---- numbers ------------------------------------------------------------------------------------

// Copies a word without the underscores between two digits. false: another underscore, or too long.
static bool copy_digits(const char *word, size_t n, const char *set, char *copy, size_t cap)
{
    size_t n_copy = 0;
    for (size_t i = 0; i < n; i++) {
        const bool between = i > 0 && i + 1 < n && strchr(set, word[i - 1]) != NULL &&
                             strchr(set, word[i + 1]) != NULL;
        if (word[i] == '_' && between)
            continue;
        if (word[i] == '_' || n_copy + 1 >= cap)
            return false;
        copy[n_copy++] = word[i];
    }
    copy[n_copy] = '\0';
    return true;
}

// Returns the length of the decimal number at the start of the text; 0: none.
static size_t decimal_length(const char *text)
{
    const char *c = text + (*text == '+' || *text == '-');
    size_t n = strspn(c, "0123456789");
    if (n == 0)
        return 0;
    c += n;
    if (*c == '.') {
        n = strspn(c + 1, "0123456789");
        if (n == 0)
            return 0;
        c += 1 + n;
    }
    if (*c == 'e' || *c == 'E') {
        c += 1 + (c[1] == '+' || c[1] == '-');
        n = strspn(c, "0123456789");
        if (n == 0)
            return 0;
        c += n;
    }
    return (size_t)(c - text);
}

// Reads 0x, 0o and 0b numbers. false: not a number of this form.
static bool read_prefixed(const char *word, size_t n, double *value)
{
    static const char digits_of[] = "0123456789abcdefABCDEF";
    char copy[320], set[sizeof digits_of];
    const int base = word[1] == 'x' ? 16 : word[1] == 'o' ? 8 : word[1] == 'b' ? 2 : 0;
    if (n < 3 || word[0] != '0' || base == 0)
        return false;
    memcpy(set, digits_of, sizeof set);
    if (base < 16)
        set[base] = '\0';
    if (!copy_digits(word + 2, n - 2, set, copy, sizeof copy) ||
        strspn(copy, set) != strlen(copy))
        return false;
    *value = 0;
    for (const char *c = copy; *c != '\0'; c++) {
        const char *found = strchr(digits_of, *c);
        *value =
            *value * base + (double)((found - digits_of) - (found - digits_of > 15 ? 6 : 0));
    }
    return true;
}

static bool is_special(const char *word, size_t n)
{
    const size_t sign = n > 0 && (*word == '+' || *word == '-');
    return is_word(word + sign, n - sign, "inf") || is_word(word + sign, n - sign, "nan");
}

static cJSON *made(struct plain *p, cJSON *item)
{
    if (item == NULL)
        plain_no_memory(p);
    return item;
}

static cJSON *as_text(struct plain *p, const char *word, size_t n)
{
    char *copy = strndup(word, n);
    cJSON *item = copy != NULL ? cJSON_CreateString(copy) : NULL;
    free(copy);
    return made(p, item);
}

// Returns a number of n bytes; NULL without a fault: not a number.
static cJSON *as_number(struct plain *p, const char *word, size_t n)
{
    char copy[512];
    double value;
    bool whole = true;
    if (is_special(word, n))
        return as_text(p, word, n);
    if (!read_prefixed(word, n, &value)) {
        if (!copy_digits(word, n, "0123456789", copy, sizeof copy) ||
            decimal_length(copy) != strlen(copy) || *copy == '\0')
            return NULL;
        const char *first = copy + (*copy == '+' || *copy == '-');
        if (first[0] == '0' && is_digit(first[1])) {
            plain_fail(p, p->at, "a number cannot begin with 0; put text in quotes");
            return NULL;
        }
        whole = strcspn(copy, ".eE") == strlen(copy);
        if (!number_text_read(copy, strlen(copy), &value))
            return as_text(p, word, n);
    }
    return whole && (value >= WHOLE_MAX || value <= -WHOLE_MAX)
               ? as_text(p, word, n)
               : made(p, cJSON_CreateNumber(value));
}

// ---- all ----------------------------------------------------------------------------------------

static size_t word_length(const char *word)
{
    return strcspn(word, " \t\n#,]}=");
}

static cJSON *make_word(struct plain *p, const char *word, size_t n)
{
    if (is_word(word, n, "true") || is_word(word, n, "false"))
        return made(p, cJSON_CreateBool(*word == 't'));
    return looks_like_moment(word) ? as_text(p, word, n) : as_number(p, word, n);
}

static void refuse(struct plain *p, const char *word)
{
    const size_t n = word_length(word);
    if (n == 0)
        plain_fail(p, p->at, "a value is missing");
    else if (looks_like_moment(word))
        plain_fail(p, p->at, "not a valid date or time; put text in quotes");
    else
        plain_fail(p, p->at, "\"%.*s\": text needs quotes", n < 40 ? (int)n : 40, word);
}

cJSON *toml_word(struct plain *p)
{
    const char *word = p->text + p->at;
    const size_t n = looks_like_moment(word) ? moment_length(word) : word_length(word);
    const size_t i_place = p->doc->n_places;
    p->fault->text[0] = '\0';
    cJSON *item = n > 0 ? make_word(p, word, n) : NULL;
    if (item == NULL) {
        if (p->fault->text[0] == '\0')
            refuse(p, word);
        return NULL;
    }
    item = plain_note(p, item, p->at);
    p->at += n;
    if (item != NULL)
        p->doc->places[i_place].value_end = p->at;
    return item;
}
