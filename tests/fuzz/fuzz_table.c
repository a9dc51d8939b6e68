// SPDX-License-Identifier: Apache-2.0
// Fuzz target: tables of numbers, as CSV text and, if the bytes are JSON, as an array of
// objects.
#include "base/table/table.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct table_field FIELDS[] = {
    {"dp", NULL, true, true, 1, 1e6},
    {"tp", NULL, false, true, 1, 1e6},
    {"pp", NULL, false, true, 1, 1e6},
    {"ep", NULL, false, true, 1, 1e6},
    {"moe_bw", "moe_fw", false, false, 0, HUGE_VAL},
    {"peak_mb", NULL, false, false, 0, 1e12},
};

enum { N_FIELDS = sizeof FIELDS / sizeof FIELDS[0] };

static void walk(const struct table *table)
{
    int columns[N_FIELDS];
    double values[N_FIELDS];
    struct pps_fault fault;
    if (!table_bind(table, FIELDS, N_FIELDS, columns, &fault))
        return;
    for (int64_t row = 0; row < table_rows(table); row++)
        if (table_row(table, row, FIELDS, N_FIELDS, columns, values, &fault) &&
            !(values[0] >= 1.0 && values[0] <= 1e6 && table_line(table, row) > 0))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct table *table;
    struct pps_fault fault;
    if (table_read_csv(&table, (const char *)data, n, &fault))
        walk(table);
    table_free(table);
    cJSON *document = cJSON_ParseWithLength((const char *)data, n);
    if (document != NULL && table_read_json(&table, document, &fault)) {
        walk(table);
        table_free(table);
    }
    cJSON_Delete(document);
    return 0;
}
