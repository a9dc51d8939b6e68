// SPDX-License-Identifier: Apache-2.0
// Runs steps in which every device keeps the F and B of an order and moves its W.
//
// Devices run independently of each other until one needs to know more than has been computed. A device
// that needs a message waits until the operation that sends it has been computed (`wanted`). A device that
// would run a W, unless its message is here or on its way, asks: if the sending operation has not been
// computed, and no device can compute anything else, the device that asks at the earliest time is told that
// the operation has not started, because nothing that is computed later starts before that time.
//
// This is right if every F and B takes time. Otherwise a message may leave and arrive in the moment of a
// decision; then the decisions are taken strictly in the order of time and device.
#include "kernels/schedule/online/pull_private.h"

// ---- operations ---------------------------------------------------------------------------------

static double timed(const struct pull *e, int32_t d, int type, int32_t index, double start)
{
    const struct executor_piece piece = {.type = (enum operation_type)type,
                                         .device = d,
                                         .index = index,
                                         .behind = -1,
                                         .lane = e->lane,
                                         .start = start};
    return executor_times_duration(e->times, e->pipeline, &piece);
}

static inline double duration_of(const struct pull *e, int32_t d, int type, int32_t index,
                                 double start)
{
    if (e->is_timed || type > OPERATION_W)
        return timed(e, d, type, index, start);
    return e->times->time[type][(int64_t)index * EXECUTOR_LANES + e->lane];
}

static inline void run_weight(const struct pull *e, int32_t d, struct pull_device *device)
{
    const struct pull_weight *weight = &device->weights[device->weight++];
    device->clock += duration_of(e, d, OPERATION_W, weight->index, device->clock);
    device->used -= weight->memory;
}

// Returns the arrival of the message of a task that ends at `end`.
static inline double arrival_of(struct pull *e, int32_t d, const struct pull_task *task,
                                double end)
{
    const bool backward = task->type != OPERATION_F;
    const double delay =
        e->times->delay[backward][(int64_t)task->index * EXECUTOR_LANES + e->lane];
    if (!e->has_channels)
        return end + delay;
    const struct pipeline_stage *stage =
        &e->pipeline->stage[task->index / e->items % e->pipeline->shape.stages];
    return channels_send(&e->channels, d, task->receiver,
                         backward ? stage->backward_bytes : stage->forward_bytes, end, delay);
}

static inline void run_task(struct pull *e, int32_t d, struct pull_device *device)
{
    const struct pull_task *task = &device->tasks[device->task++];
    const double start = device->clock,
                 end = start + duration_of(e, d, task->type, task->index, start);
    const bool backward = task->type != OPERATION_F;
    device->waits = false;
    device->clock = end;
    device->used += backward ? -task->memory : task->memory;
    device->has_moment |= !(end > start);
    double arrival = end;
    if (task->receiver >= 0)
        arrival = arrival_of(e, d, task, end);
    e->message[task->output] = (struct pull_message){start, arrival};
    if (task->receiver < 0 || e->device[task->receiver].wanted != task->output)
        return;
    struct pull_device *receiver = &e->device[task->receiver];
    receiver->wanted = -1;
    receiver->asks = false;
    e->awake[e->n_awake++] = task->receiver;
}

// ---- decisions ----------------------------------------------------------------------------------

enum action { RUN_TASK, RUN_WEIGHT, WAIT, ASK, END };

// Returns whether the sender of the input, which is not computed, starts it at the clock or later.
static inline bool starts_later(const struct pull *e, const struct pull_device *device,
                                const struct pull_task *task, int32_t d)
{
    const struct pull_device *sender = &e->device[task->sender];
    if (e->in_order || device->is_told || sender->clock >= device->clock)
        return true;
    return sender->wanted >= 0 && sender->tasks[sender->task].sender == d;
}

static inline enum action decide(const struct pull *e, int32_t d,
                                 const struct pull_device *device)
{
    const int32_t n = device->task, w = device->weight;
    const bool has_weight = w < device->n_weights;
    if (n == device->n_tasks)
        return has_weight ? RUN_WEIGHT : END;
    const struct pull_task *task = &device->tasks[n];
    const struct pull_weight *weight = &device->weights[w];
    const struct pull_message input = e->message[task->input];
    const bool pending = has_weight && weight->before <= n;
    const int32_t late = task->before - w;
    if (input.arrival >= 0 && input.arrival <= device->clock) {
        const bool fits = !e->weighs || task->type != OPERATION_F ||
                          device->used + task->memory <= device->room;
        return (late > e->rule.lag || !fits) && pending ? RUN_WEIGHT : RUN_TASK;
    }
    if (device->waits || !pending || -late >= e->rule.ahead)
        return WAIT;
    if (late > e->rule.lag)
        return RUN_WEIGHT;
    if (input.arrival < 0 && !starts_later(e, device, task, d))
        return ASK;
    if (late > 0 || e->rule.threshold == 0)
        return RUN_WEIGHT;
    const bool is_known = input.arrival >= 0 && input.started < device->clock;
    const double expected = is_known ? input.started + task->expected : (double)INFINITY;
    return expected - device->clock >= e->rule.threshold * weight->time ? RUN_WEIGHT : WAIT;
}

// ---- devices independently ----------------------------------------------------------------------

// Runs a device until it needs a message that is not computed, or its work is done.
static void advance(struct pull *e, int32_t d)
{
    struct pull_device device = e->device[d];
    for (;;) {
        const enum action action = decide(e, d, &device);
        device.is_told = false;
        if (action == RUN_TASK) {
            run_task(e, d, &device);
            continue;
        }
        if (action == RUN_WEIGHT) {
            run_weight(e, d, &device);
            continue;
        }
        if (action == END)
            break;
        const int32_t input = device.tasks[device.task].input;
        device.waits = action == WAIT;
        if (action == ASK || e->message[input].arrival < 0) {
            device.wanted = input;
            device.asks = action == ASK;
            break;
        }
        device.clock = e->message[input].arrival;
    }
    e->device[d] = device;
}

// Tells the device that asks at the earliest time that its message is not on its way. Returns false if
// none asks.
static bool tell(struct pull *e)
{
    int32_t first = -1;
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        if (e->device[d].asks && (first < 0 || e->device[d].clock < e->device[first].clock))
            first = d;
    if (first < 0)
        return false;
    e->device[first].is_told = true;
    e->device[first].asks = false;
    e->device[first].wanted = -1;
    e->awake[e->n_awake++] = first;
    return true;
}

static void run_freely(struct pull *e)
{
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        e->awake[e->n_awake++] = e->pipeline->shape.devices - 1 - d;
    do {
        while (e->n_awake > 0)
            advance(e, e->awake[--e->n_awake]);
    } while (tell(e));
}

// ---- decisions in the order of time -------------------------------------------------------------

// Carries out the decision of a device. Returns when it decides again; INFINITY: when it is woken, or never.
static double step_in_order(struct pull *e, int32_t d)
{
    struct pull_device *device = &e->device[d];
    const enum action action = decide(e, d, device);
    if (action == RUN_TASK)
        run_task(e, d, device);
    if (action == RUN_WEIGHT)
        run_weight(e, d, device);
    if (action == RUN_TASK || action == RUN_WEIGHT)
        return device->clock;
    if (action == END)
        return (double)INFINITY;
    const int32_t input = device->tasks[device->task].input;
    device->waits = true;
    if (e->message[input].arrival >= 0)
        return e->message[input].arrival;
    device->wanted = input;
    return (double)INFINITY;
}

static void run_in_order(struct pull *e)
{
    struct earliest *earliest = &e->earliest;
    earliest_clear(earliest);
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        earliest_set(earliest, d, 0, 0);
    for (;;) {
        const int32_t d = earliest_device(earliest);
        if (isinf(earliest->start[d]))
            return;
        e->device[d].clock = earliest->start[d];
        earliest_set(earliest, d, step_in_order(e, d), 0);
        while (e->n_awake > 0) {
            const int32_t awake = e->awake[--e->n_awake];
            const struct pull_device *device = &e->device[awake];
            const int32_t input = device->tasks[device->task].input;
            earliest_set(earliest, awake, e->message[input].arrival, 0);
        }
    }
}

// ---- replicates ---------------------------------------------------------------------------------

static void reset(struct pull *e)
{
    for (int32_t i = 0; i < e->n_messages + PULL_NO_MESSAGES; i++)
        e->message[i].arrival = -1;
    e->message[PULL_NO_INPUT] = (struct pull_message){-1, 0};
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++) {
        struct pull_device *device = &e->device[d];
        device->clock = 0;
        device->used = e->pipeline->fixed[d];
        device->task = device->weight = 0;
        device->wanted = -1;
        device->asks = device->is_told = device->waits = device->has_moment = false;
    }
    channels_start(&e->channels);
    e->n_awake = 0;
}

static bool has_moment(const struct pull *e)
{
    bool has = false;
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        has = has || e->device[d].has_moment;
    return has;
}

static double run_lane(struct pull *e)
{
    const bool in_order = e->in_order;
    double makespan = 0;
    reset(e);
    if (!in_order)
        run_freely(e);
    if (!in_order && has_moment(e)) {
        reset(e);
        e->in_order = true;
    }
    if (e->in_order)
        run_in_order(e);
    e->in_order = in_order;
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        makespan = fmax(makespan, e->device[d].clock);
    return makespan;
}

void pull_run(struct pull *pull, const struct pull_rule *rule,
              const struct executor_times *times, double *makespan)
{
    struct pull *e = pull;
    e->rule = *rule;
    e->weighs = rule->lag > 0;
    e->times = times;
    e->is_timed = times->duration != NULL;
    for (e->lane = 0; e->lane < EXECUTOR_LANES; e->lane++)
        makespan[e->lane] = run_lane(e);
}
