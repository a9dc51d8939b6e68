// SPDX-License-Identifier: Apache-2.0
// Writes values and new members into YAML text in the style of the text around them.
#include "base/edit/yaml_edit_private.h"

#include "base/edit/plain_write.h"

#include <string.h>

const struct pps_json_place *yaml_place(const struct plaindoc *doc, const cJSON *item)
{
    static const struct pps_json_place none;
    for (size_t i = 0; i < doc->n_places; i++)
        if (doc->places[i].item == item)
            return &doc->places[i];
    return &none;
}

// ---- values -------------------------------------------------------------------------------------

static void put(struct text_buffer *out, const char *text)
{
    text_buffer_add_bytes(out, text, strlen(text));
}

// Returns whether the first boolean of the text begins with a capital letter.
static bool has_capitals(const struct plaindoc *doc)
{
    for (size_t i = 0; i < doc->n_places; i++)
        if (cJSON_IsBool(doc->places[i].item))
            return strchr("TFYNO", doc->text[doc->places[i].value_at]) != NULL;
    return false;
}

static void put_value(const struct yaml_edit *y, struct text_buffer *out, const cJSON *value)
{
    if (cJSON_IsBool(value)) {
        const bool capitals = has_capitals(y->doc);
        put(out, cJSON_IsTrue(value) ? (capitals ? "True" : "true")
                                     : (capitals ? "False" : "false"));
    } else if (cJSON_IsArray(value)) {
        put(out, "[");
        for (const cJSON *item = value->child; item != NULL; item = item->next) {
            put_value(y, out, item);
            put(out, item->next != NULL ? ", " : "");
        }
        put(out, "]");
    } else {
        docwrite_value(out, PLAINDOC_YAML, value);
    }
}

// Text keeps the quotes of the text that it replaces.
static void put_like(const struct yaml_edit *y, struct text_buffer *out, const cJSON *value,
                     char quote)
{
    const size_t start = out->n;
    const bool simple = cJSON_IsString(value) && strpbrk(value->valuestring, "'\"\\\n") == NULL;
    put_value(y, out, value);
    if (simple && (quote == '"' || quote == '\'') && !out->failed &&
        (out->text[start] != '"' || quote == '\'')) {
        out->n = start;
        text_buffer_add(out, "%c%s%c", quote, value->valuestring, quote);
    }
}

// Returns where the word starts that ends at the place.
static size_t word_start(const struct plaindoc *doc, size_t at)
{
    while (at > 0 && strchr(" \t\n{,", doc->text[at - 1]) == NULL)
        at--;
    return at;
}

// Returns the place after the colon of a value, if only blanks and line ends are between.
static size_t behind_key(const struct plaindoc *doc, const struct pps_json_place *place)
{
    size_t at = place->value_at;
    while (at > 0 && strchr(" \t\n", doc->text[at - 1]) != NULL)
        at--;
    const char first = doc->text[word_start(doc, at)];
    bool same_line = at > place->key_at && doc->text[at - 1] == ':';
    for (size_t i = place->key_at; i < at && same_line; i++)
        same_line = doc->text[i] != '\n' && doc->text[i] != '#';
    return same_line && first != '!' && first != '&' ? at : place->value_at;
}

// Returns whether a colon, an anchor or a tag is before the place.
static bool is_behind_colon(const struct plaindoc *doc, size_t at)
{
    while (at > 0 && strchr(" \t\n", doc->text[at - 1]) != NULL)
        at--;
    const char first = doc->text[word_start(doc, at)];
    return at == 0 || doc->text[at - 1] == ':' || first == '&' || first == '!';
}

// Returns the length of an end of a line in YAML: LF, or U+0085, U+2028 or U+2029; 0: another text.
static size_t break_length(const char *text)
{
    if (*text == '\n')
        return 1;
    if (strncmp(text, "\xc2\x85", 2) == 0)
        return 2;
    return strncmp(text, "\xe2\x80\xa8", 3) == 0 || strncmp(text, "\xe2\x80\xa9", 3) == 0 ? 3
                                                                                          : 0;
}

static bool is_line_start(const char *text, size_t at)
{
    return at == 0 || break_length(text + at - 1) == 1 ||
           (at >= 2 && break_length(text + at - 2) == 2) ||
           (at >= 3 && break_length(text + at - 3) == 3);
}

static size_t line_end(const char *text, size_t at)
{
    while (text[at] != '\0' && break_length(text + at) == 0)
        at++;
    return at;
}

static size_t column(const struct plaindoc *doc, size_t at)
{
    size_t start = at;
    while (!is_line_start(doc->text, start))
        start--;
    return at - start;
}

// Removes the tag of a value, before or behind its anchor. It need not fit another value.
static void drop_tag(struct yaml_edit *y, const struct pps_json_place *place)
{
    const char *text = y->doc->text;
    size_t at = place->properties_at;
    while (at < place->value_at && text[at] != '!') {
        at += text[at] == '#' ? strcspn(text + at, "\n") : strcspn(text + at, " \t\n");
        at += strspn(text + at, " \t\n");
    }
    if (at >= place->value_at)
        return;
    size_t end = at + strcspn(text + at, " \t\n");
    end += strspn(text + end, " \t");
    end = end < place->value_at ? end : place->value_at;
    y->failed |= !text_edit_replace(y->edit, at, end, "", 0);
}

// Lists and maps without brackets become one line, on the line of the key if possible.
void yaml_write_value(struct yaml_edit *y, const cJSON *item, const cJSON *value)
{
    const struct plaindoc *doc = y->doc;
    const struct pps_json_place *place = yaml_place(doc, item);
    struct text_buffer text = {.text = NULL};
    size_t from = place->value_at, to = place->value_end;
    const char first = doc->text[from];
    const bool block = !place->is_alias && (cJSON_IsObject(item) || cJSON_IsArray(item)) &&
                       first != '[' && first != '{';
    if (block)
        from = behind_key(doc, place);
    const bool below = line_end(doc->text, place->key_at) < from; // on a line below its key
    if (below && column(doc, from) <= column(doc, place->key_at))
        text_buffer_add(&text, "%*s", (int)(column(doc, place->key_at) + 2 - column(doc, from)),
                        "");
    const bool colon = from == to && !is_behind_colon(doc, from); // {key} without a value
    const char before = from > 0 ? doc->text[from - 1] : ' ';
    put(&text, colon ? ":" : "");
    if (colon || from != place->value_at || strchr(" \t\n{[,", before) == NULL)
        put(&text, " ");
    put_like(y, &text, value, to > from ? first : '\0');
    if (to > from && doc->text[to - 1] == '\n')
        put(&text, "\n");
    y->failed |= text.failed || !text_edit_replace(y->edit, from, to, text.text, text.n);
    text_buffer_free(&text);
    if (from == place->value_at && !place->is_alias)
        drop_tag(y, place);
}

// ---- members ------------------------------------------------------------------------------------

// Returns the columns by which the document indents maps in maps.
static size_t indent_step(const struct plaindoc *doc)
{
    for (const cJSON *child = doc->root->child; child != NULL; child = child->next) {
        const struct pps_json_place *place = yaml_place(doc, child);
        const size_t own = column(doc, place->key_at), below = column(doc, place->value_at);
        if (cJSON_IsObject(child) && place->source == NULL &&
            doc->text[place->value_at] != '{' && below > own && below - own <= 8)
            return below - own;
    }
    return 2;
}

static void put_lines(const struct yaml_edit *y, struct text_buffer *out, const cJSON *members,
                      size_t indent)
{
    for (const cJSON *child = members->child; child != NULL; child = child->next) {
        text_buffer_add(out, "\n%*s%s:", (int)indent, "", child->string);
        if (cJSON_IsObject(child) && child->child != NULL) {
            put_lines(y, out, child, indent + indent_step(y->doc));
        } else {
            put(out, " ");
            put_value(y, out, child);
        }
    }
}

// Members for a map in brackets.
static void put_inline(const struct yaml_edit *y, struct text_buffer *out, const cJSON *members)
{
    for (const cJSON *child = members->child; child != NULL; child = child->next) {
        text_buffer_add(out, "%s: ", child->string);
        if (cJSON_IsObject(child)) {
            put(out, "{");
            put_inline(y, out, child);
            put(out, "}");
        } else {
            put_value(y, out, child);
        }
        put(out, child->next != NULL ? ", " : "");
    }
}

static void replace(struct yaml_edit *y, size_t from, size_t to, const struct text_buffer *text)
{
    y->failed |= text->failed || !text_edit_replace(y->edit, from, to, text->text, text->n);
}

// Behind the last member of the map; in front of all without one that has its own text.
static void write_in_brackets(struct yaml_edit *y, const struct yaml_growth *growth)
{
    const struct pps_json_place *map = yaml_place(y->doc, growth->item);
    struct text_buffer text = {.text = NULL};
    size_t at = map->value_at + 1;
    for (const cJSON *child = growth->item->child; child != NULL; child = child->next) {
        const struct pps_json_place *place = yaml_place(y->doc, child);
        if ((place->source == NULL || place->is_alias) && place->value_end > at)
            at = place->value_end;
    }
    const bool first = at == map->value_at + 1;
    put(&text, first ? "" : ", ");
    put_inline(y, &text, growth->members);
    put(&text, first && growth->item->child != NULL ? ", " : "");
    replace(y, at, at, &text);
    text_buffer_free(&text);
}

// Lines after the last line of the map. A block of text ends at the start of a line.
static void write_lines(struct yaml_edit *y, const struct yaml_growth *growth)
{
    const struct plaindoc *doc = y->doc;
    const struct pps_json_place *map = yaml_place(doc, growth->item);
    struct text_buffer text = {.text = NULL};
    const bool nothing = growth->item == doc->root && map->value_end == map->value_at;
    size_t at = nothing ? doc->n : map->value_end;
    const bool at_start = is_line_start(doc->text, at);
    put_lines(y, &text, growth->members, nothing ? 0 : column(doc, map->value_at));
    if (at_start) {
        put(&text, "\n");
        if (!text.failed)
            y->failed |= !text_edit_replace(y->edit, at, at, text.text + 1, text.n - 1);
    } else {
        at = line_end(doc->text, at);
        replace(y, at, at, &text);
    }
    text_buffer_free(&text);
}

// A map in place of null or of an alias, which becomes a merge key.
static void write_map(struct yaml_edit *y, const struct yaml_growth *growth)
{
    const struct plaindoc *doc = y->doc;
    const struct pps_json_place *place = yaml_place(doc, growth->item);
    const int n = (int)(place->value_end - place->value_at);
    const char *alias = doc->text + place->value_at;
    const size_t indent = column(doc, place->key_at) + indent_step(doc);
    const bool brackets = growth->in_brackets;
    const bool merge = place->is_alias && cJSON_IsObject(growth->item);
    struct text_buffer text = {.text = NULL};
    size_t from = brackets ? place->value_at : behind_key(doc, place);
    if (n == 0 && !is_behind_colon(doc, from))
        put(&text, ":"); // {key} without a value
    if (brackets)
        put(&text, text.n == 0 && from > 0 && doc->text[from - 1] == ' ' ? "{" : " {");
    if (merge && brackets)
        text_buffer_add(&text, "<<: %.*s, ", n, alias);
    else if (merge)
        text_buffer_add(&text, "\n%*s<<: %.*s", (int)indent, "", n, alias);
    if (brackets)
        put_inline(y, &text, growth->members);
    else
        put_lines(y, &text, growth->members, indent);
    put(&text, brackets ? "}" : "");
    // An empty value ends at its key; its members come after the comment of the key.
    if (n == 0 && !brackets)
        from = line_end(doc->text, from);
    replace(y, from, n == 0 ? from : place->value_end, &text);
    text_buffer_free(&text);
}

void yaml_write_growth(struct yaml_edit *y, const struct yaml_growth *growth)
{
    const struct pps_json_place *place = yaml_place(y->doc, growth->item);
    if (place->is_alias && cJSON_IsArray(growth->item))
        yaml_write_value(y, growth->item, growth->members);
    else if (place->is_alias || cJSON_IsNull(growth->item))
        write_map(y, growth);
    else if (y->doc->text[place->value_at] == '{')
        write_in_brackets(y, growth);
    else
        write_lines(y, growth);
}
