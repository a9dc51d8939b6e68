// SPDX-License-Identifier: Apache-2.0
// Rows of texts that the reader of plain documents accepts or refuses.
#pragma once

#include <stddef.h>

#include "base/document/plain.h"

struct plain_good {
    const char *text, *json;
};

struct plain_bad {
    const char *text;
    int line, column;
    const char *wanted; // text of the fault
};

// Expect that each of n texts is read as the tree of its JSON, or refused with its fault.
void plain_accept(enum plaindoc_form form, const struct plain_good *rows, size_t n);
void plain_refuse(enum plaindoc_form form, const struct plain_bad *rows, size_t n);
