// SPDX-License-Identifier: Apache-2.0
// Converts counted rows to JSON and back.
#include "engine/best/tie_counts.h"

#include "base/document/json.h"
#include "base/text/say.h"

#include <stdlib.h>
#include <string.h>

// ---- ties text ----------------------------------------------------------------------------------

int pps_print_cells(FILE *out, const char *header, const char *row, uint64_t cells)
{
    int said = 0;
    for (int c = 0; c < 64 && header != NULL && row != NULL; c++) {
        const size_t name_n = strcspn(header, ",\n"), n = strcspn(row, ",\n");
        if ((cells >> c & 1) != 0)
            pps_say_part(out, "%s%.*s=%.*s", said++ > 0 ? ", " : "", (int)name_n, header,
                         (int)n, row);
        header = header[name_n] == ',' ? header + name_n + 1 : NULL;
        row = row[n] == ',' ? row + n + 1 : NULL;
    }
    return said;
}

void pps_print_ties(FILE *out, const struct pps_best_ties *ties, size_t shown,
                    const char *header, const char *row, uint64_t cells)
{
    const uint64_t common = cells & ~ties->differ;
    fprintf(out, "%zu of %llu equal best rows", shown, (unsigned long long)ties->n);
    if (common == 0)
        return;
    fputs("; all have ", out);
    (void)pps_print_cells(out, header, row, common);
}

// ---- tie counts ---------------------------------------------------------------------------------

static void add_names(cJSON *list, const char *header, uint64_t cells)
{
    for (int c = 0; c < 64 && header != NULL; c++) {
        const size_t n = strcspn(header, ",\n");
        char *name = strndup(header, n);
        if (name != NULL && (cells >> c & 1) != 0)
            cJSON_AddItemToArray(list, cJSON_CreateString(name));
        free(name);
        header = header[n] == ',' ? header + n + 1 : NULL;
    }
}

cJSON *pps_counted_json(const struct pps_best_equal *equal, const char *header)
{
    cJSON *item = cJSON_CreateObject();
    pps_json_add_count(item, "rows", equal->n);
    cJSON_AddStringToObject(item, "one", equal->text);
    add_names(cJSON_AddArrayToObject(item, "differ"), header, equal->differ);
    return item;
}

cJSON *pps_counted_list(struct pps_best_by_group *tops, const char *header)
{
    cJSON *list = cJSON_CreateArray();
    size_t n;
    struct pps_best *const *groups = pps_best_by_group_groups(tops, &n);
    for (size_t g = 0; g < n; g++)
        if (groups[g]->more.n > 0)
            cJSON_AddItemToArray(list, pps_counted_json(&groups[g]->more, header));
    return list;
}

// The bit of the header's cell of this name; 0: there is none among the first 64.
static uint64_t bit_of(const char *header, const char *name)
{
    for (int c = 0; c < 64 && name != NULL && header != NULL; c++) {
        const size_t n = strcspn(header, ",\n");
        if (strlen(name) == n && memcmp(header, name, n) == 0)
            return (uint64_t)1 << c;
        header = header[n] == ',' ? header + n + 1 : NULL;
    }
    return 0;
}

bool pps_counted_read(const cJSON *item, const char *header, struct pps_best_equal *equal)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(item, "rows");
    const cJSON *differ = cJSON_GetObjectItemCaseSensitive(item, "differ"), *name;
    char *one = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "one"));
    *equal = (struct pps_best_equal){.n = 0};
    if (one == NULL || !cJSON_IsNumber(rows) || !(rows->valuedouble >= 1))
        return false;
    *equal = (struct pps_best_equal){.n = (uint64_t)rows->valuedouble,
                                     .text = one,
                                     .text_n = strlen(one)};
    cJSON_ArrayForEach (name, differ)
        equal->differ |= bit_of(header, cJSON_GetStringValue(name));
    return true;
}
