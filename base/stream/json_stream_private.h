// SPDX-License-Identifier: Apache-2.0
// The buffer of a JSON stream and the tokens with text.
#pragma once

#include "base/stream/json_stream.h"
#include "base/system/text_reader.h"

enum { JSON_STREAM_BUFFER = 256 << 10 };

struct json_stream_place {
    uint64_t line, column; // line from 1; characters of the line before the place
};

struct pps_json_stream {
    char *name;
    struct pps_text_source *source;
    size_t at, end;                   // unread bytes of the buffer
    size_t counted;                   // the byte of the buffer at `place`
    struct json_stream_place place;   // of buffer[counted]
    size_t begin;                     // of the last token, if begin_is_here
    struct json_stream_place started; // of the last token otherwise
    bool begin_is_here;
    bool at_end;      // of the file
    bool is_skipping; // texts are checked but not kept
    int expected;     // see json_stream.c
    int depth;
    enum pps_json_token last;
    bool in_object[PPS_JSON_STREAM_DEEPEST];
    size_t n_text;
    char text[PPS_JSON_STREAM_TEXT + 8];
    char buffer[JSON_STREAM_BUFFER];
};

// Refills the buffer if all its bytes are read. *c is the next byte, or -1 at the end of the file;
// the byte is not consumed.
PPS_MUST_CHECK enum pps_status json_stream_peek(struct pps_json_stream *s, int *c,
                                                struct pps_error *err);

// Fills err with the place of the next byte and the message.
enum pps_status json_stream_fail_here(struct pps_json_stream *s, struct pps_error *err,
                                      const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Reports the end of the file within the document.
enum pps_status json_stream_fail_end(struct pps_json_stream *s, struct pps_error *err);

// Read the token whose first byte is next, into s->text.
PPS_MUST_CHECK enum pps_status json_stream_string(struct pps_json_stream *s,
                                                  struct pps_error *err);
PPS_MUST_CHECK enum pps_status json_stream_word(struct pps_json_stream *s,
                                                enum pps_json_token *token,
                                                struct pps_error *err);
