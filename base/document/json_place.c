// SPDX-License-Identifier: Apache-2.0
// Locates bytes and characters in the text of a JSON document.
#include "base/document/json_place.h"

#include <stdbool.h>
#include <stdio.h>

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static bool ends_line(const struct pps_json *json, size_t at)
{
    char c = json->text[at];
    return c == '\n' || (c == '\r' && json->text[at + 1] != '\n');
}

void pps_json_position(const struct pps_json *json, size_t at, int *line, int *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < at && i < json->n; i++) {
        if (ends_line(json, i)) {
            (*line)++;
            *column = 1;
        } else if (!continues(json->text[i])) {
            (*column)++;
        }
    }
}

static void hide_controls(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

enum pps_status pps_json_fail_list(const struct pps_json *json,
                                   int line,
                                   int column,
                                   struct pps_error *err,
                                   const char *format,
                                   va_list args)
{
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, format, args);
    hide_controls(text);
    return pps_fail_at(err, PPS_E_INPUT, json->name, line, column, "%s", text);
}

enum pps_status pps_json_fail_byte(const struct pps_json *json,
                                   size_t at,
                                   struct pps_error *err,
                                   const char *format,
                                   ...)
{
    int line, column;
    enum pps_status status;
    va_list args;
    pps_json_position(json, at, &line, &column);
    va_start(args, format);
    status = pps_json_fail_list(json, line, column, err, format, args);
    va_end(args);
    return status;
}

// Returns the length by the first byte alone, or 0 if no character begins with it.
static size_t announced(unsigned char c)
{
    if (c < 0x80)
        return 1;
    if (c >= 0xc2 && c < 0xe0)
        return 2;
    if (c >= 0xe0 && c < 0xf0)
        return 3;
    return c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

size_t pps_utf8_length(const char *s, size_t n)
{
    unsigned char first = (unsigned char)s[0], second = n > 1 ? (unsigned char)s[1] : 0;
    size_t length = announced(first);
    if (length == 0 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if (!continues(s[i]))
            return 0;
    // Overlong forms, surrogates, and code points above U+10FFFF.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
        return 0;
    return length;
}

enum pps_status pps_json_check_bytes(const struct pps_json *json, struct pps_error *err)
{
    for (size_t at = 0; at < json->n;) {
        size_t length = pps_utf8_length(json->text + at, json->n - at);
        if (length == 0)
            return pps_json_fail_byte(json, at, err,
                                      "byte 0x%02x is not UTF-8; save the text as UTF-8",
                                      (unsigned)(unsigned char)json->text[at]);
        if (json->text[at] == '\0')
            return pps_json_fail_byte(json, at, err, "a NUL byte; remove it");
        at += length;
    }
    return PPS_OK;
}
