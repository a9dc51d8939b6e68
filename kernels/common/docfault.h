// SPDX-License-Identifier: Apache-2.0
// What is wrong with a document, told by whoever reads one: the value at fault and a sentence. The
// caller knows file, line and column of a value.
#ifndef PPS_DOCFAULT_H
#define PPS_DOCFAULT_H

#include <stdbool.h>

struct cJSON;

struct docfault {
    const struct cJSON *item; // the value at fault; NULL: the document as a whole
    bool at_key;              // its key is
    char text[512]; // "num_layers: ...": what is wrong and what to write, no full stop
};

// Fills fault and returns false, so that a reader can `return docfault_set(...)`.
bool docfault_set(struct docfault *fault,
                  const struct cJSON *item,
                  bool at_key,
                  const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
