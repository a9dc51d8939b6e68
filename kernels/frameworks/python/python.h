// SPDX-License-Identifier: Apache-2.0
// Configurations that functions of a Python file return, read for literal values. Nothing is executed.
//
// Evaluated: numbers and products of them, texts, True, False, None, lists, dictionaries, calls of
// classes with named values, variables, attributes that are set later, and functions of the same file.
// A call Name(a=1) is a map with the key "_call" for its name and "_args" for values without a name.
// Everything else is the text "?": also what a condition or a loop sets.
#pragma once

#include "base/document/plain.h"

struct python_function {
    char name[96];
    size_t at, body, end; // offsets of its name, of its first statement, and past its last one
};

enum { PYTHON_MOST_FUNCTIONS = 256 };

struct python_functions {
    size_t n;
    struct python_function list[PYTHON_MOST_FUNCTIONS];
};

// Finds the functions of a file that are not inside others.
void python_find_functions(struct python_functions *functions, const char *text);

// Makes the document of what a function returns, on top of the same text. Returns false if it returns no map.
// Free the document with settings_free().
bool python_read(struct plaindoc *document, const char *text, size_t n,
                 const struct python_functions *functions, const char *name);
