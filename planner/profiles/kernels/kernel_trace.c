// SPDX-License-Identifier: Apache-2.0
// Reads the kernels of a trace in the Chrome trace format: Ascend's trace_view.json and the traces of
// PyTorch's profiler (Kineto), as Megatron-LM and torchtitan write them.
#include "base/stream/chrome_trace.h"
#include "planner/profiles/kernels/kernel_events.h"

#include "base/text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 512, UNCERTAIN = -2 }; // UNCERTAIN: a step, see take_event

// Different numbers of steps that marks name.
struct steps {
    int32_t numbers[STEPS_MOST];
    int32_t n;
};

struct reader {
    struct kernel_events *events;
    const struct kernel_names *names;
    const char *path;
    struct pps_error *err;
    struct steps host, gpu;
    uint64_t n_uncertain; // kernels that may have run on the host
};

// Arguments of events; the first OF_KERNELS occur in events of Ascend's kernels only.
enum { OF_KERNELS = 4, ALLOCATED = OF_KERNELS, RESERVED, DEVICE_TYPE };

static const char *const arguments[] = {
    "Task Type",       "Task Id",        "Stream Id",   "Physic Stream Id",
    "Total Allocated", "Total Reserved", "Device Type", NULL};

// Returns a positive number; 0 if there is none.
static double number_of(const struct pps_chrome_argument *argument)
{
    double value = 0;
    const bool is_number = argument->kind == PPS_CHROME_NUMBER &&
                           number_text_read(argument->text, strlen(argument->text), &value);
    return is_number && value > 0 ? value : 0;
}

// Returns whether an event ran on a device, by its category or its arguments.
static bool is_kernel(const struct pps_chrome_event *event)
{
    for (int k = 0; k < OF_KERNELS; k++)
        if (event->arguments[k].kind != PPS_CHROME_ABSENT)
            return true;
    return strcasecmp(event->category, "kernel") == 0;
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
static bool may_be_kernel(const struct reader *r, const struct pps_chrome_event *event)
{
    return event->category[0] == '\0' && memchr(event->name, '@', event->n) == NULL &&
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

static void take_memory(struct kernel_events *events, const struct pps_chrome_event *event)
{
    if (number_of(&event->arguments[DEVICE_TYPE]) < 1)
        return;
    events->used_mb =
        greater(events->used_mb, number_of(&event->arguments[ALLOCATED]) / 1048576);
    events->held_mb =
        greater(events->held_mb, number_of(&event->arguments[RESERVED]) / 1048576);
}

static enum pps_status take_event(struct reader *r, const struct pps_chrome_event *event)
{
    static const char mark[] = "ProfilerStep#";
    struct kernel_row row = {.name = event->name,
                             .n = event->n,
                             .kind_name = event->name,
                             .kind_n = event->n,
                             .step = -1};
    take_memory(r->events, event);
    if (event->phase != 'X')
        return PPS_OK;
    if (strncmp(event->name, mark, sizeof mark - 1) == 0)
        take_step(strcmp(event->category, "gpu_user_annotation") == 0 ? &r->gpu : &r->host,
                  event->name + sizeof mark - 1);
    if (!kernel_events_read_us(event->start, strlen(event->start), &row.ns))
        return PPS_OK;
    const bool is_certain = is_kernel(event);
    if (!is_certain && !may_be_kernel(r, event))
        return PPS_OK;
    r->n_uncertain += !is_certain;
    row.step = is_certain ? -1 : UNCERTAIN;
    return kernel_events_add(r->events, r->names, &row, r->path, r->err);
}

static enum pps_status read_trace(struct reader *r)
{
    struct pps_chrome_trace *trace;
    const struct pps_chrome_event *event = NULL;
    enum pps_status status = pps_chrome_open(&trace, r->path, arguments, r->err);
    if (status != PPS_OK)
        return status;
    do {
        status = pps_chrome_next(trace, &event, r->err);
        if (status == PPS_OK && event != NULL)
            status = take_event(r, event);
    } while (status == PPS_OK && event != NULL);
    r->events->is_profile = pps_chrome_is_trace(trace);
    r->events->rank = pps_chrome_rank(trace);
    pps_chrome_close(trace);
    if (status != PPS_E_INPUT || r->events->n >= KERNEL_EVENTS_MOST)
        return status;
    snprintf(r->events->damage, sizeof r->events->damage, "line %d, column %d: %.400s",
             r->err->line, r->err->column, r->err->text);
    return PPS_OK;
}

enum pps_status kernel_events_of_trace(struct kernel_events *events,
                                       const struct kernel_names *names, const char *path,
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
    const enum pps_status status = read_trace(r);
    events->n_steps = r->gpu.n > 0 ? r->gpu.n : r->host.n;
    settle_uncertain(r);
    free(r);
    if (status != PPS_OK)
        kernel_events_free(events);
    else
        kernel_events_sort(events);
    return status;
}
