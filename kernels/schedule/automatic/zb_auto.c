// SPDX-License-Identifier: Apache-2.0
// The automatic zero-bubble scheduler for one stage per device, and dispatch.
//
// The published rule tries eight settings of its switches and keeps the shortest span. Beyond it, the
// family drops settings that break down, also looks at the makespan, and falls back to dispatch, which
// is better where a device cannot hold a micro-batch for each stage behind it.
#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"
#include "kernels/schedule/automatic/alternatives.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/automatic/costs.h"
#include "kernels/schedule/families/shapes.h"

#include <math.h>

// ---- an attempt --------------------------------------------------------------------------------

struct zb_switches {
    bool
        until_arrival; // A: a forward of the warm-up may end as late as the first gradient arrives
    bool hold_back; // Q: a stage that is two forwards ahead of the next one may skip a forward
    bool fill_all; // Z: a weight gradient fills every gap, even if it delays the next operation
};

// The memory of attempts; of the family's room.
struct zb_attempt {
    struct costs costs;
    struct zb_stage *stage; // [devices]
    double *ends[2];        // [device * M + micro-batch]: of forwards, of backwards
    struct order *order;
    struct poll *poll;
    struct zb_switches on;
    enum family_status status;
    double most_idle;      // of a device, after its first forward
    double makespan, span; // of the order, with messages that never wait for each other
};

struct zb_stage {
    int32_t forwards, backwards, weights; // operations so far
    int32_t extra;                        // forwards of the warm-up after the first
    bool wants;                           // a forward in this round
    double clock, memory, idle, first_start;
};

static void zb_attempt_take(struct zb_attempt *attempt, const struct pipeline_shape *shape,
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

static bool fail(struct zb_attempt *a, enum family_status status)
{
    if (a->status == FAMILY_DONE)
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
        return fail(a, FAMILY_FAILED);
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
        return fail(a, FAMILY_STOPPED);
    if (!find_arrival(a, type, s, &arrival))
        return false;
    if (item >= micro_batches(a) || (!forward && item >= stage->forwards))
        return fail(a, FAMILY_FAILED);
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
            return fail(a, FAMILY_NO_ROOM);
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

// Writes the order; attempt->costs is set. Reference: Qi et al., "Zero Bubble Pipeline Parallelism". FAMILY_FAILED: a
// forward comes before the forward that it depends on. FAMILY_NO_ROOM: a forward exceeds the limit although nothing
// can be freed.
static enum family_status zb_attempt_run(struct zb_attempt *attempt,
                                         const struct zb_switches *on, struct poll *poll,
                                         struct order *order)
{
    struct zb_attempt *a = attempt;
    const int32_t devices = a->costs.pipeline->shape.devices;
    a->order = order;
    a->poll = poll;
    a->on = *on;
    a->status = FAMILY_DONE;
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
    return FAMILY_DONE;
}

// ---- the scheduler ------------------------------------------------------------------------------

enum { SETTINGS = 8 };

static const struct greedy_rule dispatch = {.cap = (double)INFINITY};
static const double thresholds[] = {0, 0.5};
static const struct alternatives_plan plan = {1, 2, &dispatch, thresholds};

struct zb_memory {
    struct zb_attempt attempt;
    struct alternatives alternatives;
    struct order order;
};

static void *zb_take(const struct pipeline_shape *shape, const struct family_options *options,
                     struct room *room)
{
    struct zb_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct zb_memory *m = memory != NULL ? memory : &counted;
    const int32_t operations = 3 * shape->micro_batches;
    zb_attempt_take(&m->attempt, shape, room);
    alternatives_take(&m->alternatives, shape, options, operations, room);
    if (!options->published)
        order_take(&m->order, shape->devices, operations, room);
    return memory;
}

static struct zb_switches setting(int k)
{
    return (struct zb_switches){!(k & 4), !(k & 2), !(k & 1)};
}

// Writes the order of the setting with the shortest span; by_makespan: among equal spans, the one with the
// earliest makespan, otherwise the first. Returns the status of the setting that failed worst; *found:
// whether a setting has an order.
static enum family_status run_settings(struct zb_attempt *attempt, bool by_makespan,
                                       struct poll *poll, struct order *order, bool *found)
{
    enum family_status worst = FAMILY_DONE;
    int best = -1;
    double makespan = 0, span = 0;
    for (int k = 0; k < SETTINGS; k++) {
        const struct zb_switches on = setting(k);
        const enum family_status status = zb_attempt_run(attempt, &on, poll, order);
        if (status == FAMILY_STOPPED)
            return status;
        if (status != FAMILY_DONE) {
            worst = worst == FAMILY_FAILED ? worst : status;
            continue;
        }
        if (best >= 0 && attempt->span >= span &&
            !(by_makespan && attempt->span == span && attempt->makespan < makespan))
            continue;
        best = k;
        makespan = attempt->makespan;
        span = attempt->span;
    }
    *found = best >= 0;
    const struct zb_switches on = setting(best < 0 ? 0 : best);
    if (*found && best != SETTINGS - 1 &&
        zb_attempt_run(attempt, &on, poll, order) == FAMILY_STOPPED)
        return FAMILY_STOPPED;
    return worst;
}

static enum family_status zb_build(const struct family_task *task)
{
    struct zb_memory *m = task->memory;
    bool found;
    if (!costs_set(&m->attempt.costs, task->pipeline))
        return FAMILY_NO_ROOM;
    if (task->options->published)
        return run_settings(&m->attempt, false, task->poll, task->order, &found);
    struct choice *choice = &m->alternatives.choice;
    choice_open(choice, task->pipeline, task->options->objective, task->poll, task->order);
    if (run_settings(&m->attempt, true, task->poll, &m->order, &found) == FAMILY_STOPPED)
        return FAMILY_STOPPED;
    if (found && choice_offer(choice, &m->order))
        choice_keep_level(choice, false);
    return alternatives_offer(&m->alternatives, task->pipeline, &plan, task->poll);
}

const struct family family_zb_auto = {
    .name = "zb_auto",
    .summary = "zero bubble, scheduled for the times and the memory limit",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
    .kind = FAMILY_AUTOMATIC,
    .uses = FAMILY_USES_PUBLISHED,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .take = zb_take,
    .build = zb_build,
};
