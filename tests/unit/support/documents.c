// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/documents.h"

struct pps_json document_of(const char *text)
{
    char quoted[1 << 14];
    struct pps_json json;
    struct pps_error err;
    size_t n = 0;
    for (; text[n] != '\0' && n < sizeof quoted - 1; n++)
        quoted[n] = text[n] == '\'' ? '"' : text[n];
    cr_assert_eq(pps_json_parse(&json, "document", quoted, n, &err), PPS_OK, "%s: %s", text,
                 err.text);
    return json;
}

struct pps_json document_in(const char *path)
{
    char whole[1024];
    struct pps_json json;
    struct pps_error err;
    snprintf(whole, sizeof whole, "%s/%s", PPS_SOURCE, path);
    cr_assert_eq(pps_json_load(&json, whole, &err), PPS_OK, "%s:%d: %s", whole, err.line,
                 err.text);
    return json;
}
