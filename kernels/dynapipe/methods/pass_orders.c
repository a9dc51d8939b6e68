// SPDX-License-Identifier: Apache-2.0
// Runs every device as far as its inputs have arrived; what arrives wakes the device that waits for it.
#include "kernels/dynapipe/methods/pass_orders.h"

#include <math.h>
#include <string.h>

void pass_plan_take(struct pass_plan *plan, int32_t count, int32_t stages, struct room *room)
{
    const size_t cells = (size_t)count * (size_t)stages;
    plan->passes = room_take(room, 2 * cells, sizeof *plan->passes);
    plan->place = room_take(room, 2 * cells, sizeof *plan->place);
    plan->recompute = room_take(room, cells, sizeof *plan->recompute);
}

void pass_plan_copy(struct pass_plan *to, const struct pass_plan *from, int32_t count,
                    int32_t stages)
{
    const size_t cells = (size_t)count * (size_t)stages;
    memcpy(to->passes, from->passes, 2 * cells * sizeof *to->passes);
    memcpy(to->place, from->place, 2 * cells * sizeof *to->place);
    memcpy(to->recompute, from->recompute, cells);
}

struct pass_orders *pass_orders_take(int32_t devices, int32_t stages, int32_t count,
                                     struct room *room)
{
    struct pass_orders *taken = room_take(room, 1, sizeof *taken), counted;
    struct pass_orders *o = taken != NULL ? taken : &counted;
    const size_t passes = 2 * (size_t)count * (size_t)stages, n = (size_t)devices;
    *o = (struct pass_orders){.count = count,
                              .stages = stages,
                              .devices = devices,
                              .passes = 2 * count * stages};
    o->first = room_take(room, n + 1, sizeof *o->first);
    o->costs = room_take(room, passes, sizeof *o->costs);
    o->position = room_take(room, (size_t)count, sizeof *o->position);
    o->ready = room_take(room, passes, sizeof *o->ready);
    o->ends = room_take(room, passes, sizeof *o->ends);
    o->computes = room_take(room, n, sizeof *o->computes);
    o->sends = room_take(room, n, sizeof *o->sends);
    o->next = room_take(room, n, sizeof *o->next);
    o->waiting = room_take(room, n, sizeof *o->waiting);
    o->is_waiting = room_take(room, n, sizeof *o->is_waiting);
    return taken;
}

static void set_cost(struct pass_orders *o, int32_t pass)
{
    const int32_t cell = pass_cell(pass), stage = cell % o->stages, last = o->stages - 1;
    const bool backward = pass_is_backward(pass);
    const struct micro_batches *keep = o->of[DYNAPIPE_KEEP];
    struct pass_cost *c = &o->costs[pass];
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const struct micro_batches *b = o->of[type] != NULL ? o->of[type] : keep;
        c->duration[type] = backward ? b->backward[cell] : b->forward[cell];
    }
    if (backward) {
        c->to = stage > 0 ? pass - 2 : -1;
        c->transfer = stage > 0 ? keep->gradient[cell - 1] : -1;
    } else {
        c->to = stage < last ? pass + 2 : pass_number(cell, true);
        c->transfer = stage < last ? keep->activation[cell] : -1;
    }
    c->device = c->to < 0 ? -1 : o->pipeline->device_of[pass_cell(c->to) % o->stages];
}

void pass_orders_open(struct pass_orders *o, const struct dynapipe_pipeline *pipeline,
                      const struct micro_batches *const of[DYNAPIPE_RECOMPUTE_TYPES])
{
    o->pipeline = pipeline;
    memcpy(o->of, of, sizeof o->of);
    memset(o->first, 0, ((size_t)o->devices + 1) * sizeof *o->first);
    for (int32_t s = 0; s < o->stages; s++)
        o->first[pipeline->device_of[s] + 1] += 2 * o->count;
    for (int32_t d = 0; d < o->devices; d++)
        o->first[d + 1] += o->first[d];
    for (int32_t p = 0; p < o->passes; p++)
        set_cost(o, p);
}

// ---- evaluation -----------------------------------------------------------------------------------

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

// Runs a device as far as its inputs have arrived. Returns the number of devices that wait to be looked at.
static int32_t run(struct pass_orders *o, const struct pass_plan *plan, int32_t d, int32_t n)
{
    double computes = o->computes[d], sends = o->sends[d];
    int32_t k = o->next[d];
    for (; k < o->first[d + 1]; k++) {
        const int32_t pass = plan->passes[k];
        const struct pass_cost *c = &o->costs[pass];
        if (o->ready[pass] < 0)
            break;
        computes =
            later(computes, o->ready[pass]) + c->duration[plan->recompute[pass_cell(pass)]];
        o->ends[pass] = computes;
        if (c->to < 0)
            continue;
        if (c->transfer >= 0)
            sends = later(sends, computes) + c->transfer;
        o->ready[c->to] = c->transfer >= 0 ? sends : computes;
        const int32_t e = c->device;
        if (e != d && !o->is_waiting[e] && o->next[e] == plan->place[c->to]) {
            o->is_waiting[e] = true;
            o->waiting[n++] = e;
        }
    }
    o->next[d] = k;
    o->computes[d] = computes;
    o->sends[d] = sends;
    return n;
}

double pass_orders_evaluate(struct pass_orders *o, const struct pass_plan *plan)
{
    double makespan = 0;
    int32_t n = 0;
    for (int32_t p = 0; p < o->passes; p++)
        o->ready[p] = -1;
    for (int32_t m = 0; m < o->count; m++)
        o->ready[pass_number(m * o->stages, false)] = 0;
    for (int32_t d = o->devices - 1; d >= 0; d--) {
        o->next[d] = o->first[d];
        o->computes[d] = o->sends[d] = 0;
        o->is_waiting[d] = true;
        o->waiting[n++] = d;
    }
    while (n > 0) {
        const int32_t d = o->waiting[--n];
        o->is_waiting[d] = false;
        n = run(o, plan, d, n);
    }
    for (int32_t d = 0; d < o->devices; d++) {
        if (o->next[d] < o->first[d + 1])
            return HUGE_VAL;
        makespan = later(makespan, later(o->computes[d], o->sends[d]));
    }
    return makespan;
}

// Returns the pass before this one in its chain; -1: it is the first.
static int32_t before(const struct pass_orders *o, int32_t pass)
{
    const int32_t stage = pass_cell(pass) % o->stages;
    if (!pass_is_backward(pass))
        return stage > 0 ? pass - 2 : -1;
    return stage < o->stages - 1 ? pass + 2 : pass - 1;
}

int32_t pass_orders_critical(const struct pass_orders *o, const struct pass_plan *plan,
                             int32_t *passes)
{
    double last = -1;
    int32_t n = 0, pass = -1;
    for (int32_t d = 0; d < o->devices; d++)
        if (later(o->computes[d], o->sends[d]) > last && o->first[d] < o->first[d + 1]) {
            last = later(o->computes[d], o->sends[d]);
            pass = plan->passes[o->first[d + 1] - 1];
        }
    while (pass >= 0) {
        const int32_t place = plan->place[pass],
                      device = o->pipeline->device_of[pass_cell(pass) % o->stages],
                      on_lane = place > o->first[device] ? plan->passes[place - 1] : -1;
        passes[n++] = pass;
        pass = on_lane >= 0 && o->ends[on_lane] > o->ready[pass] ? on_lane : before(o, pass);
    }
    return n;
}

struct pass_peak pass_orders_peak(const struct pass_orders *o, const struct pass_plan *plan,
                                  int32_t device)
{
    double memory = o->pipeline->state[device];
    struct pass_peak peak = {memory, -1};
    for (int32_t k = o->first[device]; k < o->first[device + 1]; k++) {
        const int32_t pass = plan->passes[k], cell = pass_cell(pass);
        const struct micro_batches *b = o->of[plan->recompute[cell]];
        const bool backward = pass_is_backward(pass);
        const double needs = memory + (backward ? b->backward_peak[cell] : b->peak[cell]);
        if (needs > peak.memory)
            peak = (struct pass_peak){needs, k};
        memory += backward ? -b->stored[cell] : b->stored[cell];
    }
    return peak;
}

// ---- plans as lanes -------------------------------------------------------------------------------

void pass_orders_read(const struct pass_orders *o, const struct lanes *lanes,
                      const int32_t *order, const uint8_t *recompute, struct pass_plan *plan)
{
    for (int32_t d = 0; d < o->devices; d++)
        for (int32_t i = 0; i < lanes->n[LANE_COMPUTE][d]; i++) {
            const struct lane_operation *op =
                &lanes->operations[LANE_COMPUTE][lanes_at(lanes, d, i)];
            const int32_t cell = order[op->micro_batch] * o->stages + op->stage,
                          pass = pass_number(cell, op->backward);
            plan->passes[o->first[d] + i] = pass;
            plan->place[pass] = o->first[d] + i;
        }
    memcpy(plan->recompute, recompute, (size_t)o->count * (size_t)o->stages);
}

static void write_batches(const struct pass_orders *o, const struct pass_plan *plan,
                          const int32_t *order, struct micro_batches *batches)
{
    const struct micro_batches *keep = o->of[DYNAPIPE_KEEP];
    for (int32_t i = 0; i < o->count; i++)
        for (int32_t s = 0; s < o->stages; s++) {
            const int64_t from = micro_batches_at(keep, order[i], s);
            micro_batches_copy(batches, micro_batches_at(batches, i, s),
                               o->of[plan->recompute[from]], keep, from);
        }
}

void pass_orders_write(const struct pass_orders *o, const struct pass_plan *plan,
                       int32_t *order, struct micro_batches *batches, struct lanes *lanes)
{
    const int32_t begins = o->pipeline->device_of[0];
    int32_t n = 0;
    for (int32_t k = o->first[begins]; k < o->first[begins + 1]; k++) {
        const int32_t pass = plan->passes[k], m = pass_cell(pass) / o->stages;
        if (pass_is_backward(pass) || pass_cell(pass) % o->stages != 0)
            continue;
        o->position[m] = n;
        order[n++] = m;
    }
    write_batches(o, plan, order, batches);
    lanes_clear(lanes);
    for (int32_t d = 0; d < o->devices; d++)
        for (int32_t k = o->first[d]; k < o->first[d + 1]; k++) {
            const int32_t pass = plan->passes[k], cell = pass_cell(pass);
            const struct lane_operation op = {o->position[cell / o->stages], cell % o->stages,
                                              pass_is_backward(pass)};
            lanes_add(lanes, LANE_COMPUTE, d, &op);
        }
    lanes_send_as_computed(lanes, o->pipeline);
}
