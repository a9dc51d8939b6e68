// SPDX-License-Identifier: Apache-2.0
// Finds the table of a path, and replaces, adds or removes one of its keys. New tables are collected
// until the end of the edit, so that all keys of one table stay together.
#include "base/edit/toml_edit.h"

#include "base/document/toml_kind.h"
#include "base/edit/plain_write.h"
#include "base/text/text_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 256 };

struct toml_new_table {
    char path[PATH_BYTES];
    struct text_buffer lines;
};

void toml_edit_begin(struct toml_edit *t, const struct plaindoc *doc, struct text_edit *edit)
{
    *t = (struct toml_edit){.doc = doc, .edit = edit};
}

// ---- places -------------------------------------------------------------------------------------

static const struct pps_json_place *place_of(const struct plaindoc *doc, const cJSON *item)
{
    const struct pps_json_place *place = doc->places;
    while (place->item != item)
        place++;
    return place;
}

static size_t line_start(const struct plaindoc *doc, size_t at)
{
    while (at > 0 && doc->text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct plaindoc *doc, size_t at)
{
    return at + strcspn(doc->text + at, "\n");
}

static bool has_braces(const struct plaindoc *doc, const cJSON *table)
{
    return toml_kind_of(table) == TOML_CLOSED &&
           doc->text[place_of(doc, table)->value_at] == '{';
}

// ---- paths --------------------------------------------------------------------------------------

struct walk {
    const cJSON *table; // the last table on the path that exists
    const cJSON
        *container;    // the table of `table` in the text: with a header, braces, or the root
    const char *rest;  // the path below the container
    const cJSON *item; // the item at the end of the path; NULL: none
    bool blocked;      // a value is where the path needs a table
};

static const cJSON *member(const cJSON *table, const char *name, size_t n)
{
    for (const cJSON *item = table->child; item != NULL; item = item->next)
        if (strlen(item->string) == n && memcmp(item->string, name, n) == 0)
            return item;
    return NULL;
}

// Returns the last table of a list of tables, any other item itself.
static const cJSON *last_table(const cJSON *item)
{
    if (!cJSON_IsArray(item) || toml_kind_of(item) != TOML_TABLES)
        return item;
    return cJSON_GetArrayItem(item, cJSON_GetArraySize(item) - 1);
}

static struct walk follow(const struct plaindoc *doc, const char *path)
{
    struct walk w = {.table = doc->root, .container = doc->root, .rest = path};
    for (;;) {
        const size_t n = strcspn(path, ".");
        const cJSON *item = member(w.table, path, n);
        if (path[n] == '\0' || item == NULL) {
            w.item = path[n] == '\0' ? item : NULL;
            return w;
        }
        path += n + 1;
        w.table = last_table(item);
        w.blocked = !cJSON_IsObject(w.table);
        if (w.blocked)
            return w;
        const enum toml_kind kind = toml_kind_of(w.table);
        if (kind == TOML_HEADER || kind == TOML_IMPLICIT || has_braces(doc, w.table)) {
            w.container = w.table;
            w.rest = path;
        }
    }
}

const cJSON *toml_get(const struct plaindoc *doc, const char *path)
{
    const cJSON *item = follow(doc, path).item;
    return item != NULL ? last_table(item) : NULL;
}

// ---- new keys -----------------------------------------------------------------------------------

// Appends a value; a list of lists gets one line per item.
static void add_value(struct text_buffer *out, const cJSON *value)
{
    if (!cJSON_IsArray(value) || !cJSON_IsArray(value->child)) {
        docwrite_value(out, PLAINDOC_TOML, value);
        return;
    }
    text_buffer_add(out, "[\n");
    for (const cJSON *item = value->child; item != NULL; item = item->next) {
        text_buffer_add(out, "  ");
        docwrite_value(out, PLAINDOC_TOML, item);
        text_buffer_add(out, ",\n");
    }
    text_buffer_add(out, "]");
}

static void add_pair(struct text_buffer *out, const char *key, const cJSON *value)
{
    text_buffer_add(out, "%s = ", key);
    add_value(out, value);
}

// Inserts a text and frees it.
static bool insert(struct toml_edit *t, size_t at, struct text_buffer *text)
{
    const bool ok = text->failed || text_edit_replace(t->edit, at, at, text->text, text->n);
    t->failed |= text->failed;
    text_buffer_free(text);
    return ok;
}

static bool inserts_at(const struct text_edit *edit, size_t at)
{
    for (size_t i = 0; i < edit->n; i++)
        if (edit->changes[i].from == at && edit->changes[i].to == at)
            return true;
    return false;
}

// Returns the last value that the text has directly in a table, also by a dotted key. NULL: none.
static const cJSON *last_value(const struct plaindoc *doc, const cJSON *table)
{
    const cJSON *last = NULL;
    for (const cJSON *item = table->child; item != NULL; item = item->next) {
        const enum toml_kind kind = toml_kind_of(item);
        const bool dotted = cJSON_IsObject(item) && !has_braces(doc, item) &&
                            (kind == TOML_DOTTED || kind == TOML_CLOSED);
        const cJSON *found = dotted ? last_value(doc, item) : item;
        if (!dotted && kind != TOML_CLOSED && (cJSON_IsObject(item) || cJSON_IsArray(item)))
            continue; // has a header
        if (found != NULL &&
            (last == NULL || place_of(doc, found)->key_at > place_of(doc, last)->key_at))
            last = found;
    }
    return last;
}

static bool add_in_braces(struct toml_edit *t, const cJSON *table, const char *key,
                          const cJSON *value)
{
    struct text_buffer text = {.text = NULL};
    const cJSON *last = last_value(t->doc, table);
    const size_t at = last != NULL ? place_of(t->doc, last)->value_end
                                   : place_of(t->doc, table)->value_end - 1;
    text_buffer_add(&text, "%s", last != NULL || inserts_at(t->edit, at) ? ", " : "");
    add_pair(&text, key, value);
    return insert(t, at, &text);
}

static bool add_line(struct toml_edit *t, const cJSON *table, const char *key,
                     const cJSON *value)
{
    const struct plaindoc *doc = t->doc;
    struct text_buffer text = {.text = NULL};
    const cJSON *last = last_value(doc, table);
    const size_t start = line_start(doc, place_of(doc, last != NULL ? last : table)->key_at);
    const size_t blanks = strspn(doc->text + start, " \t");
    const bool first = table == doc->root && last == NULL; // nothing before the first header
    if (!first) {
        text_buffer_add(&text, "\n");
        text_buffer_add_bytes(&text, doc->text + start, blanks);
    }
    add_pair(&text, key, value);
    if (first)
        text_buffer_add(&text, "\n");
    return insert(t, first ? 0 : line_end(doc, place_of(doc, table)->value_end), &text);
}

// ---- new tables ---------------------------------------------------------------------------------

static struct toml_new_table *new_table(struct toml_edit *t, const char *path, size_t n)
{
    for (int k = 0; k < t->n_tables; k++)
        if (strlen(t->tables[k].path) == n && memcmp(t->tables[k].path, path, n) == 0)
            return &t->tables[k];
    struct toml_new_table *tables =
        n < PATH_BYTES ? realloc(t->tables, (size_t)(t->n_tables + 1) * sizeof *tables) : NULL;
    if (tables == NULL)
        return NULL;
    t->tables = tables;
    tables += t->n_tables++;
    *tables = (struct toml_new_table){.lines = {.text = NULL}};
    memcpy(tables->path, path, n);
    return tables;
}

static bool add_to_new_table(struct toml_edit *t, const char *path, const cJSON *value)
{
    const char *key = strrchr(path, '.') + 1;
    struct toml_new_table *table = new_table(t, path, (size_t)(key - 1 - path));
    if (table == NULL) {
        t->failed = true;
        return true;
    }
    add_pair(&table->lines, key, value);
    text_buffer_add(&table->lines, "\n");
    return true;
}

void toml_edit_end(struct toml_edit *t)
{
    const struct plaindoc *doc = t->doc;
    struct text_buffer text = {.text = NULL};
    if (doc->n > 0 && doc->text[doc->n - 1] != '\n')
        text_buffer_add(&text, "\n");
    for (int k = 0; k < t->n_tables; k++) {
        text_buffer_add(&text, "%s[%s]\n", doc->n > 0 || k > 0 ? "\n" : "", t->tables[k].path);
        text_buffer_add_bytes(&text, t->tables[k].lines.text, t->tables[k].lines.n);
        t->failed |= t->tables[k].lines.failed;
        text_buffer_free(&t->tables[k].lines);
    }
    if (t->n_tables > 0)
        (void)insert(t, doc->n, &text); // the end overlaps nothing
    text_buffer_free(&text);
    free(t->tables);
    t->edit->failed |= t->failed;
}

// ---- all ----------------------------------------------------------------------------------------

// Appends a text in the quotes that the old value has, if they can hold it.
static void add_like(struct text_buffer *out, const char *old, const cJSON *value)
{
    const bool literal = cJSON_IsString(value) && old[0] == '\'' &&
                         strncmp(old, "'''", 3) != 0 &&
                         strpbrk(value->valuestring, "'\n\t") == NULL;
    if (literal)
        text_buffer_add(out, "'%s'", value->valuestring);
    else
        add_value(out, value);
}

static bool replace(struct toml_edit *t, const cJSON *item, const cJSON *value)
{
    const struct pps_json_place *place = place_of(t->doc, item);
    struct text_buffer text = {.text = NULL};
    if (toml_kind_of(item) != TOML_CLOSED && (cJSON_IsObject(item) || cJSON_IsArray(item)))
        return false;
    if (cJSON_Compare(item, value, true))
        return true;
    add_like(&text, t->doc->text + place->value_at, value);
    t->failed |= text.failed;
    const bool ok = text.failed || text_edit_replace(t->edit, place->value_at, place->value_end,
                                                     text.text, text.n);
    text_buffer_free(&text);
    return ok;
}

bool toml_set(struct toml_edit *t, const char *path, const cJSON *value)
{
    const struct walk w = follow(t->doc, path);
    if (value == NULL) {
        t->failed = true;
        return true;
    }
    if (w.blocked)
        return false;
    if (w.item != NULL)
        return replace(t, w.item, value);
    if (has_braces(t->doc, w.container))
        return add_in_braces(t, w.container, w.rest, value);
    const bool dotted = w.table != w.container;
    if (dotted || (strchr(w.rest, '.') == NULL && toml_kind_of(w.table) == TOML_HEADER))
        return add_line(t, w.container, w.rest, value);
    return add_to_new_table(t, path, value);
}

bool toml_set_bool(struct toml_edit *t, const char *path, bool value)
{
    cJSON *item = cJSON_CreateBool(value);
    const bool ok = toml_set(t, path, item);
    cJSON_Delete(item);
    return ok;
}

bool toml_remove(struct toml_edit *t, const char *path)
{
    const struct plaindoc *doc = t->doc;
    const struct walk w = follow(doc, path);
    if (w.item == NULL)
        return !w.blocked;
    const struct pps_json_place *place = place_of(doc, w.item);
    if (has_braces(doc, w.container) || (toml_kind_of(w.item) != TOML_CLOSED &&
                                         (cJSON_IsObject(w.item) || cJSON_IsArray(w.item))))
        return false;
    size_t from = line_start(doc, place->key_at), to = place->value_end;
    to += strspn(doc->text + to, " \t");
    if (doc->text[to] == '#')
        from += strspn(doc->text + from, " \t");
    else if (from > 0)
        from--; // the line break before the line: keys may be added at the end of the line
    else
        to += doc->text[to] == '\n';
    return text_edit_replace(t->edit, from, to, "", 0);
}

void toml_comment(struct toml_edit *t, const char *path, const char *text)
{
    const struct plaindoc *doc = t->doc;
    const struct walk w = follow(doc, path);
    struct text_buffer line = {.text = NULL};
    if (w.item == NULL)
        return;
    const size_t at = line_start(doc, place_of(doc, w.item)->key_at);
    text_buffer_add_bytes(&line, doc->text + at, strspn(doc->text + at, " \t"));
    text_buffer_add(&line, "# %s\n", text);
    t->failed |= line.failed;
    if (!line.failed &&
        (at < line.n || memcmp(doc->text + at - line.n, line.text, line.n) != 0))
        (void)text_edit_replace(t->edit, at, at, line.text, line.n); // overlaps no value
    text_buffer_free(&line);
}
