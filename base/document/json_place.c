// SPDX-License-Identifier: Apache-2.0
// Checks the bytes of a JSON document and reports errors.
#include "base/document/json_place.h"

#include "base/text/characters.h"

#include <stdio.h>

enum pps_status pps_json_fail_list(const struct pps_json *json,
                                   int line,
                                   int column,
                                   struct pps_error *err,
                                   const char *format,
                                   va_list args)
{
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, format, args);
    pps_make_printable(text);
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
    pps_find_place(json->text, at, &line, &column);
    va_start(args, format);
    status = pps_json_fail_list(json, line, column, err, format, args);
    va_end(args);
    return status;
}

enum pps_status pps_json_check_bytes(const struct pps_json *json, struct pps_error *err)
{
    for (size_t at = 0; at < json->n;) {
        size_t length = pps_utf8_length(json->text + at);
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
