// SPDX-License-Identifier: Apache-2.0
// Reads traces in the Chrome trace format.
#include "base/stream/chrome_trace.h"

#include "base/stream/json_stream.h"

#include <stdlib.h>
#include <string.h>

// Where the reader is.
enum place {
    AT_BEGIN,
    AT_MEMBERS, // of the document
    AT_EVENTS_OF_MEMBER,
    AT_EVENTS,
    BEHIND_DOCUMENT,
    AT_END,
};

struct pps_chrome_trace {
    struct pps_json_stream *stream;
    struct pps_json_piece piece; // the last token
    const char *const *names;    // of arguments
    int n_names;
    enum place place;
    bool is_trace;
    int32_t rank;
    struct pps_chrome_event event;
};

enum pps_status pps_chrome_open(struct pps_chrome_trace **trace, const char *path,
                                const char *const *arguments, struct pps_error *err)
{
    struct pps_chrome_trace *t = *trace = malloc(sizeof *t);
    if (t == NULL)
        return pps_fail_memory(err, "%s", path);
    *t = (struct pps_chrome_trace){.names = arguments, .rank = -1};
    while (arguments != NULL && t->n_names < PPS_CHROME_ARGUMENTS &&
           arguments[t->n_names] != NULL)
        t->n_names++;
    const enum pps_status status = pps_json_stream_open(&t->stream, path, err);
    if (status != PPS_OK) {
        free(t);
        *trace = NULL;
    }
    return status;
}

void pps_chrome_close(struct pps_chrome_trace *trace)
{
    if (trace == NULL)
        return;
    pps_json_stream_close(trace->stream);
    free(trace);
}

bool pps_chrome_is_trace(const struct pps_chrome_trace *trace)
{
    return trace->is_trace;
}

int32_t pps_chrome_rank(const struct pps_chrome_trace *trace)
{
    return trace->rank;
}

// ---- values -------------------------------------------------------------------------------------

static enum pps_status next(struct pps_chrome_trace *t, struct pps_error *err)
{
    return pps_json_stream_next(t->stream, &t->piece, err);
}

static bool is_key(const struct pps_chrome_trace *t, const char *key)
{
    return strcmp(t->piece.text, key) == 0;
}

static bool opens(enum pps_json_token token)
{
    return token == PPS_JSON_OBJECT || token == PPS_JSON_ARRAY;
}

// Reads the value behind the last key; an object or a list is skipped.
static enum pps_status read_value(struct pps_chrome_trace *t, enum pps_json_token *token,
                                  struct pps_error *err)
{
    const enum pps_status status = next(t, err);
    *token = t->piece.token;
    return status == PPS_OK && opens(*token) ? pps_json_stream_skip(t->stream, err) : status;
}

// Copies the last string or number to a field, as far as it fits.
static size_t copy(const struct pps_json_piece *piece, enum pps_json_token token, char *field,
                   size_t size)
{
    size_t n = 0;
    if (token == PPS_JSON_STRING || token == PPS_JSON_NUMBER)
        n = piece->n < size ? piece->n : size - 1;
    memcpy(field, piece->text, n);
    field[n] = '\0';
    return n;
}

// ---- one event ----------------------------------------------------------------------------------

static void take_argument(struct pps_chrome_trace *t, struct pps_chrome_argument *argument,
                          enum pps_json_token token)
{
    argument->kind = token == PPS_JSON_NUMBER   ? PPS_CHROME_NUMBER
                     : token == PPS_JSON_STRING ? PPS_CHROME_TEXT
                                                : PPS_CHROME_OTHER;
    copy(&t->piece, token, argument->text, sizeof argument->text);
    if (token == PPS_JSON_TRUE || token == PPS_JSON_FALSE || token == PPS_JSON_NULL)
        strcpy(argument->text, token == PPS_JSON_TRUE    ? "true"
                               : token == PPS_JSON_FALSE ? "false"
                                                         : "null");
}

static enum pps_status read_arguments(struct pps_chrome_trace *t, struct pps_error *err)
{
    enum pps_json_token token;
    enum pps_status status = next(t, err);
    if (status != PPS_OK || t->piece.token == PPS_JSON_ARRAY)
        return status == PPS_OK ? pps_json_stream_skip(t->stream, err) : status;
    if (t->piece.token != PPS_JSON_OBJECT)
        return PPS_OK;
    for (;;) {
        status = next(t, err);
        if (status != PPS_OK || t->piece.token == PPS_JSON_OBJECT_END)
            return status;
        int k = 0;
        while (k < t->n_names && !is_key(t, t->names[k]))
            k++;
        status = read_value(t, &token, err);
        if (status != PPS_OK)
            return status;
        if (k < t->n_names)
            take_argument(t, &t->event.arguments[k], token);
    }
}

// Reads the value behind the last key of an event.
static enum pps_status read_field(struct pps_chrome_trace *t, struct pps_error *err)
{
    static const struct {
        const char *key;
        size_t at, size;
    } fields[] = {
        {"name", offsetof(struct pps_chrome_event, name), PPS_CHROME_NAME},
        {"cat", offsetof(struct pps_chrome_event, category), PPS_CHROME_WORD},
        {"ts", offsetof(struct pps_chrome_event, start), PPS_CHROME_WORD},
        {"dur", offsetof(struct pps_chrome_event, duration), PPS_CHROME_WORD},
        {"pid", offsetof(struct pps_chrome_event, process), PPS_CHROME_WORD},
        {"tid", offsetof(struct pps_chrome_event, thread), PPS_CHROME_WORD},
    };
    enum { FIELDS = sizeof fields / sizeof *fields };
    struct pps_chrome_event *event = &t->event;
    enum pps_json_token token;
    int k = 0;
    if (is_key(t, "args"))
        return read_arguments(t, err);
    const bool is_phase = is_key(t, "ph");
    while (k < FIELDS && !is_key(t, fields[k].key))
        k++;
    const enum pps_status status = k < FIELDS || is_phase
                                       ? read_value(t, &token, err)
                                       : pps_json_stream_skip(t->stream, err);
    if (status != PPS_OK)
        return status;
    if (is_phase && token == PPS_JSON_STRING)
        event->phase = t->piece.n == 1 ? t->piece.text[0] : '\0';
    const bool is_text = k < 2; // a name or category that is a number is none
    if (k < FIELDS && !opens(token) && (token == PPS_JSON_STRING || !is_text)) {
        const size_t n = copy(&t->piece, token, (char *)event + fields[k].at, fields[k].size);
        if (k == 0)
            event->n = n;
    }
    return PPS_OK;
}

// Reads an event behind its opening bracket.
static enum pps_status read_event(struct pps_chrome_trace *t, struct pps_error *err)
{
    struct pps_chrome_event *event = &t->event;
    event->phase = event->name[0] = event->category[0] = '\0';
    event->start[0] = event->duration[0] = event->process[0] = event->thread[0] = '\0';
    event->n = 0;
    for (int k = 0; k < t->n_names; k++)
        event->arguments[k].kind = PPS_CHROME_ABSENT;
    for (;;) {
        enum pps_status status = next(t, err);
        if (status != PPS_OK)
            return status;
        if (t->piece.token == PPS_JSON_OBJECT_END) {
            t->is_trace = t->is_trace || event->phase != '\0';
            return PPS_OK;
        }
        status = read_field(t, err);
        if (status != PPS_OK)
            return status;
    }
}

// ---- the document -------------------------------------------------------------------------------

// Reads {"backend": "nccl", "rank": 3, ...}.
static enum pps_status read_distributed(struct pps_chrome_trace *t, struct pps_error *err)
{
    enum pps_json_token token;
    enum pps_status status = next(t, err);
    if (status != PPS_OK || t->piece.token != PPS_JSON_OBJECT)
        return status == PPS_OK && t->piece.token == PPS_JSON_ARRAY
                   ? pps_json_stream_skip(t->stream, err)
                   : status;
    for (;;) {
        status = next(t, err);
        if (status != PPS_OK || t->piece.token == PPS_JSON_OBJECT_END)
            return status;
        const bool is_rank = is_key(t, "rank");
        status = read_value(t, &token, err);
        if (status != PPS_OK)
            return status;
        if (is_rank && token == PPS_JSON_NUMBER)
            t->rank = (int32_t)strtol(t->piece.text, NULL, 10);
    }
}

static enum pps_status read_begin(struct pps_chrome_trace *t, struct pps_error *err)
{
    const enum pps_status status = next(t, err);
    t->place = t->piece.token == PPS_JSON_ARRAY    ? AT_EVENTS
               : t->piece.token == PPS_JSON_OBJECT ? AT_MEMBERS
                                                   : BEHIND_DOCUMENT;
    return status;
}

// Reads the next key of the document and its value, or enters the list of events.
static enum pps_status read_member(struct pps_chrome_trace *t, struct pps_error *err)
{
    enum pps_status status = next(t, err);
    if (status != PPS_OK || t->piece.token != PPS_JSON_KEY) {
        t->place = BEHIND_DOCUMENT;
        return status;
    }
    if (is_key(t, "distributedInfo"))
        return read_distributed(t, err);
    if (!is_key(t, "traceEvents"))
        return pps_json_stream_skip(t->stream, err);
    status = next(t, err);
    if (status != PPS_OK)
        return status;
    if (t->piece.token == PPS_JSON_ARRAY) {
        t->is_trace = true;
        t->place = AT_EVENTS_OF_MEMBER;
    }
    return t->piece.token == PPS_JSON_OBJECT ? pps_json_stream_skip(t->stream, err) : PPS_OK;
}

// Reads the next item of the list; *found: it is an event.
static enum pps_status read_item(struct pps_chrome_trace *t, bool *found, struct pps_error *err)
{
    const enum pps_status status = next(t, err);
    if (status != PPS_OK)
        return status;
    if (t->piece.token == PPS_JSON_ARRAY_END)
        t->place = t->place == AT_EVENTS ? BEHIND_DOCUMENT : AT_MEMBERS;
    *found = t->piece.token == PPS_JSON_OBJECT;
    if (*found)
        return read_event(t, err);
    return t->piece.token == PPS_JSON_ARRAY ? pps_json_stream_skip(t->stream, err) : PPS_OK;
}

// Reads to the end of the file, whose trailer proves that a compressed file is whole.
static enum pps_status read_end(struct pps_chrome_trace *t, struct pps_error *err)
{
    t->place = AT_END;
    return next(t, err);
}

enum pps_status pps_chrome_fail(struct pps_chrome_trace *t, struct pps_error *err,
                                const char *text)
{
    return pps_json_stream_fail(t->stream, err, "%s", text);
}

enum pps_status pps_chrome_next(struct pps_chrome_trace *t,
                                const struct pps_chrome_event **event, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    bool found = false;
    *event = NULL;
    while (status == PPS_OK && !found && t->place != AT_END) {
        if (t->place == AT_BEGIN)
            status = read_begin(t, err);
        else if (t->place == AT_MEMBERS)
            status = read_member(t, err);
        else if (t->place == BEHIND_DOCUMENT)
            status = read_end(t, err);
        else
            status = read_item(t, &found, err);
    }
    if (status == PPS_OK && found)
        *event = &t->event;
    return status;
}
