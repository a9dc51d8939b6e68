// SPDX-License-Identifier: Apache-2.0
// Checking a complete result: every byte of its three files by the checksums, what they say of
// each other, the order of the rows by the experiment, and a fraction of the rows by computing
// them again. Memory does not grow with the files.
#ifndef PPS_VERIFY_H
#define PPS_VERIFY_H

#include "audit.h"
#include "kernel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

struct pps_verify_ask {
    const char *path;                        // NAME.csv.gz or NAME.csv
    const struct pps_kernel *const *kernels; // those there are, ended with NULL
    const char *version;                     // of this program
    double sample;  // fraction of the rows to compute again, but at least a few; 0: none
    bool reference; // those by the kernel's reference as well
    int threads;
};

// What has been checked.
struct pps_verified {
    uint64_t blocks, data_bytes;
    uint64_t rows, failed, infeasible, points;
    uint32_t shard, n_shards;     // of a part of the experiment; n_shards 1: the whole
    uint64_t digest;              // of the experiment
    uint64_t computed;            // rows computed again
    struct pps_audited audited;   // of those by the reference
    bool only_some;               // it keeps the best rows alone
    bool in_order;                // rows were compared with the experiment's points
    char why_not[768];            // if not in_order: why; "" otherwise
    char kernel[64], version[64]; // that computed
};

// PPS_OK only if all is right. PPS_E_WRONG names the first thing that is not; PPS_E_INPUT where
// a file is missing or rows cannot be computed again (all else is right then).
PPS_MUST_CHECK enum pps_status pps_verify(const struct pps_verify_ask *ask,
                                          struct pps_verified *verified,
                                          struct pps_error *err);

#endif
