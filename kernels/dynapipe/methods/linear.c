// SPDX-License-Identifier: Apache-2.0
// Evaluates plans of linear pipelines: sweeps over the devices, down and up, each of which runs as far as its inputs
// allow. The send lane of a device follows its compute lane, so that an arrival is known as soon as its operation has
// run.
#include "kernels/dynapipe/methods/linear.h"

#include <math.h>
#include <string.h>

// What the operations of a micro-batch on a stage need to know, of one type of recomputation.
struct cell {
    double forward, backward, stored, peak, backward_peak;
    double activation, gradient; // sent after the forward, after the backward
    double unused;               // a cell is a line of the cache
};

// A device in an evaluation.
struct device {
    int32_t forwards, backwards; // that have run
    double computes, sends;      // until then the lanes are busy
};

struct linear {
    const struct dynapipe_pipeline *pipeline;
    const struct micro_batches *of[DYNAPIPE_RECOMPUTE_TYPES];
    int32_t count, stages;
    struct cell *cells;    // [(micro_batch * stages + stage) * TYPES + type]
    struct device *device; // [stages]
    double *activations;   // [stage * count + position]: arrival of the input
    double *gradients;     // [stage * count + position]: arrival of the gradient
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
    l->cells = room_take(room, n * DYNAPIPE_RECOMPUTE_TYPES, sizeof *l->cells);
    l->device = room_take(room, (size_t)stages, sizeof *l->device);
    l->activations = room_take(room, n, sizeof *l->activations);
    l->gradients = room_take(room, n, sizeof *l->gradients);
    return taken;
}

void linear_open(struct linear *l, const struct dynapipe_pipeline *pipeline,
                 const struct micro_batches *const of[DYNAPIPE_RECOMPUTE_TYPES])
{
    const struct micro_batches *keep = of[DYNAPIPE_KEEP];
    const int64_t n = (int64_t)l->count * l->stages;
    l->pipeline = pipeline;
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const struct micro_batches *b = l->of[type] = of[type];
        for (int64_t at = 0; b != NULL && at < n; at++)
            l->cells[at * DYNAPIPE_RECOMPUTE_TYPES + type] =
                (struct cell){.forward = b->forward[at],
                              .backward = b->backward[at],
                              .stored = b->stored[at],
                              .peak = b->peak[at],
                              .backward_peak = b->backward_peak[at],
                              .activation = keep->activation[at],
                              .gradient = at % l->stages > 0 ? keep->gradient[at - 1] : 0};
    }
}

// ---- evaluation -----------------------------------------------------------------------------------

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

static inline const struct cell *cell_of(const struct linear *l, const struct linear_plan *plan,
                                         int32_t position, int32_t stage)
{
    const int64_t at = (int64_t)plan->order[position] * l->stages + stage;
    return &l->cells[at * DYNAPIPE_RECOMPUTE_TYPES + plan->recompute[at]];
}

// Runs a device as far as its inputs allow. Returns whether it ran anything.
static bool run(struct linear *l, const struct linear_plan *plan, int32_t s)
{
    const int32_t count = l->count, last = l->stages - 1, warm_up = plan->warm_up[s],
                  inputs = s == 0 ? count : l->device[s - 1].forwards,
                  returned = s == last ? 0 : l->device[s + 1].backwards;
    const double *arrivals = l->activations + (int64_t)s * count,
                 *returns = l->gradients + (int64_t)s * count;
    double *forward_to = l->activations + (int64_t)(s < last ? s + 1 : s) * count,
           *backward_to = l->gradients + (int64_t)(s > 0 ? s - 1 : s) * count;
    struct device d = l->device[s];
    const int32_t before = d.forwards + d.backwards;
    for (;;) {
        const int32_t most = warm_up + d.backwards < count ? warm_up + d.backwards : count;
        while (d.forwards < most && d.forwards < inputs) {
            const struct cell *cell = cell_of(l, plan, d.forwards, s);
            d.computes = later(d.computes, s == 0 ? 0 : arrivals[d.forwards]) + cell->forward;
            if (s < last)
                forward_to[d.forwards] = d.sends =
                    later(d.sends, d.computes) + cell->activation;
            d.forwards++;
        }
        // The last stage runs its forwards before their backwards.
        if (d.forwards < most || d.backwards >= (s == last ? d.forwards : returned))
            break;
        const struct cell *cell = cell_of(l, plan, d.backwards, s);
        d.computes = later(d.computes, s == last ? 0 : returns[d.backwards]) + cell->backward;
        if (s > 0)
            backward_to[d.backwards] = d.sends = later(d.sends, d.computes) + cell->gradient;
        d.backwards++;
    }
    l->device[s] = d;
    return d.forwards + d.backwards > before;
}

double linear_evaluate(struct linear *l, const struct linear_plan *plan)
{
    const int32_t last = l->stages - 1;
    double makespan = 0;
    for (int32_t s = 0; s <= last; s++)
        l->device[s] = (struct device){.forwards = 0};
    for (bool ran = true; ran && l->device[0].backwards < l->count;) {
        ran = false;
        for (int32_t s = 0; s <= last; s++)
            ran = run(l, plan, s) || ran;
        for (int32_t s = last - 1; s >= 0; s--)
            ran = run(l, plan, s) || ran;
    }
    for (int32_t s = 0; s <= last; s++)
        makespan = later(makespan, later(l->device[s].computes, l->device[s].sends));
    return l->device[0].backwards < l->count ? HUGE_VAL : makespan;
}

struct linear_peak linear_peak_of(const struct linear *l, const struct linear_plan *plan,
                                  int32_t stage)
{
    double memory = l->pipeline->state[stage];
    struct linear_peak peak = {.memory = memory};
    for (int32_t f = 0, b = 0; b < l->count;) {
        if (f < l->count && f < plan->warm_up[stage] + b) {
            const struct cell *cell = cell_of(l, plan, f, stage);
            if (memory + cell->peak > peak.memory)
                peak = (struct linear_peak){memory + cell->peak, b, f + 1, f};
            memory += cell->stored;
            f++;
        } else {
            const struct cell *cell = cell_of(l, plan, b, stage);
            if (memory + cell->backward_peak > peak.memory)
                peak = (struct linear_peak){memory + cell->backward_peak, b, f, b};
            memory -= cell->stored;
            b++;
        }
    }
    return peak;
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
