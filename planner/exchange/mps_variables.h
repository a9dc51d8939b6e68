// SPDX-License-Identifier: Apache-2.0
// Numbers and names the variables of the exported pipeline program, for the files that write and
// read the program and its solutions.
#pragma once

#include "kernels/common/split/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Kinds of variables: first the variables of chunks, then the start times, then `stable`.
enum nd_mps_kind {
    ND_MPS_LAYERS,                         // x of type 1, + 1: of type 2; as the next
    ND_MPS_SOME = ND_MPS_LAYERS + 2,       // y: whether x > 0
    ND_MPS_FORWARD_TIME = ND_MPS_SOME + 2, // f
    ND_MPS_BACKWARD_TIME,                  // b
    ND_MPS_PART,                           // r: layers recomputed selectively
    ND_MPS_FULL = ND_MPS_PART + 2,         // a: wholly
    ND_MPS_SWITCH = ND_MPS_FULL + 2,       // whether r may be > 0, or a
    ND_MPS_KEPT,                           // MiB of a micro-batch
    ND_MPS_OF_CHUNK,                       // how many there are of a chunk
    ND_MPS_FORWARD = ND_MPS_OF_CHUNK,      // start times of tasks
    ND_MPS_BACKWARD,
    ND_MPS_STABLE, // a part of P micro-batches in the steady state
    ND_MPS_KINDS,
};

struct nd_mps_layout {
    struct orders_shape shape; // as laid out
    int32_t residue;           // parts that are not
    int32_t parts;             // that are
    int32_t chunks;            // of all stages
    int32_t tasks;             // of one direction, of all stages
    int32_t n_variables;
};

// false: there are more variables than a file is any use for (20 million).
bool nd_mps_layout_of(struct nd_mps_layout *layout, const struct nd_program *program);

int32_t nd_mps_of_chunk(const struct nd_mps_layout *layout, int kind, int32_t chunk,
                        int32_t stage);
// kind: ND_MPS_FORWARD or ND_MPS_BACKWARD
int32_t nd_mps_of_task(const struct nd_mps_layout *layout, int kind, int32_t chunk,
                       int32_t stage, int32_t micro_batch, int32_t split);
int32_t nd_mps_stable(const struct nd_mps_layout *layout);

// First micro-batch of part k.
int32_t nd_mps_part_start(const struct nd_mps_layout *layout, int32_t k);

enum { ND_MPS_NAME_CAP = 96 };

// Returns name.
const char *nd_mps_name(const struct nd_mps_layout *layout, int32_t variable, char *name);

// The variable of that name; -1: none of the program.
int32_t nd_mps_find(const struct nd_mps_layout *layout, const char *name, size_t n);

// Returns the most layers of a type that a chunk may have.
double nd_mps_layers_max(const struct nd_program *program);

bool nd_mps_is_integer(const struct nd_mps_layout *layout, int32_t variable);
