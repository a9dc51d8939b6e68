// SPDX-License-Identifier: Apache-2.0
// Reads what a split of the sequence needs from a training configuration of MindFormers:
//
//   model: {model_config: {num_heads: 32, hidden_size: 4096, seq_length: 8192, vocab_size: 32000, intermediate_size: 11008}}
//   runner_config: {batch_size: 8}
//   parallel_config: {model_parallel: 4}
#ifndef PPS_BALANCE_TRAINING_TRAINING_FILE_H
#define PPS_BALANCE_TRAINING_TRAINING_FILE_H

#include "base/text/status.h"
#include "kernels/balance/model/sequence.h"

// Reads a YAML file. A missing model_parallel is 1, a missing intermediate_size the usual one, with a note on stderr.
PPS_MUST_CHECK enum pps_status training_file_read(const char *path,
                                                  struct balance_training *training,
                                                  struct pps_error *err);

#endif
