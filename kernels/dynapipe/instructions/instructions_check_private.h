// SPDX-License-Identifier: Apache-2.0
// What the parts of the check of instructions share: single instructions and their replay (instructions_check.c), and the slots
// of their tensors (instructions_slots.c).
#pragma once

#include "kernels/dynapipe/instructions/instructions_check.h"

// The slots of the tensors that a pass uses, as far as they have been written.
struct written {
    int32_t slot[INSTRUCTION_TENSORS];
    int32_t n;
};

// Tables over instructions: a cell is a micro-batch at a flattened stage, [count * 2 * stages].
struct instruction_check {
    struct lanes lanes;
    struct lanes_times *times;
    int32_t *seen; // [kind][cell]: number of the instruction on its device, from 1; 0: none
    int32_t *next; // [devices]
    struct written *written; // [cell]
    int64_t *owner;          // [slot of a device]: cell whose tensors it holds; -1: none
};

// What is checked.
struct instructions_checking {
    const struct instructions *in;
    const struct dynapipe_pipeline *pipeline;
    const struct micro_batches *batches;
    const int32_t *tensors; // [stages]
    struct instruction_check *check;
    char *text;
    size_t size;
};

// Writes the text, with device and instruction unless they are negative. Returns false.
bool instructions_refuse(const struct instructions_checking *c, int32_t device, int32_t k,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

static inline int64_t instructions_cell(const struct instructions_checking *c,
                                        const struct instruction *i)
{
    return (int64_t)i->micro_batch * 2 * c->in->stages + i->stage;
}

// Checks the slots of a device whose single instructions are right.
bool instructions_check_slots(const struct instructions_checking *c, int32_t device);
