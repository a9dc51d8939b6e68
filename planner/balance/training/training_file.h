// SPDX-License-Identifier: Apache-2.0
// Reads files of training configurations (kernels/balance/documents/training_read.h).
#ifndef PPS_BALANCE_TRAINING_TRAINING_FILE_H
#define PPS_BALANCE_TRAINING_TRAINING_FILE_H

#include "base/text/status.h"
#include "kernels/balance/model/sequence.h"

// Reads a YAML file. Prints a note on stderr if a usual intermediate_size is used.
PPS_MUST_CHECK enum pps_status training_file_read(const char *path,
                                                  struct balance_training *training,
                                                  struct pps_error *err);

#endif
