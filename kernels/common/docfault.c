// SPDX-License-Identifier: Apache-2.0
// Filling a fault.
#include "docfault.h"

#include <stdarg.h>
#include <stdio.h>

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
    return false;
}
