// SPDX-License-Identifier: Apache-2.0
// Reads init files: what was measured of a training, from which `balance fit` finds times and memory of layers.
//
//   pipeline_config: {pipeline_num: 4, num_layer: 80, offset: [[0, 1, -1, 0], [0, -1, 1, 0]]}
//   recompute_config: {recompute: [[1, 2, 1, 1], [1, 3, 4, 1]], select_recompute: false}
//   memory_usage:
//     head_memory: 66502            # MiB of stage 0 in round 1
//     tail_memory: 25599            # of the last stage
//     body_memories: {stage_id: [[1, 2], [1, 2]], memories: [[52536, 35595], [45439, 35700]]}
//   time_config: {head: 1, body: 1, tail: 2}        # forward times of a layer and a micro-batch
//   profiling_config: {folder_path: timeline, micro_batch_num: 8, body_layers: LLamaDecodeLayer}
//
// A round is one run with its own offsets. A list for each round may be one value for all rounds: 0, false or true.
#pragma once

#include "kernels/balance/model/strategy.h"
#include "planner/balance/traces/layer_times.h"
#include "ppsweep/fault.h"

struct cJSON;

enum { INIT_ROUNDS_MAX = 64, INIT_STAGES_MAX = 4096 };

// A measured peak.
struct init_measure {
    int32_t round, stage;
    int32_t layers;
    int32_t count[BALANCE_KINDS];
    double memory_mb;
};

struct balance_init {
    int32_t stages, layers, rounds;
    struct init_measure *middle; // [n], allocated
    int32_t n;
    struct init_measure head, tail; // of round 1
    struct layer_times times;
};

// Reads a document. Returns false with a fault; an empty text means out of memory. The caller frees the init with
// balance_init_free in every case.
bool balance_init_read(const struct cJSON *root, struct balance_init *init,
                       struct pps_fault *fault);
void balance_init_free(struct balance_init *init); // a zeroed struct is allowed

// Returns the next key that has no meaning, for a warning; `after` is the one before, or NULL. NULL: no more.
const struct cJSON *balance_init_unknown(const struct cJSON *root, const struct cJSON *after);
