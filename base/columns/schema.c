// SPDX-License-Identifier: Apache-2.0
// Splits a line of names.
#include "base/columns/schema.h"

#include <stdlib.h>
#include <string.h>

void pps_schema_free(struct pps_schema *schema)
{
    free(schema->kinds);
    free(schema->names);
    free(schema->line);
    free(schema->split);
    *schema = (struct pps_schema){.n = 0};
}

static enum pps_status fail(struct pps_schema *schema, struct pps_error *err)
{
    pps_schema_free(schema);
    return pps_fail(err, PPS_E_INPUT, "the line of the names of columns is wrong");
}

static enum pps_status split_names(struct pps_schema *schema, struct pps_error *err)
{
    char *rest = schema->split;
    for (int c = 0; c < schema->n; c++) {
        schema->names[c] = rest;
        schema->kinds[c] = PPS_CELLS_TEXT;
        rest += strcspn(rest, ",\n");
        if (rest == schema->names[c] || *rest == '\0')
            return fail(schema, err);
        *rest++ = '\0';
    }
    return rest == schema->split + schema->line_bytes ? PPS_OK : fail(schema, err);
}

enum pps_status pps_schema_open(struct pps_schema *schema, const char *line, size_t n,
                                struct pps_error *err)
{
    *schema = (struct pps_schema){.n = 1, .line_bytes = n};
    for (size_t i = 0; i < n && schema->n <= PPS_SCHEMA_COLUMNS; i++)
        schema->n += line[i] == ',';
    if (n < 2 || line[n - 1] != '\n' || schema->n > PPS_SCHEMA_COLUMNS)
        return fail(schema, err);
    schema->line = strndup(line, n);
    schema->split = strndup(line, n);
    schema->names = calloc((size_t)schema->n, sizeof *schema->names);
    schema->kinds = calloc((size_t)schema->n, sizeof *schema->kinds);
    if (schema->line != NULL && schema->split != NULL && schema->names != NULL &&
        schema->kinds != NULL)
        return strlen(schema->split) == n ? split_names(schema, err) : fail(schema, err);
    pps_schema_free(schema);
    return pps_fail_memory(err, "the names of columns");
}
