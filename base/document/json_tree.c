// SPDX-License-Identifier: Apache-2.0
// Checks the tree of a JSON document: matches its items to places, refuses repeated keys, and
// takes trees that were not parsed here. Prints trees.
#include "base/document/json_private.h"
#include "base/text/characters.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- matching items to places --------------------------------------------------------------

// Assigns places to the item and all items below it, starting with number *next. The depth is
// limited by the scan.
static void match(struct pps_json *json, const cJSON *item, size_t *next)
{
    json->places[(*next)++].item = item;
    for (const cJSON *child = item->child; child != NULL; child = child->next)
        match(json, child, next);
}

// ---- repeated keys -------------------------------------------------------------------------

struct member {
    const cJSON *item;
    size_t order;
};

static int by_key(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    int order = strcmp(a->item->string, b->item->string);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

// Returns the index, in the sorted members, of the first member in the document that repeats a
// key, or 0.
static size_t first_repeated(const struct member *members, size_t n)
{
    size_t found = 0;
    for (size_t i = 1; i < n; i++)
        if (strcmp(members[i - 1].item->string, members[i].item->string) == 0 &&
            (found == 0 || members[i].order < members[found].order))
            found = i;
    return found;
}

static enum pps_status check_object(const struct pps_json *json, struct member *members,
                                    size_t n, struct pps_error *err)
{
    size_t repeated;
    int line, column;
    char first[40] = "";
    qsort(members, n, sizeof *members, by_key);
    repeated = first_repeated(members, n);
    if (repeated == 0)
        return PPS_OK;
    pps_json_position(json, members[repeated - 1].item, true, &line, &column);
    if (line > 0)
        snprintf(first, sizeof first, " (first at line %d)", line);
    return pps_json_fail_key(json, members[repeated].item, err, "\"%.64s\" appears twice%s",
                             members[repeated].item->string, first);
}

static size_t list_members(const cJSON *object, struct member *members)
{
    size_t n = 0;
    for (const cJSON *child = object->child; child != NULL; child = child->next, n++)
        members[n] = (struct member){child, n};
    return n;
}

// No object has more members than the document has values.
static enum pps_status check_keys(const struct pps_json *json, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    struct member *members = malloc(json->n_places * sizeof *members);
    if (members == NULL)
        return pps_fail_memory(err, "%s", json->name);
    for (size_t i = 0; i < json->n_places && status == PPS_OK; i++)
        if (cJSON_IsObject(json->places[i].item))
            status =
                check_object(json, members, list_members(json->places[i].item, members), err);
    free(members);
    return status;
}

enum pps_status pps_json_match(struct pps_json *json, struct pps_error *err)
{
    size_t next = 0;
    match(json, json->root, &next);
    return check_keys(json, err);
}

// ---- trees without text --------------------------------------------------------------------

// Turns a raw item into the value that its text spells.
static enum pps_status read_raw(const struct pps_json *json, cJSON *item, struct pps_error *err)
{
    struct pps_json raw;
    enum pps_status status =
        pps_json_parse(&raw, json->name, item->valuestring, strlen(item->valuestring), err);
    if (status != PPS_OK) {
        err->line = err->column = 0;
        return status;
    }
    cJSON_free(item->valuestring);
    item->type ^= cJSON_Raw ^ raw.root->type; // the flags of the key stay
    item->valuestring = raw.root->valuestring;
    item->valuedouble = raw.root->valuedouble;
    item->child = raw.root->child;
    raw.root->valuestring = NULL;
    raw.root->child = NULL;
    pps_json_free(&raw);
    return PPS_OK;
}

static bool is_utf8(const char *text)
{
    size_t length = 1;
    for (; *text != '\0' && length > 0; text += length)
        length = pps_utf8_length(text);
    return length > 0;
}

static enum pps_status check_item(const struct pps_json *json, cJSON *item, int depth,
                                  struct pps_error *err)
{
    enum pps_status status = cJSON_IsRaw(item) ? read_raw(json, item, err) : PPS_OK;
    if (status != PPS_OK)
        return status;
    if (cJSON_IsNumber(item) && !isfinite(item->valuedouble))
        return pps_json_fail(json, item, err, "a number is not finite");
    if ((item->string != NULL && !is_utf8(item->string)) ||
        (cJSON_IsString(item) && !is_utf8(item->valuestring)))
        return pps_json_fail(json, item, err, "a text is not UTF-8");
    if (depth == PPS_JSON_DEEPEST && (cJSON_IsArray(item) || cJSON_IsObject(item)))
        return pps_json_fail(json, item, err, "nested more than %d levels deep",
                             PPS_JSON_DEEPEST);
    return PPS_OK;
}

// Checks the item and all items below it, and counts them.
static enum pps_status check_items(struct pps_json *json, cJSON *item, int depth,
                                   struct pps_error *err)
{
    enum pps_status status = check_item(json, item, depth, err);
    json->n_places++;
    for (cJSON *child = item->child; child != NULL && status == PPS_OK; child = child->next)
        status = check_items(json, child, depth + 1, err);
    return status;
}

enum pps_status pps_json_of_tree(struct pps_json *json, const char *name, const cJSON *tree,
                                 struct pps_error *err)
{
    *json = (struct pps_json){.name = strdup(name), .root = cJSON_Duplicate(tree, true)};
    enum pps_status status = json->name != NULL && json->root != NULL
                                 ? check_items(json, json->root, 0, err)
                                 : pps_fail_memory(err, "%s", name);
    if (status == PPS_OK) {
        json->places = calloc(json->n_places, sizeof *json->places);
        status =
            json->places != NULL ? pps_json_match(json, err) : pps_fail_memory(err, "%s", name);
    }
    if (status != PPS_OK)
        pps_json_free(json);
    return status;
}

// ---- printing ------------------------------------------------------------------------------

// Notes failures also where the linker does not (a program that links libppsweep.a).
static void *allocate(size_t n)
{
    void *memory = malloc(n);
    if (memory == NULL)
        pps_memory_note();
    return memory;
}

__attribute__((constructor)) static void watch_memory(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}

char *pps_json_print(const cJSON *root)
{
    return pps_memory_failed() ? NULL : cJSON_Print(root);
}

char *pps_json_print_line(const cJSON *root)
{
    return pps_memory_failed() ? NULL : cJSON_PrintUnformatted(root);
}

// Names of files may hold bytes that are no UTF-8, JSON may not: each becomes a question mark.
static const char *mend(char *text)
{
    for (char *at = text; *at != '\0';) {
        const size_t n = pps_utf8_length(at);
        if (n == 0)
            *at = '?';
        at += n > 0 ? n : 1;
    }
    return text;
}

static void put(FILE *out, cJSON *root, char *text)
{
    if (text != NULL)
        fprintf(out, "%s\n", mend(text));
    cJSON_free(text);
    cJSON_Delete(root);
}

void pps_json_put(FILE *out, cJSON *root)
{
    put(out, root, pps_json_print(root));
}

void pps_json_put_line(FILE *out, cJSON *root)
{
    put(out, root, pps_json_print_line(root));
}
