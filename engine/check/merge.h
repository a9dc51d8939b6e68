// SPDX-License-Identifier: Apache-2.0
// Joins the shards of a sweep. Blocks are checked and copied in the order of the experiment,
// and the result equals, byte for byte, the result of a run of the whole experiment. Memory
// does not grow with the size of the files.
#pragma once

#include "engine/check/shard_file.h"
#include "engine/forecast/pace.h"

#include <stdatomic.h>

struct pps_merge {
    // in the order of the command line, then in the order of their shards
    struct pps_shardfile *files;
    size_t n;
    struct pps_watch watch;
    const atomic_bool *stop;
    // of the result, valid after pps_merge_write
    struct pps_counts counts;
    uint64_t data_bytes;
};

// Opens the shards and checks that they are from the same sweep, none missing and none
// repeated. Returns PPS_E_INPUT with the error and, for a missing shard, the command that
// computes it. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_merge_open(struct pps_merge *merge, const char *const *paths,
                                              size_t n, struct pps_error *err);
void pps_merge_close(struct pps_merge *merge);

// Writes the result. Continues an earlier, interrupted merge (or run) of the same experiment
// from path.part, unless force is set. Returns PPS_E_STOPPED if the stop flag was set, and
// PPS_E_INPUT for a damaged shard.
PPS_MUST_CHECK enum pps_status pps_merge_write(struct pps_merge *merge, const char *path,
                                               bool force, struct pps_error *err);

// Returns the manifest of the whole experiment, built from the manifests of the shards, all of
// which must have been read. Returns NULL if memory runs out. The caller frees it.
char *pps_merge_manifest(const struct pps_merge *merge, uint64_t data_bytes);
