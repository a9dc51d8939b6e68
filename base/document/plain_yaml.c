// SPDX-License-Identifier: Apache-2.0
// Reads maps and lists of YAML by indentation. The reader looks at the indentation of a line before
// it consumes the line, so that the enclosing block can decide whether the line belongs to it.
#include "base/document/plain_private.h"

#include <stdlib.h>
#include <string.h>

struct yaml {
    struct plain *p;
    bool looked;   // indent and end describe the next content; p->at is its first character
    bool end;      // no more content
    size_t indent; // characters before the content
};

static cJSON *block(struct yaml *y);

// ---- lines ----------------------------------------------------------------------------------

static bool is_end(char c)
{
    return c == '\n' || c == '\0';
}

static bool is_blank_or_end(char c)
{
    return c == ' ' || c == '\t' || is_end(c);
}

// Skips one line if it is blank or a comment; otherwise moves p->at to its first content.
static bool skip_empty(struct plain *p, bool *empty)
{
    const size_t n = strspn(p->text + p->at, " ");
    const size_t content = p->at + strspn(p->text + p->at, " \t");
    *empty = is_end(p->text[content]) || p->text[content] == '#';
    if (!*empty && content != p->at + n)
        return plain_fail(p, p->at + n, "a tab; indent with spaces");
    p->at = *empty ? content + strcspn(p->text + content, "\n") : content;
    if (*empty && p->text[p->at] == '\n')
        p->at++;
    return true;
}

static bool look(struct yaml *y)
{
    struct plain *p = y->p;
    size_t start = p->at;
    bool empty = true;
    if (y->looked)
        return true;
    while (empty && p->text[p->at] != '\0') {
        start = p->at;
        if (!skip_empty(p, &empty))
            return false;
    }
    y->looked = true;
    y->end = empty;
    y->indent = empty ? 0 : p->at - start;
    return true;
}

static bool line_end(struct yaml *y)
{
    y->looked = false;
    return plain_line_end(y->p);
}

static bool at_dash(const struct yaml *y)
{
    const char *c = y->p->text + y->p->at;
    return !y->end && *c == '-' && is_blank_or_end(c[1]);
}

// ---- keys -----------------------------------------------------------------------------------

static size_t past_quotes(const char *text)
{
    const char quote = text[0];
    size_t n = 1;
    while (!is_end(text[n]) && text[n] != quote)
        n += text[n] == '\\' && quote == '"' && !is_end(text[n + 1]) ? 2 : 1;
    return text[n] == quote ? n + 1 : n;
}

// Finds the colon of a key at the start of the text; false: no key.
static bool key_length(const char *text, size_t *n)
{
    *n = 0;
    if (*text == '[' || *text == '{')
        return false;
    if (*text == '"' || *text == '\'')
        *n = past_quotes(text);
    for (; !is_end(text[*n]); (*n)++) {
        if (text[*n] == ':' && is_blank_or_end(text[*n + 1]))
            return true;
        if (text[*n] == '#' && *n > 0 && is_blank_or_end(text[*n - 1]))
            return false;
    }
    return false;
}

static bool bare_key(struct plain *p, size_t n, struct plain_key *key)
{
    while (n > 0 && is_blank_or_end(p->text[p->at + n - 1]))
        n--;
    if (n == 0)
        return plain_fail(p, p->at, "a key is missing before :");
    if (strchr("&*!|>%@`?,", p->text[p->at]) != NULL || strncmp(p->text + p->at, "<<", n) == 0)
        return plain_fail(p, p->at,
                          "this form of a key is not supported; put the key in quotes");
    key->name = strndup(p->text + p->at, n);
    p->at += n;
    return key->name != NULL || plain_no_memory(p);
}

static bool read_key(struct yaml *y, struct plain_key *key)
{
    struct plain *p = y->p;
    const char first = p->text[p->at];
    size_t n;
    key->at = p->at;
    key->name = NULL;
    if (!key_length(p->text + p->at, &n))
        return plain_fail(p, p->at, "expected key: value");
    if (first == '"' || first == '\'')
        key->name = plain_quoted(p);
    else if (!bare_key(p, n, key))
        return false;
    if (key->name == NULL)
        return false;
    plain_blanks(p);
    if (p->text[p->at] != ':') {
        free(key->name);
        return plain_fail(p, p->at, "expected : after a key");
    }
    p->at++;
    return true;
}

// ---- values ---------------------------------------------------------------------------------

// Reads a value on the line of its key or dash, if present.
static cJSON *value_here(struct yaml *y)
{
    struct plain *p = y->p;
    const size_t at = p->at;
    const char first = p->text[at];
    size_t n;
    if (first != '"' && first != '\'' && key_length(p->text + at, &n)) {
        plain_fail(p, at + n, "a second : on this line; put text with a colon in quotes");
        return NULL;
    }
    cJSON *item = plain_value(p, false);
    if (item == NULL || line_end(y))
        return item;
    cJSON_Delete(item);
    return NULL;
}

static bool nothing_here(const struct yaml *y)
{
    return is_end(y->p->text[y->p->at]) || plain_at_comment(y->p);
}

// Reads the value of a key at `indent`: on this line, on the lines below with a larger indentation,
// or a list on the lines below with the same indentation.
static cJSON *value_of_key(struct yaml *y, size_t indent)
{
    const size_t at = y->p->at;
    plain_blanks(y->p);
    if (at_dash(y)) {
        plain_fail(y->p, y->p->at, "a list begins on the line below its key");
        return NULL;
    }
    if (!nothing_here(y))
        return value_here(y);
    if (!line_end(y) || !look(y))
        return NULL;
    if (!y->end && (y->indent > indent || (y->indent == indent && at_dash(y))))
        return block(y);
    return plain_note(y->p, cJSON_CreateNull(), at);
}

// Reads the value after a dash at `indent`.
static cJSON *value_of_dash(struct yaml *y, size_t indent)
{
    struct plain *p = y->p;
    const size_t dash = p->at++;
    size_t n;
    plain_blanks(p);
    if (nothing_here(y)) {
        if (!line_end(y) || !look(y))
            return NULL;
        return !y->end && y->indent > indent ? block(y)
                                             : plain_note(p, cJSON_CreateNull(), dash);
    }
    y->indent = indent + (p->at - dash);
    if (at_dash(y) || key_length(p->text + p->at, &n))
        return block(y);
    return value_here(y);
}

// ---- blocks ---------------------------------------------------------------------------------

// Moves to the next line of a block at `indent`; *more is false at the end of the block.
static bool next_of(struct yaml *y, size_t indent, bool *more)
{
    if (!look(y))
        return false;
    *more = !y->end && y->indent >= indent;
    if (*more && y->indent > indent)
        return plain_fail(y->p, y->p->at, "indented like no line above it");
    return true;
}

static bool map_lines(struct yaml *y, cJSON *map)
{
    const size_t indent = y->indent;
    bool more;
    while (next_of(y, indent, &more)) {
        struct plain_key key;
        if (!more)
            return true;
        if (!read_key(y, &key))
            return false;
        const size_t i_place = y->p->doc->n_places;
        if (!plain_add(y->p, map, key, value_of_key(y, indent), i_place))
            return false;
    }
    return false;
}

static bool list_lines(struct yaml *y, cJSON *list)
{
    const size_t indent = y->indent;
    bool more;
    while (next_of(y, indent, &more)) {
        cJSON *item;
        if (!more || !at_dash(y))
            return true;
        item = value_of_dash(y, indent);
        if (item == NULL)
            return false;
        cJSON_AddItemToArray(list, item);
    }
    return false;
}

// Reads the block of lines with the indentation of this line: a map or a list.
static cJSON *block(struct yaml *y)
{
    struct plain *p = y->p;
    const bool list = at_dash(y);
    cJSON *item = plain_note(p, list ? cJSON_CreateArray() : cJSON_CreateObject(), p->at);
    const bool ok =
        item != NULL && plain_enter(p) && (list ? list_lines(y, item) : map_lines(y, item));
    plain_leave(p);
    if (ok)
        return item;
    cJSON_Delete(item);
    return NULL;
}

static bool skip_header(struct yaml *y)
{
    struct plain *p = y->p;
    if (!look(y))
        return false;
    if (y->end || y->indent > 0 || strncmp(p->text + p->at, "---", 3) != 0 ||
        !is_blank_or_end(p->text[p->at + 3]))
        return true;
    p->at += 3;
    return line_end(y) && look(y);
}

static bool is_all(struct yaml *y)
{
    if (!look(y))
        return false;
    return y->end || plain_fail(y->p, y->p->at, "indented like no line above it");
}

cJSON *plain_read_yaml(struct plain *p)
{
    struct yaml y = {.p = p};
    cJSON *root;
    if (!skip_header(&y))
        return NULL;
    if (y.end)
        return plain_note(p, cJSON_CreateObject(), 0);
    if (at_dash(&y)) {
        plain_fail(p, p->at, "expected key: value, not a list");
        return NULL;
    }
    root = p->text[p->at] == '{' ? value_here(&y) : block(&y);
    if (root == NULL || is_all(&y))
        return root;
    cJSON_Delete(root);
    return NULL;
}
