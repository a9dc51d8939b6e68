// SPDX-License-Identifier: Apache-2.0
// The known name nearest to a mistyped one.
#ifndef PPS_SUGGEST_H
#define PPS_SUGGEST_H

#include <stddef.h>

// The name of least edit distance (a swap of neighbours counts one; case and '-' against '_'
// count nothing), or NULL where none is near: more than a third of the word, at least 1, would
// have to change. `names` has n entries.
const char *pps_suggest(const char *word, const char *const *names, size_t n);

// The same for the end of a message: "; did you mean NAME?", or "".
struct pps_hint {
    char text[96];
};
struct pps_hint pps_did_you_mean(const char *word, const char *const *names, size_t n);

#endif
