// SPDX-License-Identifier: Apache-2.0
// Turns an executed schedule into lists of instructions, one per device, that a training runs without deadlock: both sides
// of a transfer start it in the same order. Stages of the instructions are those of the flattened pipeline: the backward of
// stage s is 2 n - 1 - s.
#pragma once

#include "kernels/dynapipe/methods/lanes.h"

enum instruction_kind {
    INSTRUCTION_LOAD, // input tensors from the data loader
    INSTRUCTION_FREE, // slots
    INSTRUCTION_SA,   // start to send an activation, ...
    INSTRUCTION_SAF,  // and wait until it has been sent
    INSTRUCTION_RA,   // start to receive an activation
    INSTRUCTION_RAF,
    INSTRUCTION_SG, // the same with gradients
    INSTRUCTION_SGF,
    INSTRUCTION_RG,
    INSTRUCTION_RGF,
    INSTRUCTION_F, // forward
    INSTRUCTION_B, // backward
    INSTRUCTION_KINDS,
};

extern const char *const instruction_names[INSTRUCTION_KINDS]; // "LOAD", "FREE", "SA", ...

enum {
    INSTRUCTION_TENSORS = 2, // slots of an instruction at most
    INSTRUCTION_MOST = 20,   // instructions of a micro-batch at a stage at most, both ways
};

struct instruction {
    uint8_t kind;        // enum instruction_kind
    uint8_t slots;       // used of `slot`; waits use none
    uint8_t tensors;     // of a transfer, or of a load
    int32_t micro_batch; // position in the order of the plan; -1: of FREE
    int32_t stage;       // of the flattened pipeline; -1: of FREE
    int32_t peer;        // device at the other end of a transfer; -1: none
    int32_t slot[INSTRUCTION_TENSORS];
};

// The instructions of device d are list[d * room + 0 ... n[d] - 1].
struct instructions {
    int32_t devices, stages, count; // of the pipeline, not flattened; micro-batches
    int32_t room;
    int32_t *n, *slots; // [devices]; slots: numbers 0 ... slots - 1 occur
    struct instruction *list;
};

struct instruction_room; // memory of instructions_make; one thread

// Takes the memory. widest: stages of the device with most of them.
void instructions_take(struct instructions *instructions, int32_t devices, int32_t stages,
                       int32_t widest, int32_t count, struct room *room);
struct instruction_room *instruction_room_take(const struct instructions *instructions,
                                               struct room *room);

// Writes the instructions of lanes that lanes_execute has executed. tensors: of the output of every stage, 1 or 2. reuses:
// a tensor gets the lowest free slot; otherwise a new one, as the published planner has it.
void instructions_make(struct instructions *instructions,
                       const struct dynapipe_pipeline *pipeline, const struct lanes *lanes,
                       const struct lanes_times *times, const int32_t *tensors, bool reuses,
                       struct instruction_room *room);

// Returns the stage of the pipeline that a flattened stage belongs to.
static inline int32_t instruction_stage(int32_t stages, int32_t flattened)
{
    return flattened < stages ? flattened : 2 * stages - 1 - flattened;
}

// Returns the tensors that the data loader brings to a stage.
static inline int32_t instruction_loaded(const int32_t *tensors, int32_t stage)
{
    return stage == 0 ? tensors[0] : tensors[stage] - tensors[stage - 1];
}

static inline struct instruction *instruction_at(const struct instructions *i, int32_t device,
                                                 int32_t k)
{
    return &i->list[(int64_t)device * i->room + k];
}
