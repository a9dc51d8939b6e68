// SPDX-License-Identifier: Apache-2.0
// Fills faults of documents and tables.
#pragma once

#include "ppsweep/fault.h"

// Fills item, at_key and text of the fault and returns false, so that a reader can `return
// pps_fault_set(...)`. Control characters and broken UTF-8 in the text become '?'.
bool pps_fault_set(struct pps_fault *fault, const struct cJSON *item, bool at_key,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

// Makes the fault one of a lack of memory, which has no text, and returns false.
static inline bool pps_fault_memory(struct pps_fault *fault)
{
    fault->text[0] = '\0';
    return false;
}
