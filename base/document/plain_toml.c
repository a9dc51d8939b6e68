// SPDX-License-Identifier: Apache-2.0
// Reads TOML documents: tables, lists of tables and dotted keys, with TOML's rules about what may
// be defined again.
#include "base/document/plain_toml_private.h"

#include <stdlib.h>
#include <string.h>

// ---- keys ---------------------------------------------------------------------------------------

static size_t bare_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
}

// Reads one part of a dotted key.
static bool key_part(struct plain *p, struct plain_key *key)
{
    plain_blanks(p);
    const char first = p->text[p->at];
    const size_t n = bare_length(p->text + p->at);
    key->at = p->at;
    key->name = NULL;
    if (first == '"' || first == '\'') {
        key->name = toml_key_text(p);
        return key->name != NULL;
    }
    if (n == 0)
        return plain_fail(p, p->at,
                          "expected a key: letters, digits, _ and -, or text in quotes");
    key->name = strndup(p->text + p->at, n);
    p->at += n;
    return key->name != NULL || plain_no_memory(p);
}

bool plain_another_part(struct plain *p)
{
    plain_blanks(p);
    if (p->text[p->at] != '.')
        return false;
    p->at++;
    return true;
}

// ---- tables -------------------------------------------------------------------------------------

cJSON *toml_make(struct plain *p, cJSON *parent, struct plain_key key, enum toml_kind kind)
{
    const size_t i_place = p->doc->n_places;
    cJSON *made =
        plain_note(p, kind == TOML_TABLES ? cJSON_CreateArray() : cJSON_CreateObject(), key.at);
    if (!plain_add(p, parent, key, made, i_place))
        return NULL;
    made->valueint = (int)kind;
    p->doc->places[i_place].value_end = p->at;
    return made;
}

static bool refuse(struct plain *p, const struct plain_key *key, const char *reason)
{
    return plain_fail(p, key->at, "\"%.60s\" %s", key->name, reason);
}

// Returns whether a header or dotted key may enter an existing item.
static bool may_enter(struct plain *p, const cJSON *found, enum toml_kind made,
                      const struct plain_key *key)
{
    const enum toml_kind kind = toml_kind_of(found);
    if (!cJSON_IsObject(found) && !(cJSON_IsArray(found) && kind == TOML_TABLES))
        return refuse(p, key, "is a value already, so it cannot be a table");
    if (kind == TOML_CLOSED)
        return refuse(p, key, "is an inline table; add its keys inside of the braces");
    if (made == TOML_DOTTED && (kind == TOML_HEADER || kind == TOML_TABLES))
        return refuse(p, key, "has its own header; add its keys under that header");
    return true;
}

// Returns the table under a key, created if missing. Frees the name of the key.
static cJSON *enter(struct plain *p, cJSON *table, enum toml_kind made, struct plain_key key)
{
    cJSON *found = cJSON_GetObjectItemCaseSensitive(table, key.name);
    if (found == NULL)
        return toml_make(p, table, key, made);
    const bool ok = may_enter(p, found, made, &key);
    free(key.name);
    if (!ok)
        return NULL;
    if (cJSON_IsArray(found))
        return cJSON_GetArrayItem(found, cJSON_GetArraySize(found) - 1);
    if (made == TOML_DOTTED)
        found->valueint = TOML_DOTTED;
    return found;
}

cJSON *toml_descend(struct plain *p, cJSON *table, enum toml_kind made, struct plain_key *key)
{
    if (!key_part(p, key))
        return NULL;
    while (plain_another_part(p)) {
        if (!plain_enter(p)) {
            free(key->name);
            return NULL;
        }
        table = enter(p, table, made, *key);
        if (table == NULL || !key_part(p, key))
            return NULL;
    }
    return table;
}

// ---- headers ------------------------------------------------------------------------------------

// The table that pairs are read into, and its place.
struct section {
    cJSON *table;
    size_t i_place;
};

static size_t place_of(const struct plain *p, const cJSON *item)
{
    size_t i = 0;
    while (p->doc->places[i].item != item)
        i++;
    return i;
}

// Defines the table of a [header]. Frees the name of the key.
static bool define_table(struct plain *p, cJSON *parent, struct plain_key key,
                         struct section *section)
{
    cJSON *found = cJSON_GetObjectItemCaseSensitive(parent, key.name);
    if (found == NULL || toml_kind_of(found) != TOML_IMPLICIT || !cJSON_IsObject(found)) {
        // Refused as a repeated key, unless it is new.
        section->i_place = p->doc->n_places;
        section->table = toml_make(p, parent, key, TOML_HEADER);
        return section->table != NULL;
    }
    free(key.name);
    found->valueint = TOML_HEADER;
    *section = (struct section){found, place_of(p, found)};
    p->doc->places[section->i_place].key_at = p->doc->places[section->i_place].value_at =
        key.at;
    return true;
}

// Adds a table to the list of a [[header]]. Frees the name of the key.
static bool add_table(struct plain *p, cJSON *parent, struct plain_key key,
                      struct section *section)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(parent, key.name);
    const size_t at = key.at;
    if (list == NULL || !cJSON_IsArray(list) || toml_kind_of(list) != TOML_TABLES)
        list = toml_make(p, parent, key, TOML_TABLES); // refused if the key exists
    else
        free(key.name);
    section->i_place = p->doc->n_places;
    section->table = list != NULL ? plain_note(p, cJSON_CreateObject(), at) : NULL;
    if (section->table == NULL)
        return false;
    section->table->valueint = TOML_HEADER;
    cJSON_AddItemToArray(list, section->table); // cannot fail: both exist
    return plain_enter(p);
}

static bool read_header(struct plain *p, cJSON *root, struct section *section)
{
    const bool list = p->text[p->at + 1] == '[';
    struct plain_key key;
    p->at += list ? 2 : 1;
    p->depth = 0;
    cJSON *parent = toml_descend(p, root, TOML_IMPLICIT, &key);
    if (parent == NULL)
        return false;
    plain_blanks(p);
    if (strncmp(p->text + p->at, "]]", list ? 2 : 1) != 0) {
        free(key.name);
        return plain_fail(p, p->at, "expected %s after the name of a table", list ? "]]" : "]");
    }
    p->at += list ? 2 : 1;
    if (!(list ? add_table : define_table)(p, parent, key, section))
        return false;
    p->doc->places[section->i_place].value_end = p->at;
    return plain_enter(p) && plain_line_end(p);
}

// ---- whole documents ----------------------------------------------------------------------------

// Moves to the next line with content. false: end of the text.
static bool next_line(struct plain *p)
{
    for (;;) {
        p->at += strspn(p->text + p->at, " \t\n");
        if (p->text[p->at] != '#')
            return p->text[p->at] != '\0';
        p->at += strcspn(p->text + p->at, "\n");
    }
}

bool plain_read_toml(struct plain *p, cJSON *root)
{
    struct section section = {root, p->doc->n_places - 1};
    root->valueint = TOML_HEADER;
    while (next_line(p)) {
        if (p->text[p->at] == '[') {
            if (!read_header(p, root, &section))
                return false;
            continue;
        }
        if (!toml_pair(p, section.table))
            return false;
        p->doc->places[section.i_place].value_end = p->at;
        if (!plain_line_end(p))
            return false;
    }
    return true;
}
