// SPDX-License-Identifier: Apache-2.0
// Sends timelines: merges the lanes of all devices by time.
#include "kernels/dynapipe/output/timeline.h"

#include <math.h>
#include <stdlib.h>

static const char *const track_names[] = {"compute", "send: activations, gradients", NULL};
static const char *const kind_names[] = {"forward", "backward", "activation", "gradient", NULL};
static const char *const counter_names[] = {"memory_mb", NULL};
static const char *const load_names[] = {"compute", "network", NULL};
static const int32_t load_of[] = {0, 1};

const struct pps_trace_names timeline_names = {
    .group = "device",
    .item = "micro_batch",
    .flag = "recomputes",
    .tracks = track_names,
    .kinds = kind_names,
    .counters = counter_names,
    .time_unit = "us",
    .chunk = "stage",
    .loads = load_names,
    .load_of = load_of,
};

// A device while its events are sent.
struct cursor {
    int32_t next[LANES];
    int32_t kept; // operations of the compute lane whose memory has been told
    double memory;
};

struct sending {
    const struct timeline *t;
    const struct pps_trace_sink *sink;
    struct cursor *cursors; // [devices]
};

static const struct lane_operation *operation(const struct timeline *t, enum lane lane,
                                              int32_t d, int32_t k)
{
    return &t->lanes->operations[lane][lanes_at(t->lanes, d, k)];
}

static void send_level(const struct sending *s, int32_t d, double time)
{
    s->sink->level(
        s->sink->self,
        &(struct pps_level){.group = d, .time = time, .value = s->cursors[d].memory});
}

static bool recomputes(const struct timeline *t, const struct lane_operation *op)
{
    const int64_t at = (int64_t)t->order[op->micro_batch] * t->ordered->stages + op->stage;
    return op->backward && t->recompute[at] != DYNAPIPE_KEEP;
}

static void send_piece(const struct sending *s, enum lane lane, int32_t d)
{
    const struct timeline *t = s->t;
    const struct lane_operation *op = operation(t, lane, d, s->cursors[d].next[lane]++);
    const int32_t m = t->order[op->micro_batch];
    const struct pps_piece piece = {
        .group = d,
        .track = (int32_t)lane,
        .kind = (lane == LANE_COMPUTE ? 0 : 2) + op->backward,
        .item = m,
        .ordinal = m,
        .start = lanes_start(t->times, lane, op),
        .end = lanes_end(t->times, lane, op),
        .rate = 1,
        .flag = lane == LANE_COMPUTE && recomputes(t, op),
        .chunk = op->stage,
    };
    if (piece.end > piece.start)
        s->sink->piece(s->sink->self, &piece);
}

// Tells what a pass needs while it runs, and what stays behind it.
static void send_memory(const struct sending *s, int32_t d, bool at_end)
{
    struct cursor *c = &s->cursors[d];
    const struct timeline *t = s->t;
    const struct lane_operation *op = operation(t, LANE_COMPUTE, d, c->kept);
    const int64_t at = micro_batches_at(t->ordered, op->micro_batch, op->stage);
    const double before = c->memory;
    if (!at_end) {
        c->memory += op->backward ? t->ordered->backward_peak[at] : t->ordered->peak[at];
        send_level(s, d, lanes_start(t->times, LANE_COMPUTE, op));
        c->memory = before;
        return;
    }
    c->memory += op->backward ? -t->ordered->stored[at] : t->ordered->stored[at];
    send_level(s, d, lanes_end(t->times, LANE_COMPUTE, op));
    c->kept++;
}

// The next event of a device: the start of an operation, or the end of one of the compute lane.
struct event {
    int32_t device;
    int what; // 0 end of a pass, 1 start on the compute lane, 2 start on the send lane
    double time;
};

static struct event next_of(const struct sending *s, int32_t d)
{
    const struct cursor *c = &s->cursors[d];
    const struct timeline *t = s->t;
    struct event e = {d, 0, (double)INFINITY};
    if (c->kept < c->next[LANE_COMPUTE])
        e.time = lanes_end(t->times, LANE_COMPUTE, operation(t, LANE_COMPUTE, d, c->kept));
    for (int lane = 0; lane < LANES; lane++)
        if (c->next[lane] < t->lanes->n[lane][d] &&
            (lane == LANE_SEND || c->kept == c->next[lane])) {
            const double start = lanes_start(t->times, (enum lane)lane,
                                             operation(t, (enum lane)lane, d, c->next[lane]));
            if (start < e.time)
                e = (struct event){d, 1 + lane, start};
        }
    return e;
}

static void send_all(const struct sending *s)
{
    for (;;) {
        struct event first = {-1, 0, (double)INFINITY};
        for (int32_t d = 0; d < s->t->pipeline->devices; d++) {
            const struct event e = next_of(s, d);
            first = e.time < first.time ? e : first;
        }
        if (first.device < 0)
            return;
        if (first.what != 2)
            send_memory(s, first.device, first.what == 0);
        if (first.what > 0)
            send_piece(s, first.what == 1 ? LANE_COMPUTE : LANE_SEND, first.device);
    }
}

bool timeline_send(const struct timeline *t, const struct pps_trace_sink *sink)
{
    const int32_t devices = t->pipeline->devices;
    const struct sending s = {t, sink, calloc((size_t)devices, sizeof(struct cursor))};
    if (s.cursors == NULL)
        return false;
    for (int32_t d = 0; d < devices; d++)
        if (isfinite(t->pipeline->limit[d]))
            sink->limit(sink->self,
                        &(struct pps_limit){.group = d, .value = t->pipeline->limit[d]});
    for (int32_t d = 0; d < devices; d++) {
        s.cursors[d].memory = t->pipeline->state[d];
        send_level(&s, d, 0);
    }
    send_all(&s);
    free(s.cursors);
    return true;
}
