// SPDX-License-Identifier: Apache-2.0
// File name endings and hyphens.
#include "base/text/characters.h"

#include <string.h>

bool pps_ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

void pps_hyphenate(char *word, char stop)
{
    for (char *c = word; *c != '\0' && *c != stop; c++)
        if (*c == '_')
            *c = '-';
}
