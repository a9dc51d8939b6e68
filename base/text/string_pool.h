// SPDX-License-Identifier: Apache-2.0
// A name table numbers distinct texts 0, 1, 2 ... in order of first appearance. Not
// thread-safe: each table belongs to one thread.
#pragma once

#include "base/text/hash_slots.h"
#include "base/text/status.h"

#include <stddef.h>
#include <stdint.h>

// A zeroed table is empty.
struct pps_string_pool {
    char *text; // all texts, one after the other, each ended with NUL
    size_t text_bytes, text_room;
    size_t *at;  // at[i]: offset of text i in `text`
    size_t room; // capacity of `at`
    uint32_t n;
    struct pps_hash_slots slots; // finds a text's number
};

void pps_string_pool_free(struct pps_string_pool *names);

// Finds or adds a text of n characters, which contain no NUL. *id is its number; names->n grows
// if the text is new. Returns PPS_E_MACHINE if memory runs out.
PPS_MUST_CHECK enum pps_status pps_string_pool_add(struct pps_string_pool *names,
                                                   const char *text, size_t n, uint32_t *id,
                                                   struct pps_error *err);

// Returns the text with number id < names->n. The text stays valid until the next add.
const char *pps_string_pool_text(const struct pps_string_pool *names, uint32_t id);
