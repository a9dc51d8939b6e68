// SPDX-License-Identifier: Apache-2.0
// Reads YAML with libyaml: the events of its parser become a tree of values with places.
#include "base/document/yaml_private.h"

#include "base/text/grow_list.h"
#include "base/yaml/yaml_scalar.h"

#include <stdlib.h>
#include <string.h>

// ---- events -------------------------------------------------------------------------------------

// Moves to the next event; false: fault.
static bool next_event(struct yaml_reader *y)
{
    size_t at;
    if (yaml_source_next(&y->source))
        return true;
    const char *problem = yaml_source_error(&y->source, &at);
    return problem != NULL ? plain_fail(y->p, at, "%s", problem) : plain_no_memory(y->p);
}

// ---- scalars ------------------------------------------------------------------------------------

static bool has_nul(const yaml_event_t *event)
{
    return strlen((const char *)event->data.scalar.value) != event->data.scalar.length;
}

static cJSON *scalar_item(struct yaml_reader *y, size_t at)
{
    const yaml_event_t *event = &y->source.event;
    const char *text = (const char *)event->data.scalar.value;
    const char *tag = (const char *)event->data.scalar.tag, *expected = NULL;
    if (has_nul(event)) {
        plain_fail(y->p, at, "text with a NUL character (\\0)");
        return NULL;
    }
    if (tag == NULL || strcmp(tag, "!") == 0)
        return plain_note(y->p,
                          tag == NULL && event->data.scalar.plain_implicit
                              ? yaml_plain_value(text)
                              : cJSON_CreateString(text),
                          at);
    cJSON *item = yaml_tagged_value(tag, text, &expected);
    if (expected == NULL)
        return plain_note(y->p, item, at);
    plain_fail(y->p, at, "\"%.40s\": the tag demands %s", text, expected);
    return NULL;
}

static cJSON *read_scalar(struct yaml_reader *y)
{
    cJSON *item = scalar_item(y, yaml_source_content(&y->source));
    if (item == NULL)
        return NULL;
    struct pps_json_place *place = &y->p->doc->places[y->p->doc->n_places - 1];
    place->value_end = yaml_source_end(&y->source);
    place->properties_at = yaml_source_start(&y->source);
    return item;
}

// ---- lists and maps -----------------------------------------------------------------------------

static cJSON *read_value(struct yaml_reader *y);

// The end of a value in brackets is its closing bracket; the end of other lists and maps is the end
// of the last value in them, at least `last`.
static void note_end(struct yaml_reader *y, size_t i_place, size_t last)
{
    struct pps_json_place *places = y->p->doc->places;
    const size_t end = yaml_source_end(&y->source);
    const char open = y->p->text[places[i_place].value_at];
    if (open == '[' || open == '{') {
        places[i_place].value_end = end;
        return;
    }
    for (size_t i = i_place + 1; i < y->p->doc->n_places; i++)
        if (places[i].value_end > last)
            last = places[i].value_end;
    places[i_place].value_end = last < end ? last : end;
}

static bool read_items(struct yaml_reader *y, cJSON *list)
{
    for (;;) {
        if (!next_event(y))
            return false;
        if (y->source.event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        cJSON *item = read_value(y);
        if (item == NULL)
            return false;
        cJSON_AddItemToArray(list, item);
    }
}

// ---- keys ---------------------------------------------------------------------------------------

static bool alias_key(struct yaml_reader *y, struct plain_key *key)
{
    const struct yaml_anchor *anchor =
        yaml_anchor_find(y, (const char *)y->source.event.data.alias.anchor, key->at);
    if (anchor == NULL)
        return false;
    const cJSON *item = y->p->doc->places[anchor->i_place].item;
    if (!cJSON_IsString(item))
        return plain_fail(y->p, key->at, "a key must be text");
    key->name = strdup(item->valuestring);
    return key->name != NULL || plain_no_memory(y->p);
}

static bool read_key(struct yaml_reader *y, struct plain_key *key, bool *merge)
{
    *key = (struct plain_key){.at = yaml_source_start(&y->source)};
    *merge = false;
    if (y->source.event.type == YAML_ALIAS_EVENT)
        return alias_key(y, key);
    if (y->source.event.type != YAML_SCALAR_EVENT)
        return plain_fail(y->p, key->at, "a key must be text");
    const char *text = (const char *)y->source.event.data.scalar.value;
    const bool plain = y->source.event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (has_nul(&y->source.event))
        return plain_fail(y->p, key->at, "text with a NUL character (\\0)");
    if (plain && *text == '\0')
        return plain_fail(y->p, key->at, "a key is missing before :");
    if (y->source.event.data.scalar.anchor != NULL)
        return plain_fail(y->p, key->at, "an anchor of a key is not supported");
    *merge = plain && strcmp(text, "<<") == 0;
    key->name = strdup(text);
    return key->name != NULL || plain_no_memory(y->p);
}

// ---- merge keys ---------------------------------------------------------------------------------

struct merges {
    struct yaml_merge *list;
    size_t n, room;
    size_t end; // of the last merge key's value
};

static bool add_merge(struct yaml_reader *y, struct merges *merges, struct yaml_merge merge)
{
    struct yaml_merge *list =
        pps_grow(merges->list, &merges->room, merges->n + 1, sizeof *list);
    if (list == NULL)
        return plain_no_memory(y->p);
    merges->list = list;
    list[merges->n++] = merge;
    return true;
}

// Moves the places of a value, the last ones of the document, out of the document.
static bool set_aside(struct yaml_reader *y, size_t i_place, cJSON *item)
{
    struct plaindoc *doc = y->p->doc;
    const size_t n = doc->n_places - i_place;
    cJSON_AddItemToArray(y->unused, item);
    struct pps_json_place *inlined =
        pps_grow(y->inlined, &y->inlined_room, y->n_inlined + n, sizeof *inlined);
    if (inlined == NULL)
        return plain_no_memory(y->p);
    y->inlined = inlined;
    memcpy(inlined + y->n_inlined, doc->places + i_place, n * sizeof *inlined);
    y->n_inlined += n;
    doc->n_places = i_place;
    while (y->n_anchors > 0 && y->anchors[y->n_anchors - 1].i_place >= i_place)
        free(y->anchors[--y->n_anchors].name);
    return true;
}

static bool read_merge(struct yaml_reader *y, struct merges *merges)
{
    struct yaml_merge merge = {.at = yaml_source_start(&y->source)};
    merges->end = yaml_source_end(&y->source);
    if (y->source.event.type == YAML_ALIAS_EVENT) {
        const struct yaml_anchor *anchor =
            yaml_anchor_find(y, (const char *)y->source.event.data.alias.anchor, merge.at);
        merge.i_place = anchor != NULL ? anchor->i_place : 0;
        return anchor != NULL && add_merge(y, merges, merge);
    }
    const size_t i_place = y->p->doc->n_places;
    cJSON *item = read_value(y);
    merge.i_place = y->n_inlined;
    merge.inlined = true;
    if (item != NULL)
        merges->end = y->p->doc->places[i_place].value_end;
    return item != NULL && set_aside(y, i_place, item) && add_merge(y, merges, merge);
}

// ---- maps ---------------------------------------------------------------------------------------

static bool read_member(struct yaml_reader *y, cJSON *map, struct merges *merges)
{
    struct plain_key key;
    bool merge;
    if (!read_key(y, &key, &merge))
        return false;
    const bool more = next_event(y);
    if (!more || merge) {
        free(key.name);
        return more && read_merge(y, merges);
    }
    const size_t i_place = y->p->doc->n_places;
    return plain_add(y->p, map, key, read_value(y), i_place);
}

static bool read_members(struct yaml_reader *y, cJSON *map, size_t i_place)
{
    struct merges merges = {.end = y->p->doc->places[i_place].value_at};
    bool ok = next_event(y);
    while (ok && y->source.event.type != YAML_MAPPING_END_EVENT)
        ok = read_member(y, map, &merges) && next_event(y);
    if (ok)
        note_end(y, i_place, merges.end);
    for (size_t i = 0; ok && i < merges.n; i++)
        ok = yaml_merge(y, map, &merges.list[i]);
    free(merges.list);
    return ok;
}

static cJSON *read_collection(struct yaml_reader *y)
{
    const bool list = y->source.event.type == YAML_SEQUENCE_START_EVENT;
    const size_t i_place = y->p->doc->n_places;
    y->p->at = yaml_source_content(&y->source);
    cJSON *item = plain_note(y->p, list ? cJSON_CreateArray() : cJSON_CreateObject(), y->p->at);
    if (item != NULL)
        y->p->doc->places[i_place].properties_at = yaml_source_start(&y->source);
    bool ok = item != NULL && plain_enter(y->p);
    if (list && ok) {
        ok = read_items(y, item);
        if (ok)
            note_end(y, i_place, y->p->doc->places[i_place].value_at);
    } else {
        ok = ok && read_members(y, item, i_place);
    }
    plain_leave(y->p);
    if (ok)
        return item;
    cJSON_Delete(item);
    return NULL;
}

// ---- values -------------------------------------------------------------------------------------

static const char *anchor_of(const yaml_event_t *event)
{
    const unsigned char *name = event->type == YAML_SCALAR_EVENT ? event->data.scalar.anchor
                                : event->type == YAML_SEQUENCE_START_EVENT
                                    ? event->data.sequence_start.anchor
                                    : event->data.mapping_start.anchor;
    return (const char *)name;
}

static cJSON *read_alias(struct yaml_reader *y)
{
    const size_t at = yaml_source_start(&y->source);
    const struct yaml_anchor *anchor =
        yaml_anchor_find(y, (const char *)y->source.event.data.alias.anchor, at);
    return anchor != NULL ? yaml_alias_copy(y, anchor->i_place, at, yaml_source_end(&y->source))
                          : NULL;
}

// Reads the value that begins with the current event. NULL: fault.
static cJSON *read_value(struct yaml_reader *y)
{
    const size_t i_place = y->p->doc->n_places;
    if (y->source.event.type == YAML_ALIAS_EVENT)
        return read_alias(y);
    const char *name = anchor_of(&y->source.event);
    if (name != NULL && !yaml_anchor_begin(y, name, i_place))
        return NULL;
    cJSON *item =
        y->source.event.type == YAML_SCALAR_EVENT ? read_scalar(y) : read_collection(y);
    yaml_anchor_end(y, i_place);
    return item;
}

// ---- documents ----------------------------------------------------------------------------------

static bool is_empty_scalar(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT && event->data.scalar.length == 0 &&
           event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static cJSON *read_root(struct yaml_reader *y)
{
    const size_t at = yaml_source_start(&y->source);
    if (is_empty_scalar(&y->source.event) && anchor_of(&y->source.event) == NULL &&
        y->source.event.data.scalar.tag == NULL)
        return plain_note(y->p, cJSON_CreateObject(), 0);
    if (y->source.event.type == YAML_MAPPING_START_EVENT)
        return read_value(y);
    plain_fail(y->p, at, "expected key: value%s",
               y->source.event.type == YAML_SEQUENCE_START_EVENT ? ", not a list" : "");
    return NULL;
}

// Checks that nothing but empty documents follows.
static bool read_end(struct yaml_reader *y)
{
    for (;;) {
        if (!next_event(y))
            return false;
        if (y->source.event.type == YAML_STREAM_END_EVENT)
            return true;
        if (y->source.event.type != YAML_DOCUMENT_START_EVENT &&
            y->source.event.type != YAML_DOCUMENT_END_EVENT &&
            !is_empty_scalar(&y->source.event))
            return plain_fail(y->p, yaml_source_start(&y->source),
                              "a second document; a file may have only one");
    }
}

static cJSON *read_document(struct yaml_reader *y)
{
    if (!next_event(y) || !next_event(y)) // the start of the stream and of a document
        return NULL;
    if (y->source.event.type == YAML_STREAM_END_EVENT)
        return plain_note(y->p, cJSON_CreateObject(), 0);
    cJSON *root = next_event(y) ? read_root(y) : NULL;
    if (root == NULL || read_end(y))
        return root;
    cJSON_Delete(root);
    return NULL;
}

static void free_reader(struct yaml_reader *y)
{
    yaml_source_close(&y->source);
    for (size_t i = 0; i < y->n_anchors; i++)
        free(y->anchors[i].name);
    free(y->anchors);
    free(y->inlined);
    cJSON_Delete(y->unused);
}

cJSON *plain_read_yaml(struct plain *p)
{
    struct yaml_reader y = {.p = p, .unused = cJSON_CreateArray()};
    if (y.unused == NULL || !yaml_source_open(&y.source, p->text, p->doc->n)) {
        cJSON_Delete(y.unused);
        plain_no_memory(p);
        return NULL;
    }
    cJSON *root = read_document(&y);
    free_reader(&y);
    return root;
}
