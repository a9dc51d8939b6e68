// SPDX-License-Identifier: Apache-2.0
// Writing functions that cJSON lacks.
#ifndef PPS_JSONWRITE_H
#define PPS_JSONWRITE_H

#include <cjson/cJSON.h>
#include <stdint.h>

// Adds a count exactly. cJSON itself rounds numbers above 2^53.
void pps_json_add_count(cJSON *object, const char *name, uint64_t n);

#endif
