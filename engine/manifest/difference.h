// SPDX-License-Identifier: Apache-2.0
// Compares two runs by their manifests.
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

// Writes "KEY was X, is Y" for the first setting that makes the results of the two runs differ.
// Returns false if there is none. Either manifest may lack its counts (an interrupted run). KEY
// is the setting that the user can change: a parameter, a key of the experiment, an option. cap
// is the size of text in bytes. Thread-safe.
bool pps_manifest_difference(const cJSON *was, const cJSON *is, char *text, size_t cap);
