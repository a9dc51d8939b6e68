// SPDX-License-Identifier: Apache-2.0
// Times of several replicates of a step: the same operations with other times in every lane.
#pragma once

#include "kernels/common/executor/executor.h"

#include <math.h>

enum { EXECUTOR_LANES = 8 };

struct executor_piece;

// Times of EXECUTOR_LANES replicates at [index * EXECUTOR_LANES + lane], with
// index = (direction * stages + stage) * items + item. They do not depend on the order, so that all
// orders and policies of one pipeline share them. The arrays are aligned to ROOM_ALIGNMENT.
struct executor_times {
    double *time[4]; // of F, B, W, R; R: NULL if no order recomputes
    // Of the message after the forward, after the backward: occupation and latency, without waiting. 0 after
    // the forward of the last stage and the backward of the first.
    double *delay[2];
    // The duration of a piece, if it depends on the start; NULL: see executor_times_duration.
    double (*duration)(const struct executor_times *times, const struct executor_piece *piece);
    // What `duration` needs. All of it must stay valid until the last call.
    const void *noise;
    const struct pipeline *pipeline;
    uint32_t first; // replicate of lane 0
};

// An operation, or a pair, that starts in one lane.
struct executor_piece {
    enum operation_type type; // of a pair: OPERATION_F
    int32_t device, index;
    int32_t behind; // index of the BW of a pair; -1: not a pair
    int lane;
    double start;
};

// Returns the time of an operation of type F, B, W or R in one lane.
static inline double executor_times_of(const struct executor_times *times,
                                       enum operation_type type, int32_t index, int lane)
{
    const int kind = type == OPERATION_R ? 3 : (int)type;
    return times->time[kind][(int64_t)index * EXECUTOR_LANES + lane];
}

// Returns the duration of a pair whose parts would last `f`, `b` and `w` alone. Their nominal times are
// `sum` together. A pair without a time of its own lasts as long as its parts.
static inline double executor_pair_duration(double pair, double sum, double f, double b,
                                            double w)
{
    if (isnan(pair))
        return f + (b + w);
    return sum > 0 ? pair * ((f + (b + w)) / sum) : pair;
}

// Returns the duration of a piece whose parts do not depend on the start.
static inline double executor_piece_duration(const struct executor_times *times,
                                             const struct pipeline *pipeline,
                                             const struct executor_piece *piece)
{
    const int32_t index = piece->behind >= 0 ? piece->behind : piece->index;
    const int lane = piece->lane;
    if (piece->behind < 0 && piece->type != OPERATION_BW)
        return executor_times_of(times, piece->type, index, lane);
    const double b = executor_times_of(times, OPERATION_B, index, lane),
                 w = executor_times_of(times, OPERATION_W, index, lane);
    if (piece->behind < 0)
        return b + w;
    const int32_t items = pipeline_items(pipeline), stages = pipeline->shape.stages;
    const struct pipeline_stage *forward = &pipeline->stage[piece->index / items % stages],
                                *backward = &pipeline->stage[index / items % stages];
    return executor_pair_duration(
        pipeline->pair[piece->device], forward->f + (backward->b + backward->w),
        executor_times_of(times, OPERATION_F, piece->index, lane), b, w);
}

// Returns the duration of a piece.
static inline double executor_times_duration(const struct executor_times *times,
                                             const struct pipeline *pipeline,
                                             const struct executor_piece *piece)
{
    return times->duration != NULL ? times->duration(times, piece)
                                   : executor_piece_duration(times, pipeline, piece);
}

// Returns the index of an operation.
static inline int32_t executor_times_index(const struct pipeline *pipeline,
                                           const struct operation *operation)
{
    return (operation->direction * pipeline->shape.stages + operation->stage) *
               pipeline_items(pipeline) +
           operation->item;
}
