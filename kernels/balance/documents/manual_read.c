// SPDX-License-Identifier: Apache-2.0
// Reads strategies that users write.
#include "kernels/balance/documents/manual_private.h"

#include "base/text/characters.h"
#include "base/text/nearest.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- keys ---------------------------------------------------------------------------------------

// What an entry sets besides its lists.
struct setting {
    int64_t chunks; // 0: not set
    bool show, interleaves;
};

static const struct docfield fields[] = {
    [BALANCE_OFFSET] = {"offset", DOCFIELD_OWN, 0, 0, 0},
    [BALANCE_LIST_FULL] = {"recompute", DOCFIELD_OWN, 0, 0, 0},
    [BALANCE_LIST_SELECT] = {"select_recompute", DOCFIELD_OWN, 0, 0, 0},
    [BALANCE_LIST_COMM] = {"select_comm_recompute", DOCFIELD_OWN, 0, 0, 0},
    [MANUAL_LAYOUT] = {"layout", DOCFIELD_OWN, 0, 0, 0},
    [MANUAL_CHUNKS] = {"interleave_num", DOCFIELD_WHOLE, 1, MANUAL_CHUNKS_MOST,
                       offsetof(struct setting, chunks)},
    [MANUAL_SHOW] = {"show", DOCFIELD_FLAG, 0, 0, offsetof(struct setting, show)},
    [MANUAL_FILE] = {"file_name", DOCFIELD_OWN, 0, 0, 0},
    [MANUAL_INTERLEAVES] = {"pipeline_interleave", DOCFIELD_FLAG, 0, 0,
                            offsetof(struct setting, interleaves)},
};

static const struct docalias aliases[] = {{"pp_interleave_num", "interleave_num"},
                                          {"pipeline_model_parallel_layout", "layout"}};

static const struct docfields table = {"a strategy", fields, MANUAL_FIELDS, aliases,
                                       sizeof aliases / sizeof *aliases};

// ---- entries ------------------------------------------------------------------------------------

static bool read_file_name(const cJSON *item, struct balance_manual_entry *entry,
                           struct pps_fault *fault)
{
    const char *name = item == NULL ? entry->name : item->valuestring;
    if (item != NULL && (!cJSON_IsString(item) || *name == '\0' || strchr(name, '/') != NULL ||
                         strlen(name) > BALANCE_FILE_NAME - 8))
        return pps_fault_set(fault, item, false,
                             "file_name: expected the name of a file without a folder");
    const char *dot = strrchr(name, '.');
    const bool ends = dot != NULL && (strcmp(dot, ".svg") == 0 || strcmp(dot, ".png") == 0);
    pps_file_name(name, entry->file_name, BALANCE_FILE_NAME - 8);
    strcat(entry->file_name, ends ? "" : ".svg");
    return true;
}

static bool read_chunks(const struct docitems *items, const struct setting *setting,
                        struct manual_reader *r)
{
    const cJSON *off = items->item[MANUAL_INTERLEAVES];
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
    if ((int64_t)r->chunks * r->stages > MANUAL_CHUNKS_MOST)
        return pps_fault_set(r->fault, items->item[MANUAL_CHUNKS], false,
                             "interleave_num: more than %d stages times chunks",
                             MANUAL_CHUNKS_MOST);
    return true;
}

// Reads an entry. Returns false with a fault; an empty text means out of memory.
static bool read_entry(const cJSON *object, struct manual_reader *r,
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
        !read_chunks(&r->items, &setting, r) || !manual_read_layout(r, setting.chunks) ||
        !read_file_name(r->items.item[MANUAL_FILE], entry, r->fault))
        return false;
    entry->show = setting.show;
    if (r->items.item[BALANCE_OFFSET] == NULL && r->layout == NULL)
        return pps_fault_set(r->fault, object, false,
                             "the strategy has no offset; write offset: 0 for the even split");
    const size_t n = (size_t)r->stages * (size_t)r->chunks;
    int32_t *count = calloc(BALANCE_KINDS * n, sizeof *count),
            *lists = calloc(BALANCE_LISTS * n, sizeof *lists);
    entry->strategy = (struct balance_strategy){r->stages, r->chunks, count};
    for (int which = 0; which < BALANCE_LISTS; which++)
        r->list[which] = lists + (size_t)which * n;
    r->fault->text[0] = '\0';
    const bool done = count != NULL && lists != NULL && manual_read_lists(r, &entry->strategy);
    free(lists);
    return done;
}

// Returns whether a name is that of a picture of a strategy that the command finds by itself.
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {BALANCE_RESULT_PICTURE, BALANCE_NAIVE_NO_PICTURE,
                                           BALANCE_NAIVE_ALL_PICTURE};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

// Returns whether one name is the other behind one of the prefixes of an entry's pictures.
static bool is_prefixed(const char *name, const char *other)
{
    static const char *const prefixes[] = {BALANCE_AUTO_PREFIX, BALANCE_COMPARISON_PREFIX};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], n) == 0 && strcmp(name + n, other) == 0)
            return true;
    }
    return false;
}

static bool is_taken(const struct balance_manual_entry *earlier, const char *name)
{
    return earlier->fault.text[0] == '\0' &&
           (strcmp(earlier->file_name, name) == 0 || is_prefixed(earlier->file_name, name) ||
            is_prefixed(name, earlier->file_name));
}

// Refuses a picture that would replace another one of the command.
static bool check_file_name(const struct balance_manual *manual, const struct docitems *items,
                            struct balance_manual_entry *entry)
{
    if (is_reserved(entry->file_name))
        return pps_fault_set(&entry->fault, items->item[MANUAL_FILE], false,
                             "file_name: %s is the name of another picture of the command; "
                             "choose another name",
                             entry->file_name);
    for (int32_t i = 0; i < manual->n; i++)
        if (is_taken(&manual->entries[i], entry->file_name))
            return pps_fault_set(&entry->fault, items->item[MANUAL_FILE], false,
                                 "file_name: %s is also the picture of %s", entry->file_name,
                                 manual->entries[i].name);
    return true;
}

static bool is_one(const cJSON *root)
{
    return cJSON_GetObjectItemCaseSensitive(root, "offset") != NULL ||
           cJSON_IsString(cJSON_GetObjectItemCaseSensitive(root, "layout"));
}

// Adds an entry. Returns false if memory runs out.
static bool add_entry(const cJSON *object, const char *name, struct manual_reader r,
                      struct balance_manual *manual)
{
    struct balance_manual_entry *entry = &manual->entries[manual->n];
    *entry = (struct balance_manual_entry){.name = name};
    r.fault = &entry->fault;
    const bool right = read_entry(object, &r, entry);
    free(r.layout);
    if (!right) {
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

bool balance_manual_read(const cJSON *root, const struct balance_layers *layers, int32_t stages,
                         int32_t chunks, struct balance_manual *manual, struct pps_fault *fault)
{
    const struct manual_reader r = {.layers = layers, .stages = stages, .chunks = chunks};
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

static void doubt_key(const cJSON *item, struct pps_fault *doubt)
{
    const char *known[MANUAL_FIELDS + sizeof aliases / sizeof *aliases];
    size_t n = 0;
    for (; n < MANUAL_FIELDS; n++)
        known[n] = fields[n].key;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        known[n++] = aliases[i].alias;
    pps_fault_set(doubt, item, true, "unknown key %s has no effect%s", item->string,
                  pps_did_you_mean(item->string, known, n).text);
}

int balance_manual_doubts(const cJSON *root, struct pps_fault *list, int most)
{
    const bool one = is_one(root);
    int n = 0;
    for (const cJSON *entry = one ? root : root->child; entry != NULL;
         entry = one ? NULL : entry->next)
        for (const cJSON *item = cJSON_IsObject(entry) ? entry->child : NULL;
             item != NULL && n < most; item = item->next)
            if (docfields_index(&table, item->string) < 0)
                doubt_key(item, &list[n++]);
    return n;
}
