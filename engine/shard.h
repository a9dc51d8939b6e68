// SPDX-License-Identifier: Apache-2.0
// One of several parts of a sweep: blocks are dealt like cards, so that shard K of N computes the
// blocks k with k mod N = K. Arithmetic only.
#ifndef PPS_SHARD_H
#define PPS_SHARD_H

#include <stdint.h>

enum { PPS_MAX_SHARDS = 1000000 };

struct pps_shard {
    uint32_t index; // from 0
    uint32_t count; // 0: the whole sweep, which is shard 0 of 1
};

// Blocks of an experiment; the last one may be shorter than the others.
struct pps_blocks {
    uint64_t n_points, block_points;
};

uint64_t pps_blocks_count(struct pps_blocks blocks);

// Points of block k.
uint64_t pps_blocks_points(struct pps_blocks blocks, uint64_t k);

// How many blocks are the shard's; may be 0.
uint64_t pps_shard_blocks(struct pps_shard shard, struct pps_blocks blocks);

// Number of the shard's i-th block, i from 0.
uint64_t pps_shard_block(struct pps_shard shard, uint64_t i);

// Points of the shard's first n blocks.
uint64_t pps_shard_points(struct pps_shard shard, struct pps_blocks blocks, uint64_t n);

#endif
