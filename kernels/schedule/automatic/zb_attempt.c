// SPDX-License-Identifier: Apache-2.0
// Builds one order of the zero-bubble scheduler.
//
// First every stage runs as many forwards as fit before the first gradient arrives. Then the stages
// run, round by round, at most one forward and exactly one backward each. Weight gradients wait in
// line: they fill gaps before an operation whose input has not arrived, and make room in memory.
#include "kernels/schedule/automatic/zb_attempt.h"

#include <math.h>

struct zb_stage {
    int32_t forwards, backwards, weights; // operations so far
    int32_t extra;                        // forwards of the warm-up after the first
    bool wants;                           // a forward in this round
    double clock, memory, idle, first_start;
};

void zb_attempt_take(struct zb_attempt *attempt,
                     const struct pipeline_shape *shape,
                     struct room *room)
{
    const size_t devices = (size_t)shape->devices, all = devices * (size_t)shape->micro_batches;
    *attempt = (struct zb_attempt){.order = NULL};
    costs_take(&attempt->costs, shape, room);
    attempt->stage = room_take(room, devices, sizeof *attempt->stage);
    for (int k = 0; k < 2; k++)
        attempt->ends[k] = room_take(room, all, sizeof(double));
}

static const struct pipeline_stage *times(const struct zb_attempt *a, int32_t s)
{
    return &a->costs.pipeline->stage[s];
}

static int32_t micro_batches(const struct zb_attempt *a)
{
    return a->costs.pipeline->shape.micro_batches;
}

static bool fail(struct zb_attempt *a, enum zb_status status)
{
    if (a->status == ZB_DONE)
        a->status = status;
    return false;
}

static int32_t pending(const struct zb_stage *stage)
{
    return stage->backwards - stage->weights;
}

// ---- operations ---------------------------------------------------------------------------------

// Sets *arrival to the time when the input of the next F or B of a stage has arrived; 0 if it needs no
// message. Fails if the operation that sends the message has not been put.
static bool find_arrival(struct zb_attempt *a, enum operation_type type, int32_t s, double *at)
{
    const bool forward = type == OPERATION_F;
    const int32_t other = forward ? s - 1 : s + 1, m = micro_batches(a);
    *at = 0;
    if (other < 0 || other >= a->costs.pipeline->shape.devices)
        return true;
    const int32_t item = forward ? a->stage[s].forwards : a->stage[s].backwards,
                  sent = forward ? a->stage[other].forwards : a->stage[other].backwards;
    if (item >= sent)
        return fail(a, ZB_BROKEN);
    *at = a->ends[!forward][(size_t)other * (size_t)m + (size_t)item] +
          (forward ? a->costs.forward[other] : a->costs.backward[other]);
    return true;
}

static void put_weight(struct zb_attempt *a, int32_t s)
{
    struct zb_stage *stage = &a->stage[s];
    order_add(a->order, s, OPERATION_W, stage->weights++, s);
    stage->clock += times(a, s)->w;
    stage->memory -= times(a, s)->kept_until_w;
}

static void put_all_weights(struct zb_attempt *a, int32_t s)
{
    while (pending(&a->stage[s]) > 0)
        put_weight(a, s);
}

// Puts the next F or B of a stage.
static bool put(struct zb_attempt *a, enum operation_type type, int32_t s)
{
    struct zb_stage *stage = &a->stage[s];
    const bool forward = type == OPERATION_F;
    const int32_t item = forward ? stage->forwards : stage->backwards;
    double arrival;
    if (poll_over(a->poll))
        return fail(a, ZB_STOPPED);
    if (!find_arrival(a, type, s, &arrival))
        return false;
    if (item >= micro_batches(a) || (!forward && item >= stage->forwards))
        return fail(a, ZB_BROKEN);
    if (stage->forwards > 0 && arrival > stage->clock) {
        stage->idle += arrival - stage->clock;
        a->most_idle = fmax(a->most_idle, stage->idle);
    }
    const double start = fmax(stage->clock, arrival);
    if (stage->forwards == 0)
        stage->first_start = start;
    stage->clock = start + (forward ? times(a, s)->f : times(a, s)->b);
    stage->memory += forward ? costs_memory(&a->costs, s) : -times(a, s)->kept_until_b;
    *(forward ? &stage->forwards : &stage->backwards) += 1;
    a->ends[!forward][(size_t)s * (size_t)micro_batches(a) + (size_t)item] = stage->clock;
    order_add(a->order, s, type, item, s);
    return true;
}

// Frees memory until a forward fits.
static bool make_room(struct zb_attempt *a, int32_t s)
{
    const double needed = costs_memory(&a->costs, s);
    while (a->stage[s].memory + needed > a->costs.limit[s]) {
        if (pending(&a->stage[s]) == 0)
            return fail(a, ZB_NO_ROOM);
        put_weight(a, s);
    }
    return true;
}

// Runs weight gradients until the input of the next F or B arrives.
static bool fill(struct zb_attempt *a, enum operation_type type, int32_t s)
{
    struct zb_stage *stage = &a->stage[s];
    double arrival;
    if (!find_arrival(a, type, s, &arrival))
        return false;
    while (pending(stage) > 0 && costs_by(&a->costs, stage->clock + times(a, s)->w, arrival))
        put_weight(a, s);
    const bool small = costs_by(&a->costs, arrival - stage->clock, a->most_idle - stage->idle);
    if (pending(stage) > 0 && costs_before(&a->costs, stage->clock, arrival) &&
        (!small || a->on.fill_all))
        put_weight(a, s);
    return true;
}

// ---- warm-up ------------------------------------------------------------------------------------

// Counts the forwards of every stage that fit before the gradient of the first micro-batch.
static void count_extra(struct zb_attempt *a)
{
    const int32_t last = a->costs.pipeline->shape.devices - 1, m = micro_batches(a);
    double gradient = a->stage[last].clock + times(a, last)->b; // end of the backward behind
    a->stage[last].extra = 0;
    for (int32_t s = last - 1; s >= 0; s--) {
        struct zb_stage *stage = &a->stage[s];
        const double f = times(a, s)->f, needed = costs_memory(&a->costs, s),
                     arrival = gradient + a->costs.backward[s + 1];
        double clock = stage->clock, memory = stage->memory;
        stage->extra = 0;
        while (1 + stage->extra < m && memory + needed <= a->costs.limit[s] &&
               (a->on.until_arrival ? costs_by(&a->costs, clock + f, arrival)
                                    : costs_before(&a->costs, clock, arrival))) {
            stage->extra++;
            clock += f;
            memory += needed;
        }
        gradient = fmax(clock, arrival) + times(a, s)->b;
    }
    for (int32_t s = 1; s <= last; s++)
        while (a->stage[s].extra > 0 && a->stage[s].extra >= a->stage[s - 1].extra &&
               1 + a->stage[s].extra < m)
            a->stage[s].extra--;
}

static bool warm_up(struct zb_attempt *a)
{
    const int32_t devices = a->costs.pipeline->shape.devices;
    for (int32_t s = 0; s < devices; s++)
        if (!put(a, OPERATION_F, s))
            return false;
    count_extra(a);
    for (int32_t s = 0; s < devices; s++)
        for (int32_t k = 0; k < a->stage[s].extra; k++)
            if (!put(a, OPERATION_F, s))
                return false;
    for (int32_t s = devices - 1; s >= 0; s--)
        if (!put(a, OPERATION_B, s))
            return false;
    return true;
}

// ---- rounds -------------------------------------------------------------------------------------

// Returns the time of the weight gradients that must run before a forward fits.
static double time_to_make_room(const struct zb_attempt *a, int32_t s)
{
    const struct zb_stage *stage = &a->stage[s];
    double memory = stage->memory + costs_memory(&a->costs, s), time = 0;
    for (int32_t n = pending(stage); n > 0 && memory > a->costs.limit[s]; n--) {
        memory -= times(a, s)->kept_until_w;
        time += times(a, s)->w;
    }
    return time;
}

static bool wants_forward(const struct zb_attempt *a, int32_t s)
{
    const struct zb_stage *stage = &a->stage[s], *next = stage + 1;
    if (stage->forwards == micro_batches(a))
        return false;
    if (!a->on.hold_back || s == a->costs.pipeline->shape.devices - 1 ||
        stage->forwards < next->forwards + 2)
        return true;
    const double gradient =
        next->clock + times(a, s + 1)->f + times(a, s + 1)->b + a->costs.backward[s + 1];
    if (costs_by(&a->costs, gradient, stage->clock))
        return false;
    if (costs_by(&a->costs, stage->clock + times(a, s)->f + time_to_make_room(a, s), gradient))
        return true;
    return !costs_by(&a->costs, gradient - stage->clock, a->most_idle - stage->idle);
}

static bool round_of_forwards(struct zb_attempt *a)
{
    const int32_t devices = a->costs.pipeline->shape.devices;
    bool wants = true;
    for (int32_t s = devices - 1; s >= 0; s--)
        a->stage[s].wants = wants = wants_forward(a, s) && wants;
    for (int32_t s = 0; s < devices; s++)
        if (a->stage[s].wants &&
            !(make_room(a, s) && fill(a, OPERATION_F, s) && put(a, OPERATION_F, s)))
            return false;
    return true;
}

static bool round_of_backwards(struct zb_attempt *a)
{
    for (int32_t s = a->costs.pipeline->shape.devices - 1; s >= 0; s--) {
        if (!fill(a, OPERATION_B, s))
            return false;
        if (s == 0 && a->stage[s].forwards == micro_batches(a))
            put_all_weights(a, s);
        if (!put(a, OPERATION_B, s))
            return false;
    }
    return true;
}

static bool run(struct zb_attempt *a)
{
    if (!warm_up(a))
        return false;
    for (int32_t i = 1; i < micro_batches(a); i++)
        if (!round_of_forwards(a) || !round_of_backwards(a))
            return false;
    return true;
}

enum zb_status zb_attempt_run(struct zb_attempt *attempt,
                              const struct zb_switches *on,
                              struct poll *poll,
                              struct order *order)
{
    struct zb_attempt *a = attempt;
    const int32_t devices = a->costs.pipeline->shape.devices;
    a->order = order;
    a->poll = poll;
    a->on = *on;
    a->status = ZB_DONE;
    a->most_idle = a->makespan = a->span = 0;
    order_clear(order);
    for (int32_t s = 0; s < devices; s++)
        a->stage[s] = (struct zb_stage){.memory = 0};
    if (!run(a))
        return a->status;
    for (int32_t s = 0; s < devices; s++) {
        put_all_weights(a, s);
        a->makespan = fmax(a->makespan, a->stage[s].clock);
        a->span = fmax(a->span, a->stage[s].clock - a->stage[s].first_start);
    }
    return ZB_DONE;
}
