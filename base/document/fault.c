// SPDX-License-Identifier: Apache-2.0
// Fills a fault. Its text may hold pieces of the document, so control characters and broken UTF-8
// are replaced.
#include "base/document/fault.h"

#include "base/text/characters.h"

#include <stdarg.h>
#include <stdio.h>

bool pps_fault_set(struct pps_fault *fault, const struct cJSON *item, bool at_key,
                   const char *format, ...)
{
    va_list args;
    fault->item = item;
    fault->at_key = at_key;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    pps_make_printable(fault->text);
    return false;
}
