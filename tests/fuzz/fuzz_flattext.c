// SPDX-License-Identifier: Apache-2.0
// Fuzz target: documents of lines. What is taken becomes JSON with as many lines, whatever was in
// it; only escapes of the text's own can be wrong there.
#include "kernels/common/flattext.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t count_lines(const char *text, size_t n)
{
    size_t lines = 0;
    for (size_t k = 0; k < n; k++)
        lines += text[k] == '\n';
    return lines;
}

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *text = (const char *)data;
    struct textroom json = {.text = NULL};
    struct flattext_fault fault = {.line = 0};
    flattext_is_flat(text, n);
    if (!flattext_to_json(&json, text, n, &fault)) {
        require(fault.line >= 1 && fault.text[0] != '\0' &&
                strlen(fault.text) < sizeof fault.text - 1);
    } else {
        const size_t ends = n > 0 && text[n - 1] != '\n';
        require(count_lines(json.text, json.n) <= count_lines(text, n) + ends);
        cJSON *document = cJSON_ParseWithLength(json.text, json.n);
        require(document != NULL || memchr(text, '\\', n) != NULL);
        cJSON_Delete(document);
    }
    textroom_free(&json);
    return 0;
}
