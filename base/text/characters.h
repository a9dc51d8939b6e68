// SPDX-License-Identifier: Apache-2.0
// Spelling of names: file name endings and hyphens in options.
#ifndef PPS_SPELLING_H
#define PPS_SPELLING_H

#include <stdbool.h>

// Returns whether text ends with `end` and is longer than it.
bool pps_ends_with(const char *text, const char *end);

// Replaces every '_' before the first `stop` (or the end of the word) by '-'.
void pps_hyphenate(char *word, char stop);

#endif
