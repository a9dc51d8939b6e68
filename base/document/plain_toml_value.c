// SPDX-License-Identifier: Apache-2.0
// Reads TOML values, including lists and inline tables, and `key = value` pairs.
#include "base/document/plain_toml_private.h"

#include <stdlib.h>
#include <string.h>

// Skips blanks, comments and ends of lines, as between brackets.
static void skip_space(struct plain *p)
{
    for (;;) {
        p->at += strspn(p->text + p->at, " \t\n");
        if (p->text[p->at] != '#')
            return;
        p->at += strcspn(p->text + p->at, "\n");
    }
}

// ---- lists and inline tables --------------------------------------------------------------------

// Reads the separator after an item: a comma, or the closing bracket, which stays.
static bool item_end(struct plain *p, char close, size_t start)
{
    skip_space(p);
    if (p->text[p->at] == ',') {
        p->at++;
        skip_space(p);
        if (p->text[p->at] == ',')
            return plain_fail(p, p->at, "a value is missing before this comma");
    } else if (p->text[p->at] == '\0') {
        return plain_fail(p, start, "no %c closes this", close);
    } else if (p->text[p->at] != close) {
        return plain_fail(p, p->at, "expected , or %c", close);
    }
    return true;
}

static bool list_item(struct plain *p, cJSON *list)
{
    cJSON *item = toml_value(p);
    if (item == NULL)
        return false;
    cJSON_AddItemToArray(list, item); // cannot fail: both exist
    return true;
}

static bool items(struct plain *p, cJSON *parent, char close, size_t start)
{
    skip_space(p);
    while (p->text[p->at] != close) {
        if (p->text[p->at] == '\0')
            return plain_fail(p, start, "no %c closes this", close);
        if (!(close == ']' ? list_item(p, parent) : toml_pair(p, parent)) ||
            !item_end(p, close, start))
            return false;
    }
    p->at++;
    return true;
}

// Closes a table and the tables that its dotted keys made: nothing may be added to them.
static void close_tables(cJSON *table)
{
    table->valueint = TOML_CLOSED;
    for (cJSON *child = table->child; child != NULL; child = child->next)
        if (cJSON_IsObject(child) && toml_kind_of(child) == TOML_DOTTED)
            close_tables(child);
}

static cJSON *bracket_value(struct plain *p)
{
    const size_t start = p->at, i_place = p->doc->n_places;
    const bool list = p->text[start] == '[';
    cJSON *item = plain_note(p, list ? cJSON_CreateArray() : cJSON_CreateObject(), start);
    bool ok = item != NULL && plain_enter(p);
    p->at++;
    ok = ok && items(p, item, list ? ']' : '}', start);
    plain_leave(p);
    if (!ok) {
        cJSON_Delete(item);
        return NULL;
    }
    p->doc->places[i_place].value_end = p->at;
    if (!list)
        close_tables(item);
    return item;
}

static cJSON *quoted_value(struct plain *p)
{
    const size_t at = p->at, i_place = p->doc->n_places;
    char *text = toml_text(p);
    if (text == NULL)
        return NULL;
    cJSON *item = plain_note(p, cJSON_CreateString(text), at);
    free(text);
    if (item != NULL)
        p->doc->places[i_place].value_end = p->at;
    return item;
}

cJSON *toml_value(struct plain *p)
{
    switch (p->text[p->at]) {
    case '"':
    case '\'':
        return quoted_value(p);
    case '[':
    case '{':
        return bracket_value(p);
    default:
        return toml_word(p);
    }
}

// ---- pairs --------------------------------------------------------------------------------------

bool toml_pair(struct plain *p, cJSON *table)
{
    const int depth = p->depth;
    struct plain_key key;
    table = toml_descend(p, table, TOML_DOTTED, &key);
    if (table == NULL)
        return false;
    plain_blanks(p);
    if (p->text[p->at] != '=') {
        free(key.name);
        return plain_fail(p, p->at, "expected = after a key");
    }
    p->at++;
    plain_blanks(p);
    const size_t i_place = p->doc->n_places;
    const bool ok = plain_add(p, table, key, toml_value(p), i_place);
    p->depth = depth;
    return ok;
}
