// SPDX-License-Identifier: Apache-2.0
// A fault of a document describes the first error that a reader found: the wrong value and a
// sentence. The caller knows file, line and column of the value.
#ifndef PPS_DOCFAULT_H
#define PPS_DOCFAULT_H

#include <stdbool.h>

struct cJSON;

struct docfault {
    const struct cJSON *item; // the wrong value; NULL: the document as a whole
    bool at_key;              // the key of the value is wrong, not the value
    char text[512];           // "num_layers: ...": the error and the remedy, no full stop
};

// Fills fault and returns false, so that a reader can `return docfault_set(...)`.
bool docfault_set(struct docfault *fault,
                  const struct cJSON *item,
                  bool at_key,
                  const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
