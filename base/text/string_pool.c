// SPDX-License-Identifier: Apache-2.0
// Numbers texts with an open-addressed hash table over one growing buffer.
#include "base/text/string_pool.h"

#include "base/text/grow_list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void pps_string_pool_free(struct pps_string_pool *names)
{
    free(names->text);
    free(names->at);
    free(names->slots);
    *names = (struct pps_string_pool){0};
}

const char *pps_string_pool_text(const struct pps_string_pool *names, uint32_t id)
{
    return names->text + names->at[id];
}

// Returns the slot of this text, or the empty slot for it.
static size_t find_slot(const struct pps_string_pool *names, const char *text, size_t n)
{
    const size_t mask = names->n_slots - 1;
    size_t slot = (size_t)XXH64(text, n, 0) & mask;
    for (; names->slots[slot] != 0; slot = (slot + 1) & mask) {
        const char *known = pps_string_pool_text(names, names->slots[slot] - 1);
        if (strncmp(known, text, n) == 0 && known[n] == '\0')
            break;
    }
    return slot;
}

static bool grow_slots(struct pps_string_pool *names)
{
    if ((size_t)names->n * 2 < names->n_slots)
        return true;
    const size_t n_slots = names->n_slots == 0 ? 64 : 2 * names->n_slots;
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    if (slots == NULL)
        return false;
    free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    for (uint32_t id = 0; id < names->n; id++) {
        const char *text = pps_string_pool_text(names, id);
        slots[find_slot(names, text, strlen(text))] = id + 1;
    }
    return true;
}

static bool grow_lists(struct pps_string_pool *names, size_t n)
{
    size_t *at = pps_grow(names->at, &names->room, (size_t)names->n + 1, sizeof *at);
    if (at == NULL)
        return false;
    names->at = at;
    char *text = pps_grow(names->text, &names->text_room, names->text_bytes + n + 1, 1);
    if (text == NULL)
        return false;
    names->text = text;
    return true;
}

enum pps_status pps_string_pool_add(struct pps_string_pool *names,
                                    const char *text,
                                    size_t n,
                                    uint32_t *id,
                                    struct pps_error *err)
{
    bool fits = names->n < UINT32_MAX / 2 && grow_slots(names);
    const size_t slot = fits ? find_slot(names, text, n) : 0;
    if (fits && names->slots[slot] != 0) {
        *id = names->slots[slot] - 1;
        return PPS_OK;
    }
    if (!fits || !grow_lists(names, n))
        return pps_fail_memory(err, "the names of a column");
    char *copy = names->text + names->text_bytes;
    memcpy(copy, text, n);
    copy[n] = '\0';
    names->at[names->n] = names->text_bytes;
    names->text_bytes += n + 1;
    *id = names->n++;
    names->slots[slot] = *id + 1;
    return PPS_OK;
}
