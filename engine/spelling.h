// SPDX-License-Identifier: Apache-2.0
// How names are spelled: endings of files, hyphens of options.
#ifndef PPS_SPELLING_H
#define PPS_SPELLING_H

#include <stdbool.h>

// Whether text ends with `end` and is longer.
bool pps_ends_with(const char *text, const char *end);

// Writes '-' for every '_' before the first `stop` (or the end of the word).
void pps_hyphenate(char *word, char stop);

#endif
