// SPDX-License-Identifier: Apache-2.0
// Distinct texts numbered 0, 1, 2 ... in order of first appearance.
#ifndef PPS_NAMES_H
#define PPS_NAMES_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

// A zeroed one is empty.
struct pps_names {
    char *text; // all texts one after the other, each ended with NUL
    size_t text_bytes, text_room;
    size_t *at;  // where text i begins
    size_t room; // of `at`
    uint32_t n;
    uint32_t *slots; // hash table: number + 1, 0 where empty
    size_t n_slots;  // a power of two
};

void pps_names_free(struct pps_names *names);

// *id: the number of this text of n characters (no NUL among them); a new one where it was not
// known, which shows in names->n. PPS_E_MACHINE: no memory.
PPS_MUST_CHECK enum pps_status pps_names_add(struct pps_names *names,
                                             const char *text,
                                             size_t n,
                                             uint32_t *id,
                                             struct pps_error *err);

// The text of a number below names->n; valid until the next add.
const char *pps_names_text(const struct pps_names *names, uint32_t id);

#endif
