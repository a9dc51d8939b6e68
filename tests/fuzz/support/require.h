// SPDX-License-Identifier: Apache-2.0
// Checks that fuzz targets share; a failed check ends the target.
#pragma once

#include "ppsweep/fault.h"

#include <stdlib.h>

static inline void require(int condition)
{
    if (!condition)
        abort();
}

// A fault has a place and a printable reason of one line.
static inline void require_fault(const struct pps_fault *fault)
{
    require(fault->line > 0 && fault->column > 0 && fault->text[0] != '\0');
    for (const char *c = fault->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f);
}
