// SPDX-License-Identifier: Apache-2.0
// Opens one complete shard of a sweep for reading, and returns the commands that compute
// shards.
#pragma once

#include "engine/store/index_write.h"
#include "engine/store/whole_prefix.h"

#include <cjson/cJSON.h>

struct pps_shardfile {
    char *path, *index_path;
    int fd;
    struct pps_index_reader index;
    cJSON *manifest;              // numbers stay raw text
    struct pps_whole_prefix seen; // the blocks read so far
};

// Opens NAME.csv.gz or NAME.csv with its index and manifest. Returns PPS_E_INPUT, with the
// missing or damaged file; for an interrupted shard (named with .part or without), with the
// command that continues it. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_shardfile_open(struct pps_shardfile *file, const char *path,
                                                  struct pps_error *err);
void pps_shardfile_close(struct pps_shardfile *file);

// Reads the record of the next block and checks that the block is the expected one. The header
// line's record is the first.
PPS_MUST_CHECK enum pps_status pps_shardfile_next(struct pps_shardfile *file,
                                                  struct pps_index_record *record,
                                                  uint64_t left_out[PPS_MAX_REASONS],
                                                  struct pps_error *err);

// After all records are read, checks that the file ends correctly behind its last block.
PPS_MUST_CHECK enum pps_status pps_shardfile_end(const struct pps_shardfile *file,
                                                 struct pps_error *err);

// Returns the command that made the file, with --shard K/N, or without it if count is 0. The
// caller frees the text. NULL if memory runs out.
char *pps_shardfile_command(const struct pps_shardfile *file, struct pps_shard shard);

// Returns the name of another shard of the same sweep, or of the merged result (count 0). The
// caller frees the name. NULL if the name does not have the usual form, or if memory runs out.
char *pps_shardfile_sibling(const struct pps_shardfile *file, struct pps_shard shard);
