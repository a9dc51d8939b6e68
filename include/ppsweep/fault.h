// SPDX-License-Identifier: Apache-2.0
// A fault describes the first error in a document or a table: what is wrong, and where. Readers
// fill it; the caller knows the file.
#ifndef PPS_FAULT_H
#define PPS_FAULT_H

#include <stdbool.h>

struct cJSON;

struct pps_fault {
    int document;             // of several documents: the index of the document at fault
    const struct cJSON *item; // the value at fault; NULL: the document as a whole
    bool at_key;              // the key of the value is wrong, not the value
    int line, column;         // of text without items, from 1; 0: unknown
    char
        text[512]; // "num_layers: ...": what is wrong and what to write, one line, no full stop
};

#endif
