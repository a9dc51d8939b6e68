// SPDX-License-Identifier: Apache-2.0
// A shard is one of several parts of a sweep: shard K of N computes the blocks k with k mod N =
// K. Arithmetic only.
#pragma once

#include <stdint.h>

enum { PPS_MAX_SHARDS = 1000000 };

struct pps_shard {
    uint32_t index; // from 0
    uint32_t count; // 0: the whole sweep, as shard 0 of 1
};

// The blocks of an experiment; the last block may be shorter.
struct pps_blocks {
    uint64_t n_points, block_points;
};

uint64_t pps_blocks_count(struct pps_blocks blocks);

// Returns the number of points of block k.
uint64_t pps_blocks_points(struct pps_blocks blocks, uint64_t k);

// Returns the number of blocks of the shard; may be 0.
uint64_t pps_shard_blocks(struct pps_shard shard, struct pps_blocks blocks);

// Returns the number of the shard's i-th block, i from 0.
uint64_t pps_shard_block(struct pps_shard shard, uint64_t i);

// Returns the number of points of the shard's first n blocks.
uint64_t pps_shard_points(struct pps_shard shard, struct pps_blocks blocks, uint64_t n);
