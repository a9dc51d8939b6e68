// SPDX-License-Identifier: Apache-2.0
// Reads flat documents: one `key = value` per line under [sections].
#include "base/document/plain_private.h"

#include <stdlib.h>
#include <string.h>

// Moves to the next line with content. false: end of the text.
static bool next_line(struct plain *p)
{
    for (;;) {
        plain_blanks(p);
        if (plain_at_comment(p))
            p->at += strcspn(p->text + p->at, "\n");
        if (p->text[p->at] == '\0')
            return false;
        if (p->text[p->at] != '\n')
            return true;
        p->at++;
    }
}

static bool take_name(struct plain *p, size_t n, char **name)
{
    *name = strndup(p->text + p->at, n);
    p->at += n;
    return *name != NULL || plain_no_memory(p);
}

// ---- keys with dots ---------------------------------------------------------------------------

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

// Reads one part of a dotted key.
static bool key_part(struct plain *p, struct plain_key *key)
{
    size_t n = 0;
    plain_blanks(p);
    key->at = p->at;
    key->name = NULL;
    if (p->text[p->at] == '"' || p->text[p->at] == '\'') {
        key->name = plain_quoted(p);
        return key->name != NULL;
    }
    while (is_bare(p->text[p->at + n]))
        n++;
    if (n == 0)
        return plain_fail(p, p->at,
                          "expected a key: letters, digits, _ and -, or text in quotes");
    return take_name(p, n, &key->name);
}

// Returns the map under this key of `map`, created if missing. Frees the name of the key.
static cJSON *map_below(struct plain *p, cJSON *map, struct plain_key key)
{
    cJSON *found = cJSON_GetObjectItemCaseSensitive(map, key.name);
    if (found != NULL && cJSON_IsObject(found)) {
        free(key.name);
        return found;
    }
    if (found != NULL) {
        plain_fail(p, key.at, "\"%.60s\" is a value already, so it cannot be a section",
                   key.name);
        free(key.name);
        return NULL;
    }
    const size_t i_place = p->doc->n_places;
    cJSON *made = plain_note(p, cJSON_CreateObject(), key.at);
    return plain_add(p, map, key, made, i_place) ? made : NULL;
}

// Descends along all parts of a dotted key except the last, which becomes *key.
static cJSON *go_down(struct plain *p, cJSON *map, struct plain_key *key)
{
    int depth = p->depth;
    if (!key_part(p, key))
        return NULL;
    while (plain_another_part(p)) {
        if (++depth > PLAIN_DEEPEST) {
            plain_fail(p, key->at, "nested deeper than %d", PLAIN_DEEPEST);
            free(key->name);
            return NULL;
        }
        map = map_below(p, map, *key);
        if (map == NULL || !key_part(p, key))
            return NULL;
    }
    return map;
}

// ---- sections --------------------------------------------------------------------------------

// Sections whose header has been read, to detect a repeated header.
struct sections {
    const cJSON *map[PLAIN_MOST_VALUES];
    int n;
};

static bool is_new(struct plain *p, struct sections *sections, const cJSON *map, size_t at)
{
    for (int i = 0; i < sections->n; i++)
        if (sections->map[i] == map)
            return plain_fail(p, at, "this section is defined twice");
    sections->map[sections->n++] = map; // there are at most as many sections as values
    return true;
}

static cJSON *section(struct plain *p, cJSON *root, struct sections *sections)
{
    const size_t at = p->at++;
    struct plain_key key;
    cJSON *map;
    if (p->text[p->at] == '[') {
        plain_fail(p, at, "arrays of sections are not supported");
        return NULL;
    }
    map = go_down(p, root, &key);
    if (map != NULL)
        map = map_below(p, map, key);
    if (map == NULL)
        return NULL;
    plain_blanks(p);
    if (p->text[p->at] != ']') {
        plain_fail(p, p->at, "expected ] after the name of a section");
        return NULL;
    }
    p->at++;
    return plain_line_end(p) && is_new(p, sections, map, at) ? map : NULL;
}

// ---- flat lines -----------------------------------------------------------------------------

// Finds the end of a key: = or a colon with a blank behind it. false: the line has none.
static bool key_length(const char *text, size_t *n)
{
    for (*n = 0; text[*n] != '\n' && text[*n] != '\0' && text[*n] != '#'; (*n)++)
        if (text[*n] == '=' || (text[*n] == ':' && strchr(" \t\n", text[*n + 1]) != NULL))
            return true;
    return false;
}

static bool flat_key(struct plain *p, struct plain_key *key)
{
    size_t n;
    if (!key_length(p->text + p->at, &n))
        return plain_fail(p, p->at, "expected key = value");
    while (n > 0 && strchr(" \t", p->text[p->at + n - 1]) != NULL)
        n--;
    if (n == 0)
        return plain_fail(p, p->at, "a key is missing before %c", p->text[p->at]);
    for (size_t i = 0; i < n; i++)
        if (strchr(" \t\"'[]{},:", p->text[p->at + i]) != NULL)
            return plain_fail(p, p->at + i, "a key cannot contain \"%c\"", p->text[p->at + i]);
    key->at = p->at;
    return take_name(p, n, &key->name);
}

static bool flat_line(struct plain *p, cJSON *map)
{
    struct plain_key key;
    if (!flat_key(p, &key))
        return false;
    plain_blanks(p);
    p->at++; // the separator that flat_key found
    plain_blanks(p);
    const size_t i_place = p->doc->n_places;
    return plain_add(p, map, key, plain_value(p, false), i_place) && plain_line_end(p);
}

// ---- whole documents ------------------------------------------------------------------------

static bool all_lines(struct plain *p, cJSON *root, struct sections *sections)
{
    cJSON *map = root;
    while (next_line(p)) {
        if (p->text[p->at] == '[')
            map = section(p, root, sections);
        else if (!flat_line(p, map))
            return false;
        if (map == NULL)
            return false;
    }
    return true;
}

bool plain_read_lines(struct plain *p, cJSON *root)
{
    struct sections *sections = malloc(sizeof *sections);
    bool ok;
    if (sections == NULL)
        return plain_no_memory(p);
    sections->n = 0;
    ok = all_lines(p, root, sections);
    free(sections);
    return ok;
}
