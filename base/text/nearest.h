// SPDX-License-Identifier: Apache-2.0
// Suggestions: the known name nearest to a mistyped name. Thread-safe.
#ifndef PPS_SUGGEST_H
#define PPS_SUGGEST_H

#include <stddef.h>

// Returns the name with the least edit distance, or NULL if none is near: at most a third of
// the word, and at least 1 character, may change. Swapped neighbours count as one edit; case,
// and '-' against '_', count as none. `names` has n entries.
const char *pps_suggest(const char *word, const char *const *names, size_t n);

// A suggestion for the end of a message: "; did you mean NAME?", or "".
struct pps_hint {
    char text[96];
};
struct pps_hint pps_did_you_mean(const char *word, const char *const *names, size_t n);

#endif
