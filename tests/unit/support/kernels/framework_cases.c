// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/framework_cases.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cJSON *json_of(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    cJSON *json = cJSON_Parse(copy);
    cr_assert_not_null(json, "%s", text);
    free(copy);
    return json;
}

static void check_parts(const char *text, const cJSON *root, const char *json)
{
    cJSON *parts = json_of(json);
    for (const cJSON *part = parts->child; part != NULL; part = part->next)
        for (const cJSON *item = part->child; item != NULL; item = item->next) {
            const cJSON *got = cJSON_GetObjectItemCaseSensitive(
                cJSON_GetObjectItemCaseSensitive(root, part->string), item->string);
            char *print = cJSON_PrintUnformatted(root);
            cr_expect(cJSON_IsNull(item) ? got == NULL : cJSON_Compare(got, item, true),
                      "%s\n%s.%s: %s", text, part->string, item->string, print);
            cJSON_free(print);
        }
    cJSON_Delete(parts);
}

static void check_keys(const char *text, const struct framework_keys *keys, const char *wanted)
{
    char list[2048] = "";
    size_t n = 0;
    for (size_t k = 0; k < keys->n && n < sizeof list; k++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%d:%d %s", k > 0 ? "; " : "",
                              keys->list[k].line, keys->list[k].column, keys->list[k].name);
    cr_expect_str_eq(list, wanted, "%s\n%s", text, list);
}

static void check_reason(const char *text, const struct pps_fault *reason, const char *wanted)
{
    char got[sizeof reason->text + 32] = "";
    if (reason->text[0] != '\0')
        snprintf(got, sizeof got, "%d:%d %s", reason->line, reason->column, reason->text);
    cr_expect_str_eq(got, wanted != NULL ? wanted : "", "%s\n%s", text, got);
}

void framework_cases_check(enum plaindoc_form form, const struct framework_case *rows, size_t n)
{
    framework_cases_check_beside(form, NULL, rows, n);
}

void framework_cases_check_beside(enum plaindoc_form form,
                                  const struct framework_beside *beside,
                                  const struct framework_case *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = rows[i].text;
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        bool read = false;
        cr_assert(
            framework_read_beside(&file, &read, form, text, strlen(text), beside, &fault) &&
                read,
            "%s\n%d:%d: %s", text, fault.line, fault.column, fault.text);
        if (rows[i].json != NULL)
            check_parts(text, file.document.root, rows[i].json);
        if (rows[i].not_modelled != NULL)
            check_keys(text, &file.not_modelled, rows[i].not_modelled);
        check_reason(text, &file.cannot_run, rows[i].cannot_run);
        framework_file_free(&file);
    }
}
