// SPDX-License-Identifier: Apache-2.0
// Reads a JSON document token by token: a buffer, the places of bytes, and the grammar.
#include "base/stream/json_stream.h"

#include "base/stream/json_stream_private.h"
#include "base/text/characters.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What may follow.
enum {
    VALUE,
    VALUE_OR_END, // of the array
    KEY,
    KEY_OR_END, // of the object
    AFTER,      // a comma or the end of the bracket; the end of the document at depth 0
};

// ---- places and errors --------------------------------------------------------------------------

// Moves the counted place forward to byte `to` of the buffer.
static void count_to(struct pps_json_stream *s, size_t to)
{
    const char *at = s->buffer + s->counted, *end = s->buffer + to, *stop;
    while ((stop = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        s->place = (struct json_stream_place){s->place.line + 1, 0};
        at = stop + 1;
    }
    for (; at < end; at++)
        s->place.column += ((unsigned char)*at & 0xc0) != 0x80;
    s->counted = to;
}

static enum pps_status fail_at(const struct pps_json_stream *s, struct json_stream_place place,
                               struct pps_error *err, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

static enum pps_status fail_at(const struct pps_json_stream *s, struct json_stream_place place,
                               struct pps_error *err, const char *format, va_list args)
{
    char text[sizeof err->text];
    const uint64_t most = INT32_MAX - 1;
    vsnprintf(text, sizeof text, format, args);
    pps_make_printable(text);
    return pps_fail_at(err, PPS_E_INPUT, s->name, (int)(place.line < most ? place.line : most),
                       (int)(place.column < most ? place.column : most) + 1, "%s", text);
}

enum pps_status json_stream_fail_here(struct pps_json_stream *s, struct pps_error *err,
                                      const char *format, ...)
{
    va_list args;
    if (s->begin_is_here) {
        count_to(s, s->begin);
        s->started = s->place;
        s->begin_is_here = false;
    }
    count_to(s, s->at);
    va_start(args, format);
    const enum pps_status status = fail_at(s, s->place, err, format, args);
    va_end(args);
    return status;
}

enum pps_status pps_json_stream_fail(struct pps_json_stream *s, struct pps_error *err,
                                     const char *format, ...)
{
    va_list args;
    if (s->begin_is_here) {
        count_to(s, s->begin);
        s->started = s->place;
        s->begin_is_here = false;
    }
    va_start(args, format);
    const enum pps_status status = fail_at(s, s->started, err, format, args);
    va_end(args);
    return status;
}

enum pps_status json_stream_fail_end(struct pps_json_stream *s, struct pps_error *err)
{
    return json_stream_fail_here(s, err,
                                 "the file ends within the document; it may be truncated");
}

// ---- bytes --------------------------------------------------------------------------------------

static enum pps_status refill(struct pps_json_stream *s, struct pps_error *err)
{
    size_t n;
    if (s->begin_is_here) {
        count_to(s, s->begin);
        s->started = s->place;
        s->begin_is_here = false;
    }
    count_to(s, s->end);
    s->at = s->end = s->counted = 0;
    const enum pps_status status =
        pps_text_source_read(s->source, s->buffer, sizeof s->buffer, &n, err);
    s->end = n;
    s->at_end = n == 0;
    return status;
}

enum pps_status json_stream_peek(struct pps_json_stream *s, int *c, struct pps_error *err)
{
    if (s->at == s->end && !s->at_end) {
        const enum pps_status status = refill(s, err);
        if (status != PPS_OK)
            return status;
    }
    *c = s->at < s->end ? (unsigned char)s->buffer[s->at] : -1;
    return PPS_OK;
}

// Skips blanks; *c is the next byte, or -1.
static enum pps_status next_byte(struct pps_json_stream *s, int *c, struct pps_error *err)
{
    for (;; s->at++) {
        const enum pps_status status = json_stream_peek(s, c, err);
        if (status != PPS_OK || (*c != ' ' && *c != '\n' && *c != '\r' && *c != '\t'))
            return status;
    }
}

// ---- opening ------------------------------------------------------------------------------------

enum pps_status pps_json_stream_open(struct pps_json_stream **stream, const char *path,
                                     struct pps_error *err)
{
    *stream = NULL;
    struct pps_json_stream *s = malloc(sizeof *s);
    if (s == NULL)
        return pps_fail_memory(err, "%s", path);
    memset(s, 0, offsetof(struct pps_json_stream, text));
    s->place.line = 1;
    s->name = strdup(strcmp(path, "-") == 0 ? "stdin" : path);
    enum pps_status status = s->name == NULL
                                 ? pps_fail_memory(err, "%s", path)
                                 : pps_text_source_open(&s->source, path, true, err);
    if (status == PPS_OK)
        status = refill(s, err);
    if (status == PPS_OK) {
        s->at = s->counted = pps_utf8_mark(s->buffer, s->end);
        *stream = s;
    } else {
        pps_json_stream_close(s);
    }
    return status;
}

void pps_json_stream_close(struct pps_json_stream *s)
{
    if (s == NULL)
        return;
    pps_text_source_close(s->source);
    free(s->name);
    free(s);
}

// ---- grammar ------------------------------------------------------------------------------------

static enum pps_status open_bracket(struct pps_json_stream *s, int c, struct pps_error *err)
{
    if (s->depth == PPS_JSON_STREAM_DEEPEST)
        return json_stream_fail_here(s, err, "nested more than %d levels deep",
                                     PPS_JSON_STREAM_DEEPEST);
    s->in_object[s->depth++] = c == '{';
    s->at++;
    s->expected = c == '{' ? KEY_OR_END : VALUE_OR_END;
    s->last = c == '{' ? PPS_JSON_OBJECT : PPS_JSON_ARRAY;
    return PPS_OK;
}

static bool closes(const struct pps_json_stream *s, int c)
{
    return s->depth > 0 && s->expected != VALUE && s->expected != KEY &&
           c == (s->in_object[s->depth - 1] ? '}' : ']');
}

static void close_bracket(struct pps_json_stream *s)
{
    s->last = s->in_object[--s->depth] ? PPS_JSON_OBJECT_END : PPS_JSON_ARRAY_END;
    s->at++;
    s->expected = AFTER;
}

// Reads the comma before the next value or key.
static enum pps_status separator(struct pps_json_stream *s, int *c, struct pps_error *err)
{
    const bool in_object = s->in_object[s->depth - 1];
    if (*c < 0)
        return json_stream_fail_end(s, err);
    if (*c != ',')
        return json_stream_fail_here(s, err, "expected , or %c", in_object ? '}' : ']');
    s->at++;
    s->expected = in_object ? KEY : VALUE;
    return next_byte(s, c, err);
}

static enum pps_status read_key(struct pps_json_stream *s, int c, struct pps_error *err)
{
    if (c < 0)
        return json_stream_fail_end(s, err);
    if (c != '"')
        return json_stream_fail_here(s, err, "expected a key in double quotes");
    enum pps_status status = json_stream_string(s, err);
    if (status == PPS_OK)
        status = next_byte(s, &c, err);
    if (status != PPS_OK)
        return status;
    if (c < 0)
        return json_stream_fail_end(s, err);
    if (c != ':')
        return json_stream_fail_here(s, err, "expected a colon after the key");
    s->at++;
    s->expected = VALUE;
    s->last = PPS_JSON_KEY;
    return PPS_OK;
}

static enum pps_status read_value(struct pps_json_stream *s, int c, struct pps_error *err)
{
    if (c < 0)
        return json_stream_fail_end(s, err);
    if (c == '{' || c == '[')
        return open_bracket(s, c, err);
    s->last = PPS_JSON_STRING;
    const enum pps_status status =
        c == '"' ? json_stream_string(s, err) : json_stream_word(s, &s->last, err);
    s->expected = AFTER;
    return status;
}

static enum pps_status read_end(struct pps_json_stream *s, int c, struct pps_error *err)
{
    s->last = PPS_JSON_END;
    if (c >= 0)
        return json_stream_fail_here(s, err, "text after the end of the document");
    return pps_text_source_is_truncated(s->source)
               ? json_stream_fail_here(s, err,
                                       "the compressed file ends before its checksum; "
                                       "it may be truncated")
               : PPS_OK;
}

static enum pps_status advance(struct pps_json_stream *s, struct pps_error *err)
{
    int c;
    enum pps_status status = next_byte(s, &c, err);
    s->begin = s->at;
    s->begin_is_here = true;
    s->n_text = 0;
    s->text[0] = '\0';
    if (status != PPS_OK)
        return status;
    if (s->expected == AFTER && s->depth == 0)
        return read_end(s, c, err);
    if (closes(s, c)) {
        close_bracket(s);
        return PPS_OK;
    }
    if (s->expected == AFTER) {
        status = separator(s, &c, err);
        s->begin = s->at;
        s->begin_is_here = true;
        if (status != PPS_OK)
            return status;
    }
    return s->expected == KEY || s->expected == KEY_OR_END ? read_key(s, c, err)
                                                           : read_value(s, c, err);
}

enum pps_status pps_json_stream_next(struct pps_json_stream *s, struct pps_json_piece *piece,
                                     struct pps_error *err)
{
    const enum pps_status status = advance(s, err);
    const bool is_open = s->last == PPS_JSON_OBJECT || s->last == PPS_JSON_ARRAY;
    *piece = (struct pps_json_piece){s->last, s->text, s->n_text, s->depth - (int)is_open};
    return status;
}

enum pps_status pps_json_stream_skip(struct pps_json_stream *s, struct pps_error *err)
{
    const bool is_open = s->last == PPS_JSON_OBJECT || s->last == PPS_JSON_ARRAY;
    const int depth = s->depth - (int)is_open;
    enum pps_status status = PPS_OK;
    s->is_skipping = true;
    if (s->last == PPS_JSON_KEY)
        status = advance(s, err);
    while (status == PPS_OK && s->depth > depth)
        status = advance(s, err);
    s->is_skipping = false;
    return status;
}
