// SPDX-License-Identifier: Apache-2.0
// Filling a fault. Its text may hold pieces of the document, so it is made one line of whole
// characters.
#include "docfault.h"

#include <stdarg.h>
#include <stdio.h>

// Bytes of the UTF-8 character at c; 0: it is broken off, or is none that can be shown.
static size_t character(const unsigned char *c)
{
    const size_t n = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
    if (*c < 0x20 || *c == 0x7f || *c > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static void make_printable(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0';) {
        const size_t n = character(c);
        if (n == 0)
            *c = '?';
        c += n > 0 ? n : 1;
    }
}

bool docfault_set(struct docfault *fault,
                  const struct cJSON *item,
                  bool at_key,
                  const char *format,
                  ...)
{
    va_list args;
    fault->item = item;
    fault->at_key = at_key;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    make_printable(fault->text);
    return false;
}
