// SPDX-License-Identifier: Apache-2.0
// Reads what a split of the sequence needs from a training configuration of MindFormers:
//
//   model: {model_config: {num_heads: 32, hidden_size: 4096, seq_length: 8192, vocab_size: 32000, intermediate_size: 11008}}
//   runner_config: {batch_size: 8}
//   parallel_config: {model_parallel: 4}
#pragma once

#include "kernels/balance/model/sequence.h"
#include "ppsweep/fault.h"

struct cJSON;

// A missing model_parallel is 1, a missing intermediate_size the usual one; *is_usual says so where it counts: with
// model_parallel 1. Other keys are ignored. Returns false with a fault.
bool balance_training_read(const struct cJSON *root, struct balance_training *training,
                           bool *is_usual, struct pps_fault *fault);
