// SPDX-License-Identifier: Apache-2.0
// Describes the work of one training step of a pipeline.
#include "kernels/common/plan/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pipeline_take(struct pipeline *pipeline, const struct pipeline_shape *shape,
                   struct room *room)
{
    const size_t devices = (size_t)shape->devices, stages = (size_t)shape->stages;
    *pipeline = (struct pipeline){.shape = *shape};
    pipeline->device_of = room_take(room, (size_t)shape->directions * stages, sizeof(int32_t));
    pipeline->stage = room_take(room, stages, sizeof *pipeline->stage);
    pipeline->pair = room_take(room, devices, sizeof(double));
    pipeline->fixed = room_take(room, devices, sizeof(double));
    pipeline->limit = room_take(room, devices, sizeof(double));
    if (room->memory == NULL)
        return;
    memset(pipeline->device_of, 0, (size_t)shape->directions * stages * sizeof(int32_t));
    memset(pipeline->stage, 0, stages * sizeof *pipeline->stage);
    for (size_t d = 0; d < devices; d++) {
        pipeline->pair[d] = (double)NAN;
        pipeline->fixed[d] = 0;
        pipeline->limit[d] = HUGE_VAL;
    }
}

void pipeline_copy(struct pipeline *to, const struct pipeline *from)
{
    const size_t devices = (size_t)from->shape.devices, stages = (size_t)from->shape.stages;
    memcpy(to->device_of, from->device_of,
           (size_t)from->shape.directions * stages * sizeof *to->device_of);
    memcpy(to->stage, from->stage, stages * sizeof *to->stage);
    memcpy(to->pair, from->pair, devices * sizeof *to->pair);
    memcpy(to->fixed, from->fixed, devices * sizeof *to->fixed);
    memcpy(to->limit, from->limit, devices * sizeof *to->limit);
    to->links = from->links;
}

struct pipeline *pipeline_new(const struct pipeline_shape *shape)
{
    struct pipeline counted;
    struct room count = {NULL, 0};
    (void)room_take(&count, 1, sizeof(struct pipeline));
    pipeline_take(&counted, shape, &count);
    struct room room = {
        count.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, count.used), 0};
    if (room.memory == NULL)
        return NULL;
    struct pipeline *pipeline = room_take(&room, 1, sizeof *pipeline);
    pipeline_take(pipeline, shape, &room);
    return pipeline;
}

void pipeline_free(struct pipeline *pipeline)
{
    free(pipeline);
}

static int32_t turning(int32_t stage, int32_t devices)
{
    const int32_t at = stage % (2 * devices);
    return at < devices ? at : 2 * devices - 1 - at;
}

void pipeline_place(struct pipeline *pipeline, enum pipeline_placement placement)
{
    const struct pipeline_shape *shape = &pipeline->shape;
    for (int32_t k = 0; k < shape->directions; k++)
        for (int32_t s = 0; s < shape->stages; s++) {
            int32_t device = s % shape->devices;
            if (placement == PIPELINE_VEE || placement == PIPELINE_WAVE)
                device = turning(s, shape->devices);
            if (k == 1)
                device = shape->devices - 1 - device;
            pipeline->device_of[k * shape->stages + s] = device;
        }
}

void pipeline_set_uniform(struct pipeline *pipeline, const struct pipeline_stage *stage)
{
    const double part = 1.0 / pipeline->shape.slices;
    for (int32_t s = 0; s < pipeline->shape.stages; s++) {
        struct pipeline_stage *at = &pipeline->stage[s];
        *at = *stage;
        at->f *= part;
        at->b *= part;
        at->w *= part;
        at->r *= part;
        at->kept_until_b *= part;
        at->kept_until_w *= part;
    }
}

// Returns the number of stages of a device in both directions together: its chunks.
static int32_t pipeline_chunks_of(const struct pipeline *pipeline, int32_t device)
{
    int32_t n = 0;
    for (int32_t k = 0; k < pipeline->shape.directions * pipeline->shape.stages; k++)
        n += pipeline->device_of[k] == device;
    return n;
}

int32_t pipeline_most_chunks(const struct pipeline *pipeline)
{
    int32_t most = 0;
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        const int32_t n = pipeline_chunks_of(pipeline, d);
        most = n > most ? n : most;
    }
    return most;
}

double pipeline_occupation(const struct pipeline *pipeline, int32_t sender, int32_t receiver,
                           double bytes)
{
    const struct pipeline_links *links = &pipeline->links;
    const int32_t at = sender * pipeline->shape.devices + receiver;
    if (sender == receiver)
        return 0;
    return links->occupation + (links->bandwidths != NULL ? bytes / links->bandwidths[at] : 0);
}

double pipeline_delay(const struct pipeline *pipeline, int32_t sender, int32_t receiver,
                      double bytes)
{
    const struct pipeline_links *links = &pipeline->links;
    const int32_t at = sender * pipeline->shape.devices + receiver;
    if (sender == receiver)
        return 0;
    return pipeline_occupation(pipeline, sender, receiver, bytes) + links->latency +
           (links->latencies != NULL ? links->latencies[at] : 0);
}
