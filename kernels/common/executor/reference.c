// SPDX-License-Identifier: Apache-2.0
// Executes an order as a plain event simulation, written from the definition. Each round scans all
// operations: one starts if the operation before it on the device has started and all its inputs have
// run. A message is sent in the round after the end of its operation is known.
#include "kernels/common/executor/reference.h"

#include <math.h>
#include <stdlib.h>

struct simulation {
    const struct pipeline *pipeline;
    const struct order *order;
    double *starts, *ends; // NAN: not run
    double *arrivals;      // of the message that the operation sends
    double *free_at;       // [sender * devices + receiver]; cards: [sender * devices]
    const struct order_messages *messages; // blocking; NULL: none
    const double *release;                 // [devices]; NULL: 0
    double *come; // [messages]: when their device has come to them; NAN: not yet
    struct poll *poll;
    bool is_stopped; // by the poll
};

static bool is_kind(const struct operation *op, enum operation_type type)
{
    return op->type == type || (type == OPERATION_B && op->type == OPERATION_BW);
}

// Finds an operation by its numbers: the position of all arrays, -1: none. *n: how many there are.
static int64_t find(struct simulation *s, enum operation_type type, int32_t direction,
                    int32_t stage, int32_t item, int *n)
{
    const struct order *order = s->order;
    int64_t found = -1;
    *n = 0;
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++) {
            const int64_t at = order_at(order, d, i);
            const struct operation *op = &order->operations[at];
            if (is_kind(op, type) && op->direction == direction && op->stage == stage &&
                op->item == item) {
                found = at;
                (*n)++;
            }
        }
    if (poll_over_after(s->poll, (uint64_t)order_total(order)))
        s->is_stopped = true;
    return found;
}

static bool foreign(const struct pipeline *p, const struct operation *op, int32_t d)
{
    return op->direction >= p->shape.directions || op->stage < 0 ||
           op->stage >= p->shape.stages || op->item < 0 || op->item >= pipeline_items(p) ||
           op->type >= OPERATION_TYPES || pipeline_device(p, op->direction, op->stage) != d;
}

static bool right_operation(struct simulation *s, int32_t d, int32_t i)
{
    const struct order *order = s->order;
    const int64_t at = order_at(order, d, i);
    const struct operation *op = &order->operations[at];
    int n;
    if (foreign(s->pipeline, op, d))
        return false;
    // As many as types that exclude each other: one F; one B (or BW); one W and no BW beside it; one R.
    const enum operation_type type =
        op->type == OPERATION_BW ? OPERATION_B : (enum operation_type)op->type;
    (void)find(s, type, op->direction, op->stage, op->item, &n);
    if (n != 1)
        return false;
    (void)find(s, OPERATION_W, op->direction, op->stage, op->item, &n);
    if (op->type == OPERATION_BW && n != 0)
        return false;
    if (!order->paired[at])
        return true;
    return op->type == OPERATION_F && i + 1 < order->n[d] &&
           order->operations[at + 1].type == OPERATION_BW && !order->paired[at + 1];
}

// Each micro-batch of a direction has all operations of all stages, or none; M of them have all.
static bool right_set(struct simulation *s)
{
    const struct pipeline_shape *shape = &s->pipeline->shape;
    int32_t used = 0;
    for (int32_t d = 0; d < s->order->devices; d++)
        for (int32_t i = 0; i < s->order->n[d]; i++)
            if (s->is_stopped || !right_operation(s, d, i))
                return false;
    for (int32_t k = 0; k < shape->directions; k++)
        for (int32_t item = 0; item < pipeline_items(s->pipeline) && !s->is_stopped; item++) {
            int32_t complete = 0, any = 0;
            for (int32_t stage = 0; stage < shape->stages; stage++) {
                int f, b, w, r;
                (void)find(s, OPERATION_F, k, stage, item, &f);
                const int64_t at = find(s, OPERATION_B, k, stage, item, &b);
                (void)find(s, OPERATION_W, k, stage, item, &w);
                (void)find(s, OPERATION_R, k, stage, item, &r);
                const bool whole = at >= 0 && s->order->operations[at].type == OPERATION_BW;
                complete += f == 1 && b == 1 && (whole || w == 1);
                any += f + b + w + r > 0;
            }
            if (any > 0 && complete < shape->stages)
                return false;
            used += any > 0;
        }
    return used == pipeline_items(s->pipeline);
}

// Returns the time at which an input is there, NAN: not known yet.
static double arrival_of(struct simulation *s, enum operation_type type,
                         const struct operation *op, int32_t stage, int32_t item)
{
    int n;
    const int64_t at = find(s, type, op->direction, stage, item, &n);
    return stage == op->stage ? s->ends[at] : s->arrivals[at];
}

// Returns the latest input of an operation; NAN: one is not there.
static double inputs_of(struct simulation *s, const struct operation *op)
{
    const struct pipeline_shape *shape = &s->pipeline->shape;
    const int32_t slice = op->item % shape->slices;
    double latest = 0;
    double inputs[3] = {0, 0, 0};
    switch ((enum operation_type)op->type) {
    case OPERATION_F:
        if (op->stage > 0)
            inputs[0] = arrival_of(s, OPERATION_F, op, op->stage - 1, op->item);
        if (slice > 0)
            inputs[1] = arrival_of(s, OPERATION_F, op, op->stage, op->item - 1);
        break;
    case OPERATION_B:
    case OPERATION_BW:
        inputs[0] = arrival_of(s, OPERATION_F, op, op->stage, op->item);
        if (op->stage + 1 < shape->stages)
            inputs[1] = arrival_of(s, OPERATION_B, op, op->stage + 1, op->item);
        if (slice + 1 < shape->slices)
            inputs[2] = arrival_of(s, OPERATION_B, op, op->stage, op->item + 1);
        break;
    case OPERATION_W:
        inputs[0] = arrival_of(s, OPERATION_B, op, op->stage, op->item);
        break;
    case OPERATION_R:
        inputs[0] = arrival_of(s, OPERATION_F, op, op->stage, op->item);
        break;
    case OPERATION_TYPES:
        break;
    }
    for (int k = 0; k < 3; k++)
        latest = isnan(inputs[k]) || isnan(latest) ? (double)NAN : fmax(latest, inputs[k]);
    return latest;
}

static double time_of(const struct simulation *s, const struct operation *op)
{
    const struct pipeline_stage *t = &s->pipeline->stage[op->stage];
    const double times[OPERATION_TYPES] = {t->f, t->b, t->w, t->b + t->w, t->r};
    return times[op->type];
}

// Returns whether the operation sends a message that is listed.
static bool is_listed(const struct simulation *s, const struct operation *op)
{
    for (int32_t i = 0; s->messages != NULL && i < s->messages->first[s->order->devices]; i++) {
        const struct order_message *m = &s->messages->list[i];
        if (m->stage == op->stage && m->item == op->item &&
            m->backward == (op->type != OPERATION_F))
            return true;
    }
    return false;
}

static void send(struct simulation *s, const struct operation *op, int64_t at)
{
    const struct pipeline *p = s->pipeline;
    const bool forward = op->type == OPERATION_F;
    const int32_t to = op->stage + (forward ? 1 : -1),
                  from = pipeline_device(p, op->direction, op->stage);
    s->arrivals[at] = s->ends[at];
    if (op->type == OPERATION_W || op->type == OPERATION_R || to < 0 || to >= p->shape.stages)
        return;
    const int32_t receiver = pipeline_device(p, op->direction, to);
    if (receiver != from && is_listed(s, op)) {
        s->arrivals[at] = (double)NAN;
        return;
    }
    const double bytes =
        forward ? p->stage[op->stage].forward_bytes : p->stage[op->stage].backward_bytes;
    double start = s->ends[at];
    if (receiver != from && p->links.channels != PIPELINE_FREE && s->messages == NULL) {
        const bool card = p->links.channels == PIPELINE_CARDS;
        double *free_at = &s->free_at[from * p->shape.devices + (card ? 0 : receiver)];
        start = fmax(start, *free_at);
        *free_at = start + pipeline_occupation(p, from, receiver, bytes);
    }
    s->arrivals[at] = start + pipeline_delay(p, from, receiver, bytes);
}

// Runs the operation at a position, and the other part of its unit. Returns whether it could run.
static bool run(struct simulation *s, int32_t d, int32_t i, double free_from)
{
    const int64_t at = order_at(s->order, d, i);
    const int n = s->order->paired[at] ? 2 : 1;
    double start = free_from, duration = 0;
    for (int k = 0; k < n; k++) {
        const double ready = inputs_of(s, &s->order->operations[at + k]);
        if (isnan(ready))
            return false;
        start = fmax(start, ready);
        duration += time_of(s, &s->order->operations[at + k]);
    }
    if (n == 2 && !isnan(s->pipeline->pair[d]))
        duration = s->pipeline->pair[d];
    for (int k = 0; k < n; k++) {
        s->starts[at + k] = start;
        s->ends[at + k] = start + duration;
        send(s, &s->order->operations[at + k], at + k);
    }
    return true;
}

static enum executor_status simulate(struct simulation *s)
{
    const struct order *order = s->order;
    bool complete = true;
    for (bool moved = true; moved && !s->is_stopped;) {
        moved = false;
        complete = true;
        for (int32_t d = 0; d < order->devices; d++) {
            double free_from = s->release != NULL ? s->release[d] : 0;
            for (int32_t i = 0; i < order->n[d] && !s->is_stopped; i++) {
                const int64_t at = order_at(order, d, i);
                if (isnan(s->ends[at])) {
                    const bool ran = run(s, d, i, free_from);
                    moved = moved || ran;
                    complete = complete && ran;
                    if (!ran)
                        break;
                }
                free_from = s->ends[at];
            }
        }
    }
    return complete ? EXECUTOR_DONE : EXECUTOR_DEADLOCK;
}

// ---- blocking messages --------------------------------------------------------------------------

// Returns the index of the other end of a message, and in *from, *to the devices of send and receive.
static int32_t other_end(const struct simulation *s, int32_t i, int32_t *from, int32_t *to)
{
    const struct order_message *m = &s->messages->list[i];
    *from = pipeline_device(s->pipeline, 0, m->stage);
    *to = pipeline_device(s->pipeline, 0, m->backward ? m->stage - 1 : m->stage + 1);
    for (int32_t k = 0; k < s->messages->first[s->order->devices]; k++) {
        const struct order_message *other = &s->messages->list[k];
        if (other->send != m->send && other->stage == m->stage && other->item == m->item &&
            other->backward == m->backward)
            return k;
    }
    return i;
}

// Passes a message if both ends have come to it. Returns whether they have; *clock: of the device.
static bool pass(struct simulation *s, int32_t i, double *clock)
{
    const struct order_message *m = &s->messages->list[i];
    const struct pipeline_stage *stage = &s->pipeline->stage[m->stage];
    const double bytes = m->backward ? stage->backward_bytes : stage->forward_bytes;
    int32_t from, to;
    const int32_t other = other_end(s, i, &from, &to);
    if (isnan(s->come[i]))
        s->come[i] = *clock;
    if (isnan(s->come[other]))
        return false;
    int n;
    const double start = fmax(s->come[i], s->come[other]);
    const int64_t at =
        find(s, m->backward ? OPERATION_B : OPERATION_F, 0, m->stage, m->item, &n);
    s->arrivals[at] = start + pipeline_delay(s->pipeline, from, to, bytes);
    *clock = start + pipeline_occupation(s->pipeline, from, to, bytes);
    return true;
}

// Follows the order of a device from the start as far as it can run. Returns whether it comes to the end.
static bool follow(struct simulation *s, int32_t d)
{
    const struct order *order = s->order;
    double clock = s->release != NULL ? s->release[d] : 0;
    int32_t i = s->messages->first[d];
    for (int32_t position = 0;; position++) {
        for (; i < s->messages->first[d + 1] && s->messages->list[i].before == position; i++)
            if (!pass(s, i, &clock))
                return false;
        if (position == order->n[d])
            return true;
        const int64_t at = order_at(order, d, position);
        if (isnan(s->ends[at]) && !run(s, d, position, clock))
            return false;
        clock = s->ends[at];
    }
}

static int64_t n_known(const struct simulation *s)
{
    int64_t n = 0;
    for (int32_t d = 0; d < s->order->devices; d++)
        for (int32_t i = 0; i < s->order->n[d]; i++)
            n += !isnan(s->ends[order_at(s->order, d, i)]);
    for (int32_t i = 0; i < s->messages->first[s->order->devices]; i++)
        n += !isnan(s->come[i]);
    return n;
}

// Follows all devices again and again, until nothing more becomes known.
static enum executor_status follow_all(struct simulation *s)
{
    for (int64_t before = -1, known = n_known(s); known != before && !s->is_stopped;
         known = n_known(s)) {
        bool complete = true;
        before = known;
        for (int32_t d = 0; d < s->order->devices; d++)
            complete &= follow(s, d);
        if (complete)
            return EXECUTOR_DONE;
    }
    return EXECUTOR_DEADLOCK;
}

// ---- runs ---------------------------------------------------------------------------------------

// Executes the order, with blocking messages if the simulation has any. Returns false when out of memory.
static bool play(struct simulation *s, enum executor_status *status)
{
    const size_t devices = (size_t)s->order->devices, n = devices * (size_t)s->order->room,
                 n_messages = s->messages != NULL ? (size_t)s->messages->first[devices] : 0;
    s->arrivals = calloc(n + 1, sizeof *s->arrivals);
    s->free_at = calloc(devices * devices + 1, sizeof *s->free_at);
    s->come = calloc(n_messages + 1, sizeof *s->come);
    const bool ok = s->arrivals != NULL && s->free_at != NULL && s->come != NULL;
    for (size_t i = 0; i < n && ok; i++)
        s->starts[i] = s->ends[i] = s->arrivals[i] = (double)NAN;
    for (size_t i = 0; i < n_messages && ok; i++)
        s->come[i] = (double)NAN;
    if (ok)
        *status = s->messages != NULL ? follow_all(s)
                  : right_set(s)      ? simulate(s)
                                      : EXECUTOR_WRONG_OPERATIONS;
    if (s->is_stopped)
        *status = EXECUTOR_STOPPED;
    free(s->arrivals);
    free(s->free_at);
    free(s->come);
    return ok;
}

bool reference_run_blocking(const struct pipeline *pipeline, const struct order *order,
                            const struct order_messages *messages, double *starts, double *ends,
                            enum executor_status *status)
{
    struct simulation s = {.pipeline = pipeline,
                           .order = order,
                           .messages = messages,
                           .starts = starts,
                           .ends = ends};
    return play(&s, status);
}

// Without a list: with the messages where PyTorch puts them. If there are none, the order deadlocks without them, too.
static bool play_placed(struct simulation *s, enum executor_status *status)
{
    struct order_messages messages;
    struct order_stuck stuck;
    bool ok = order_messages_place(s->pipeline, s->order, &messages, &stuck);
    if (ok)
        s->messages = &messages;
    if (ok || stuck.device >= 0)
        ok = play(s, status);
    order_messages_free(&messages);
    return ok;
}

bool reference_run(const struct pipeline *pipeline, const struct order *order,
                   const double *release, struct poll *poll, double *starts, double *ends,
                   enum executor_status *status)
{
    struct simulation s = {.pipeline = pipeline,
                           .order = order,
                           .release = release,
                           .poll = poll,
                           .starts = starts,
                           .ends = ends};
    if (pipeline->links.channels != PIPELINE_BLOCKING)
        return play(&s, status);
    if (right_set(&s) && !s.is_stopped)
        return play_placed(&s, status);
    *status = s.is_stopped ? EXECUTOR_STOPPED : EXECUTOR_WRONG_OPERATIONS;
    return true;
}
