// SPDX-License-Identifier: Apache-2.0
// Says of which layers the stages of a plan are made, so that other splits can be found: a head, equal body layers
// that recompute nothing or more, and a tail. Times in s, memory in bytes.
//
//   "layers": {"body": {"count": 96, "f": 0.003, "bytes": 2.3e9,
//                       "none": {"b": 0.006, "kept": 1e9}, "full": {"b": 0.009, "kept": 5e7}},
//              "head": {"f": 0, "b": 0, "bytes": 4.8e9}, "tail": {"f": 0.003, "b": 0.006, "bytes": 6e9},
//              "stage_bytes": 1.2e9, "transfer": 2e-5,
//              "split": {"none": [20, 25, 25, 24], "full": [2, 0, 0, 0]}}
//
// The body has "working" if a device holds memory while it makes layers again wholly. Leading layers that differ from
// the others stay in the first stage and are part of the head, which then has "kept" and "working", too.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What the backward of a body layer computes again.
enum plan_recompute {
    PLAN_KEEP,
    PLAN_SELECT,      // chosen operators
    PLAN_SELECT_COMM, // communication
    PLAN_SELECT_BOTH, // chosen operators and communication
    PLAN_FULL,        // the whole layer
    PLAN_RECOMPUTES,
};

struct plan_end {
    double f, b, bytes; // of head or tail: what its stage holds besides
    double kept;        // by a micro-batch, from its forward to its backward
    double working;     // held while its layers are made again
};

struct plan_layers {
    int32_t count;   // of body layers, >= 1
    double f, bytes; // forward of a body layer; its parameters, gradients and optimizer state
    bool has[PLAN_RECOMPUTES];    // PLAN_KEEP always
    double b[PLAN_RECOMPUTES];    // backward with what it computes again
    double kept[PLAN_RECOMPUTES]; // by a micro-batch from its forward to its backward, > 0
    // Held by a device that has layers of PLAN_FULL; of this and the working memory of the head it holds the larger.
    double working;
    struct plan_end head, tail;
    double stage_bytes; // that every stage holds
    double transfer;    // time of a message between neighbouring stages
};
