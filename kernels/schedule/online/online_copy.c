// SPDX-License-Identifier: Apache-2.0
// Copies the state of a step.
#include "kernels/schedule/online/online_private.h"

#include <string.h>

static void copy(void *to, const void *from, int64_t n, size_t size)
{
    memcpy(to, from, (size_t)n * size);
}

// Copies the part of the order that was run.
static void copy_past(struct online *to, const struct online *from)
{
    for (int32_t d = 0; d < from->reference->devices; d++) {
        const int64_t at = order_at(&from->order, d, 0), there = order_at(&to->order, d, 0);
        const int32_t n = from->order.n[d];
        to->order.n[d] = n;
        copy(to->order.operations + there, from->order.operations + at, n,
             sizeof *to->order.operations);
        copy(to->order.paired + there, from->order.paired + at, n, sizeof *to->order.paired);
        copy(to->own_starts + there, from->own_starts + at, n, sizeof *to->own_starts);
        copy(to->own_ends + there, from->own_ends + at, n, sizeof *to->own_ends);
    }
}

static void copy_wake(struct earliest *to, const struct earliest *from)
{
    copy(to->winner, from->winner, 2 * from->leaves, sizeof *to->winner);
    copy(to->start, from->start, from->leaves, sizeof *to->start);
    copy(to->rank, from->rank, from->leaves, sizeof *to->rank);
}

void online_copy(struct online *to, const struct online *from)
{
    const int32_t devices = from->pipeline->shape.devices,
                  stages = from->pipeline->shape.stages, items = stages * from->items;
    to->times = from->times;
    to->lane = from->lane;
    to->let_wait = from->let_wait;
    to->now = from->now;
    to->makespan = from->makespan;
    to->left = from->left;
    copy(to->stage, from->stage, stages, sizeof *to->stage);
    copy(to->device, from->device, devices, sizeof *to->device);
    copy(to->running, from->running, devices, sizeof *to->running);
    for (int k = 0; k < 2; k++)
        copy(to->input[k], from->input[k], items, sizeof *to->input[k]);
    if (!channels_are_free(&from->channels))
        copy(to->channels.free_at, from->channels.free_at, (int64_t)devices * devices,
             sizeof *to->channels.free_at);
    copy_wake(&to->wake, &from->wake);
    copy(to->is_started, from->is_started, (int64_t)devices * from->reference->room, 1);
    copy(to->candidate, from->candidate, from->decision.n, sizeof *to->candidate);
    to->decision = from->decision;
    to->decision.candidate = to->candidate;
    copy_past(to, from);
}
