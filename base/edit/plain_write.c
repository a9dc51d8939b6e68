// SPDX-License-Identifier: Apache-2.0
// Writes plain documents. Values on one line are written alike in all forms.
#include "base/edit/plain_write.h"

#include "base/text/characters.h"
#include "base/text/number.h"
#include "base/text/text_buffer.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- values on a line -----------------------------------------------------------------------

static void put(struct text_buffer *room, const char *text)
{
    text_buffer_add_bytes(room, text, strlen(text));
}

// Returns the code of a character that is written as an escape because YAML reads it as the end of a
// line or does not allow it; 0: none.
static unsigned escaped_code(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x20 || c[0] == 0x7f)
        return c[0];
    if (c[0] == 0xc2 && c[1] < 0xa0)
        return c[1];
    if (c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9))
        return 0x2000 + (c[2] & 0x3fU);
    if (c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf)
        return 0xfeff;
    return c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe ? 0xffc0 + (c[2] & 0x3fU) : 0;
}

static void put_quoted(struct text_buffer *room, const char *text)
{
    static const char plain[] = "\b\f\n\r\t\"\\", names[] = "bfnrt\"\\";
    put(room, "\"");
    for (size_t n = 1; *text != '\0'; text += n) {
        const char *found = strchr(plain, *text);
        const unsigned code = escaped_code(text);
        n = pps_utf8_length(text) > 0 ? pps_utf8_length(text) : 1;
        if (found != NULL)
            text_buffer_add(room, "\\%c", names[found - plain]);
        else if (code > 0)
            text_buffer_add(room, "\\u%04x", code);
        else
            text_buffer_add_bytes(room, text, n);
    }
    put(room, "\"");
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_simple(const char *text)
{
    if (!is_letter(*text))
        return false;
    for (; *text != '\0'; text++)
        if (!is_letter(*text) && (*text < '0' || *text > '9') && *text != '-')
            return false;
    return true;
}

// Words that some readers do not take as text; YAML 1.1 has more of these words than YAML 1.2.
static bool is_taken(const char *text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static void put_text(struct text_buffer *room, enum plaindoc_form form, const char *text)
{
    if (form != PLAINDOC_TOML && is_simple(text) && !is_taken(text))
        put(room, text);
    else
        put_quoted(room, text);
}

static void put_key(struct text_buffer *room, const char *key)
{
    if (is_simple(key) && !is_taken(key))
        put(room, key);
    else
        put_quoted(room, key);
}

// YAML readers search the colon of a key in 1024 characters. A longer key begins with a mark.
static const char *key_mark(enum plaindoc_form form, const char *key)
{
    return form == PLAINDOC_YAML && strlen(key) > 150 ? "? " : "";
}

// Whole numbers without an exponent, others with a point: YAML 1.1 reads 1e-05 as text.
static void put_number(struct text_buffer *room, double value)
{
    char text[NUMBER_TEXT_CAP];
    size_t n;
    if (fabs(value) < 9007199254740992.0 && value == floor(value)) {
        text_buffer_add(room, "%.0f", value == 0 ? 0 : value);
        return;
    }
    number_text_write(text, value);
    n = strcspn(text, ".e");
    text_buffer_add_bytes(room, text, n);
    if (text[n] != '.')
        put(room, ".0");
    put(room, text + n);
}

static void put_items(struct text_buffer *room, enum plaindoc_form form, const cJSON *item)
{
    const char *comma = "";
    for (const cJSON *child = item->child; child != NULL; child = child->next) {
        if (form == PLAINDOC_TOML && cJSON_IsNull(child) && cJSON_IsObject(item))
            continue;
        put(room, comma);
        comma = ", ";
        if (cJSON_IsObject(item)) {
            const char *mark = key_mark(form, child->string);
            put(room, mark);
            put_key(room, child->string);
            put(room, form == PLAINDOC_TOML ? " = " : *mark != '\0' ? " : " : ": ");
        }
        docwrite_value(room, form, child);
    }
}

void docwrite_value(struct text_buffer *room, enum plaindoc_form form, const cJSON *item)
{
    if (cJSON_IsString(item)) {
        put_text(room, form, item->valuestring);
    } else if (cJSON_IsNumber(item)) {
        put_number(room, item->valuedouble);
    } else if (cJSON_IsBool(item)) {
        put(room, cJSON_IsTrue(item) ? "true" : "false");
    } else if (cJSON_IsArray(item) || cJSON_IsObject(item)) {
        put(room, cJSON_IsArray(item) ? "[" : "{");
        put_items(room, form, item);
        put(room, cJSON_IsArray(item) ? "]" : "}");
    } else {
        put(room, form == PLAINDOC_TOML ? "\"null\"" : "null");
    }
}

// ---- lines ----------------------------------------------------------------------------------

// The path of keys above an item, from its own key upwards.
struct path {
    const struct path *above;
    const char *key;
};

static void put_path(struct text_buffer *room, const struct path *path, bool quoted)
{
    if (path->above != NULL) {
        put_path(room, path->above, quoted);
        put(room, ".");
    }
    if (quoted)
        put_key(room, path->key);
    else
        put(room, path->key);
}

static bool is_flat_key(const char *key)
{
    for (const char *c = key; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f || strchr("\"'[]{},:=#", *c) != NULL)
            return false;
    return *key != '\0';
}

static void flat_lines(struct text_buffer *room, const cJSON *map, const struct path *above)
{
    for (const cJSON *child = map->child; child != NULL; child = child->next) {
        const struct path path = {above, child->string};
        if (!is_flat_key(child->string))
            continue;
        if (cJSON_IsObject(child)) {
            flat_lines(room, child, &path);
            continue;
        }
        put_path(room, &path, false);
        put(room, " = ");
        docwrite_value(room, PLAINDOC_FLAT, child);
        put(room, "\n");
    }
}

static void yaml_lines(struct text_buffer *room, const cJSON *map, int indent)
{
    for (const cJSON *child = map->child; child != NULL; child = child->next) {
        const char *mark = key_mark(PLAINDOC_YAML, child->string);
        text_buffer_add(room, "%*s%s", indent, "", mark);
        put_key(room, child->string);
        if (*mark != '\0')
            text_buffer_add(room, "\n%*s", indent, "");
        put(room, ":");
        if (cJSON_IsObject(child) && child->child != NULL) {
            put(room, "\n");
            yaml_lines(room, child, indent + 2);
            continue;
        }
        put(room, " ");
        docwrite_value(room, PLAINDOC_YAML, child);
        put(room, "\n");
    }
}

static void toml_values(struct text_buffer *room, const cJSON *map)
{
    for (const cJSON *child = map->child; child != NULL; child = child->next) {
        if (cJSON_IsObject(child) || cJSON_IsNull(child))
            continue;
        put_key(room, child->string);
        put(room, " = ");
        docwrite_value(room, PLAINDOC_TOML, child);
        put(room, "\n");
    }
}

static void toml_sections(struct text_buffer *room, const cJSON *map, const struct path *above)
{
    for (const cJSON *child = map->child; child != NULL; child = child->next) {
        const struct path path = {above, child->string};
        if (!cJSON_IsObject(child))
            continue;
        put(room, room->n > 0 ? "\n[" : "[");
        put_path(room, &path, true);
        put(room, "]\n");
        toml_values(room, child);
        toml_sections(room, child, &path);
    }
}

void docwrite(struct text_buffer *room, enum plaindoc_form form, const struct cJSON *object)
{
    switch (form) {
    case PLAINDOC_YAML:
        yaml_lines(room, object, 0);
        break;
    case PLAINDOC_TOML:
        toml_values(room, object);
        toml_sections(room, object, NULL);
        break;
    case PLAINDOC_FLAT:
    case PLAINDOC_PYTHON:
    case PLAINDOC_NONE:
        flat_lines(room, object, NULL);
        break;
    }
}
