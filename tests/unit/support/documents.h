// SPDX-License-Identifier: Apache-2.0
// Loads documents for tests, from text and from files of the source tree.
#ifndef PPS_TEST_DOCUMENTS_H
#define PPS_TEST_DOCUMENTS_H

#include <criterion/criterion.h>
#include <stdio.h>

#include "base/document/json.h"

// Parses a document from text in which ' stands for ", for readable C strings. The caller frees
// it with pps_json_free.
static inline struct pps_json document_of(const char *text)
{
    char quoted[4096];
    struct pps_json json;
    struct pps_error err;
    size_t n = 0;
    for (; text[n] != '\0' && n < sizeof quoted - 1; n++)
        quoted[n] = text[n] == '\'' ? '"' : text[n];
    cr_assert_eq(pps_json_parse(&json, "document", quoted, n, &err), PPS_OK, "%s: %s", text,
                 err.text);
    return json;
}

// Loads a document from a path in the source tree. The caller frees it with pps_json_free.
static inline struct pps_json document_in(const char *path)
{
    char whole[1024];
    struct pps_json json;
    struct pps_error err;
    snprintf(whole, sizeof whole, "%s/%s", PPS_SOURCE, path);
    cr_assert_eq(pps_json_load(&json, whole, &err), PPS_OK, "%s:%d: %s", whole, err.line,
                 err.text);
    return json;
}

#endif
