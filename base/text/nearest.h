// SPDX-License-Identifier: Apache-2.0
// Suggests the known name nearest to a mistyped name. Thread-safe.
#pragma once

#include <stddef.h>

// Returns the name with the least edit distance, or NULL if none is near: at most a third of
// the word, and at least 1 character, may change. Swapped neighbours count as one edit; case,
// and '-' against '_', count as none. Of equally near names, the one with more
// equal characters at its start wins, then the first. `names` has n entries.
const char *pps_suggest(const char *word, const char *const *names, size_t n);

// A suggestion for the end of a message: "; did you mean NAME?", or "".
struct pps_hint {
    char text[96];
};
struct pps_hint pps_did_you_mean(const char *word, const char *const *names, size_t n);

// The search for names that are not in one array: start with pps_nearest_to, consider each
// name, and read `name`, which is NULL while no name is near.
struct pps_nearest {
    const char *word, *name;
    size_t limit; // only a name with a smaller distance replaces `name`
};
struct pps_nearest pps_nearest_to(const char *word);
void pps_nearest_consider(struct pps_nearest *nearest, const char *name);
