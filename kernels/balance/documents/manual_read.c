// SPDX-License-Identifier: Apache-2.0
// Reads strategies that users write.
#include "kernels/balance/documents/manual_read.h"

#include "base/document/fields.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_MOST = 16384, LAYERS_MOST = 1000000 };

// ---- keys ---------------------------------------------------------------------------------------

// What an entry sets besides its lists.
struct setting {
    int64_t chunks; // 0: not set
    bool show, interleaves;
};

enum { FIELD_CHUNKS = BALANCE_LISTS, FIELD_SHOW, FIELD_FILE, FIELD_INTERLEAVES };

static const struct docfield fields[] = {
    [BALANCE_OFFSET] = {"offset", DOCFIELD_OWN, 0, 0, 0},
    [BALANCE_LIST_FULL] = {"recompute", DOCFIELD_OWN, 0, 0, 0},
    [BALANCE_LIST_SELECT] = {"select_recompute", DOCFIELD_OWN, 0, 0, 0},
    [BALANCE_LIST_COMM] = {"select_comm_recompute", DOCFIELD_OWN, 0, 0, 0},
    [FIELD_CHUNKS] = {"interleave_num", DOCFIELD_WHOLE, 1, CHUNKS_MOST,
                      offsetof(struct setting, chunks)},
    [FIELD_SHOW] = {"show", DOCFIELD_FLAG, 0, 0, offsetof(struct setting, show)},
    [FIELD_FILE] = {"file_name", DOCFIELD_OWN, 0, 0, 0},
    [FIELD_INTERLEAVES] = {"pipeline_interleave", DOCFIELD_FLAG, 0, 0,
                           offsetof(struct setting, interleaves)},
};

static const struct docalias aliases[] = {{"pp_interleave_num", "interleave_num"}};

static const struct docfields table = {"a strategy", fields, sizeof fields / sizeof *fields,
                                       aliases, 1};

// ---- lists --------------------------------------------------------------------------------------

struct reader {
    const struct balance_layers *layers;
    int32_t stages, chunks; // of the entry
    struct docitems items;
    int32_t *list[BALANCE_LISTS]; // [chunks * stages] each
    struct pps_fault *fault;
};

static const char *key_of(int which)
{
    return balance_list_names[which];
}

static bool is_rows(const cJSON *item)
{
    return cJSON_IsArray(item) && (item->child == NULL || cJSON_IsArray(item->child));
}

static bool read_row(struct reader *r, int which, const cJSON *row, int32_t *list)
{
    const int n = cJSON_IsArray(row) ? cJSON_GetArraySize(row) : -1;
    const cJSON *item;
    if (n < 0)
        return pps_fault_set(r->fault, row, false, "%s: expected a list of %d numbers",
                             key_of(which), r->stages);
    if (n != r->stages)
        return pps_fault_set(r->fault, row, false, "%s: a list of %d numbers, expected %d%s",
                             key_of(which), n, r->stages,
                             r->stages > 1 ? ", one per stage" : "");
    cJSON_ArrayForEach(item, row)
    {
        const double x = cJSON_IsNumber(item) ? item->valuedouble : 0.5;
        if (!(x >= -LAYERS_MOST && x <= LAYERS_MOST) || x != (double)(int32_t)x)
            return pps_fault_set(r->fault, item, false, "%s: expected a whole number of layers",
                                 key_of(which));
        *list++ = (int32_t)x;
    }
    return true;
}

static bool read_rows(struct reader *r, int which, const cJSON *item, int32_t *list)
{
    const cJSON *row;
    if (!is_rows(item) && r->chunks == 1)
        return read_row(r, which, item, list);
    if (!is_rows(item) || cJSON_GetArraySize(item) != r->chunks)
        return pps_fault_set(r->fault, item, false,
                             "%s: %d list%s, expected %d, one per chunk of a stage "
                             "(interleave_num)",
                             key_of(which), is_rows(item) ? cJSON_GetArraySize(item) : 1,
                             is_rows(item) && cJSON_GetArraySize(item) != 1 ? "s" : "",
                             r->chunks);
    cJSON_ArrayForEach(row, item)
    {
        if (!read_row(r, which, row, list))
            return false;
        list += r->stages;
    }
    return true;
}

static bool read_list(struct reader *r, int which)
{
    const cJSON *item = r->items.item[which];
    const int32_t n = r->stages * r->chunks, base = r->layers->layers / n;
    int32_t *list = r->list[which];
    for (int32_t k = 0; k < n; k++)
        list[k] = which != BALANCE_OFFSET && cJSON_IsTrue(item)
                      ? base + r->list[BALANCE_OFFSET][k]
                      : 0;
    if (item == NULL || (cJSON_IsNumber(item) && item->valuedouble == 0) ||
        (which != BALANCE_OFFSET && cJSON_IsBool(item)))
        return true;
    if (!cJSON_IsArray(item))
        return pps_fault_set(r->fault, item, false,
                             which == BALANCE_OFFSET
                                 ? "%s: expected 0, or %d list%s of %d numbers"
                                 : "%s: expected true, false, or %d list%s of %d numbers",
                             key_of(which), r->chunks, r->chunks > 1 ? "s" : "", r->stages);
    return read_rows(r, which, item, list);
}

// Returns the number of a list, or the whole value if it has no lists.
static const cJSON *place_of(const struct reader *r, int which, int32_t chunk, int32_t stage)
{
    const cJSON *item = r->items.item[which];
    const cJSON *row = is_rows(item) ? cJSON_GetArrayItem(item, chunk) : item;
    const cJSON *number = cJSON_IsArray(row) ? cJSON_GetArrayItem(row, stage) : NULL;
    return number != NULL ? number : item;
}

static bool fail_misplaced(const struct reader *r, const struct balance_misplaced *wrong)
{
    const int32_t parts = r->stages * r->chunks;
    if (wrong->stage < 0)
        return pps_fault_set(r->fault, r->items.item[BALANCE_OFFSET], false,
                             "offset: the sum is %lld, expected %lld: %d layers in %d parts of "
                             "%d leave %lld",
                             (long long)wrong->layers, (long long)wrong->wanted,
                             r->layers->layers, parts, r->layers->layers / parts,
                             (long long)wrong->wanted);
    const cJSON *item = place_of(r, (int)wrong->list, wrong->chunk, wrong->stage);
    if (wrong->list == BALANCE_OFFSET)
        return pps_fault_set(r->fault, item, false,
                             "offset: chunk %d of stage %d would have %lld layers, expected 0 "
                             "to %d",
                             wrong->chunk, wrong->stage, (long long)wrong->layers,
                             r->layers->layers);
    return pps_fault_set(
        r->fault, item, false, "%s: %d layers, but chunk %d of stage %d has %lld",
        key_of((int)wrong->list), r->list[wrong->list][wrong->chunk * r->stages + wrong->stage],
        wrong->chunk, wrong->stage, (long long)wrong->layers);
}

// Refuses kinds without known memory.
static bool check_kinds(const struct reader *r, const struct balance_strategy *strategy)
{
    static const int list_of[] = {
        [BALANCE_NONE] = BALANCE_OFFSET,           [BALANCE_SELECT] = BALANCE_LIST_SELECT,
        [BALANCE_SELECT_COMM] = BALANCE_LIST_COMM, [BALANCE_BOTH] = BALANCE_LIST_SELECT,
        [BALANCE_FULL] = BALANCE_LIST_FULL,
    };
    for (int kind = 0; kind < BALANCE_KINDS; kind++)
        for (int32_t k = 0; !r->layers->has[kind] && k < r->stages * r->chunks; k++) {
            const int32_t chunk = k / r->stages, stage = k % r->stages;
            const int32_t n =
                strategy->count[balance_at(strategy, (enum balance_kind)kind, chunk, stage)];
            if (n > 0)
                return pps_fault_set(r->fault, place_of(r, list_of[kind], chunk, stage), false,
                                     "%s: %d layer%s of chunk %d of stage %d would have kind "
                                     "`%s`, whose memory the layers do not contain",
                                     key_of(list_of[kind]), n, n > 1 ? "s" : "", chunk, stage,
                                     balance_kind_names[kind]);
        }
    return true;
}

// Reads the lists into the counts of the strategy.
static bool read_lists(struct reader *r, struct balance_strategy *strategy)
{
    struct balance_misplaced wrong;
    for (int which = 0; which < BALANCE_LISTS; which++)
        if (!read_list(r, which))
            return false;
    const struct balance_lists lists = {r->list[BALANCE_OFFSET], r->list[BALANCE_LIST_FULL],
                                        r->list[BALANCE_LIST_SELECT],
                                        r->list[BALANCE_LIST_COMM]};
    if (!balance_from_lists(r->layers, &lists, strategy, &wrong))
        return fail_misplaced(r, &wrong);
    return check_kinds(r, strategy);
}

// ---- entries ------------------------------------------------------------------------------------

static bool read_file_name(const cJSON *item,
                           struct balance_manual_entry *entry,
                           struct pps_fault *fault)
{
    const char *name = item == NULL ? entry->name : item->valuestring;
    if (item != NULL && (!cJSON_IsString(item) || *name == '\0' || strchr(name, '/') != NULL ||
                         strlen(name) > BALANCE_FILE_NAME - 8))
        return pps_fault_set(fault, item, false,
                             "file_name: expected the name of a file without a folder");
    const char *dot = strrchr(name, '.');
    const bool ends = dot != NULL && (strcmp(dot, ".svg") == 0 || strcmp(dot, ".png") == 0);
    snprintf(entry->file_name, sizeof entry->file_name, "%.*s%s", BALANCE_FILE_NAME - 8, name,
             ends ? "" : ".svg");
    for (char *c = entry->file_name; *c != '\0'; c++)
        if (*c == '/')
            *c = '_'; // of a name of an entry
    return true;
}

static bool read_chunks(const struct docitems *items,
                        const struct setting *setting,
                        struct reader *r)
{
    const cJSON *off = items->item[FIELD_INTERLEAVES];
    if (setting->chunks > 0)
        r->chunks = (int32_t)setting->chunks;
    if (off != NULL && !setting->interleaves) {
        if (setting->chunks > 1)
            return pps_fault_set(r->fault, off, false,
                                 "pipeline_interleave: false, but interleave_num is %d; remove "
                                 "one of them",
                                 r->chunks);
        r->chunks = 1;
    }
    if ((int64_t)r->chunks * r->stages > CHUNKS_MOST)
        return pps_fault_set(r->fault, items->item[FIELD_CHUNKS], false,
                             "interleave_num: more than %d stages times chunks", CHUNKS_MOST);
    return true;
}

// Reads an entry. Returns false with a fault; an empty text means out of memory.
static bool read_entry(const cJSON *object,
                       struct reader *r,
                       struct balance_manual_entry *entry)
{
    struct setting setting = {.interleaves = true};
    if (!cJSON_IsObject(object))
        return pps_fault_set(r->fault, object, false,
                             "%s: expected a strategy with offset, recompute, select_recompute "
                             "and select_comm_recompute",
                             entry->name);
    if (!docfields_find(&table, object, true, &r->items, r->fault) ||
        !docfields_store(&table, &r->items, &setting, r->fault) ||
        !read_chunks(&r->items, &setting, r) ||
        !read_file_name(r->items.item[FIELD_FILE], entry, r->fault))
        return false;
    entry->show = setting.show;
    if (r->items.item[BALANCE_OFFSET] == NULL)
        return pps_fault_set(r->fault, object, false,
                             "the strategy has no offset; write offset: 0 for the even split");
    const size_t n = (size_t)r->stages * (size_t)r->chunks;
    int32_t *count = calloc(BALANCE_KINDS * n, sizeof *count),
            *lists = calloc(BALANCE_LISTS * n, sizeof *lists);
    entry->strategy = (struct balance_strategy){r->stages, r->chunks, count};
    for (int which = 0; which < BALANCE_LISTS; which++)
        r->list[which] = lists + (size_t)which * n;
    r->fault->text[0] = '\0';
    const bool done = count != NULL && lists != NULL && read_lists(r, &entry->strategy);
    free(lists);
    return done;
}

// Refuses a picture that would replace the one of an earlier entry.
static bool check_file_name(const struct balance_manual *manual,
                            const struct docitems *items,
                            struct balance_manual_entry *entry)
{
    for (int32_t i = 0; i < manual->n; i++)
        if (manual->entries[i].fault.text[0] == '\0' &&
            strcmp(manual->entries[i].file_name, entry->file_name) == 0)
            return pps_fault_set(&entry->fault, items->item[FIELD_FILE], false,
                                 "file_name: %s is also the picture of %s", entry->file_name,
                                 manual->entries[i].name);
    return true;
}

static bool is_one(const cJSON *root)
{
    return cJSON_GetObjectItemCaseSensitive(root, "offset") != NULL;
}

// Adds an entry. Returns false if memory runs out.
static bool add_entry(const cJSON *object,
                      const char *name,
                      struct reader r,
                      struct balance_manual *manual)
{
    struct balance_manual_entry *entry = &manual->entries[manual->n];
    *entry = (struct balance_manual_entry){.name = name};
    r.fault = &entry->fault;
    if (!read_entry(object, &r, entry)) {
        free(entry->strategy.count);
        entry->strategy = (struct balance_strategy){.count = NULL};
        if (entry->fault.text[0] == '\0')
            return false;
    } else if (!check_file_name(manual, &r.items, entry)) {
        free(entry->strategy.count);
        entry->strategy = (struct balance_strategy){.count = NULL};
    }
    manual->n++;
    return true;
}

bool balance_manual_read(const cJSON *root,
                         const struct balance_layers *layers,
                         int32_t stages,
                         int32_t chunks,
                         struct balance_manual *manual,
                         struct pps_fault *fault)
{
    const struct reader r = {.layers = layers, .stages = stages, .chunks = chunks};
    const int n = cJSON_IsObject(root) ? cJSON_GetArraySize(root) : 0;
    const cJSON *item;
    *manual = (struct balance_manual){.entries = NULL};
    *fault = (struct pps_fault){.document = 0};
    if (n == 0)
        return pps_fault_set(fault, root, false,
                             "no strategy: expected NAME: with offset, recompute, "
                             "select_recompute and select_comm_recompute");
    manual->entries = calloc((size_t)n, sizeof *manual->entries);
    bool done = manual->entries != NULL;
    if (done && is_one(root))
        return add_entry(root, "manual", r, manual) || (balance_manual_free(manual), false);
    for (item = root->child; done && item != NULL; item = item->next)
        done = add_entry(item, item->string, r, manual);
    if (!done)
        balance_manual_free(manual);
    return done;
}

void balance_manual_free(struct balance_manual *manual)
{
    for (int32_t i = 0; i < manual->n; i++)
        free(manual->entries[i].strategy.count);
    free(manual->entries);
    *manual = (struct balance_manual){.entries = NULL};
}

const cJSON *balance_manual_unknown(const cJSON *root, const cJSON *after)
{
    bool passed = after == NULL;
    const bool one = is_one(root);
    for (const cJSON *entry = one ? root : root->child; entry != NULL;
         entry = one ? NULL : entry->next)
        for (const cJSON *item = cJSON_IsObject(entry) ? entry->child : NULL; item != NULL;
             item = item->next) {
            if (passed && docfields_index(&table, item->string) < 0)
                return item;
            passed = passed || item == after;
        }
    return NULL;
}
