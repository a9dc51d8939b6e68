// SPDX-License-Identifier: Apache-2.0
// Finds the columns with one value in all rows.
#include "engine/read/constant_columns.h"

#include "base/document/json.h"
#include "engine/read/coverage.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pps_status pps_constant_columns_open(struct pps_constant_columns *constants, int n_columns,
                                          struct pps_error *err)
{
    constants->list = calloc((size_t)n_columns + 1, sizeof *constants->list);
    constants->n = constants->list != NULL ? n_columns : 0;
    return constants->list != NULL ? PPS_OK : pps_fail_memory(err, "the rows");
}

void pps_constant_columns_close(struct pps_constant_columns *constants)
{
    for (int i = 0; constants->list != NULL && i < constants->n; i++)
        free(constants->list[i].text);
    free(constants->list);
    *constants = (struct pps_constant_columns){.n = 0};
}

enum pps_status pps_constant_columns_note(struct pps_constant_columns *constants,
                                          const struct pps_cell *cells, struct pps_error *err)
{
    for (int i = 0; i < constants->n; i++) {
        struct pps_constant *constant = &constants->list[i];
        if (constant->varied)
            continue;
        if (constant->text == NULL) {
            constant->text = strndup(cells[i].text, cells[i].n);
            constant->n = cells[i].n;
            if (constant->text == NULL)
                return pps_fail_memory(err, "the rows");
        }
        constant->varied =
            constant->n != cells[i].n || memcmp(constant->text, cells[i].text, cells[i].n) != 0;
    }
    return PPS_OK;
}

long pps_constant_documents(const struct pps_view *view, FILE *out)
{
    long n = 0;
    cJSON *manifest = pps_coverage_manifest(view->path);
    const cJSON *constants = pps_json_member(manifest, "constants");
    const cJSON *experiment = pps_json_member(manifest, "experiment"), *document;
    cJSON_ArrayForEach (document, pps_json_member(experiment, "inputs")) {
        const char *name = cJSON_GetStringValue(pps_json_member(constants, document->string));
        if (name != NULL)
            fprintf(out, "%s%s=%s", n++ == 0 ? "" : " ", document->string, name);
    }
    cJSON_Delete(manifest);
    return n;
}

char *pps_constant_columns_title(const struct pps_constant_columns *constants,
                                 const struct pps_view *view)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL)
        return NULL;
    const char *gap = pps_constant_documents(view, out) > 0 ? " " : "";
    for (int i = 0; i < constants->n; i++) {
        const struct pps_constant *constant = &constants->list[i];
        if (view->columns[i].role != PPS_ROLE_PARAM || constant->varied ||
            constant->text == NULL)
            continue;
        fprintf(out, "%s%s=%s", gap, view->columns[i].name, constant->text);
        gap = " ";
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
