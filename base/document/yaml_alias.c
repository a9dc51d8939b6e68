// SPDX-License-Identifier: Apache-2.0
// Copies anchored values to their aliases, and members of maps to the maps that merge them.
#include "base/document/yaml_private.h"

#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

bool yaml_anchor_begin(struct yaml_reader *y, const char *name, size_t i_place)
{
    struct yaml_anchor *anchors =
        pps_grow(y->anchors, &y->anchors_room, y->n_anchors + 1, sizeof *anchors);
    char *copy = strdup(name);
    if (anchors != NULL)
        y->anchors = anchors;
    if (anchors == NULL || copy == NULL) {
        free(copy);
        return plain_no_memory(y->p);
    }
    anchors[y->n_anchors++] = (struct yaml_anchor){.name = copy, .i_place = i_place};
    return true;
}

void yaml_anchor_end(struct yaml_reader *y, size_t i_place)
{
    for (size_t i = y->n_anchors; i-- > 0;)
        if (y->anchors[i].i_place == i_place)
            y->anchors[i].complete = true;
}

const struct yaml_anchor *yaml_anchor_find(struct yaml_reader *y, const char *name, size_t at)
{
    for (size_t i = y->n_anchors; i-- > 0;) {
        if (strcmp(y->anchors[i].name, name) != 0)
            continue;
        if (y->anchors[i].complete)
            return &y->anchors[i];
        plain_fail(y->p, at, "*%.60s refers to a value that contains it", name);
        return NULL;
    }
    plain_fail(y->p, at, "no anchor &%.60s before this alias", name);
    return NULL;
}

// ---- copies -------------------------------------------------------------------------------------

// Walks the places of the originals in document order, which is the order of the copies.
struct copier {
    struct yaml_reader *y;
    size_t i;     // place of the next original
    bool inlined; // the originals are in y->inlined
    size_t at;    // place of the alias, for faults
};

static const struct pps_json_place *next_of(const struct copier *c)
{
    return &(c->inlined ? c->y->inlined : c->y->p->doc->places)[c->i];
}

// Returns a value like `item`, without its key and the values in it.
static cJSON *same_kind(const cJSON *item)
{
    if (cJSON_IsObject(item))
        return cJSON_CreateObject();
    if (cJSON_IsArray(item))
        return cJSON_CreateArray();
    if (cJSON_IsString(item))
        return cJSON_CreateString(item->valuestring);
    if (cJSON_IsNumber(item))
        return cJSON_CreateNumber(item->valuedouble);
    return cJSON_IsNull(item) ? cJSON_CreateNull() : cJSON_CreateBool(cJSON_IsTrue(item));
}

static cJSON *note_copy(struct copier *c, cJSON *copy)
{
    struct plain *p = c->y->p;
    const struct pps_json_place original = *next_of(c);
    c->i++;
    if (copy != NULL && p->doc->n_places == PLAIN_MOST_VALUES) {
        cJSON_Delete(copy);
        plain_fail(p, c->at, "aliases make more than %d values", PLAIN_MOST_VALUES);
        return NULL;
    }
    copy = plain_note(p, copy, original.value_at);
    if (copy == NULL)
        return NULL;
    struct pps_json_place *place = &p->doc->places[p->doc->n_places - 1];
    *place = original;
    place->item = copy;
    place->is_alias = false;
    if (c->inlined && (original.source == NULL || original.source == original.item))
        place->source = copy; // the originals are not in the tree
    else if (original.source == NULL)
        place->source = original.item;
    return copy;
}

static cJSON *copy_tree(struct copier *c);

static bool copy_children(struct copier *c, const cJSON *from, cJSON *to)
{
    for (const cJSON *child = from->child; child != NULL; child = child->next) {
        cJSON *copy = copy_tree(c);
        if (copy == NULL)
            return false;
        const bool added = cJSON_IsObject(to) ? cJSON_AddItemToObject(to, child->string, copy)
                                              : cJSON_AddItemToArray(to, copy);
        if (!added) {
            cJSON_Delete(copy);
            return plain_no_memory(c->y->p);
        }
    }
    return true;
}

static cJSON *copy_tree(struct copier *c)
{
    struct plain *p = c->y->p;
    const cJSON *from = next_of(c)->item;
    if (++p->depth > PLAIN_DEEPEST) {
        plain_fail(p, c->at, "nested deeper than %d", PLAIN_DEEPEST);
        return NULL;
    }
    cJSON *copy = note_copy(c, same_kind(from));
    if (copy != NULL && !copy_children(c, from, copy)) {
        cJSON_Delete(copy);
        copy = NULL;
    }
    p->depth--;
    return copy;
}

cJSON *yaml_alias_copy(struct yaml_reader *y, size_t i, size_t at, size_t end)
{
    struct copier c = {.y = y, .i = i, .at = at};
    const size_t i_copy = y->p->doc->n_places;
    cJSON *copy = copy_tree(&c);
    if (copy == NULL)
        return NULL;
    struct pps_json_place *place = &y->p->doc->places[i_copy];
    place->value_at = place->key_at = at;
    place->value_end = end;
    place->is_alias = true;
    return copy;
}

// ---- merge keys ---------------------------------------------------------------------------------

static size_t n_values(const cJSON *item)
{
    size_t n = 1;
    for (const cJSON *child = item->child; child != NULL; child = child->next)
        n += n_values(child);
    return n;
}

static bool add_copy(struct copier *c, cJSON *map, const char *key)
{
    cJSON *copy = copy_tree(c);
    if (copy == NULL)
        return false;
    if (cJSON_AddItemToObject(map, key, copy))
        return true;
    cJSON_Delete(copy);
    return plain_no_memory(c->y->p);
}

static bool merge_map(struct copier *c, cJSON *map)
{
    const cJSON *from = next_of(c)->item;
    if (!cJSON_IsObject(from))
        return plain_fail(c->y->p, c->at, "<<: expected a map, or a list of maps");
    c->i++;
    for (const cJSON *child = from->child; child != NULL; child = child->next) {
        const size_t next = c->i + n_values(child);
        if (cJSON_GetObjectItemCaseSensitive(map, child->string) == NULL &&
            !add_copy(c, map, child->string))
            return false;
        c->i = next;
    }
    return true;
}

bool yaml_merge(struct yaml_reader *y, cJSON *map, const struct yaml_merge *merge)
{
    struct copier c = {.y = y, .i = merge->i_place, .inlined = merge->inlined, .at = merge->at};
    const cJSON *from = next_of(&c)->item;
    if (!cJSON_IsArray(from))
        return merge_map(&c, map);
    c.i++;
    for (int n = cJSON_GetArraySize(from); n > 0; n--)
        if (!merge_map(&c, map))
            return false;
    return true;
}
