// SPDX-License-Identifier: Apache-2.0
// Grows hash tables by the hashes in their slots, and maps of keys.
#include "base/text/hash_slots.h"

#include <stdlib.h>

enum { FIRST = 64 };
#define MOST ((uint64_t)1 << 32) // more slots than hashes are of no use

static void put(struct pps_hash_slots *table, struct pps_hash_slot slot)
{
    const size_t mask = table->n_slots - 1;
    size_t at = slot.hash & mask;
    while (table->slots[at].entry != 0)
        at = (at + 1) & mask;
    table->slots[at] = slot;
}

static bool grow(struct pps_hash_slots *table)
{
    struct pps_hash_slots larger = {.n = table->n};
    larger.n_slots = table->n_slots == 0 ? FIRST : 2 * table->n_slots;
    if (table->n_slots < MOST)
        larger.slots = calloc(larger.n_slots, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < table->n_slots; i++)
        if (table->slots[i].entry != 0)
            put(&larger, table->slots[i]);
    free(table->slots);
    *table = larger;
    return true;
}

bool pps_hash_add(struct pps_hash_slots *table, uint32_t hash, size_t index)
{
    if (2 * table->n >= table->n_slots && !grow(table))
        return false;
    put(table, (struct pps_hash_slot){hash, (uint32_t)index + 1});
    table->n++;
    return true;
}

void pps_hash_free(struct pps_hash_slots *table)
{
    free(table->slots);
    *table = (struct pps_hash_slots){0};
}

// ---- numbers by 128-bit keys --------------------------------------------------------------------

static void put_key(struct pps_key_map *map, struct pps_key_slot slot)
{
    const uint64_t mask = map->n_slots - 1;
    uint64_t at = slot.key.low & mask;
    while (map->slots[at].number != 0)
        at = (at + 1) & mask;
    map->slots[at] = slot;
}

bool pps_key_map_reserve(struct pps_key_map *map, uint64_t n)
{
    struct pps_key_map larger = {.n = map->n, .n_slots = map->n_slots};
    if (n > UINT64_MAX / 8)
        return false;
    if (larger.n_slots == 0)
        larger.n_slots = FIRST;
    while (4 * n > 3 * larger.n_slots)
        larger.n_slots *= 2;
    if (larger.n_slots == map->n_slots)
        return true;
    larger.slots = calloc(larger.n_slots, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (uint64_t i = 0; i < map->n_slots; i++)
        if (map->slots[i].number != 0)
            put_key(&larger, map->slots[i]);
    free(map->slots);
    *map = larger;
    return true;
}

bool pps_key_map_add(struct pps_key_map *map, struct pps_key key, uint64_t number)
{
    if (!pps_key_map_reserve(map, map->n + 1))
        return false;
    put_key(map, (struct pps_key_slot){key, number});
    map->n++;
    return true;
}

void pps_key_map_free(struct pps_key_map *map)
{
    free(map->slots);
    *map = (struct pps_key_map){0};
}
