// SPDX-License-Identifier: Apache-2.0
// The JSON stream reads a document of any size token by token, in constant memory (about 700 KiB).
// Plain and gzip files. It accepts RFC 8259 and, because programs write them: NaN, Infinity, nan, inf
// with and without a sign as numbers, control characters other than line ends in strings, invalid
// UTF-8 in strings, and halves of surrogate pairs (U+FFFD in the text). Repeated keys are not
// detected.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pps_json_token {
    PPS_JSON_END, // of the document
    PPS_JSON_OBJECT,
    PPS_JSON_OBJECT_END,
    PPS_JSON_ARRAY,
    PPS_JSON_ARRAY_END,
    PPS_JSON_KEY,
    PPS_JSON_STRING,
    PPS_JSON_NUMBER,
    PPS_JSON_TRUE,
    PPS_JSON_FALSE,
    PPS_JSON_NULL,
};

enum {
    PPS_JSON_STREAM_DEEPEST = 256,   // open brackets
    PPS_JSON_STREAM_TEXT = 64 << 10, // bytes of a string that are kept
};

struct pps_json_stream;

// The last token.
struct pps_json_piece {
    enum pps_json_token token;
    // Of a key, string or number: its text without escapes, followed by NUL. Valid until the next
    // call. A longer string keeps its first PPS_JSON_STREAM_TEXT bytes.
    const char *text;
    size_t n;
    int depth; // open brackets around the token; brackets do not count themselves
};

// Opens a file ("-": stdin). A byte-order mark is skipped. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_json_stream_open(struct pps_json_stream **stream,
                                                    const char *path, struct pps_error *err);
void pps_json_stream_close(struct pps_json_stream *stream); // NULL is allowed

// Reads the next token. PPS_E_INPUT with line and column for anything that is not JSON.
PPS_MUST_CHECK enum pps_status pps_json_stream_next(struct pps_json_stream *stream,
                                                    struct pps_json_piece *piece,
                                                    struct pps_error *err);

// Skips the value behind the last key, or the rest of the object or array that the last token began.
// Checks the skipped text like other text.
PPS_MUST_CHECK enum pps_status pps_json_stream_skip(struct pps_json_stream *stream,
                                                    struct pps_error *err);

// Fills err with the place of the last token and the message; returns PPS_E_INPUT.
enum pps_status pps_json_stream_fail(struct pps_json_stream *stream, struct pps_error *err,
                                     const char *format, ...)
    __attribute__((format(printf, 3, 4)));
