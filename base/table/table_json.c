// SPDX-License-Identifier: Apache-2.0
// Reads tables from JSON: an array with one object per row. Columns are the keys in the order of
// their first appearance.
#include "base/table/table_private.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static bool fail(struct pps_fault *fault, const cJSON *item, bool at_key, const char *text)
{
    *fault = (struct pps_fault){0};
    return pps_fault_set(fault, item, at_key, "%s", text);
}

// Returns the column of a key, searched from `hint` on; n_columns: a new key.
static int find_column(const struct table *table, const char *key, int hint)
{
    const size_t n = strlen(key);
    for (int i = 0; i < table->n_columns; i++) {
        const int c = (hint + i) % table->n_columns;
        if (table->names[c].n == n && memcmp(table->names[c].text, key, n) == 0)
            return c;
    }
    return table->n_columns;
}

static bool find_columns(struct table *table, const cJSON *document, struct pps_fault *fault)
{
    const cJSON *row, *item;
    cJSON_ArrayForEach (row, document) {
        if (!cJSON_IsObject(row))
            return fail(fault, row, false, "every row must be an object");
        int hint = 0;
        cJSON_ArrayForEach (item, row) {
            const int c = find_column(table, item->string, hint);
            if (c == TABLE_COLUMNS)
                return fail(fault, item, true, "more than 256 different keys");
            if (c == table->n_columns)
                table->names[table->n_columns++] =
                    (struct table_name){item->string, strlen(item->string)};
            hint = c + 1;
        }
        if (++table->n_rows > TABLE_ROWS)
            return fail(fault, row, false, "more rows than a table may have (10 million)");
    }
    return true;
}

static bool fill_row(struct table *table, int64_t row, const cJSON *object,
                     struct pps_fault *fault)
{
    const cJSON *item;
    int hint = 0;
    table->items[row] = object;
    cJSON_ArrayForEach (item, object) {
        const int c = find_column(table, item->string, hint);
        struct table_cell *cell = &table->cells[row * table->n_columns + c];
        if (cell->item != NULL)
            return fail(fault, item, true, "the key appears twice in this row");
        cell->item = item;
        hint = c + 1;
    }
    return true;
}

static bool read_all(struct table *table, const cJSON *document, struct pps_fault *fault)
{
    if (!cJSON_IsArray(document))
        return fail(fault, document, false, "must be an array with one object per row");
    if (!find_columns(table, document, fault))
        return false;
    const size_t rows = (size_t)table->n_rows + 1;
    table->items = calloc(rows, sizeof *table->items);
    table->cells = calloc(rows * ((size_t)table->n_columns + 1), sizeof *table->cells);
    if (table->items == NULL || table->cells == NULL)
        return fail(fault, document, false, "out of memory for the table");
    const cJSON *object;
    int64_t row = 0;
    cJSON_ArrayForEach (object, document)
        if (!fill_row(table, row++, object, fault))
            return false;
    return true;
}

bool table_read_json(struct table **out, const cJSON *document, struct pps_fault *fault)
{
    struct table *table = *out = calloc(1, sizeof *table);
    if (table != NULL && read_all(table, document, fault))
        return true;
    if (table == NULL)
        fail(fault, document, false, "out of memory for the table");
    table_free(table);
    *out = NULL;
    return false;
}
