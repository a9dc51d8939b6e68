// SPDX-License-Identifier: Apache-2.0
// Compares the trees and faults of plain documents with rows.
#include "tests/unit/support/plain_rows.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <string.h>

void plain_accept(enum plaindoc_form form, const struct plain_good *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct plaindoc doc;
        struct pps_fault fault;
        const char *text = rows[i].text;
        cJSON *wanted = cJSON_Parse(rows[i].json);
        cr_assert_not_null(wanted, "%s", rows[i].json);
        cr_assert(plaindoc_parse(&doc, form, text, strlen(text), &fault), "%s:\n%d:%d: %s",
                  text, fault.line, fault.column, fault.text);
        char *got = cJSON_PrintUnformatted(doc.root);
        cr_expect(cJSON_Compare(doc.root, wanted, true), "%s: %s", text, got);
        cJSON_free(got);
        cJSON_Delete(wanted);
        plaindoc_free(&doc);
    }
}

void plain_refuse(enum plaindoc_form form, const struct plain_bad *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct plaindoc doc;
        struct pps_fault fault;
        const char *text = rows[i].text;
        cr_assert_not(plaindoc_parse(&doc, form, text, strlen(text), &fault), "%s", text);
        cr_expect(fault.line == rows[i].line && fault.column == rows[i].column, "%s: %d:%d: %s",
                  text, fault.line, fault.column, fault.text);
        cr_expect_str_eq(fault.text, rows[i].wanted, "%s: %s", text, fault.text);
    }
}
