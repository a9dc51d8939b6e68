// SPDX-License-Identifier: Apache-2.0
// Assigns blocks to shards.
#include "engine/space/shard.h"

uint64_t pps_blocks_count(struct pps_blocks blocks)
{
    return blocks.n_points / blocks.block_points + (blocks.n_points % blocks.block_points != 0);
}

uint64_t pps_blocks_points(struct pps_blocks blocks, uint64_t k)
{
    const uint64_t left = blocks.n_points - k * blocks.block_points;
    return left < blocks.block_points ? left : blocks.block_points;
}

static uint64_t stride(struct pps_shard shard)
{
    return shard.count == 0 ? 1 : shard.count;
}

uint64_t pps_shard_blocks(struct pps_shard shard, struct pps_blocks blocks)
{
    const uint64_t n = pps_blocks_count(blocks);
    return n > shard.index ? (n - shard.index - 1) / stride(shard) + 1 : 0;
}

uint64_t pps_shard_block(struct pps_shard shard, uint64_t i)
{
    return shard.index + i * stride(shard);
}

uint64_t pps_shard_points(struct pps_shard shard, struct pps_blocks blocks, uint64_t n)
{
    if (n == 0)
        return 0;
    const uint64_t last = pps_shard_block(shard, n - 1);
    return (n - 1) * blocks.block_points + pps_blocks_points(blocks, last);
}
