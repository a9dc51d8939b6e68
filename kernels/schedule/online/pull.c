// SPDX-License-Identifier: Apache-2.0
// Runs steps in which every device keeps the F and B of an order and moves its W.
//
// Devices run independently of each other until one needs to know more than has been computed. A device
// that needs a message waits until the operation that sends it has been computed (`wanted`). A device that
// would run a W, unless a message is on its way, asks: if the sending operation has not been computed, and
// no device can compute anything else, the device that asks at the earliest time gets the answer that the
// operation has not started, because no operation that is computed later starts before that time.
//
// This is right if every F and B takes time. Otherwise a message may leave and arrive in the moment of a
// decision; then the decisions are taken strictly in the order of time and device.
#include "kernels/schedule/online/pull.h"

#include "kernels/schedule/automatic/earliest.h"

#include <math.h>
#include <string.h>

// An operation of a device: F, B, BW or R; or W, in a list of its own. `input` and `output` are messages.
struct task {
    int32_t index, type;
    int32_t before;           // W's that the order places before it; of a W: tasks up to its B
    int32_t input;            // NO_INPUT: none
    int32_t output;           // NO_OUTPUT: none
    int32_t receiver;         // of the output; -1: none, or the same device
    int32_t sender;           // of the input
    double time;              // nominal
    double sent_after, delay; // nominal: time of the sender of the input; delay of the input
    double memory;            // that it takes at the start (F), or frees at the end
};

// A message, and the operation that sends it. arrival < 0: not computed.
struct message {
    double started, arrival;
};

enum { NO_INPUT, NO_OUTPUT, N_NONE };

struct device {
    double clock, used;
    int32_t task, weight; // the next ones
    int32_t wanted;       // message that is not computed; -1: none
    bool asks;            // whether that message is on its way
    bool is_told;         // that it is not: its sender starts now or later
    bool waits;           // for the input of the next task
};

struct pull {
    const struct pipeline *pipeline;
    const struct executor_times *times;
    const struct pull_rule *rule;
    int lane;
    bool in_order;   // decisions in the order of time
    bool has_moment; // an F or B that took no time
    int32_t items, n_messages, n_awake;
    struct task *task, *weight;   // [first[d] + i]
    int32_t *first;               // [devices]
    int32_t *n_tasks, *n_weights; // [devices]
    double *room;                 // [devices]: limit with tolerance
    struct message *message;
    struct device *device;
    int32_t *awake; // stack of devices
    struct earliest earliest;
};

struct pull *pull_take(const struct pipeline_shape *most, int32_t operations, struct room *room)
{
    const size_t devices = (size_t)most->devices, all = devices * (size_t)operations,
                 items = (size_t)most->directions * (size_t)most->stages *
                         (size_t)most->micro_batches * (size_t)most->slices;
    struct pull *pull = room_take(room, 1, sizeof *pull), counted;
    struct pull *e = pull != NULL ? pull : &counted;
    e->task = room_take(room, all, sizeof *e->task);
    e->weight = room_take(room, all, sizeof *e->weight);
    e->first = room_take(room, devices, sizeof *e->first);
    e->n_tasks = room_take(room, devices, sizeof *e->n_tasks);
    e->n_weights = room_take(room, devices, sizeof *e->n_weights);
    e->room = room_take(room, devices, sizeof *e->room);
    e->message = room_take(room, 2 * items + N_NONE, sizeof *e->message);
    e->device = room_take(room, devices, sizeof *e->device);
    e->awake = room_take(room, devices + 1, sizeof *e->awake);
    earliest_take(&e->earliest, most->devices, room);
    return pull;
}

const char *pull_misfit(const struct pipeline *pipeline, const struct order *order)
{
    if (pipeline->links.channels != PIPELINE_FREE)
        return "needs free channels";
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++)
            if (order->paired[order_at(order, d, i)])
                return "needs an order without overlapped pairs";
    return NULL;
}

// ---- an order -----------------------------------------------------------------------------------

// Sets the messages of an F, B or BW.
static void connect(const struct pull *e, const struct operation *op, struct task *task)
{
    const struct pipeline *p = e->pipeline;
    const int32_t stages = p->shape.stages, k = op->direction, all = e->n_messages / 2,
                  device = pipeline_device(p, k, op->stage);
    const bool forward = op->type == OPERATION_F, first = op->stage == 0,
               last = op->stage == stages - 1;
    const int32_t from = forward ? op->stage - 1 : op->stage + 1,
                  to = forward ? op->stage + 1 : op->stage - 1;
    const int32_t inputs = N_NONE + (forward ? 0 : all);
    if (!(forward && first))
        task->input = inputs + task->index;
    if (forward && last)
        task->output = N_NONE + all + task->index;
    else if (!(first && !forward))
        task->output = inputs + task->index + (to - op->stage) * e->items;
    if (to >= 0 && to < stages && pipeline_device(p, k, to) != device)
        task->receiver = pipeline_device(p, k, to);
    if (from < 0 || from >= stages)
        return;
    const struct pipeline_stage *sender = &p->stage[from];
    task->sender = pipeline_device(p, k, from);
    task->sent_after = forward                    ? sender->f
                       : op->type == OPERATION_BW ? sender->b + sender->w
                                                  : sender->b;
    task->delay = pipeline_delay(p, task->sender, device,
                                 forward ? sender->forward_bytes : sender->backward_bytes);
}

static struct task task_of(const struct pull *e, int32_t d, const struct operation *op)
{
    const struct pipeline_stage *stage = &e->pipeline->stage[op->stage];
    struct task task = {
        .index = (op->direction * e->pipeline->shape.stages + op->stage) * e->items + op->item,
        .type = op->type,
        .input = NO_INPUT,
        .output = NO_OUTPUT,
        .receiver = -1,
        .sender = d};
    const double b = stage->kept_until_b, w = stage->kept_until_w;
    const double times[OPERATION_TYPES] = {stage->f, stage->b, stage->w, stage->b + stage->w,
                                           stage->r},
                 memory[OPERATION_TYPES] = {b + w, b, w, b + w, 0};
    task.time = times[op->type];
    task.memory = memory[op->type];
    if (op->type != OPERATION_W && op->type != OPERATION_R)
        connect(e, op, &task);
    return task;
}

// Lists the tasks and the W's of a device, and finds the peak of its memory.
static double list_tasks(struct pull *e, const struct order *order, int32_t d)
{
    struct task *task = &e->task[e->first[d]], *weight = &e->weight[e->first[d]];
    int32_t n_tasks = 0, n_weights = 0;
    double used = e->pipeline->fixed[d], peak = used;
    for (int32_t i = 0; i < order->n[d]; i++) {
        const struct operation *op = &order->operations[order_at(order, d, i)];
        struct task next = task_of(e, d, op);
        used += op->type == OPERATION_F ? next.memory : -next.memory;
        peak = used > peak ? used : peak;
        if (op->type == OPERATION_W) {
            weight[n_weights++] = next;
            continue;
        }
        next.before = n_weights;
        task[n_tasks++] = next;
    }
    e->n_tasks[d] = n_tasks;
    e->n_weights[d] = n_weights;
    return peak;
}

// Finds the B of every W of a device. `at`: messages, free before a step; remembers positions.
static void match_weights(struct pull *e, int32_t d)
{
    const struct task *task = &e->task[e->first[d]];
    struct task *weight = &e->weight[e->first[d]];
    for (int32_t i = 0; i < e->n_tasks[d]; i++)
        if (task[i].type == OPERATION_B)
            e->message[N_NONE + task[i].index].started = i + 1;
    for (int32_t i = 0; i < e->n_weights[d]; i++)
        weight[i].before = (int32_t)e->message[N_NONE + weight[i].index].started;
}

void pull_open(struct pull *pull, const struct pipeline *pipeline, const struct order *order)
{
    struct pull *e = pull;
    e->pipeline = pipeline;
    e->items = pipeline_items(pipeline);
    e->n_messages = 2 * pipeline->shape.directions * pipeline->shape.stages * e->items;
    e->in_order = false;
    for (int32_t s = 0; s < pipeline->shape.stages; s++)
        e->in_order = e->in_order || !(pipeline->stage[s].f > 0 && pipeline->stage[s].b > 0);
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        e->first[d] = d * order->room;
        const double peak = list_tasks(e, order, d), limit = pipeline->limit[d];
        e->room[d] = isinf(limit) ? peak + 1e-9 * fabs(peak) : limit + 1e-9 * fabs(limit);
        match_weights(e, d);
    }
}

// ---- a step -------------------------------------------------------------------------------------

static double duration_of(const struct pull *e, int32_t d, const struct task *task)
{
    const int64_t at = (int64_t)task->index * EXECUTOR_LANES + e->lane;
    if (e->times->duration == NULL && task->type <= OPERATION_W)
        return e->times->time[task->type][at];
    const struct executor_piece piece = {.type = (enum operation_type)task->type,
                                         .device = d,
                                         .index = task->index,
                                         .behind = -1,
                                         .lane = e->lane,
                                         .start = e->device[d].clock};
    return executor_times_duration(e->times, e->pipeline, &piece);
}

static void run_weight(struct pull *e, int32_t d)
{
    struct device *device = &e->device[d];
    const struct task *weight = &e->weight[e->first[d] + device->weight++];
    device->clock += duration_of(e, d, weight);
    device->used -= weight->memory;
}

static void run_task(struct pull *e, int32_t d)
{
    struct device *device = &e->device[d];
    const struct task *task = &e->task[e->first[d] + device->task++];
    const double start = device->clock, end = start + duration_of(e, d, task);
    device->waits = false;
    device->clock = end;
    device->used += task->type == OPERATION_F ? task->memory : -task->memory;
    e->has_moment = e->has_moment || !(end > start);
    struct message *output = &e->message[task->output];
    output->started = start;
    output->arrival = end;
    if (task->receiver < 0)
        return;
    output->arrival +=
        e->times
            ->delay[task->type != OPERATION_F][(int64_t)task->index * EXECUTOR_LANES + e->lane];
    struct device *receiver = &e->device[task->receiver];
    if (receiver->wanted != task->output)
        return;
    receiver->wanted = -1;
    receiver->asks = false;
    e->awake[e->n_awake++] = task->receiver;
}

enum action { RUN_TASK, RUN_WEIGHT, WAIT, ASK, END };

// Returns whether the sender of the input, which is not computed, starts it at `now` or later.
static bool starts_later(const struct pull *e, const struct task *task, int32_t d)
{
    const struct device *device = &e->device[d], *sender = &e->device[task->sender];
    if (e->in_order || device->is_told || sender->clock >= device->clock)
        return true;
    return sender->wanted >= 0 && e->task[e->first[task->sender] + sender->task].sender == d;
}

// Returns when the input of a task is expected, which is not here.
static double expected_of(const struct pull *e, const struct task *task, double now)
{
    const struct message *input = &e->message[task->input];
    if (input->arrival < 0 || !(input->started < now))
        return (double)INFINITY;
    return input->started + task->sent_after + task->delay;
}

static enum action decide(const struct pull *e, int32_t d)
{
    const struct device *device = &e->device[d];
    const int32_t n = device->task, w = device->weight;
    const bool has_weight = w < e->n_weights[d];
    if (n == e->n_tasks[d])
        return has_weight ? RUN_WEIGHT : END;
    const struct task *task = &e->task[e->first[d] + n], *weight = &e->weight[e->first[d] + w];
    const struct message *input = &e->message[task->input];
    const bool pending = has_weight && weight->before <= n;
    const int32_t late = task->before - w;
    if (input->arrival >= 0 && input->arrival <= device->clock) {
        const bool fits = e->rule->lag == 0 || task->type != OPERATION_F ||
                          device->used + task->memory <= e->room[d];
        return (late > e->rule->lag || !fits) && pending ? RUN_WEIGHT : RUN_TASK;
    }
    if (device->waits || !pending || -late >= e->rule->ahead)
        return WAIT;
    if (late > e->rule->lag)
        return RUN_WEIGHT;
    if (input->arrival < 0 && !starts_later(e, task, d))
        return ASK;
    if (late > 0 || e->rule->threshold == 0)
        return RUN_WEIGHT;
    const double wait = expected_of(e, task, device->clock) - device->clock;
    return wait >= e->rule->threshold * weight->time ? RUN_WEIGHT : WAIT;
}

// ---- devices independently ----------------------------------------------------------------------

// Runs a device until it needs a message that is not computed, or its work is done.
static void advance(struct pull *e, int32_t d)
{
    struct device *device = &e->device[d];
    for (;;) {
        const enum action action = decide(e, d);
        device->is_told = false;
        if (action == RUN_TASK)
            run_task(e, d);
        else if (action == RUN_WEIGHT)
            run_weight(e, d);
        else if (action == END)
            return;
        else {
            const int32_t input = e->task[e->first[d] + device->task].input;
            device->waits = action == WAIT;
            if (action == WAIT && e->message[input].arrival >= 0) {
                device->clock = e->message[input].arrival;
                continue;
            }
            device->wanted = input;
            device->asks = action == ASK;
            return;
        }
    }
}

// Answers the device that asks at the earliest time. Returns false if none asks.
static bool answer(struct pull *e)
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
    } while (answer(e));
}

// ---- decisions in the order of time -------------------------------------------------------------

static void run_in_order(struct pull *e)
{
    struct earliest *earliest = &e->earliest;
    earliest_clear(earliest);
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        earliest_set(earliest, d, 0, 0);
    for (;;) {
        const int32_t d = earliest_device(earliest);
        struct device *device = &e->device[d];
        if (isinf(earliest->start[d]))
            return;
        device->clock = earliest->start[d];
        const enum action action = decide(e, d);
        double next = (double)INFINITY;
        device->wanted = -1;
        if (action == RUN_TASK || action == RUN_WEIGHT) {
            (action == RUN_TASK ? run_task : run_weight)(e, d);
            next = device->clock;
        } else if (action == WAIT) {
            const int32_t input = e->task[e->first[d] + device->task].input;
            device->waits = true;
            device->wanted = e->message[input].arrival < 0 ? input : -1;
            next = device->wanted < 0 ? e->message[input].arrival : next;
        }
        earliest_set(earliest, d, next, 0);
        while (e->n_awake > 0) {
            const int32_t r = e->awake[--e->n_awake];
            const int32_t input = e->task[e->first[r] + e->device[r].task].input;
            earliest_set(earliest, r, e->message[input].arrival, 0);
        }
    }
}

// ---- replicates ---------------------------------------------------------------------------------

static void reset(struct pull *e)
{
    for (int32_t i = 0; i < e->n_messages + N_NONE; i++)
        e->message[i].arrival = -1;
    e->message[NO_INPUT] = (struct message){0, 0};
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        e->device[d] = (struct device){.used = e->pipeline->fixed[d], .wanted = -1};
    e->n_awake = 0;
    e->has_moment = false;
}

static double run_lane(struct pull *e)
{
    double makespan = 0;
    reset(e);
    if (!e->in_order)
        run_freely(e);
    if (e->has_moment && !e->in_order) {
        e->in_order = true;
        reset(e);
        run_in_order(e);
        e->in_order = false;
    } else if (e->in_order) {
        run_in_order(e);
    }
    for (int32_t d = 0; d < e->pipeline->shape.devices; d++)
        makespan = fmax(makespan, e->device[d].clock);
    return makespan;
}

void pull_run(struct pull *pull,
              const struct pull_rule *rule,
              const struct executor_times *times,
              double *makespan)
{
    pull->rule = rule;
    pull->times = times;
    for (pull->lane = 0; pull->lane < EXECUTOR_LANES; pull->lane++)
        makespan[pull->lane] = run_lane(pull);
}
