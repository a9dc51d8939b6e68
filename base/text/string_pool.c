// SPDX-License-Identifier: Apache-2.0
// Numbers texts with a hash table over one growing buffer.
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
    pps_hash_free(&names->slots);
    *names = (struct pps_string_pool){0};
}

const char *pps_string_pool_text(const struct pps_string_pool *names, uint32_t id)
{
    return names->text + names->at[id];
}

// Returns whether the table has this text; *id is its number.
static bool find(const struct pps_string_pool *names, uint32_t hash, const char *text, size_t n,
                 uint32_t *id)
{
    for (size_t at = pps_hash_first(&names->slots, hash); at != PPS_HASH_NONE;
         at = pps_hash_next(&names->slots, hash, at)) {
        *id = (uint32_t)pps_hash_index(&names->slots, at);
        const char *known = pps_string_pool_text(names, *id);
        if (strncmp(known, text, n) == 0 && known[n] == '\0')
            return true;
    }
    return false;
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

enum pps_status pps_string_pool_add(struct pps_string_pool *names, const char *text, size_t n,
                                    uint32_t *id, struct pps_error *err)
{
    const uint32_t hash = (uint32_t)XXH64(text, n, 0);
    if (find(names, hash, text, n, id))
        return PPS_OK;
    if (!grow_lists(names, n) || !pps_hash_add(&names->slots, hash, names->n))
        return pps_fail_memory(err, "the names of a column");
    char *copy = names->text + names->text_bytes;
    memcpy(copy, text, n);
    copy[n] = '\0';
    names->at[names->n] = names->text_bytes;
    names->text_bytes += n + 1;
    *id = names->n++;
    return PPS_OK;
}
