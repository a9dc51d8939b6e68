// SPDX-License-Identifier: Apache-2.0
// The times of an order that a search changes.
//
// Operations are nodes, with an edge from the operation before on the device and one from the sender of the
// message. A change puts the nodes whose edges changed into a queue by their start; a node whose start
// changes puts its successors there. Nodes that are not before any changed one still have the longest path
// to the end that they had: with their start it is a lower bound of the step, which ends a bad change early.
#include "kernels/schedule/search/order_times.h"

#include "kernels/schedule/search/node_queue.h"

#include <math.h>

enum { KINDS = 3, NONE = -1 }; // F; B or BW; W or R

// Sums of one path in another order differ by less, relative to the step.
static const double ROUNDING = 1e-12;

struct node {
    double time, start;
    double delay; // from the end to the arrival of the message at `to`
    double tail;  // longest path from the end of the operation to the end of the step
    double old;   // start before the change; where is_logged
    int32_t before, after, from, to; // on the device; of messages
    uint32_t path;                   // number of the last longest path that it was on
    bool is_logged;
};

struct range {
    int32_t device, from, end; // positions from ... end - 1
};

struct order_times {
    const struct pipeline *pipeline;
    const struct order *order;
    enum family_objective objective;
    struct executor *executor;
    bool plain; // no channels, slices, pairs, or F and B without time: no cycle is 0 long
    int32_t n_nodes, n_ends; // n_ends: operations of the order
    struct node *node;
    int32_t *last;    // [devices]: its last operation; NONE: it has none
    int32_t *first;   // [devices]
    double *terminal; // [devices]: what the objective adds to the end of the device
    double latest;    // the objective is the longest path with `terminal`, less this
    bool has_path;    // the last path is one of the order
    uint32_t path;    // number of the last path
    struct node_queue queue;
    int32_t *log, n_log;     // nodes whose start has changed
    int32_t *moved, n_moved; // nodes whose tail may have changed
    struct range *range;     // parts of the order that have changed
    int32_t n_ranges;
    double floor,
        horizon;   // the earliest and the latest start of their operations before the change
    double *reach; // [operations of a device]: at least the tail of an operation of a range
    double sum, old_sum; // of all ends
};

struct order_times *order_times_take(const struct pipeline_shape *most, int32_t operations,
                                     struct executor *executor, struct room *room)
{
    const size_t devices = (size_t)most->devices,
                 nodes = KINDS * (size_t)most->directions * (size_t)most->stages *
                         (size_t)most->micro_batches * (size_t)most->slices;
    struct order_times *times = room_take(room, 1, sizeof *times), counted;
    struct order_times *t = times != NULL ? times : &counted;
    *t = (struct order_times){.executor = executor};
    t->node = room_take(room, nodes, sizeof *t->node);
    t->last = room_take(room, devices, sizeof *t->last);
    t->first = room_take(room, devices, sizeof *t->first);
    t->terminal = room_take(room, devices, sizeof *t->terminal);
    node_queue_take(&t->queue, nodes, room);
    t->log = room_take(room, nodes, sizeof *t->log);
    // A change and its way back: each node before a changed one, and the last ones of all devices.
    t->moved = room_take(room, 2 * nodes + 3 * devices, sizeof *t->moved);
    t->range = room_take(room, 2 * devices, sizeof *t->range);
    t->reach = room_take(room, (size_t)operations, sizeof *t->reach);
    return times;
}

// ---- nodes --------------------------------------------------------------------------------------

static int32_t node_of(const struct order_times *t, const struct operation *op)
{
    const int32_t part = op->direction * t->pipeline->shape.stages + op->stage,
                  kind = op->type == OPERATION_F                               ? 0
                         : op->type == OPERATION_B || op->type == OPERATION_BW ? 1
                                                                               : 2;
    return (part * pipeline_items(t->pipeline) + op->item) * KINDS + kind;
}

static int32_t node_at(const struct order_times *t, int32_t device, int32_t position)
{
    return node_of(t, &t->order->operations[order_at(t->order, device, position)]);
}

static double end_of(const struct node *node)
{
    return node->start + node->time;
}

static double start_of(const struct order_times *t, const struct node *x)
{
    double start = x->before >= 0 ? end_of(&t->node[x->before]) : 0;
    if (x->from >= 0) {
        const struct node *sender = &t->node[x->from];
        const double arrival = end_of(sender) + sender->delay;
        start = arrival > start ? arrival : start;
    }
    return start;
}

static int32_t device_of(const struct order_times *t, int32_t node)
{
    return t->pipeline->device_of[node / KINDS / pipeline_items(t->pipeline)];
}

static double tail_of(const struct order_times *t, int32_t node)
{
    const struct node *x = &t->node[node];
    double tail = x->after >= 0 ? t->node[x->after].time + t->node[x->after].tail
                                : t->terminal[device_of(t, node)];
    if (x->to >= 0) {
        const struct node *receiver = &t->node[x->to];
        const double path = x->delay + receiver->time + receiver->tail;
        tail = path > tail ? path : tail;
    }
    return tail;
}

// ---- tails --------------------------------------------------------------------------------------

// Sets what the objective adds to the ends of the devices. The span is that of the paths that end later by
// what the device starts earlier.
static void set_terminals(struct order_times *t)
{
    const int32_t devices = t->order->devices;
    t->latest = 0;
    for (int32_t d = 0; d < devices && t->objective == FAMILY_SPAN; d++)
        if (t->first[d] >= 0 && t->node[t->first[d]].start > t->latest)
            t->latest = t->node[t->first[d]].start;
    for (int32_t d = 0; d < devices; d++) {
        const double terminal = t->objective == FAMILY_SPAN && t->first[d] >= 0
                                    ? t->latest - t->node[t->first[d]].start
                                    : 0;
        if (terminal != t->terminal[d] && t->last[d] >= 0)
            t->moved[t->n_moved++] = t->last[d];
        t->terminal[d] = terminal;
    }
}

static void update_tails(struct order_times *t)
{
    for (int32_t i = 0; i < t->n_moved; i++)
        node_queue_push(&t->queue, t->moved[i], -t->node[t->moved[i]].start);
    while (t->queue.n > 0) {
        const int32_t node = node_queue_pop(&t->queue);
        struct node *x = &t->node[node];
        const double tail = tail_of(t, node);
        if (tail == x->tail)
            continue;
        x->tail = tail;
        if (x->before >= 0)
            node_queue_push(&t->queue, x->before, -t->node[x->before].start);
        if (x->from >= 0)
            node_queue_push(&t->queue, x->from, -t->node[x->from].start);
    }
}

static void set_tails(struct order_times *t)
{
    set_terminals(t);
    t->has_path = false;
    if (t->plain)
        update_tails(t);
    t->n_moved = 0;
}

// Numbers the operations of one longest path.
static void find_path(struct order_times *t)
{
    int32_t at = NONE, left = t->n_ends;
    double most = -1;
    for (int32_t d = 0; d < t->order->devices; d++)
        if (t->last[d] >= 0 && end_of(&t->node[t->last[d]]) + t->terminal[d] > most) {
            at = t->last[d];
            most = end_of(&t->node[at]) + t->terminal[d];
        }
    t->has_path = true;
    t->path++;
    for (; at >= 0 && left > 0; left--) {
        struct node *x = &t->node[at];
        x->path = t->path;
        at = x->before >= 0 && (x->from < 0 || end_of(&t->node[x->before]) >= x->start)
                 ? x->before
                 : x->from;
    }
}

// ---- starts -------------------------------------------------------------------------------------

static void set_start(struct order_times *t, int32_t node, double start)
{
    struct node *x = &t->node[node];
    if (!x->is_logged) {
        x->is_logged = true;
        x->old = x->start;
        t->log[t->n_log++] = node;
    }
    t->sum += start - x->start;
    x->start = start;
}

// Takes the starts of the last run of the executor.
static void take_starts(struct order_times *t)
{
    const double *starts = executor_starts(t->executor);
    for (int32_t d = 0; d < t->order->devices; d++)
        for (int32_t i = 0; i < t->order->n[d]; i++)
            set_start(t, node_at(t, d, i), starts[order_at(t->order, d, i)]);
}

// Sets the reach of the operations of a range, from its end on. Only nodes that no changed one comes after have
// the tail that they had.
static void set_reach(struct order_times *t, const struct range *range)
{
    double reach = 0;
    for (int32_t i = range->end - 1; i >= range->from; i--) {
        const struct node *x = &t->node[node_at(t, range->device, i)];
        if (x->after < 0)
            reach = t->terminal[range->device];
        else
            reach =
                t->node[x->after].time + (i + 1 < range->end ? reach : t->node[x->after].tail);
        if (x->to >= 0 && t->node[x->to].start > t->horizon) {
            const struct node *receiver = &t->node[x->to];
            const double path = x->delay + receiver->time + receiver->tail;
            reach = path > reach ? path : reach;
        }
        t->reach[i - range->from] = reach;
    }
}

// Puts the nodes of a range into the queue whose start may change. Returns false if one of them surely starts
// too late.
static bool open_range(struct order_times *t, const struct range *range, double limit)
{
    const int32_t n = t->order->n[range->device], behind = range->end < n ? range->end + 1 : n;
    double clock = 0; // at least; until the updates
    set_reach(t, range);
    for (int32_t i = range->from; i < behind; i++) {
        const int32_t node = node_at(t, range->device, i);
        const struct node *x = &t->node[node];
        if (i == range->from && x->before >= 0)
            clock = end_of(&t->node[x->before]);
        if (x->from >= 0 && (t->n_ranges == 1 || t->node[x->from].start < t->floor)) {
            const double arrival = end_of(&t->node[x->from]) + t->node[x->from].delay;
            clock = arrival > clock ? arrival : clock;
        }
        if (clock + x->time + (i < range->end ? t->reach[i - range->from] : x->tail) > limit)
            return false;
        node_queue_push(&t->queue, node, clock);
        clock += x->time;
    }
    return true;
}

// The queue is ordered by old starts, so that most nodes change once. A change that makes a cycle of edges
// never ends, but exceeds every `most` sooner or later.
static bool propagate(struct order_times *t, double limit)
{
    for (int64_t left = 4 * (int64_t)t->n_nodes; t->queue.n > 0; left--) {
        const int32_t node = node_queue_pop(&t->queue);
        struct node *x = &t->node[node];
        const double start = start_of(t, x);
        if (start == x->start)
            continue;
        set_start(t, node, start);
        if (start + x->time + (x->old > t->horizon ? x->tail : 0) > limit || left == 0)
            return false;
        if (x->after >= 0)
            node_queue_push(&t->queue, x->after, t->node[x->after].start);
        if (x->to >= 0)
            node_queue_push(&t->queue, x->to, t->node[x->to].start);
    }
    return true;
}

bool order_times_update(struct order_times *times, double most)
{
    struct order_times *t = times;
    t->old_sum = t->sum;
    if (t->plain) {
        const double limit = most + t->latest + ROUNDING * fabs(most);
        for (int32_t i = 0; i < t->n_ranges; i++)
            if (!open_range(t, &t->range[i], limit))
                return false;
        return propagate(t, limit);
    }
    if (executor_run(t->executor, t->pipeline, t->order, NULL, NULL) != EXECUTOR_DONE)
        return false;
    take_starts(t);
    return true;
}

static void forget_change(struct order_times *t)
{
    for (int32_t i = 0; i < t->n_log; i++)
        t->node[t->log[i]].is_logged = false;
    t->n_log = t->n_ranges = 0;
    t->horizon = -HUGE_VAL;
    t->floor = HUGE_VAL;
}

void order_times_stay(struct order_times *times)
{
    forget_change(times);
    set_tails(times);
}

void order_times_back(struct order_times *times)
{
    struct order_times *t = times;
    node_queue_clear(&t->queue);
    for (int32_t i = 0; i < t->n_log; i++)
        t->node[t->log[i]].start = t->node[t->log[i]].old;
    t->sum = t->old_sum;
    t->n_moved = 0;
    forget_change(t);
}

// ---- changes ------------------------------------------------------------------------------------

// Sets the neighbours of a node on its device.
static void link_nodes(struct order_times *t, int32_t before, int32_t node)
{
    if (t->node[node].before == before)
        return;
    t->node[node].before = before;
    if (before >= 0) {
        t->node[before].after = node;
        t->moved[t->n_moved++] = before;
    }
}

void order_times_changed(struct order_times *times, int32_t device, int32_t from, int32_t end)
{
    struct order_times *t = times;
    const int32_t n = t->order->n[device], behind = end < n ? end + 1 : n;
    int32_t before = from > 0 ? node_at(t, device, from - 1) : NONE;
    for (int32_t i = from; i < behind; i++) {
        const int32_t node = node_at(t, device, i);
        const double start = t->node[node].start;
        link_nodes(t, before, node);
        if (i < end && start > t->horizon)
            t->horizon = start;
        if (i < end && start < t->floor)
            t->floor = start;
        before = node;
    }
    if (end >= n && n > 0 && t->node[before].after >= 0) {
        t->node[before].after = NONE;
        t->moved[t->n_moved++] = before;
    }
    t->last[device] = n > 0 ? node_at(t, device, n - 1) : NONE;
    t->first[device] = n > 0 ? node_at(t, device, 0) : NONE;
    if (end > from)
        t->range[t->n_ranges++] = (struct range){device, from, end};
}

// ---- a new order --------------------------------------------------------------------------------

static bool is_plain(const struct order_times *t)
{
    const struct pipeline *p = t->pipeline;
    if (p->links.channels != PIPELINE_FREE || p->shape.slices != 1)
        return false;
    for (int32_t s = 0; s < p->shape.stages; s++)
        if (!(p->stage[s].f > 0 && p->stage[s].b > 0))
            return false;
    for (int32_t d = 0; d < t->order->devices; d++)
        for (int32_t i = 0; i < t->order->n[d]; i++)
            if (t->order->paired[order_at(t->order, d, i)])
                return false;
    return true;
}

// Sets what depends on the stage only.
static void set_node(struct order_times *t, const struct operation *op)
{
    const struct pipeline *p = t->pipeline;
    const struct pipeline_stage *stage = &p->stage[op->stage];
    const bool forward = op->type == OPERATION_F, last = op->stage + 1 == p->shape.stages,
               sends = op->type != OPERATION_W && op->type != OPERATION_R,
               turns = forward && last; // its B is on the same device
    const int32_t node = node_of(t, op), by = KINDS * pipeline_items(p),
                  to = !sends          ? NONE
                       : turns         ? node + 1
                       : forward       ? node + by
                       : op->stage > 0 ? node - by
                                       : NONE,
                  own = pipeline_device(p, op->direction, op->stage),
                  other = to < 0 || turns ? own
                                          : pipeline_device(p, op->direction,
                                                            op->stage + (forward ? 1 : -1));
    struct node *x = &t->node[node];
    x->time = operation_time(stage, op->type);
    x->to = to;
    x->delay = own == other
                   ? 0
                   : pipeline_delay(p, own, other,
                                    forward ? stage->forward_bytes : stage->backward_bytes);
    if (to >= 0)
        t->node[to].from = node;
}

static void set_nodes(struct order_times *t)
{
    const struct pipeline_shape *shape = &t->pipeline->shape;
    t->path = 0;
    t->n_nodes = KINDS * shape->directions * shape->stages * pipeline_items(t->pipeline);
    node_queue_open(&t->queue, t->n_nodes);
    for (int32_t i = 0; i < t->n_nodes; i++)
        t->node[i] = (struct node){.before = NONE, .after = NONE, .from = NONE, .to = NONE};
    for (int32_t d = 0; d < t->order->devices; d++) {
        t->terminal[d] = 0;
        for (int32_t i = 0; i < t->order->n[d]; i++)
            set_node(t, &t->order->operations[order_at(t->order, d, i)]);
    }
}

bool order_times_set(struct order_times *times, const struct pipeline *pipeline,
                     const struct order *order, enum family_objective objective,
                     struct poll *poll)
{
    struct order_times *t = times;
    t->pipeline = pipeline;
    t->order = order;
    t->objective = objective;
    t->n_log = t->n_moved = t->n_ranges = 0;
    t->sum = 0;
    if (executor_run(t->executor, pipeline, order, NULL, poll) != EXECUTOR_DONE)
        return false;
    t->plain = is_plain(t);
    t->n_ends = (int32_t)order_total(order);
    set_nodes(t);
    for (int32_t d = 0; d < order->devices; d++)
        order_times_changed(t, d, 0, order->n[d]);
    take_starts(t);
    t->n_moved = t->n_nodes;
    for (int32_t i = 0; i < t->n_nodes; i++) {
        t->moved[i] = i;
        t->sum += t->node[i].time;
    }
    order_times_stay(t);
    return true;
}

// ---- values -------------------------------------------------------------------------------------

double order_times_objective(const struct order_times *times)
{
    const struct order_times *t = times;
    double most = 0;
    for (int32_t d = 0; d < t->order->devices; d++) {
        if (t->last[d] < 0)
            continue;
        const double end = end_of(&t->node[t->last[d]]),
                     value =
                         t->objective == FAMILY_SPAN ? end - t->node[t->first[d]].start : end;
        most = value > most ? value : most;
    }
    return most;
}

double order_times_mean_end(const struct order_times *times)
{
    return times->n_ends > 0 ? times->sum / times->n_ends : 0;
}

double order_times_start(const struct order_times *times, const struct operation *op)
{
    return times->node[node_of(times, op)].start;
}

double order_times_end(const struct order_times *times, const struct operation *op)
{
    return end_of(&times->node[node_of(times, op)]);
}

double order_times_delay(const struct order_times *times, const struct operation *op)
{
    return times->node[node_of(times, op)].delay;
}

bool order_times_is_critical(struct order_times *times, const struct operation *op)
{
    if (!times->has_path)
        find_path(times);
    return times->node[node_of(times, op)].path == times->path;
}
