// SPDX-License-Identifier: Apache-2.0
// Stores cells as slices of the text or as JSON values, and converts them to numbers on request:
// unused columns cost nothing and may hold anything.
#include "base/table/table.h"

#include "base/table/table_private.h"
#include "base/text/number.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_EMPTY, CELL_NUMBER, CELL_OTHER };

void table_free(struct table *table)
{
    if (table == NULL)
        return;
    free(table->text);
    free(table->cells);
    free(table->lines);
    free(table->items);
    free(table);
}

int64_t table_rows(const struct table *table)
{
    return table->n_rows;
}

int64_t table_line(const struct table *table, int64_t row)
{
    return table->text != NULL ? table->lines[row] : row + 1;
}

static const struct table_cell *cell_at(const struct table *table, int64_t row, int column)
{
    return &table->cells[row * table->n_columns + column];
}

static int read_json_cell(const cJSON *item, double *value)
{
    if (item == NULL || cJSON_IsNull(item) ||
        (cJSON_IsString(item) && item->valuestring[0] == '\0'))
        return CELL_EMPTY;
    *value = item->valuedouble;
    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? CELL_NUMBER : CELL_OTHER;
}

static int read_cell(const struct table *table, int64_t row, int column, double *value)
{
    const struct table_cell *cell = cell_at(table, row, column);
    if (table->text == NULL)
        return read_json_cell(cell->item, value);
    if (cell->n == 0)
        return CELL_EMPTY;
    return number_text_read(cell->text, cell->n, value) ? CELL_NUMBER : CELL_OTHER;
}

// ---- faults -----------------------------------------------------------------------------------

bool table_fail(const struct table *table, int64_t row, int column, struct pps_fault *fault,
                const char *format, ...)
{
    char text[sizeof fault->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *fault = (struct pps_fault){0};
    const cJSON *item = NULL;
    if (table->text == NULL) {
        item = column >= 0 ? cell_at(table, row, column)->item : NULL;
        item = item != NULL ? item : table->items[row];
    } else {
        fault->line = (int)table->lines[row];
        fault->column = (int)(column >= 0 ? cell_at(table, row, column)->place : 0);
    }
    return pps_fault_set(fault, item, false, "%s", text);
}

static bool fail_cell(const struct table *table, int64_t row, int column, const char *name,
                      const char *what, struct pps_fault *fault)
{
    char quoted[48] = "";
    const struct table_cell *cell = cell_at(table, row, column);
    if (table->text != NULL)
        number_text_quote(quoted, sizeof quoted, cell->text, cell->n);
    else if (cJSON_IsNumber(cell->item))
        snprintf(quoted, sizeof quoted, "%.17g", cell->item->valuedouble);
    else if (cJSON_IsString(cell->item))
        number_text_quote(quoted, sizeof quoted, cell->item->valuestring,
                          strlen(cell->item->valuestring));
    return table_fail(table, row, column, fault, "%s: must be %s%s%s%s", name, what,
                      quoted[0] != '\0' ? " (got " : "", quoted, quoted[0] != '\0' ? ")" : "");
}

// ---- columns ----------------------------------------------------------------------------------

static bool is_named(const struct table_name *column, const char *name)
{
    return name != NULL && strlen(name) == column->n &&
           memcmp(column->text, name, column->n) == 0;
}

static bool bind_field(const struct table *table, const struct table_field *field, int *column,
                       struct pps_fault *fault)
{
    *column = -1;
    for (int c = 0; c < table->n_columns; c++) {
        const bool wanted =
            is_named(&table->names[c], field->name) || is_named(&table->names[c], field->alias);
        if (wanted && *column >= 0) {
            *fault = (struct pps_fault){.line = (int)table->header_line};
            return pps_fault_set(fault, NULL, false, "%s: two columns have this name%s%s%s",
                                 field->name, field->alias != NULL ? " (or " : "",
                                 field->alias != NULL ? field->alias : "",
                                 field->alias != NULL ? ")" : "");
        }
        if (wanted)
            *column = c;
    }
    if (*column >= 0 || !field->required || (table->text == NULL && table->n_rows == 0))
        return true;
    *fault = (struct pps_fault){.line = (int)table->header_line};
    return pps_fault_set(fault, NULL, false, "%s: no %s is named so", field->name,
                         table->text != NULL ? "column" : "key");
}

bool table_bind(const struct table *table, const struct table_field *fields, int n,
                int *columns, struct pps_fault *fault)
{
    for (int i = 0; i < n; i++)
        if (!bind_field(table, &fields[i], &columns[i], fault))
            return false;
    return true;
}

static bool check_number(const struct table *table, int64_t row, int column,
                         const struct table_field *field, double value, struct pps_fault *fault)
{
    char what[128];
    if (field->whole && value != floor(value))
        return fail_cell(table, row, column, field->name, "a whole number", fault);
    if (value >= field->min && value <= field->max)
        return true;
    if (isinf(field->max))
        snprintf(what, sizeof what, "at least %.17g", field->min);
    else if (isinf(field->min))
        snprintf(what, sizeof what, "at most %.17g", field->max);
    else
        snprintf(what, sizeof what, "from %.17g to %.17g", field->min, field->max);
    return fail_cell(table, row, column, field->name, what, fault);
}

bool table_row(const struct table *table, int64_t row, const struct table_field *fields, int n,
               const int *columns, double *values, struct pps_fault *fault)
{
    for (int i = 0; i < n; i++) {
        double value = 0.0;
        const int kind =
            columns[i] >= 0 ? read_cell(table, row, columns[i], &value) : CELL_EMPTY;
        values[i] = (double)NAN;
        if (kind == CELL_EMPTY && fields[i].required)
            return table_fail(table, row, columns[i], fault, "%s: is empty, but required",
                              fields[i].name);
        if (kind == CELL_OTHER)
            return fail_cell(table, row, columns[i], fields[i].name, "a number", fault);
        if (kind == CELL_NUMBER &&
            !check_number(table, row, columns[i], &fields[i], value, fault))
            return false;
        if (kind == CELL_NUMBER)
            values[i] = value;
    }
    return true;
}
