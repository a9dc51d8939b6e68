// SPDX-License-Identifier: Apache-2.0
// Messages through links and cards that are occupied while they send. A device sends in the order in which
// its operations end, so that the state of its channels depends on its own past only.
#pragma once

#include "kernels/common/plan/pipeline.h"

struct channels {
    const struct pipeline *pipeline;
    double *free_at; // [sender * devices + receiver]; cards: receiver 0
};

static inline void channels_take(struct channels *channels, int32_t devices, struct room *room)
{
    channels->free_at =
        room_take(room, (size_t)devices * (size_t)devices, sizeof *channels->free_at);
}

static inline bool channels_are_free(const struct channels *channels)
{
    return channels->pipeline->links.channels == PIPELINE_FREE;
}

// All channels are free at time 0.
static inline void channels_start(struct channels *channels)
{
    const int32_t devices = channels->pipeline->shape.devices;
    for (int32_t i = 0; i < devices * devices && !channels_are_free(channels); i++)
        channels->free_at[i] = 0;
}

// Sends a message at `end` that takes `delay`, nominally the time for `bytes`. Its occupation changes in
// the ratio of the delay. Returns the arrival.
static inline double channels_send(struct channels *channels, int32_t sender, int32_t receiver,
                                   double bytes, double end, double delay)
{
    const struct pipeline *p = channels->pipeline;
    if (channels_are_free(channels) || sender == receiver)
        return end + delay;
    const double nominal = pipeline_delay(p, sender, receiver, bytes),
                 occupation = pipeline_occupation(p, sender, receiver, bytes);
    double *free_at = &channels->free_at[sender * p->shape.devices +
                                         (p->links.channels == PIPELINE_CARDS ? 0 : receiver)];
    const double start = end > *free_at ? end : *free_at;
    *free_at = start + (nominal > 0 ? occupation * (delay / nominal) : 0);
    return start + delay;
}
