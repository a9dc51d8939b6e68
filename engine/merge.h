// SPDX-License-Identifier: Apache-2.0
// Joining the shards of a sweep: blocks are copied as they are, each checked, in the order of the
// experiment, to the bytes that one run of the whole gives. Memory does not grow with the files.
#ifndef PPS_MERGE_H
#define PPS_MERGE_H

#include "progress.h"
#include "shardfile.h"

#include <stdatomic.h>

struct pps_merge {
    struct pps_shardfile *files; // in the order of the command line, then of their shards
    size_t n;
    struct pps_progress *progress; // or NULL
    const atomic_bool *stop;
    uint64_t rows, failed, infeasible, data_bytes; // of the result, when done
};

// Opens the shards and sees that they are all of one sweep, none missing and none twice.
// PPS_E_INPUT names what is wrong, and the command that computes a missing one.
// pps_merge_close in every case.
PPS_MUST_CHECK enum pps_status pps_merge_open(struct pps_merge *merge,
                                              const char *const *paths,
                                              size_t n,
                                              struct pps_error *err);
void pps_merge_close(struct pps_merge *merge);

// Writes the result. What an earlier, interrupted merge (or run) of the same has written to
// path.part is kept, unless force. PPS_E_STOPPED where the flag went up; PPS_E_INPUT for a damaged shard.
PPS_MUST_CHECK enum pps_status pps_merge_write(struct pps_merge *merge,
                                               const char *path,
                                               bool force,
                                               struct pps_error *err);

// The manifest of the whole, from those of the shards, all of which have been read; the caller
// frees it. NULL without memory.
char *pps_merge_manifest(const struct pps_merge *merge, uint64_t data_bytes);

#endif
