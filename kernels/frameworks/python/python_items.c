// SPDX-License-Identifier: Apache-2.0
// Makes the items of a document that is read from a Python file, and keeps their places.
#include "kernels/frameworks/python/python_items_private.h"

#include "base/text/grow_list.h"

enum { MOST_VALUES = 4000 };

static bool note_place(struct python *p, const cJSON *item, size_t at, size_t end, size_t key)
{
    struct plaindoc *doc = p->doc;
    struct pps_json_place *places =
        item != NULL && p->values++ < MOST_VALUES
            ? pps_grow(doc->places, &p->room, doc->n_places + 1, sizeof *places)
            : NULL;
    if (places == NULL) {
        p->failed = true;
        return false;
    }
    doc->places = places;
    places[doc->n_places++] =
        (struct pps_json_place){.item = item, .value_at = at, .key_at = key, .value_end = end};
    return true;
}

cJSON *python_note(struct python *p, cJSON *item, size_t at, size_t end, size_t key)
{
    if (note_place(p, item, at, end, key))
        return item;
    cJSON_Delete(item);
    return NULL;
}

struct pps_json_place *python_place_of(struct python *p, const cJSON *item)
{
    for (size_t k = 0; k < p->doc->n_places; k++)
        if (p->doc->places[k].item == item)
            return &p->doc->places[k];
    return NULL;
}

cJSON *python_unknown(struct python *p, size_t at, size_t end)
{
    return python_note(p, cJSON_CreateString("?"), at, end, at);
}

void python_forget(struct python *p, cJSON *item)
{
    if (item == NULL)
        return;
    struct pps_json_place *place = python_place_of(p, item);
    if (place != NULL)
        place->item = NULL;
    for (cJSON *inner = item->child; inner != NULL;) {
        cJSON *next = inner->next;
        python_forget(p, cJSON_DetachItemViaPointer(item, inner));
        inner = next;
    }
    cJSON_Delete(item);
}

static void copy_places(struct python *p, const cJSON *from, cJSON *to)
{
    const struct pps_json_place *place = python_place_of(p, from);
    if (place != NULL)
        note_place(p, to, place->value_at, place->value_end, place->key_at);
    for (cJSON *a = from->child, *b = to->child; a != NULL && b != NULL && !p->failed;
         a = a->next, b = b->next)
        copy_places(p, a, b);
}

cJSON *python_copy_of(struct python *p, const cJSON *item)
{
    cJSON *copy = cJSON_Duplicate(item, true);
    if (copy == NULL)
        p->failed = true;
    else
        copy_places(p, item, copy);
    return copy;
}

void python_put(struct python *p, cJSON *object, const char *key, cJSON *item)
{
    if (item == NULL || object == NULL)
        return;
    python_forget(p, cJSON_DetachItemFromObjectCaseSensitive(object, key));
    if (!cJSON_AddItemToObject(object, key, item))
        p->failed = true;
}
