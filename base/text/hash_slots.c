// SPDX-License-Identifier: Apache-2.0
// Grows hash tables by the hashes in their slots.
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
