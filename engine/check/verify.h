// SPDX-License-Identifier: Apache-2.0
// Verifies a complete result: every byte of its three files by checksums, the agreement of the
// files with each other, the order of the rows by the experiment, and a fraction of the rows by
// computing them again. Memory does not grow with the files.
#pragma once

#include "base/text/status.h"
#include "engine/experiment/documents.h"
#include "engine/forecast/pace.h"
#include "engine/run/audit.h"
#include "engine/store/block.h"
#include "ppsweep/kernel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_verify_ask {
    const char *path;                        // NAME.csv.gz or NAME.csv
    const struct pps_kernel *const *kernels; // all known kernels, ended with NULL
    const char *version;                     // of this program
    double sample;  // fraction of the rows to compute again, at least a few rows; 0: none
    bool reference; // compute these rows with the kernel's reference as well
    int threads;
    const atomic_bool *stop;
    struct pps_watch watch;        // of the points of this result
    struct pps_input_words inputs; // files of documents that are too large for the manifest
};

// What has been verified.
struct pps_verified {
    uint64_t blocks, data_bytes;
    uint64_t points; // set before the first call of the watch
    struct pps_counts counts;
    uint32_t shard, n_shards;     // of a shard; n_shards 1: the whole experiment
    uint64_t digest;              // of the experiment
    uint64_t computed;            // rows computed again
    struct pps_audited audited;   // the recomputed rows that the reference checked
    bool only_some;               // the result keeps only the best rows
    bool in_order;                // rows were compared with the experiment's points
    char why_not[768];            // reason if not in_order; otherwise ""
    char kernel[64], version[64]; // of the program that computed the result
};

// Returns PPS_OK only if everything is right. PPS_E_STOPPED: the stop flag was set. PPS_E_WRONG reports the first error. PPS_E_INPUT:
// a file is missing, or rows cannot be computed again (all else is right then).
PPS_MUST_CHECK enum pps_status pps_verify(const struct pps_verify_ask *ask,
                                          struct pps_verified *verified, struct pps_error *err);

// ---- verify shards ------------------------------------------------------------------------------

// Returns false unless all n (> 0) results are shards of one experiment with the same number of
// shards. *here is the number of different shards present, *missing the first absent shard (if
// there is one). Changes the order of the results.
bool pps_shards_together(struct pps_verified *verified, size_t n, uint32_t *here,
                         uint32_t *missing);
