// SPDX-License-Identifier: Apache-2.0
// Shards: the assignment of blocks.
#include "engine/space/shard.h"

#include <criterion/criterion.h>
#include <stdlib.h>

// Catches a block computed by no shard or by two shards, and wrong counts of points at the end.
Test(shard, every_block_is_dealt_once)
{
    for (uint32_t n_shards = 1; n_shards <= 70; n_shards++)
        for (uint64_t n_points = 1; n_points < 300; n_points += 7) {
            const struct pps_blocks blocks = {n_points, 5};
            const uint64_t n = pps_blocks_count(blocks);
            int *dealt = calloc(n + 1, sizeof *dealt);
            uint64_t points = 0;
            for (uint32_t k = 0; k < n_shards; k++) {
                const struct pps_shard shard = {k, n_shards};
                const uint64_t own = pps_shard_blocks(shard, blocks);
                uint64_t sum = 0;
                for (uint64_t i = 0; i < own; i++) {
                    const uint64_t block = pps_shard_block(shard, i);
                    cr_assert(block < n && block % n_shards == k);
                    dealt[block]++;
                    sum += pps_blocks_points(blocks, block);
                    cr_assert_eq(pps_shard_points(shard, blocks, i + 1), sum);
                }
                points += pps_shard_points(shard, blocks, own);
            }
            cr_assert_eq(points, n_points, "%u shards of %d points", n_shards, (int)n_points);
            for (uint64_t b = 0; b < n; b++)
                cr_assert_eq(dealt[b], 1);
            free(dealt);
        }
}

Test(shard, the_whole)
{
    const struct pps_shard whole = {0, 0};
    const struct pps_blocks blocks = {23, 5};
    cr_assert_eq(pps_shard_blocks(whole, blocks), 5);
    cr_assert_eq(pps_shard_block(whole, 3), 3);
    cr_assert_eq(pps_shard_points(whole, blocks, 5), 23);
    cr_assert_eq(pps_shard_points(whole, blocks, 4), 20);
    cr_assert_eq(pps_shard_points(whole, blocks, 0), 0);
}
