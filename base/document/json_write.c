// SPDX-License-Identifier: Apache-2.0
// Writes counts as JSON.
#include "base/document/json_write.h"

#include <inttypes.h>
#include <stdio.h>

void pps_json_add_count(cJSON *object, const char *name, uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, n);
    cJSON_AddRawToObject(object, name, text);
}
