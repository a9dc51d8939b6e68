// SPDX-License-Identifier: Apache-2.0
// Reads the kernels of a trace in the Chrome trace format: Ascend's trace_view.json and the traces of
// PyTorch's profiler (Kineto), as Megatron-LM and torchtitan write them.
#include "base/stream/json_stream.h"
#include "planner/profiles/kernels/kernel_events.h"

#include "base/text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_KEPT = 1024,
    STEPS_MOST = 512,
    UNCERTAIN = -2
}; // UNCERTAIN: a step, see take_event

// Different numbers of steps that marks name.
struct steps {
    int32_t numbers[STEPS_MOST];
    int32_t n;
};

// An event of the trace while it is read.
struct event {
    char name[NAME_KEPT];
    size_t n;
    char phase;
    bool is_kernel; // by its category or its arguments
    bool has_category;
    bool has_start;
    bool is_on_gpu;    // category gpu_user_annotation
    bool is_of_device; // of an event of memory: "Device Type" 1
    int64_t ns;
    double allocated, reserved; // bytes; 0: not in the arguments
};

struct reader {
    struct kernel_events *events;
    const struct kernel_names *names;
    const char *path;
    struct pps_json_stream *stream;
    struct pps_json_piece piece; // the last token
    struct pps_error *err;
    struct steps host, gpu;
    uint64_t n_uncertain; // kernels that may have run on the host
    struct event event;
};

static enum pps_status next(struct reader *r)
{
    return pps_json_stream_next(r->stream, &r->piece, r->err);
}

static bool is_key(const struct reader *r, const char *key)
{
    return strcmp(r->piece.text, key) == 0;
}

// ---- one event ----------------------------------------------------------------------------------

static double number_of(const struct pps_json_piece *piece)
{
    double value = 0;
    const bool is_number =
        piece->token == PPS_JSON_NUMBER && number_text_read(piece->text, piece->n, &value);
    return is_number && value > 0 ? value : 0;
}

// Reads the value behind the last key. Sets *is_simple to false for an object or array, which is
// skipped.
static enum pps_status read_simple(struct reader *r, bool *is_simple)
{
    enum pps_status status = next(r);
    *is_simple = r->piece.token != PPS_JSON_OBJECT && r->piece.token != PPS_JSON_ARRAY;
    if (status == PPS_OK && !*is_simple)
        status = pps_json_stream_skip(r->stream, r->err);
    return status;
}

static enum pps_status read_argument(struct reader *r)
{
    static const char *const of_kernels[] = {"Task Type", "Task Id", "Stream Id",
                                             "Physic Stream Id"};
    struct event *event = &r->event;
    bool is_simple;
    for (size_t k = 0; k < sizeof of_kernels / sizeof of_kernels[0]; k++)
        event->is_kernel = event->is_kernel || is_key(r, of_kernels[k]);
    double *const figure = is_key(r, "Total Allocated")  ? &event->allocated
                           : is_key(r, "Total Reserved") ? &event->reserved
                                                         : NULL;
    const bool is_type = is_key(r, "Device Type");
    const enum pps_status status = read_simple(r, &is_simple);
    if (status != PPS_OK || !is_simple)
        return status;
    if (figure != NULL)
        *figure = number_of(&r->piece);
    if (is_type)
        event->is_of_device = number_of(&r->piece) >= 1;
    return PPS_OK;
}

static enum pps_status read_arguments(struct reader *r)
{
    enum pps_status status = next(r);
    if (status != PPS_OK || r->piece.token == PPS_JSON_ARRAY) {
        return status == PPS_OK ? pps_json_stream_skip(r->stream, r->err) : status;
    }
    if (r->piece.token != PPS_JSON_OBJECT)
        return PPS_OK;
    for (;;) {
        status = next(r);
        if (status != PPS_OK || r->piece.token == PPS_JSON_OBJECT_END)
            return status;
        status = read_argument(r);
        if (status != PPS_OK)
            return status;
    }
}

enum field {
    FIELD_OTHER,
    FIELD_NAME,
    FIELD_PHASE,
    FIELD_CATEGORY,
    FIELD_START,
    FIELD_ARGUMENTS
};

static enum field field_of(const struct reader *r)
{
    static const char *const keys[] = {"", "name", "ph", "cat", "ts", "args"};
    for (int k = FIELD_NAME; k <= FIELD_ARGUMENTS; k++)
        if (is_key(r, keys[k]))
            return (enum field)k;
    return FIELD_OTHER;
}

static void take_field(struct reader *r, enum field field)
{
    struct event *event = &r->event;
    const struct pps_json_piece *piece = &r->piece;
    const bool is_text = piece->token == PPS_JSON_STRING;
    if (field == FIELD_NAME && is_text) {
        event->n = piece->n < NAME_KEPT ? piece->n : NAME_KEPT - 1;
        memcpy(event->name, piece->text, event->n);
        event->name[event->n] = '\0';
    } else if (field == FIELD_PHASE && is_text) {
        event->phase = piece->n == 1 ? piece->text[0] : '\0';
    } else if (field == FIELD_CATEGORY && is_text) {
        event->has_category = piece->n > 0;
        event->is_kernel = event->is_kernel || strcasecmp(piece->text, "kernel") == 0;
        event->is_on_gpu = strcmp(piece->text, "gpu_user_annotation") == 0;
    } else if (field == FIELD_START) {
        event->has_start = kernel_events_read_us(piece->text, piece->n, &event->ns);
    }
}

static void take_step(struct steps *steps, const char *digits)
{
    const int32_t number = (int32_t)strtol(digits, NULL, 10);
    for (int32_t i = 0; i < steps->n; i++)
        if (steps->numbers[i] == number)
            return;
    if (steps->n < STEPS_MOST)
        steps->numbers[steps->n++] = number;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

// Returns whether an event that says nothing about where it ran may be a kernel of attention or
// experts. Names with @ are functions of the host.
static bool may_be_kernel(const struct reader *r)
{
    const struct event *event = &r->event;
    return !event->has_category && memchr(event->name, '@', event->n) == NULL &&
           kernel_kind_of(r->names, event->name, event->n) != KERNEL_OTHER;
}

// Drops uncertain kernels if others are certain; keeps them otherwise.
static void settle_uncertain(struct reader *r)
{
    struct kernel_events *events = r->events;
    const bool keep = events->n_kernels == r->n_uncertain;
    size_t n = 0;
    for (size_t i = 0; i < events->n; i++) {
        struct kernel_event *row = &events->rows[i];
        if (row->step == UNCERTAIN && !keep) {
            events->n_forward -= row->kind == KERNEL_FORWARD;
            events->n_backward -= row->kind == KERNEL_BACKWARD;
            events->n_experts -= row->kind == KERNEL_EXPERTS;
            continue;
        }
        row->step = row->step == UNCERTAIN ? -1 : row->step;
        events->rows[n++] = *row;
    }
    events->n = n;
    events->n_kernels -= keep ? 0 : r->n_uncertain;
}

static enum pps_status take_event(struct reader *r)
{
    static const char mark[] = "ProfilerStep#";
    const struct event *event = &r->event;
    struct kernel_events *events = r->events;
    if (event->phase == 'X' && strncmp(event->name, mark, sizeof mark - 1) == 0)
        take_step(event->is_on_gpu ? &r->gpu : &r->host, event->name + sizeof mark - 1);
    if (event->is_of_device) {
        events->used_mb = greater(events->used_mb, event->allocated / 1048576);
        events->held_mb = greater(events->held_mb, event->reserved / 1048576);
    }
    if (event->phase != 'X' || !event->has_start || (!event->is_kernel && !may_be_kernel(r)))
        return PPS_OK;
    r->n_uncertain += !event->is_kernel;
    const struct kernel_row row = {.name = event->name,
                                   .n = event->n,
                                   .kind_name = event->name,
                                   .kind_n = event->n,
                                   .ns = event->ns,
                                   .step = event->is_kernel ? -1 : UNCERTAIN};
    return kernel_events_add(events, r->names, &row, r->path, r->err);
}

// Reads an event behind its opening bracket.
static enum pps_status read_event(struct reader *r)
{
    r->event.n = 0;
    r->event.name[0] = '\0';
    r->event.phase = '\0';
    r->event.is_kernel = r->event.has_start = r->event.is_on_gpu = false;
    r->event.has_category = false;
    r->event.is_of_device = false;
    r->event.allocated = r->event.reserved = 0;
    for (;;) {
        enum pps_status status = next(r);
        bool is_simple;
        if (status == PPS_OK && r->piece.token == PPS_JSON_OBJECT_END)
            return take_event(r);
        if (status != PPS_OK)
            return status;
        const enum field field = field_of(r);
        if (field == FIELD_ARGUMENTS)
            status = read_arguments(r);
        else if (field == FIELD_OTHER)
            status = pps_json_stream_skip(r->stream, r->err);
        else if ((status = read_simple(r, &is_simple)) == PPS_OK && is_simple)
            take_field(r, field);
        if (status != PPS_OK)
            return status;
    }
}

// Reads the events of a list behind its opening bracket.
static enum pps_status read_events(struct reader *r)
{
    for (;;) {
        enum pps_status status = next(r);
        if (status != PPS_OK || r->piece.token == PPS_JSON_ARRAY_END)
            return status;
        if (r->piece.token == PPS_JSON_OBJECT)
            status = read_event(r);
        else if (r->piece.token == PPS_JSON_ARRAY)
            status = pps_json_stream_skip(r->stream, r->err);
        if (status != PPS_OK)
            return status;
        r->events->is_profile = r->events->is_profile || r->event.phase != '\0';
    }
}

// ---- the document -------------------------------------------------------------------------------

// Reads {"backend": "nccl", "rank": 3, ...}.
static enum pps_status read_distributed(struct reader *r)
{
    enum pps_status status = next(r);
    if (status != PPS_OK || r->piece.token != PPS_JSON_OBJECT)
        return status == PPS_OK && r->piece.token == PPS_JSON_ARRAY
                   ? pps_json_stream_skip(r->stream, r->err)
                   : status;
    for (;;) {
        bool is_simple;
        status = next(r);
        if (status != PPS_OK || r->piece.token == PPS_JSON_OBJECT_END)
            return status;
        const bool is_rank = is_key(r, "rank");
        status = read_simple(r, &is_simple);
        if (status != PPS_OK)
            return status;
        if (is_rank && r->piece.token == PPS_JSON_NUMBER)
            r->events->rank = (int32_t)strtol(r->piece.text, NULL, 10);
    }
}

static enum pps_status read_member(struct reader *r)
{
    if (is_key(r, "distributedInfo"))
        return read_distributed(r);
    if (!is_key(r, "traceEvents"))
        return pps_json_stream_skip(r->stream, r->err);
    const enum pps_status status = next(r);
    if (status != PPS_OK || r->piece.token != PPS_JSON_ARRAY)
        return status == PPS_OK && r->piece.token == PPS_JSON_OBJECT
                   ? pps_json_stream_skip(r->stream, r->err)
                   : status;
    r->events->is_profile = true;
    return read_events(r);
}

static enum pps_status read_document(struct reader *r)
{
    enum pps_status status = next(r);
    if (status != PPS_OK)
        return status;
    if (r->piece.token == PPS_JSON_ARRAY)
        return read_events(r);
    while (status == PPS_OK && r->piece.token != PPS_JSON_OBJECT_END) {
        status = next(r);
        if (status != PPS_OK || r->piece.token != PPS_JSON_KEY)
            return status; // the end, or a document of another kind
        status = read_member(r);
        r->piece.token = PPS_JSON_NULL;
    }
    return status;
}

enum pps_status kernel_events_of_trace(struct kernel_events *events,
                                       const struct kernel_names *names,
                                       const char *path,
                                       struct pps_error *err)
{
    *events = (struct kernel_events){.rank = -1};
    struct reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return pps_fail_memory(err, "%s", path);
    r->events = events;
    r->names = names;
    r->path = path;
    r->err = err;
    enum pps_status status = pps_json_stream_open(&r->stream, path, err);
    if (status == PPS_OK) {
        status = read_document(r);
        if (status == PPS_E_INPUT && events->n < KERNEL_EVENTS_MOST) {
            snprintf(events->damage, sizeof events->damage, "line %d, column %d: %.400s",
                     err->line, err->column, err->text);
            status = PPS_OK;
        }
    }
    pps_json_stream_close(r->stream);
    events->n_steps = r->gpu.n > 0 ? r->gpu.n : r->host.n;
    settle_uncertain(r);
    free(r);
    if (status != PPS_OK)
        kernel_events_free(events);
    else
        kernel_events_sort(events);
    return status;
}
