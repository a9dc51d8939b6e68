// SPDX-License-Identifier: Apache-2.0
// Evaluates plans of linear pipelines: sweeps over the devices, down and up. The send lane of a device follows its compute
// lane, so that an arrival is known as soon as its operation has run.
#include "kernels/dynapipe/methods/linear.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 4 }; // rounds from one look at the devices' idle time to the next

// Times and memory of a micro-batch on a stage, with one type of recomputation. They lie apart, those of a type and a stage together,
// so that a sweep reads few lines of the cache.
struct cell_times {
    double forward, activation; // sent after the forward
    double backward, gradient;
};
struct cell_memory {
    double stored, peak, backward_peak;
};

// A device in an evaluation.
struct device {
    double computes, sends; // until then the lanes are busy
    double work;            // time of the passes that have run
};

// What every plan has on a device.
struct least {
    double work;
    double way; // from the last backward of the device to the end of its chain
};

// The memory of a stage before the forwards that a backward waits for.
struct round {
    double memory;
    int32_t forwards; // that have run
    struct linear_peak peak;
};

struct linear {
    const struct dynapipe_pipeline *pipeline;
    const struct micro_batches *of[DYNAPIPE_RECOMPUTE_TYPES];
    int32_t count, stages;
    struct cell_times *times;      // [(type * stages + stage) * count + micro_batch]
    struct cell_memory *memory;    // likewise
    struct cell_memory *collected; // [count]: of a stage
    struct round *rounds;          // [count]: of the last peak
    struct least *least;           // [stages]
    struct device *device;         // [stages]
    double *activations;           // [stage * count + position]: arrival of the input
    double *gradients;             // [stage * count + position]: arrival of the gradient
};

void linear_plan_take(struct linear_plan *plan, int32_t count, int32_t stages,
                      struct room *room)
{
    plan->order = room_take(room, (size_t)count, sizeof *plan->order);
    plan->warm_up = room_take(room, (size_t)stages, sizeof *plan->warm_up);
    plan->recompute = room_take(room, (size_t)count * (size_t)stages, sizeof *plan->recompute);
}

void linear_plan_copy(struct linear_plan *to, const struct linear_plan *from, int32_t count,
                      int32_t stages)
{
    memcpy(to->order, from->order, (size_t)count * sizeof *to->order);
    memcpy(to->warm_up, from->warm_up, (size_t)stages * sizeof *to->warm_up);
    memcpy(to->recompute, from->recompute, (size_t)count * (size_t)stages);
}

struct linear *linear_take(int32_t count, int32_t stages, struct room *room)
{
    struct linear *taken = room_take(room, 1, sizeof *taken), counted;
    struct linear *l = taken != NULL ? taken : &counted;
    const size_t n = (size_t)count * (size_t)stages;
    l->count = count;
    l->stages = stages;
    l->times = room_take(room, n * DYNAPIPE_RECOMPUTE_TYPES, sizeof *l->times);
    l->memory = room_take(room, n * DYNAPIPE_RECOMPUTE_TYPES, sizeof *l->memory);
    l->collected = room_take(room, (size_t)count, sizeof *l->collected);
    l->rounds = room_take(room, (size_t)count, sizeof *l->rounds);
    l->least = room_take(room, (size_t)stages, sizeof *l->least);
    l->device = room_take(room, (size_t)stages, sizeof *l->device);
    l->activations = room_take(room, n + (size_t)count, sizeof *l->activations);
    l->gradients = room_take(room, n + (size_t)count, sizeof *l->gradients);
    return taken;
}

static void set_cell(struct linear *l, int type, int32_t m, int32_t stage)
{
    const struct micro_batches *b = l->of[type], *keep = l->of[DYNAPIPE_KEEP];
    const int64_t at = micro_batches_at(b, m, stage),
                  to = ((int64_t)type * l->stages + stage) * l->count + m;
    l->times[to] =
        (struct cell_times){.forward = b->forward[at],
                            .activation = stage < l->stages - 1 ? keep->activation[at] : 0,
                            .backward = b->backward[at],
                            .gradient = stage > 0 ? keep->gradient[at - 1] : 0};
    l->memory[to] = (struct cell_memory){b->stored[at], b->peak[at], b->backward_peak[at]};
}

// Adds a micro-batch to what every plan has.
static void add_least(struct linear *l, int32_t m)
{
    double way = 0;
    for (int32_t stage = 0; stage < l->stages; stage++) {
        struct least *least = &l->least[stage];
        double forward = HUGE_VAL, backward = HUGE_VAL;
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
            if (l->of[type] != NULL) {
                const int64_t at = micro_batches_at(l->of[type], m, stage);
                forward = fmin(forward, l->of[type]->forward[at]);
                backward = fmin(backward, l->of[type]->backward[at]);
            }
        way += l->times[(int64_t)stage * l->count + m].gradient;
        least->way = m == 0 || way < least->way ? way : least->way;
        least->work = (m == 0 ? 0 : least->work) + forward + backward;
        way += backward;
    }
}

void linear_open(struct linear *l, const struct dynapipe_pipeline *pipeline,
                 const struct micro_batches *const of[DYNAPIPE_RECOMPUTE_TYPES])
{
    l->pipeline = pipeline;
    memcpy(l->of, of, sizeof l->of);
    for (int32_t m = 0; m < l->count; m++) {
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
            for (int32_t stage = 0; of[type] != NULL && stage < l->stages; stage++)
                set_cell(l, type, m, stage);
        add_least(l, m);
        // The first forward and the last backward wait for their device only.
        l->activations[m] = l->gradients[(int64_t)l->stages * l->count + m] = 0;
    }
}

// ---- evaluation -----------------------------------------------------------------------------------

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

// Returns the place of the times and the memory of a micro-batch.
static inline int64_t cell_of(const struct linear *l, const struct linear_plan *plan,
                              int32_t position, int32_t stage)
{
    const int32_t m = plan->order[position];
    const int64_t type = plan->recompute[(int64_t)m * l->stages + stage];
    return (type * l->stages + stage) * l->count + m;
}

// Runs the forward of a position on a device.
static inline void forward(struct linear *l, const struct linear_plan *plan, int32_t s,
                           int32_t position)
{
    const struct cell_times *cell = &l->times[cell_of(l, plan, position, s)];
    double *arrival = l->activations + (int64_t)s * l->count + position;
    struct device *d = &l->device[s];
    d->work += cell->forward;
    d->computes = later(d->computes, *arrival) + cell->forward;
    arrival[l->count] = d->sends = later(d->sends, d->computes) + cell->activation;
}

static inline void backward(struct linear *l, const struct linear_plan *plan, int32_t s,
                            int32_t position)
{
    const struct cell_times *cell = &l->times[cell_of(l, plan, position, s)];
    double *sent = l->gradients + (int64_t)s * l->count + position;
    struct device *d = &l->device[s];
    d->work += cell->backward;
    d->computes = later(d->computes, sent[l->count]) + cell->backward;
    *sent = d->sends = later(d->sends, d->computes) + cell->gradient;
}

// Returns whether devices have waited so long that the plan must end later.
static bool is_late(const struct linear *l, double than)
{
    for (int32_t s = 0; s < l->stages; s++) {
        const struct device *d = &l->device[s];
        if (d->computes - d->work + l->least[s].work + l->least[s].way > than)
            return true;
    }
    return false;
}

static bool can_run(const struct linear *l, const struct linear_plan *plan)
{
    for (int32_t s = 1; s < l->stages; s++)
        if (plan->warm_up[s] > plan->warm_up[s - 1])
            return false;
    return true;
}

// Runs the passes round by round: forwards down the devices up to what the next backward waits for, then this backward up the
// devices. As warm-ups do not increase, all inputs of a pass have arrived by then.
double linear_evaluate(struct linear *l, const struct linear_plan *plan, double at_most)
{
    const double late = at_most * (1 + 1e-9); // rounding
    double makespan = 0;
    if (!can_run(l, plan))
        return HUGE_VAL;
    for (int32_t s = 0; s < l->stages; s++) {
        l->device[s] = (struct device){.computes = 0};
        for (int32_t position = 0; position < plan->warm_up[s] && position < l->count;
             position++)
            forward(l, plan, s, position);
    }
    for (int32_t b = 0; b < l->count; b++) {
        for (int32_t s = 0; s < l->stages && b > 0; s++)
            if (plan->warm_up[s] + b <= l->count)
                forward(l, plan, s, plan->warm_up[s] + b - 1);
        for (int32_t s = l->stages - 1; s >= 0; s--)
            backward(l, plan, s, b);
        if (b % LOOKS == 0 && is_late(l, late))
            return HUGE_VAL;
    }
    for (int32_t s = 0; s < l->stages; s++)
        makespan = later(makespan, later(l->device[s].computes, l->device[s].sends));
    return makespan;
}

// Collects the memory of a stage in the order of the positions.
static void collect(struct linear *l, const struct linear_plan *plan, int32_t stage)
{
    for (int32_t position = 0; position < l->count; position++)
        l->collected[position] = l->memory[cell_of(l, plan, position, stage)];
}

struct linear_peak linear_peak_of(struct linear *l, const struct linear_plan *plan,
                                  int32_t stage, int32_t changed)
{
    const int32_t warm_up = plan->warm_up[stage], first = changed - warm_up + 1;
    const struct cell_memory *cells = l->collected;
    const double state = l->pipeline->state[stage];
    struct round r = {.memory = state, .peak = {.memory = state}};
    int32_t b = 0;
    if (changed < 0)
        collect(l, plan, stage);
    else
        l->collected[changed] = l->memory[cell_of(l, plan, changed, stage)];
    if (changed >= 0 && first > 0) // its forward runs in this round
        r = l->rounds[b = first];
    for (; b < l->count; b++) {
        l->rounds[b] = r;
        for (; r.forwards < l->count && r.forwards < warm_up + b; r.forwards++) {
            const struct cell_memory *cell = &cells[r.forwards];
            if (r.memory + cell->peak > r.peak.memory)
                r.peak =
                    (struct linear_peak){r.memory + cell->peak, b, r.forwards + 1, r.forwards};
            r.memory += cell->stored;
        }
        if (r.memory + cells[b].backward_peak > r.peak.memory)
            r.peak = (struct linear_peak){r.memory + cells[b].backward_peak, b, r.forwards, b};
        r.memory -= cells[b].stored;
    }
    return r.peak;
}

// ---- plans as lanes -------------------------------------------------------------------------------

static void write_batch(const struct linear *l, const struct linear_plan *plan,
                        int32_t position, struct micro_batches *batches)
{
    const struct micro_batches *keep = l->of[DYNAPIPE_KEEP];
    for (int32_t s = 0; s < l->stages; s++) {
        const int64_t from = micro_batches_at(keep, plan->order[position], s),
                      to = micro_batches_at(batches, position, s);
        micro_batches_copy(batches, to, l->of[plan->recompute[from]], keep, from);
    }
}

void linear_write(const struct linear *l, const struct linear_plan *plan,
                  struct micro_batches *batches, struct lanes *lanes)
{
    for (int32_t position = 0; position < l->count; position++)
        write_batch(l, plan, position, batches);
    lanes_clear(lanes);
    for (int32_t s = 0; s < l->stages; s++) {
        struct lane_operation forward = {.stage = s}, backward = {.stage = s, .backward = true};
        while (backward.micro_batch < l->count) {
            const bool is_forward =
                forward.micro_batch < l->count &&
                forward.micro_batch < plan->warm_up[s] + backward.micro_batch;
            struct lane_operation *next = is_forward ? &forward : &backward;
            lanes_add(lanes, LANE_COMPUTE, s, next);
            next->micro_batch++;
        }
    }
    lanes_send_as_computed(lanes, l->pipeline);
}
