// SPDX-License-Identifier: Apache-2.0
// Answers what a policy may know at the moment of a decision, and the results of a complete step.
#include "kernels/schedule/online/online_private.h"

void online_see(struct online *e, int32_t d)
{
    struct online_running *running = &e->running[d];
    struct online_device *device = &e->device[d];
    if (running->counted || running->end > e->now)
        return;
    const struct online_stage *stage = &e->stage[running->stage];
    const double actual = running->end - running->start, nominal = stage->time[running->type];
    running->counted = true;
    device->busy = false;
    device->expected = running->end;
    device->used -= stage->freed[running->type];
    if (running->type == OPERATION_B)
        device->pending++;
    if (!(nominal > 0))
        return;
    const double ratio = actual / nominal;
    device->n_ended++;
    device->actual += actual;
    device->nominal += nominal;
    device->ratios += ratio;
    device->squares += ratio * ratio;
}

const struct online_device *online_device(struct online *online, int32_t device)
{
    online_see(online, device);
    return &online->device[device];
}

bool online_is_here(const struct online *online, int32_t type, int32_t stage)
{
    const int32_t item = online->stage[stage].started[type];
    if (item == online->items)
        return false;
    const double arrival = online->input[type][online_index(online, stage, item)].arrival;
    return arrival >= 0 && arrival <= online->now;
}

double online_expected(const struct online *online, int32_t type, int32_t stage)
{
    const int32_t item = online->stage[stage].started[type];
    if (item == online->items)
        return (double)INFINITY;
    const struct online_input *input = &online->input[type][online_index(online, stage, item)];
    if (input->arrival >= 0 && input->arrival <= online->now)
        return input->arrival;
    if (input->arrival < 0 || !(input->started < online->now))
        return (double)INFINITY;
    return input->expected;
}

int32_t online_count(const struct online *online, int32_t type, int32_t stage)
{
    return online->stage[stage].started[type];
}

const int32_t *online_stages(const struct online *online, int32_t device)
{
    return &online->stages[online->first[device]];
}

struct operation online_reference(const struct online *online, int32_t device, int32_t position)
{
    return online->reference->operations[order_at(online->reference, device, position)];
}

const double *online_reference_starts(const struct online *online)
{
    return executor_starts(online->executor);
}

const double *online_reference_tails(const struct online *online)
{
    return online->tails;
}

double online_reference_makespan(const struct online *online)
{
    return executor_makespan(online->executor);
}

double online_makespan(const struct online *online)
{
    return online->makespan;
}

const struct order *online_order(const struct online *online)
{
    return &online->order;
}

const double *online_starts(const struct online *online)
{
    return online->own_starts;
}

const double *online_ends(const struct online *online)
{
    return online->own_ends;
}
