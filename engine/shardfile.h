// SPDX-License-Identifier: Apache-2.0
// One complete shard of a sweep, open for reading; and the commands that make shards.
#ifndef PPS_SHARDFILE_H
#define PPS_SHARDFILE_H

#include "blockindex.h"
#include "prefix.h"

#include <cjson/cJSON.h>

struct pps_shardfile {
    char *path, *index_path;
    int fd;
    struct pps_blockindex index;
    cJSON *manifest;        // its numbers are raw text
    struct pps_prefix seen; // what has been read of it so far
};

// Opens NAME.csv.gz or NAME.csv with its index and manifest. PPS_E_INPUT says what is missing or
// damaged; for an interrupted shard (named with .part or without), the command that continues it.
// pps_shardfile_close in every case.
PPS_MUST_CHECK enum pps_status pps_shardfile_open(struct pps_shardfile *file,
                                                  const char *path,
                                                  struct pps_error *err);
void pps_shardfile_close(struct pps_shardfile *file);

// The next block's record, checked against the place it must have; the header line's is first.
PPS_MUST_CHECK enum pps_status pps_shardfile_next(struct pps_shardfile *file,
                                                  struct pps_index_record *record,
                                                  uint64_t left_out[PPS_MAX_REASONS],
                                                  struct pps_error *err);

// Whether the file ends as it must behind its last block; all records have been read.
PPS_MUST_CHECK enum pps_status pps_shardfile_end(const struct pps_shardfile *file,
                                                 struct pps_error *err);

// The command that made the file, with --shard K/N, or with none where count is 0; the caller
// frees it. NULL without memory.
char *pps_shardfile_command(const struct pps_shardfile *file, struct pps_shard shard);

// The name of another shard of the same sweep, or of their whole (count 0); the caller frees it.
// NULL where the name is not of the usual form, and without memory.
char *pps_shardfile_sibling(const struct pps_shardfile *file, struct pps_shard shard);

#endif
