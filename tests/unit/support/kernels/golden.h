// SPDX-License-Identifier: Apache-2.0
// Reads golden files; a missing file or member fails the test.
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

// Returns the document tests/golden/ndsearch/<name>, or tests/golden/<folder>/<name>; the caller frees it with cJSON_Delete.
cJSON *golden_read(const char *name);
cJSON *golden_of(const char *folder, const char *name);

const cJSON *golden_item(const cJSON *object, const char *name);
double golden_real(const cJSON *object, const char *name);
int32_t golden_whole(const cJSON *object, const char *name);
bool golden_is(const cJSON *object, const char *name);
const char *golden_word(const cJSON *object, const char *name);

// Copies a [rows][columns] matrix of numbers into one array.
void golden_matrix(const cJSON *object, const char *name, int32_t *values);
