// SPDX-License-Identifier: Apache-2.0
// Hash tables over arrays of the caller.
#include "base/text/hash_slots.h"

#include <criterion/criterion.h>

// Returns how often the table has the entry `index` under this hash; *others counts other entries.
static int found(const struct pps_hash_slots *table, uint32_t hash, size_t index, int *others)
{
    int times = 0;
    *others = 0;
    for (size_t at = pps_hash_first(table, hash); at != PPS_HASH_NONE;
         at = pps_hash_next(table, hash, at))
        *(pps_hash_index(table, at) == index ? &times : others) += 1;
    return times;
}

// Catches a search that reads slots of a table that has none.
Test(hash_slots, empty)
{
    struct pps_hash_slots table = {0};
    cr_assert_eq(pps_hash_first(&table, 0), PPS_HASH_NONE);
    cr_assert_eq(pps_hash_first(&table, UINT32_MAX), PPS_HASH_NONE);
    cr_assert(pps_hash_add(&table, 7, 0));
    pps_hash_free(&table);
    cr_assert_eq(pps_hash_first(&table, 7), PPS_HASH_NONE);
    pps_hash_free(&table);
}

// Catches a probe that stops at the first equal hash, at another hash, or at the end of the slots:
// all entries fight for the last slots, so the cluster wraps around.
Test(hash_slots, equal_hashes)
{
    struct pps_hash_slots table = {0};
    const uint32_t hashes[] = {UINT32_MAX, UINT32_MAX - 0x10000, UINT32_MAX - 0x20000};
    int others;
    for (size_t i = 0; i < 30; i++)
        cr_assert(pps_hash_add(&table, hashes[i % 3], i));
    for (size_t i = 0; i < 30; i++) {
        cr_assert_eq(found(&table, hashes[i % 3], i, &others), 1, "entry %zu", i);
        cr_assert_eq(others, 9);
        cr_assert_eq(found(&table, hashes[(i + 1) % 3], i, &others), 0, "entry %zu", i);
    }
    cr_assert_eq(pps_hash_first(&table, UINT32_MAX - 0x30000),
                 PPS_HASH_NONE);                            // same first slot
    cr_assert_eq(pps_hash_first(&table, 5), PPS_HASH_NONE); // in the cluster
    pps_hash_free(&table);
}

// Catches entries that growth loses, doubles or puts where no probe finds them, and full tables,
// in which the search for an absent key would not end.
Test(hash_slots, growth)
{
    struct pps_hash_slots table = {0};
    int others;
    for (uint32_t i = 0; i < 100000; i++) {
        cr_assert(pps_hash_add(&table, i / 2 * 0x9E3779B9u, i)); // two entries per hash
        cr_assert(table.n == i + 1 && 2 * table.n <= table.n_slots);
    }
    cr_assert_lt(table.n_slots, 8 * table.n);
    for (uint32_t i = 0; i < 100000; i++) {
        cr_assert_eq(found(&table, i / 2 * 0x9E3779B9u, i, &others), 1, "entry %u", i);
        cr_assert_eq(others, 1);
    }
    for (uint32_t i = 50000; i < 100000; i++)
        cr_assert_eq(pps_hash_first(&table, i * 0x9E3779B9u), PPS_HASH_NONE, "absent %u", i);
    pps_hash_free(&table);
}

// ---- numbers by 128-bit keys --------------------------------------------------------------------

// Equal low halves share a cluster of slots; the high half tells such keys apart.
static struct pps_key key_of(uint64_t k)
{
    return (struct pps_key){k % 100 * 64, k};
}

Test(key_map, finds_every_key_and_no_other)
{
    struct pps_key_map map = {0};
    cr_assert_eq(pps_key_map_find(&map, key_of(0)), 0);
    for (uint64_t k = 0; k < 10000; k++) {
        cr_assert_eq(pps_key_map_find(&map, key_of(k)), 0);
        cr_assert(pps_key_map_add(&map, key_of(k), k + 1));
    }
    for (uint64_t k = 0; k < 10000; k++)
        cr_assert_eq(pps_key_map_find(&map, key_of(k)), k + 1);
    cr_assert_eq(map.n, 10000);
    cr_assert(4 * map.n <= 3 * map.n_slots);
    pps_key_map_free(&map);
}

Test(key_map, room_that_was_made_is_not_made_again)
{
    struct pps_key_map map = {0};
    cr_assert(pps_key_map_reserve(&map, 1000));
    const struct pps_key_slot *before = map.slots;
    for (uint64_t k = 0; k < 1000; k++)
        cr_assert(pps_key_map_add(&map, (struct pps_key){k * 0x9e3779b97f4a7c15, k}, 1));
    cr_assert(map.slots == before);
    cr_assert_not(pps_key_map_reserve(&map, UINT64_MAX));
    pps_key_map_free(&map);
}
