// SPDX-License-Identifier: Apache-2.0
// Hash tables find entries by hashes. One kind holds indices into the caller's array and no keys: the
// caller compares the keys of the entries that the table returns. The other kind maps 128-bit
// hashes, which stand for the keys themselves, to numbers. Both use open addressing with linear
// probing. Any number of threads may search a table while no thread adds entries.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_hash_slot {
    uint32_t hash;
    uint32_t entry; // index in the caller's array + 1; 0: the slot is empty
};

// A zeroed table is empty. At most half of the slots are in use.
struct pps_hash_slots {
    struct pps_hash_slot *slots;
    size_t n_slots; // 0 or a power of two
    size_t n;       // entries
};

#define PPS_HASH_NONE SIZE_MAX // no further slot

// Adds the entry with this index in the caller's array, even if the table has an equal one. The
// low bits of the hash select the slot, so they must be well mixed. Returns false if memory runs
// out or the table has 2^31 entries; the table is unchanged then.
bool pps_hash_add(struct pps_hash_slots *table, uint32_t hash, size_t index);
void pps_hash_free(struct pps_hash_slots *table);

// Returns the first slot with this hash in the cluster of used slots from slot `at` on, or
// PPS_HASH_NONE. The table has slots.
static inline size_t pps_hash_probe(const struct pps_hash_slots *table, uint32_t hash,
                                    size_t at)
{
    const size_t mask = table->n_slots - 1;
    for (at &= mask; table->slots[at].entry != 0; at = (at + 1) & mask)
        if (table->slots[at].hash == hash)
            return at;
    return PPS_HASH_NONE;
}

// Visits all entries with this hash:
//   for (size_t at = pps_hash_first(table, hash); at != PPS_HASH_NONE;
//        at = pps_hash_next(table, hash, at))
//       ... compare the key of entry pps_hash_index(table, at)
static inline size_t pps_hash_first(const struct pps_hash_slots *table, uint32_t hash)
{
    return table->n == 0 ? PPS_HASH_NONE : pps_hash_probe(table, hash, hash);
}

static inline size_t pps_hash_next(const struct pps_hash_slots *table, uint32_t hash, size_t at)
{
    return pps_hash_probe(table, hash, at + 1);
}

// Returns the index of the entry in slot `at`.
static inline size_t pps_hash_index(const struct pps_hash_slots *table, size_t at)
{
    return table->slots[at].entry - (size_t)1;
}

// ---- numbers by 128-bit keys --------------------------------------------------------------------

// The hash of a key. Among 10^9 keys, two have the same hash with a probability of 10^-21.
struct pps_key {
    uint64_t low, high;
};

struct pps_key_slot {
    struct pps_key key;
    uint64_t number; // 0: the slot is empty
};

// A zeroed map is empty. At most three quarters of the slots are in use.
struct pps_key_map {
    struct pps_key_slot *slots;
    uint64_t n_slots; // 0 or a power of two
    uint64_t n;
};

// Makes room for n keys. Returns false if memory runs out; the map is unchanged then.
bool pps_key_map_reserve(struct pps_key_map *map, uint64_t n);

// Adds a key that the map does not have, with a number from 1. Returns false if memory runs out; the
// map is unchanged then.
bool pps_key_map_add(struct pps_key_map *map, struct pps_key key, uint64_t number);
void pps_key_map_free(struct pps_key_map *map);

// Returns the number of a key; 0: the map does not have the key.
static inline uint64_t pps_key_map_find(const struct pps_key_map *map, struct pps_key key)
{
    const uint64_t mask = map->n_slots - 1;
    if (map->n_slots == 0)
        return 0;
    for (uint64_t at = key.low & mask;; at = (at + 1) & mask) {
        const struct pps_key_slot *slot = &map->slots[at];
        if (slot->number == 0 || (slot->key.low == key.low && slot->key.high == key.high))
            return slot->number;
    }
}
