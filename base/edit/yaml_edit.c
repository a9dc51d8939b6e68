// SPDX-License-Identifier: Apache-2.0
// Decides which texts of a YAML document change so that paths get their values.
#include "base/edit/yaml_edit.h"

#include "base/edit/yaml_edit_private.h"
#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

// ---- settings -----------------------------------------------------------------------------------

void yaml_edit_begin(struct yaml_edit *y, const struct plaindoc *doc, struct text_edit *edit)
{
    *y = (struct yaml_edit){.doc = doc, .edit = edit};
}

static struct yaml_setting *setting_of(struct yaml_edit *y, const char *path)
{
    for (size_t i = 0; i < y->n; i++)
        if (strcmp(y->settings[i].path, path) == 0)
            return &y->settings[i];
    struct yaml_setting *settings = pps_grow(y->settings, &y->room, y->n + 1, sizeof *settings);
    char *copy = strdup(path);
    if (settings != NULL)
        y->settings = settings;
    if (settings == NULL || copy == NULL) {
        free(copy);
        return NULL;
    }
    settings[y->n] = (struct yaml_setting){.path = copy};
    return &settings[y->n++];
}

// Takes ownership of the value; NULL: out of memory.
static void take_setting(struct yaml_edit *y, const char *path, cJSON *value)
{
    struct yaml_setting *setting = value != NULL ? setting_of(y, path) : NULL;
    if (setting == NULL) {
        cJSON_Delete(value);
        y->failed = true;
        return;
    }
    cJSON_Delete(setting->value);
    setting->value = value;
}

void yaml_set(struct yaml_edit *y, const char *path, const struct cJSON *value)
{
    take_setting(y, path, cJSON_Duplicate(value, true));
}

void yaml_set_number(struct yaml_edit *y, const char *path, double value)
{
    take_setting(y, path, cJSON_CreateNumber(value));
}

void yaml_set_bool(struct yaml_edit *y, const char *path, bool value)
{
    take_setting(y, path, cJSON_CreateBool(value));
}

void yaml_set_text(struct yaml_edit *y, const char *path, const char *value)
{
    take_setting(y, path, cJSON_CreateString(value));
}

// ---- values after all changes -------------------------------------------------------------------

static const struct yaml_setting *change_of(const struct yaml_edit *y, const cJSON *item)
{
    for (size_t i = 0; i < y->n && item != NULL; i++)
        if (y->settings[i].item == item)
            return &y->settings[i];
    return NULL;
}

// Returns the value that an item has after all changes of anchored values; NULL: out of memory.
static cJSON *value_after(const struct yaml_edit *y, const cJSON *item)
{
    const struct yaml_setting *change = change_of(y, yaml_place(y->doc, item)->source);
    if (change != NULL)
        return cJSON_Duplicate(change->value, true);
    if (!cJSON_IsObject(item) && !cJSON_IsArray(item))
        return cJSON_Duplicate(item, true);
    cJSON *copy = cJSON_IsObject(item) ? cJSON_CreateObject() : cJSON_CreateArray();
    for (const cJSON *child = item->child; copy != NULL && child != NULL; child = child->next) {
        cJSON *value = value_after(y, child);
        const bool added =
            value != NULL &&
            (cJSON_IsObject(item) ? cJSON_AddItemToObject(copy, child->string, value)
                                  : cJSON_AddItemToArray(copy, value));
        if (!added) {
            cJSON_Delete(value);
            cJSON_Delete(copy);
            return NULL;
        }
    }
    return copy;
}

// Returns whether the item has the value after all changes. On lack of memory, sets y->failed.
static bool has_value_after(struct yaml_edit *y, const cJSON *item, const cJSON *value)
{
    cJSON *after = value_after(y, item);
    const bool same = after != NULL && cJSON_Compare(after, value, true);
    y->failed |= after == NULL;
    cJSON_Delete(after);
    return same;
}

// ---- growths ------------------------------------------------------------------------------------

struct growths {
    struct yaml_growth *list;
    size_t n, room;
};

static bool is_alias_of_list(const struct yaml_edit *y, const cJSON *item)
{
    return cJSON_IsArray(item) && yaml_place(y->doc, item)->is_alias;
}

static struct yaml_growth *growth_of(struct yaml_edit *y, struct growths *growths,
                                     const struct yaml_target *target)
{
    for (size_t i = 0; i < growths->n; i++)
        if (growths->list[i].item == target->item)
            return &growths->list[i];
    struct yaml_growth *list =
        pps_grow(growths->list, &growths->room, growths->n + 1, sizeof *list);
    cJSON *members =
        is_alias_of_list(y, target->item) ? value_after(y, target->item) : cJSON_CreateObject();
    if (list != NULL)
        growths->list = list;
    if (list == NULL || members == NULL) {
        cJSON_Delete(members);
        return NULL;
    }
    list[growths->n] = (struct yaml_growth){target->item, target->in_brackets, members};
    return &list[growths->n++];
}

static bool put_member(cJSON *parent, const char *key, cJSON *value)
{
    bool done;
    if (value == NULL)
        return false;
    if (cJSON_IsArray(parent))
        done = yaml_member(parent, key) != NULL &&
               cJSON_ReplaceItemInArray(parent, atoi(key), value);
    else if (cJSON_GetObjectItemCaseSensitive(parent, key) != NULL)
        done = cJSON_ReplaceItemInObjectCaseSensitive(parent, key, value);
    else
        done = cJSON_AddItemToObject(parent, key, value);
    if (!done)
        cJSON_Delete(value);
    return done;
}

// Sets the value of a path below `parent`. base: what the document has in the place of `parent`, of
// which members are copied when they change; NULL: nothing.
static bool put_below(struct yaml_edit *y, cJSON *parent, const cJSON *base, const char *path,
                      const cJSON *value)
{
    char key[YAML_KEY_MAX];
    const char *rest = yaml_first_key(path, key);
    if (rest == NULL)
        return put_member(parent, key, cJSON_Duplicate(value, true));
    cJSON *child = yaml_member(parent, key);
    if (child == NULL || cJSON_IsNull(child)) {
        const cJSON *original = child == NULL ? yaml_member(base, key) : NULL;
        child = original != NULL && !cJSON_IsNull(original) ? value_after(y, original)
                                                            : cJSON_CreateObject();
        if (!put_member(parent, key, child))
            return false;
    }
    return put_below(y, child, NULL, rest, value);
}

// Drops members that the item has already. Returns whether anything is left.
static bool has_changes(struct yaml_edit *y, struct yaml_growth *growth)
{
    if (is_alias_of_list(y, growth->item))
        return !has_value_after(y, growth->item, growth->members);
    for (cJSON *new = growth->members->child, *next; new != NULL; new = next) {
        const cJSON *old = yaml_member(growth->item, new->string);
        next = new->next;
        if (old != NULL && has_value_after(y, old, new))
            cJSON_Delete(cJSON_DetachItemViaPointer(growth->members, new));
    }
    return growth->members->child != NULL;
}

// ---- all ----------------------------------------------------------------------------------------

// Finds the settings that change text of their own, on which the values of aliases depend.
static bool find_changes(struct yaml_edit *y, struct pps_fault *fault)
{
    struct yaml_target target;
    for (size_t i = 0; i < y->n; i++) {
        if (!yaml_find_target(y, y->settings[i].path, &target, fault) ||
            !yaml_check_rest(y, &target, y->settings[i].path, fault))
            return false;
        const cJSON *last = target.last;
        if (last != NULL && yaml_place(y->doc, last)->source == NULL &&
            !cJSON_Compare(last, y->settings[i].value, true))
            y->settings[i].item = last;
    }
    return true;
}

static void apply(struct yaml_edit *y, const struct yaml_setting *setting,
                  struct growths *growths)
{
    struct yaml_target target;
    struct pps_fault fault;
    if (!yaml_find_target(y, setting->path, &target, &fault))
        return;
    if (setting->item != NULL) {
        yaml_write_value(y, setting->item, setting->value);
    } else if (target.last != NULL && yaml_place(y->doc, target.last)->is_alias) {
        if (!has_value_after(y, target.last, setting->value))
            yaml_write_value(y, target.last, setting->value);
    } else if (target.last == NULL) {
        struct yaml_growth *growth = growth_of(y, growths, &target);
        if (growth == NULL ||
            !put_below(y, growth->members, target.item, target.rest, setting->value))
            y->failed = true;
    }
}

// Inner maps come after the maps around them in the text, and are written first: their members
// precede others that are added at the same place.
static int by_place(const struct yaml_edit *y, const struct yaml_growth *a,
                    const struct yaml_growth *b)
{
    const size_t at = yaml_place(y->doc, a->item)->value_at;
    const size_t bt = yaml_place(y->doc, b->item)->value_at;
    return at < bt ? 1 : at > bt ? -1 : 0;
}

static void write_growths(struct yaml_edit *y, struct growths *growths)
{
    for (size_t i = 1; i < growths->n; i++)
        for (size_t k = i; k > 0 && by_place(y, &growths->list[k - 1], &growths->list[k]) > 0;
             k--) {
            const struct yaml_growth other = growths->list[k];
            growths->list[k] = growths->list[k - 1];
            growths->list[k - 1] = other;
        }
    for (size_t i = 0; i < growths->n; i++) {
        if (has_changes(y, &growths->list[i]))
            yaml_write_growth(y, &growths->list[i]);
        cJSON_Delete(growths->list[i].members);
    }
    free(growths->list);
}

// Reads the changed text and compares the values: YAML has rare forms that the edits above do not fit.
static bool verify(struct yaml_edit *y, struct pps_fault *fault)
{
    struct text_buffer text = {.text = NULL};
    struct plaindoc again;
    struct pps_fault unused;
    text_edit_apply(y->edit, y->doc->text, y->doc->n, &text);
    if (text.failed || text.n == 0) {
        y->failed |= text.failed;
        text_buffer_free(&text);
        return true;
    }
    const bool parsed = plaindoc_parse(&again, PLAINDOC_YAML, text.text, text.n, &unused);
    text_buffer_free(&text);
    for (size_t i = 0; i < y->n; i++) {
        const struct yaml_setting *setting = &y->settings[i];
        if (parsed && cJSON_Compare(yaml_get(&again, setting->path), setting->value, true))
            continue;
        if (parsed)
            plaindoc_free(&again);
        return yaml_fail_kind(y, setting->item, setting->path, fault);
    }
    if (parsed)
        plaindoc_free(&again);
    return true;
}

bool yaml_edit_end(struct yaml_edit *y, struct pps_fault *fault)
{
    struct growths growths = {.list = NULL};
    bool ok = find_changes(y, fault);
    for (size_t i = 0; ok && i < y->n; i++)
        apply(y, &y->settings[i], &growths);
    write_growths(y, &growths);
    if (ok && !y->failed && !y->edit->failed)
        ok = verify(y, fault);
    y->edit->failed |= y->failed;
    for (size_t i = 0; i < y->n; i++) {
        free(y->settings[i].path);
        cJSON_Delete(y->settings[i].value);
    }
    free(y->settings);
    y->settings = NULL;
    return ok;
}
