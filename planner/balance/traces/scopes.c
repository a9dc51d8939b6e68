// SPDX-License-Identifier: Apache-2.0
// Reads scopes of traces.
#include "planner/balance/traces/scopes.h"

#include "base/stream/chrome_trace.h"
#include "base/text/grow_list.h"
#include "planner/profiles/kernels/kernel_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const arguments[] = {"name", NULL};

// ---- one pass over a file -----------------------------------------------------------------------

static bool is_stopped(const atomic_bool *stop)
{
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

// What happens to an event.
enum taken { TAKEN, NEGATIVE, NO_MEMORY };

static enum pps_status fail_negative(struct pps_chrome_trace *trace,
                                     const struct pps_chrome_event *event,
                                     struct pps_error *err)
{
    char text[256];
    snprintf(text, sizeof text,
             "dur: %.40s of %.100s is negative: expected microseconds, from 0 on",
             event->duration, event->name);
    return pps_chrome_fail(trace, err, text);
}

// Calls `take` for every event. Returns its status if it is an error.
static enum pps_status each_event(const char *path, const atomic_bool *stop,
                                  enum taken (*take)(void *self,
                                                     const struct pps_chrome_event *event),
                                  void *self, struct pps_error *err)
{
    struct pps_chrome_trace *trace;
    const struct pps_chrome_event *event = NULL;
    enum pps_status status = pps_chrome_open(&trace, path, arguments, err);
    if (status != PPS_OK)
        return status;
    while ((status = pps_chrome_next(trace, &event, err)) == PPS_OK && event != NULL) {
        if (is_stopped(stop))
            status = pps_fail(err, PPS_E_STOPPED, "stopped while %s was read", path);
        const enum taken taken = status == PPS_OK ? take(self, event) : TAKEN;
        if (taken == NEGATIVE)
            status = fail_negative(trace, event, err);
        if (taken == NO_MEMORY)
            status = pps_fail_memory(err, "the scopes of %s", path);
        if (status != PPS_OK)
            break;
    }
    pps_chrome_close(trace);
    return status;
}

// ---- steps and the lane of scopes ---------------------------------------------------------------

enum { FIRST_MARKS = 3 };

// The first operator whose name contains MatMul-op marks the steps: it runs once in each.
struct marks {
    char lane[PPS_CHROME_WORD]; // process of the scopes
    bool has_lane;
    char name[PPS_CHROME_NAME];
    int64_t first[FIRST_MARKS], last;
    int64_t n;
};

static bool read_us(const char *text, int64_t *ns)
{
    return kernel_events_read_us(text, strlen(text), ns);
}

static bool names_lane(const struct pps_chrome_event *event)
{
    return strcmp(event->name, "Scope Layer") == 0 ||
           (strcmp(event->name, "process_name") == 0 &&
            strcmp(event->arguments[0].text, "Scope Layer") == 0);
}

static enum taken take_mark(void *self, const struct pps_chrome_event *event)
{
    struct marks *marks = self;
    int64_t at;
    if (!marks->has_lane && event->process[0] != '\0' && names_lane(event)) {
        marks->has_lane = true;
        memcpy(marks->lane, event->process, sizeof marks->lane);
    }
    if (marks->name[0] == '\0' && strstr(event->name, "MatMul-op") != NULL)
        memcpy(marks->name, event->name, sizeof marks->name);
    if (marks->name[0] == '\0' || strcmp(event->name, marks->name) != 0 ||
        !read_us(event->start, &at))
        return TAKEN;
    if (marks->n < FIRST_MARKS)
        marks->first[marks->n] = at;
    marks->last = at;
    marks->n++;
    return TAKEN;
}

// ---- scopes -------------------------------------------------------------------------------------

struct interval {
    int64_t start, end;
    bool backward;
};

struct lane {
    const struct marks *marks;
    const struct layer_times *settings;
    struct scopes *scopes;
    struct interval *passes;
    size_t n, room;
};

// Returns the name of a scope without those around it.
static const char *own_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

// Returns whether a scope is an instance of a body layer, as in 42-LLamaDecodeLayer.
static bool is_instance(const char *own, const char *name, int64_t *number)
{
    char *end;
    if (own[0] < '0' || own[0] > '9')
        return false;
    *number = strtoll(own, &end, 10);
    return end[0] == '-' && strcmp(end + 1, name) == 0 && *number < INT32_MAX;
}

static bool is_named(const char *own, const char *name)
{
    const size_t n = strlen(own), length = strlen(name);
    return strcmp(own, name) == 0 ||
           (n > length && own[n - length - 1] == '-' && strcmp(own + n - length, name) == 0);
}

static bool find_part(const struct layer_times *settings, const char *own, struct scope *scope)
{
    for (int part = 0; part < LAYER_PARTS; part++)
        for (int i = 0; i < settings->n_names[part]; i++) {
            scope->part = part;
            scope->name = i;
            scope->instance = -1;
            if (part == LAYER_BODY
                    ? is_instance(own, settings->names[part][i], &scope->instance)
                    : is_named(own, settings->names[part][i]))
                return true;
        }
    return false;
}

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261U;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    return hash;
}

static bool add_pass(struct lane *lane, int64_t start, int64_t duration, bool backward)
{
    struct interval *list =
        pps_grow(lane->passes, &lane->room, lane->n + 1, sizeof *lane->passes);
    if (list == NULL)
        return false;
    lane->passes = list;
    list[lane->n++] = (struct interval){start, start + duration, backward};
    return true;
}

static bool add_scope(struct scopes *scopes, const struct scope *scope)
{
    struct scope *list = pps_grow(scopes->list, &scopes->room, scopes->n + 1, sizeof *list);
    if (list == NULL)
        return false;
    scopes->list = list;
    list[scopes->n++] = *scope;
    return true;
}

static enum taken take_scope(void *self, const struct pps_chrome_event *event)
{
    struct lane *lane = self;
    struct scope scope = {.thread = hash_of(event->thread)};
    const char *process = lane->marks->has_lane ? lane->marks->lane : "3";
    if (strcmp(event->process, process) != 0 || !read_us(event->start, &scope.start) ||
        !read_us(event->duration, &scope.duration))
        return TAKEN;
    const bool is_backward = strcmp(event->name, "Gradients") == 0,
               is_pass = strcmp(event->thread, "0") == 0 &&
                         (is_backward || strcmp(event->name, "Default") == 0);
    if (!is_pass && !find_part(lane->settings, own_name(event->name), &scope))
        return TAKEN;
    if (scope.duration < 0)
        return NEGATIVE;
    const bool is_kept = is_pass ? add_pass(lane, scope.start, scope.duration, is_backward)
                                 : add_scope(lane->scopes, &scope);
    return is_kept ? TAKEN : NO_MEMORY;
}

// ---- those that count ---------------------------------------------------------------------------

static int by_start(const void *one, const void *two)
{
    const struct interval *a = one, *b = two;
    return a->start != b->start ? (a->start < b->start ? -1 : 1)
                                : (a->end > b->end) - (a->end < b->end);
}

static int by_scope(const void *one, const void *two)
{
    const struct scope *a = one, *b = two;
    const int64_t x[] = {a->start, a->duration, a->part, a->name, a->instance, a->thread},
                  y[] = {b->start, b->duration, b->part, b->name, b->instance, b->thread};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

// Returns whether a scope lies in a pass, and sets which. The passes are sorted.
static bool find_pass(const struct lane *lane, struct scope *scope)
{
    size_t low = 0, high = lane->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (lane->passes[middle].start <= scope->start)
            low = middle + 1;
        else
            high = middle;
    }
    scope->backward = low > 0 && lane->passes[low - 1].backward;
    return low > 0 && scope->start + scope->duration <= lane->passes[low - 1].end;
}

static void keep_counted(struct lane *lane)
{
    const struct marks *marks = lane->marks;
    struct scopes *scopes = lane->scopes;
    const int64_t first =
        marks->first[marks->n - 2 < 2 ? (marks->n >= 2 ? marks->n - 2 : 0) : 2];
    size_t kept = 0;
    qsort(lane->passes, lane->n, sizeof *lane->passes, by_start);
    qsort(scopes->list, scopes->n, sizeof *scopes->list, by_scope);
    for (size_t i = 0; i < scopes->n; i++) {
        struct scope *scope = &scopes->list[i];
        const bool is_inside = marks->n < 2 || (scope->start >= first &&
                                                scope->start + scope->duration <= marks->last);
        if (is_inside && find_pass(lane, scope) &&
            (kept == 0 || by_scope(&scopes->list[kept - 1], scope) != 0))
            scopes->list[kept++] = *scope;
    }
    scopes->n = kept;
    scopes->steps = marks->n > 4 ? marks->n - 3 : 1;
}

enum pps_status scopes_read(struct scopes *scopes, const char *path,
                            const struct layer_times *settings, const atomic_bool *stop,
                            struct pps_error *err)
{
    struct marks marks = {.has_lane = false};
    struct lane lane = {.marks = &marks, .settings = settings, .scopes = scopes};
    *scopes = (struct scopes){.list = NULL};
    enum pps_status status = each_event(path, stop, take_mark, &marks, err);
    if (status == PPS_OK && marks.n == 0)
        status =
            pps_fail(err, PPS_E_INPUT,
                     "%s: no event whose name contains MatMul-op, which marks the steps", path);
    if (status == PPS_OK)
        status = each_event(path, stop, take_scope, &lane, err);
    if (status == PPS_OK && scopes->n > 0)
        keep_counted(&lane);
    free(lane.passes);
    return status;
}

void scopes_free(struct scopes *scopes)
{
    free(scopes->list);
    *scopes = (struct scopes){.list = NULL};
}
