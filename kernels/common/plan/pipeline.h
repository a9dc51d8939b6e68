// SPDX-License-Identifier: Apache-2.0
// Describes the work of one training step of a pipeline: which device runs which stage, how long its
// operations take, what they keep in memory, and what messages cost. Knows no order of operations.
//
// Stages are numbered in the order of the model: stage 0 has the input layer, stage V - 1 the loss.
// A device may run several stages (chunks). In a bidirectional pipeline two replicas of the model run
// in opposite directions; every device then runs a stage of each replica. The caller chooses the
// units of time and memory; plans that are stored use seconds and bytes.
#pragma once

#include "kernels/common/plan/room.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PIPELINE_DEVICES_MAX = 4096,
    PIPELINE_STAGES_MAX = 16384,
    PIPELINE_OPERATIONS_MAX = 1 << 28, // of one step
};

struct pipeline_shape {
    int32_t devices;       // P >= 1
    int32_t stages;        // V >= 1
    int32_t micro_batches; // M >= 1, of both directions together
    int32_t slices;        // Q >= 1 parts of a sequence, each with operations of its own
    int32_t directions;    // 1, or 2: bidirectional
};

// Times are >= 0. With slices, times and memory are those of one slice.
struct pipeline_stage {
    double f, b, w; // forward; backward of the input; backward of the weights
    double r;       // forward that is recomputed before the backward
    double kept_until_b, kept_until_w;    // memory taken at the start of a forward
    double forward_bytes, backward_bytes; // of the message after a forward, after a backward
};

// What a message that is ready at time r does until it arrives. Messages of one resource are sent
// in the order in which the operations of the sending device end.
enum pipeline_channels {
    PIPELINE_FREE,  // no resource: arrives at r + occupation + latency
    PIPELINE_LINKS, // one resource for each pair (sender, receiver)
    PIPELINE_CARDS, // one resource for each sender
    // Both devices: the message waits until both have come to it. Devices come to messages where order_messages_place puts
    // them.
    PIPELINE_BLOCKING,
};

// The resource is occupied for `occupation` + bytes / bandwidth; the message arrives `latency` later.
struct pipeline_links {
    enum pipeline_channels channels;
    double latency, occupation;
    const double *latencies;  // [sender * devices + receiver], in addition to latency; NULL: 0
    const double *bandwidths; // [sender * devices + receiver], > 0; NULL: infinite
};

struct pipeline {
    struct pipeline_shape shape;
    int32_t *device_of;           // [direction * stages + stage]
    struct pipeline_stage *stage; // [stages]
    double *
        pair; // [devices]: time of a forward that overlaps a full backward; NAN: f + b + w of the two
    double *fixed; // [devices]: memory held during the whole step
    double *limit; // [devices]: of the memory; INFINITY: none
    struct pipeline_links links;
};

enum pipeline_placement {
    PIPELINE_LOOP,          // s mod P; one chunk: linear
    PIPELINE_VEE,           // two chunks: down and back up
    PIPELINE_WAVE,          // an even number of chunks: down, up, down, up ...
    PIPELINE_BIDIRECTIONAL, // stage s on device s, and on device P - 1 - s in direction 1
};

// Takes the arrays from the room; all values are 0 then (NAN pairs, INFINITY limits), in a room with
// memory. The shape is within the limits above.
void pipeline_take(struct pipeline *pipeline, const struct pipeline_shape *shape,
                   struct room *room);

// Copies all values to a pipeline of the same shape; the tables of links are shared.
void pipeline_copy(struct pipeline *to, const struct pipeline *from);

// Allocates the pipeline, which the caller frees with pipeline_free. NULL: out of memory.
struct pipeline *pipeline_new(const struct pipeline_shape *shape);
void pipeline_free(struct pipeline *pipeline);

// Sets device_of. The number of stages is a multiple of the number of devices that fits.
void pipeline_place(struct pipeline *pipeline, enum pipeline_placement placement);

// Sets all stages to the same times and memory. With slices, to the times and the memory of a slice,
// which are those of a micro-batch divided by Q; messages keep their bytes.
void pipeline_set_uniform(struct pipeline *pipeline, const struct pipeline_stage *stage);

// Returns the largest number of chunks of a device.
int32_t pipeline_most_chunks(const struct pipeline *pipeline);

static inline int32_t pipeline_device(const struct pipeline *pipeline, int32_t direction,
                                      int32_t stage)
{
    return pipeline->device_of[direction * pipeline->shape.stages + stage];
}

// Returns the number of micro-batch parts with operations of their own in one direction at most: M Q.
static inline int32_t pipeline_items(const struct pipeline *pipeline)
{
    return pipeline->shape.micro_batches * pipeline->shape.slices;
}

// Time from the end of an operation to the arrival of its message, if no other message delays it. 0
// on the same device. `backward`: of the gradient that `stage` sends to stage - 1.
double pipeline_occupation(const struct pipeline *pipeline, int32_t sender, int32_t receiver,
                           double bytes);
double pipeline_delay(const struct pipeline *pipeline, int32_t sender, int32_t receiver,
                      double bytes);
