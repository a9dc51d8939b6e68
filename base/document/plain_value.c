// SPDX-License-Identifier: Apache-2.0
// Reads values of plain documents, including lists and maps in brackets, and the separators between
// them.
#include "base/document/plain_private.h"

#include <stdlib.h>
#include <string.h>

void plain_blanks(struct plain *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t')
        p->at++;
}

bool plain_at_comment(const struct plain *p)
{
    return p->text[p->at] == '#' &&
           (p->at == 0 || strchr(" \t\n", p->text[p->at - 1]) != NULL ||
            p->form == PLAINDOC_TOML);
}

static void skip_comment(struct plain *p)
{
    if (plain_at_comment(p))
        p->at += strcspn(p->text + p->at, "\n");
}

bool plain_line_end(struct plain *p)
{
    plain_blanks(p);
    skip_comment(p);
    if (p->text[p->at] == '\n')
        p->at++;
    else if (p->text[p->at] != '\0')
        return plain_fail(p, p->at, "the value ends before this; begin a new line");
    return true;
}

// Skips blanks, comments and ends of lines, as between brackets.
static void skip_space(struct plain *p)
{
    for (;;) {
        plain_blanks(p);
        skip_comment(p);
        if (p->text[p->at] != '\n')
            return;
        p->at++;
    }
}

// ---- single values --------------------------------------------------------------------------

static cJSON *quoted_value(struct plain *p)
{
    const size_t at = p->at;
    char *text = plain_quoted(p);
    cJSON *item = text != NULL ? cJSON_CreateString(text) : NULL;
    if (text == NULL)
        return NULL;
    free(text);
    return plain_note(p, item, at);
}

enum word {
    WORD_ALONE,  // up to the end of the line
    WORD_WITHIN, // in brackets: up to a comma, a bracket or the separator of a key
    WORD_KEY,    // in brackets: up to the separator of a key
};

static bool ends_key(const char *c)
{
    return *c == '=' || (*c == ':' && strchr(" \t\n", c[1]) != NULL);
}

static bool ends_word(const char *c, enum word word)
{
    if (word == WORD_ALONE)
        return false;
    if (strchr(",[]{}", *c) != NULL)
        return true;
    return ends_key(c) && (word == WORD_KEY || *c == ':');
}

// Returns the length of the word here, without trailing blanks.
static size_t word_length(const struct plain *p, enum word word)
{
    struct plain ahead = *p;
    size_t n = 0;
    for (; ahead.text[ahead.at] != '\0' && ahead.text[ahead.at] != '\n'; ahead.at++) {
        const char *c = ahead.text + ahead.at;
        if (plain_at_comment(&ahead) || ends_word(c, word))
            break;
        if (*c != ' ' && *c != '\t')
            n = ahead.at + 1 - p->at;
    }
    return n;
}

static cJSON *word_value(struct plain *p, bool within)
{
    const size_t at = p->at, n = word_length(p, within ? WORD_WITHIN : WORD_ALONE);
    if (n == 0) {
        plain_fail(p, at, "a value is missing");
        return NULL;
    }
    p->at += n;
    return plain_word(p, at, n);
}

// ---- lists and maps in brackets -------------------------------------------------------------

// Reads the separator after an item: a comma, or the closing bracket.
static bool item_end(struct plain *p, char close, size_t start)
{
    skip_space(p);
    if (p->text[p->at] == ',') {
        p->at++;
        skip_space(p);
    } else if (p->text[p->at] == '\0') {
        return plain_fail(p, start, "no %c closes this", close);
    } else if (p->text[p->at] != close) {
        return plain_fail(p, p->at, "expected , or %c", close);
    }
    return true;
}

static bool list_items(struct plain *p, cJSON *list, size_t start)
{
    skip_space(p);
    while (p->text[p->at] != ']') {
        if (p->text[p->at] == '\0')
            return plain_fail(p, start, "no ] closes this");
        cJSON *item = plain_value(p, true);
        if (item == NULL)
            return false;
        cJSON_AddItemToArray(list, item);
        if (!item_end(p, ']', start))
            return false;
    }
    p->at++;
    return true;
}

static bool read_key(struct plain *p, struct plain_key *key)
{
    const size_t n = word_length(p, WORD_KEY);
    key->at = p->at;
    if (p->text[p->at] == '"' || p->text[p->at] == '\'') {
        key->name = plain_quoted(p);
    } else if (n == 0) {
        return plain_fail(p, p->at, "a key is missing");
    } else {
        key->name = strndup(p->text + p->at, n);
        p->at += n;
        if (key->name == NULL)
            return plain_no_memory(p);
    }
    if (key->name == NULL)
        return false;
    plain_blanks(p);
    const char c = p->text[p->at];
    if (c != '=' && c != ':') {
        free(key->name);
        return plain_fail(p, p->at, "expected : after a key");
    }
    p->at++;
    return true;
}

static bool map_items(struct plain *p, cJSON *map, size_t start)
{
    skip_space(p);
    while (p->text[p->at] != '}') {
        struct plain_key key;
        if (p->text[p->at] == '\0')
            return plain_fail(p, start, "no } closes this");
        if (!read_key(p, &key))
            return false;
        skip_space(p);
        const size_t i_place = p->doc->n_places;
        if (!plain_add(p, map, key, plain_value(p, true), i_place) || !item_end(p, '}', start))
            return false;
    }
    p->at++;
    return true;
}

static cJSON *bracket_value(struct plain *p)
{
    const size_t start = p->at;
    const bool list = p->text[start] == '[';
    cJSON *item = plain_note(p, list ? cJSON_CreateArray() : cJSON_CreateObject(), start);
    bool ok = item != NULL && plain_enter(p);
    p->at++;
    ok = ok && (list ? list_items(p, item, start) : map_items(p, item, start));
    plain_leave(p);
    if (ok)
        return item;
    cJSON_Delete(item);
    return NULL;
}

cJSON *plain_value(struct plain *p, bool within)
{
    switch (p->text[p->at]) {
    case '"':
    case '\'':
        return quoted_value(p);
    case '[':
    case '{':
        return bracket_value(p);
    default:
        return word_value(p, within);
    }
}
