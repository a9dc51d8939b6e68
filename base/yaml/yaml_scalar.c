// SPDX-License-Identifier: Apache-2.0
// Decides what a YAML scalar means: null, a boolean, a number or text.
#include "base/yaml/yaml_scalar.h"

#include "base/text/characters.h"
#include "base/text/number.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <yaml.h>

enum { NUMBER_MAX = 64 }; // characters
static const double WHOLE_END = 9007199254740992.0;

static bool is_null(const char *text)
{
    return *text == '\0' || pps_has_word("~ null Null NULL", text);
}

// As in PyYAML, which does not take y and n.
static bool is_true(const char *text)
{
    return pps_has_word("true True TRUE yes Yes YES on On ON", text);
}

static bool is_false(const char *text)
{
    return pps_has_word("false False FALSE no No NO off Off OFF", text);
}

// ---- numbers ------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Copies a number without underscores between digits. false: too long to be a number.
static bool copy_digits(const char *text, char *copy)
{
    size_t n = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] == '_' && i > 0 && text[i - 1] != '_' && text[i + 1] != '\0')
            continue;
        if (n + 1 >= NUMBER_MAX)
            return false;
        copy[n++] = text[i];
    }
    copy[n] = '\0';
    return true;
}

static int digit_of(char c)
{
    if (is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

// 0x1f, 0o17 and 0b11.
static bool read_with_base(const char *text, double *value)
{
    const bool minus = *text == '-';
    uint64_t sum = 0;
    text += *text == '-' || *text == '+';
    const int base = *text != '0'     ? 0
                     : text[1] == 'x' ? 16
                     : text[1] == 'o' ? 8
                     : text[1] == 'b' ? 2
                                      : 0;
    if (base == 0 || text[2] == '\0')
        return false;
    for (const char *c = text + 2; *c != '\0'; c++) {
        if (digit_of(*c) >= base || sum > (uint64_t)1 << 53)
            return false;
        sum = sum * (uint64_t)base + (uint64_t)digit_of(*c);
    }
    *value = minus ? -(double)sum : (double)sum;
    return (double)sum < WHOLE_END;
}

// A decimal number, without zeros before its first digit: 010 is 8 in YAML 1.1 and 10 in YAML 1.2.
static bool is_decimal(const char *text)
{
    text += *text == '-' || *text == '+';
    if (text[0] == '0' && is_digit(text[1]))
        return false;
    return is_digit(*text) || (*text == '.' && is_digit(text[1]));
}

static bool read_number(const char *text, double *value)
{
    char copy[NUMBER_MAX];
    if (strpbrk(text, "0123456789") == NULL || strpbrk(text, " \t\n") != NULL ||
        !copy_digits(text, copy))
        return false;
    if (read_with_base(copy, value))
        return true;
    if (!is_decimal(copy) || !number_text_read(copy, strlen(copy), value))
        return false;
    return strpbrk(copy, ".eE") != NULL || fabs(*value) < WHOLE_END;
}

cJSON *yaml_plain_value(const char *text)
{
    double x;
    if (is_null(text))
        return cJSON_CreateNull();
    if (is_true(text))
        return cJSON_CreateTrue();
    if (is_false(text))
        return cJSON_CreateFalse();
    if (read_number(text, &x))
        return cJSON_CreateNumber(x);
    return cJSON_CreateString(text);
}

// ---- tags ---------------------------------------------------------------------------------------

static cJSON *null_value(const char *text, const char **expected)
{
    *expected = is_null(text) ? NULL : "null";
    return *expected == NULL ? cJSON_CreateNull() : NULL;
}

static cJSON *boolean_value(const char *text, const char **expected)
{
    *expected = is_true(text) || is_false(text) ? NULL : "true or false";
    return *expected == NULL ? cJSON_CreateBool(is_true(text)) : NULL;
}

static cJSON *whole_value(const char *text, const char **expected)
{
    double x;
    *expected = read_number(text, &x) && x == floor(x) ? NULL : "a whole number below 2^53";
    return *expected == NULL ? cJSON_CreateNumber(x) : NULL;
}

// Text stays text if no double holds the number, as without a tag.
static cJSON *real_value(const char *text, const char **expected)
{
    double x;
    *expected = NULL;
    return read_number(text, &x) ? cJSON_CreateNumber(x) : cJSON_CreateString(text);
}

cJSON *yaml_tagged_value(const char *tag, const char *text, const char **expected)
{
    static const struct {
        const char *tag;
        cJSON *(*value)(const char *text, const char **expected);
    } tags[] = {
        {YAML_NULL_TAG, null_value},
        {YAML_BOOL_TAG, boolean_value},
        {YAML_INT_TAG, whole_value},
        {YAML_FLOAT_TAG, real_value},
    };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strcmp(tag, tags[i].tag) == 0)
            return tags[i].value(text, expected);
    *expected = NULL;
    return cJSON_CreateString(text);
}
