// SPDX-License-Identifier: Apache-2.0
// Gives each test its own folder, and reads and writes whole files in it.
#pragma once

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The path of the folder of this test, between enter and leave.
extern char folder[64];

// Creates a temporary folder and makes it the current one.
void enter(void);

// Leaves and deletes the folder.
void leave(void);

bool is_there(const char *path);

// Returns the whole file; *n is its size. The caller frees the text.
char *slurp(const char *path, size_t *n);

void spill(const char *path, const char *text);

void has_text(const char *path, const char *text);

void spill_bytes(const char *path, const void *bytes, size_t n);

void same_files(const char *a, const char *b);
