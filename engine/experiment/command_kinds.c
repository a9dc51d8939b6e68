// SPDX-License-Identifier: Apache-2.0
// Infers what the parameters of a command are, whole numbers, numbers, truth values or names, from the values that the
// experiment, the options -s and the file of points give them.
#include "base/table/csv.h"
#include "base/text/characters.h"
#include "base/text/decimal_read.h"
#include "engine/experiment/loading_private.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- one value --------------------------------------------------------------------------------

static bool is_whole(double number)
{
    return number == floor(number) && fabs(number) < 0x1p53;
}

static const char *kind_of(const cJSON *kinds, const char *name, size_t n)
{
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)(n < 63 ? n : 63), name);
    return cJSON_GetStringValue(pps_json_member(kinds, key));
}

// What a text alone is: an expression of numbers, as "1..8" or "divisors(n)", or a word. A name in an expression is a
// parameter, a function or "step".
static const char *kind_of_text(const cJSON *kinds, const char *text)
{
    static const char word[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/+-";
    bool whole = strchr(text, '/') == NULL;
    for (const char *c = text; *c != '\0';) {
        const size_t n = pps_name_length(c);
        if (n == 0) {
            const bool point = c[0] == '.' && c[1] != '.' && (c == text || c[-1] != '.');
            whole = whole && !point;
            c++;
            continue;
        }
        const bool function = c[n] == '(', step = n == 4 && strncmp(c, "step", 4) == 0;
        const char *kind = kind_of(kinds, c, n);
        const bool exponent = n == 1 && c > text && isdigit((unsigned char)c[-1]);
        if (!function && !step && !exponent && kind == NULL &&
            strspn(text, word) == strlen(text))
            return NULL;
        whole = whole && !exponent && (!function || strncmp(c, "divisors", n) == 0) &&
                (kind == NULL || strcmp(kind, "integer") == 0);
        c += n;
    }
    return whole ? "integer" : "real";
}

static bool range_is_whole(const cJSON *range)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, range) {
        if (cJSON_IsTrue(item) || (cJSON_IsNumber(item) && !is_whole(item->valuedouble)))
            return false; // "continuous": true
    }
    return true;
}

// ---- a list -----------------------------------------------------------------------------------

static void add_name(cJSON *names, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, names) {
        if (strcmp(item->valuestring, name) == 0)
            return;
    }
    cJSON_AddItemToArray(names, cJSON_CreateString(name));
}

static cJSON *kind_of_list(const cJSON *list)
{
    const cJSON *item;
    bool whole = true, truth = true;
    cJSON *names = cJSON_CreateArray();
    cJSON_ArrayForEach (item, list) {
        whole = whole && cJSON_IsNumber(item) && is_whole(item->valuedouble);
        truth = truth && cJSON_IsBool(item);
        if (cJSON_IsString(item))
            add_name(names, item->valuestring);
    }
    if (cJSON_GetArraySize(names) > 0)
        return names;
    cJSON_Delete(names);
    return cJSON_CreateString(truth ? "boolean" : whole ? "integer" : "real");
}

static cJSON *kind_of_item(const cJSON *kinds, const cJSON *item)
{
    if (cJSON_IsArray(item) && cJSON_GetArraySize(item) > 0)
        return kind_of_list(item);
    if (cJSON_IsObject(item))
        return cJSON_CreateString(range_is_whole(item) ? "integer" : "real");
    if (cJSON_IsBool(item))
        return cJSON_CreateString("boolean");
    if (cJSON_IsString(item)) {
        const char *kind = kind_of_text(kinds, item->valuestring);
        const char *const names[] = {item->valuestring};
        return kind != NULL ? cJSON_CreateString(kind) : cJSON_CreateStringArray(names, 1);
    }
    return cJSON_CreateString(is_whole(item->valuedouble) ? "integer" : "real");
}

void pps_command_kind(cJSON *kinds, const char *name, const cJSON *item)
{
    cJSON *kind = kind_of_item(kinds, item);
    if (pps_json_member(kinds, name) != NULL)
        cJSON_ReplaceItemInObjectCaseSensitive(kinds, name, kind);
    else
        cJSON_AddItemToObject(kinds, name, kind);
}

// ---- a file of points -------------------------------------------------------------------------

struct column {
    char name[64];
    bool number, whole;
    cJSON *names;
};

static void see_cell(struct column *column, const char *text, size_t n)
{
    double number;
    if (!pps_decimal_read(text, n, &number)) {
        column->number = false;
        if (cJSON_GetArraySize(column->names) < 256)
            add_name(column->names, text);
    } else {
        column->whole = column->whole && is_whole(number) && strchr(text, '.') == NULL;
    }
}

static void keep_column(struct column *column, cJSON *kinds)
{
    if (column->number)
        cJSON_Delete(column->names);
    cJSON_AddItemToObject(kinds, column->name,
                          !column->number
                              ? column->names
                              : cJSON_CreateString(column->whole ? "integer" : "real"));
}

static enum pps_status read_rows(struct pps_csv *csv, struct column *columns, int *n,
                                 struct pps_error *err)
{
    const struct pps_csv_row *row;
    enum pps_status status;
    while ((status = pps_csv_next(csv, &row, err)) == PPS_OK && row != NULL) {
        const bool header = *n == 0;
        for (int c = 0; header && c < row->n && c < PPS_MAX_PARAMS; c++) {
            columns[c] = (struct column){.number = true, .whole = true};
            columns[c].names = cJSON_CreateArray();
            snprintf(columns[c].name, sizeof columns[c].name, "%.63s", row->text[c]);
            *n = c + 1;
        }
        for (int c = 0; !header && c < row->n && c < *n; c++)
            see_cell(&columns[c], row->text[c], row->length[c]);
    }
    return status;
}

enum pps_status pps_command_point_kinds(cJSON *kinds, const char *path, struct pps_error *err)
{
    struct pps_csv *csv = NULL;
    struct column *columns = calloc(PPS_MAX_PARAMS, sizeof *columns);
    int n = 0;
    if (columns == NULL)
        return pps_fail_memory(err, "the points");
    enum pps_status status = pps_csv_open(&csv, path, err);
    if (status == PPS_OK)
        status = read_rows(csv, columns, &n, err);
    for (int c = 0; c < n; c++)
        keep_column(&columns[c], kinds);
    pps_csv_close(csv);
    free(columns);
    return status;
}
