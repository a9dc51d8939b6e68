// SPDX-License-Identifier: Apache-2.0
// Parses plain documents: checks and copies the text, records places, reports faults.
#include "base/document/plain.h"

#include "base/document/plain_private.h"
#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LARGEST ((size_t)64 << 20) // bytes

enum plaindoc_form plaindoc_form_of(const char *path)
{
    static const struct {
        const char *end;
        enum plaindoc_form form;
    } ends[] = {
        {".yaml", PLAINDOC_YAML}, {".yml", PLAINDOC_YAML},  {".toml", PLAINDOC_TOML},
        {".txt", PLAINDOC_FLAT},  {".conf", PLAINDOC_FLAT}, {".cfg", PLAINDOC_FLAT},
        {".ini", PLAINDOC_FLAT},  {".sh", PLAINDOC_FLAT},   {".py", PLAINDOC_PYTHON},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof ends / sizeof *ends; i++)
        if (strcasecmp(dot, ends[i].end) == 0)
            return ends[i].form;
    return PLAINDOC_NONE;
}

// Returns the number of blank and comment bytes at the start of the text.
static size_t skip_nothing(const char *text, size_t n)
{
    size_t i = pps_utf8_mark(text, n);
    while (i < n && strchr(" \t\r\n#", text[i]) != NULL && text[i] != '\0')
        if (text[i++] == '#')
            while (i < n && text[i] != '\n')
                i++;
    return i;
}

enum plaindoc_form plaindoc_form_like(const char *text, size_t n)
{
    size_t i = skip_nothing(text, n);
    const char first = i < n ? text[i] : '/';
    if (first == '[' && i + 1 < n)
        return strchr(" \t\r\n[]{}0123456789-", text[i + 1]) == NULL ? PLAINDOC_FLAT
                                                                     : PLAINDOC_NONE;
    if (first == '{' || first == '/')
        return PLAINDOC_NONE;
    for (; i < n && text[i] != '\n' && text[i] != '='; i++)
        if (text[i] == ':' && (i + 1 == n || strchr(" \t\r\n", text[i + 1]) != NULL))
            return PLAINDOC_YAML;
    return i < n && text[i] == '=' ? PLAINDOC_FLAT : PLAINDOC_YAML;
}

// ---- faults ---------------------------------------------------------------------------------

bool plain_fail(struct plain *p, size_t at, const char *format, ...)
{
    va_list args;
    pps_find_place(p->text, at, &p->fault->line, &p->fault->column);
    va_start(args, format);
    vsnprintf(p->fault->text, sizeof p->fault->text, format, args);
    va_end(args);
    pps_make_printable(p->fault->text);
    return false;
}

bool plain_no_memory(struct plain *p)
{
    *p->fault = (struct pps_fault){.text = "out of memory for this document"};
    return false;
}

// ---- text -----------------------------------------------------------------------------------

static bool check_text(struct plain *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->doc->n; i += n) {
        const unsigned char c = (unsigned char)p->text[i];
        n = pps_utf8_length(p->text + i);
        if (n == 0)
            return plain_fail(p, i, "not UTF-8; save the text as UTF-8");
        if (c == '\0' || c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
            return plain_fail(p, i, "a control character (U+%04X); remove it", c);
    }
    return true;
}

// Copies the text and converts CRLF to LF.
static char *copy_text(const char *text, size_t n, size_t *n_copy)
{
    char *copy = malloc(n + 1);
    size_t n_out = 0, i = pps_utf8_mark(text, n);
    if (copy == NULL)
        return NULL;
    for (; i < n; i++)
        if (text[i] != '\r' || i + 1 == n || text[i + 1] != '\n')
            copy[n_out++] = text[i];
    copy[n_out] = '\0';
    *n_copy = n_out;
    return copy;
}

// ---- values ---------------------------------------------------------------------------------

static bool has_room(struct plain *p, size_t at)
{
    struct plaindoc *doc = p->doc;
    if (doc->n_places == PLAIN_MOST_VALUES)
        return plain_fail(p, at, "more than %d values", PLAIN_MOST_VALUES);
    struct pps_json_place *places =
        pps_grow(doc->places, &p->cap_places, doc->n_places + 1, sizeof *places);
    if (places == NULL)
        return plain_no_memory(p);
    doc->places = places;
    return true;
}

cJSON *plain_note(struct plain *p, cJSON *item, size_t at)
{
    if (item == NULL) {
        plain_no_memory(p);
        return NULL;
    }
    if (!has_room(p, at)) {
        cJSON_Delete(item);
        return NULL;
    }
    p->doc->places[p->doc->n_places++] =
        (struct pps_json_place){.item = item, .value_at = at, .key_at = at};
    return item;
}

static size_t place_of(const struct plain *p, const cJSON *item)
{
    size_t i = 0;
    while (i < p->doc->n_places && p->doc->places[i].item != item)
        i++;
    return i;
}

static bool key_is_free(struct plain *p, const cJSON *object, const struct plain_key *key)
{
    const cJSON *before = cJSON_GetObjectItemCaseSensitive(object, key->name);
    int line, column;
    if (before == NULL)
        return true;
    pps_find_place(p->text, p->doc->places[place_of(p, before)].key_at, &line, &column);
    return plain_fail(p, key->at, "\"%.60s\" appears twice (first at line %d)", key->name,
                      line);
}

bool plain_add(struct plain *p, cJSON *object, struct plain_key key, cJSON *item,
               size_t i_place)
{
    bool ok = item != NULL && key_is_free(p, object, &key);
    if (ok) {
        p->doc->places[i_place].key_at = key.at;
        ok = cJSON_AddItemToObject(object, key.name, item) || plain_no_memory(p);
    }
    if (!ok)
        cJSON_Delete(item);
    free(key.name);
    return ok;
}

bool plain_enter(struct plain *p)
{
    if (++p->depth > PLAIN_DEEPEST)
        return plain_fail(p, p->at, "nested deeper than %d", PLAIN_DEEPEST);
    return true;
}

void plain_leave(struct plain *p)
{
    p->depth--;
}

// ---- whole documents ------------------------------------------------------------------------

static cJSON *read_lines(struct plain *p)
{
    cJSON *root;
    if (p->form == PLAINDOC_YAML)
        return plain_read_yaml(p);
    root = plain_note(p, cJSON_CreateObject(), 0);
    if (root == NULL)
        return NULL;
    if (p->form == PLAINDOC_TOML ? plain_read_toml(p, root) : plain_read_lines(p, root))
        return root;
    cJSON_Delete(root);
    return NULL;
}

bool plaindoc_take(struct plaindoc *doc, const char *text, size_t n, struct pps_fault *fault)
{
    struct plain p = {.form = PLAINDOC_NONE, .doc = doc, .fault = fault};
    *doc = (struct plaindoc){.text = NULL};
    doc->text = copy_text(text, n, &doc->n);
    if (doc->text == NULL)
        return plain_no_memory(&p);
    p.text = doc->text;
    if (check_text(&p))
        return true;
    plaindoc_free(doc);
    return false;
}

bool plaindoc_parse(struct plaindoc *doc, enum plaindoc_form form, const char *text, size_t n,
                    struct pps_fault *fault)
{
    struct plain p = {.form = form, .doc = doc, .fault = fault};
    if (!plaindoc_take(doc, text, n, fault))
        return false;
    p.text = doc->text;
    doc->root = read_lines(&p);
    if (doc->root != NULL)
        return true;
    plaindoc_free(doc);
    return false;
}

void plaindoc_free(struct plaindoc *doc)
{
    cJSON_Delete(doc->root);
    free(doc->places);
    free(doc->text);
    *doc = (struct plaindoc){.text = NULL};
}

// ---- as JSON ----------------------------------------------------------------------------------

enum pps_status plaindoc_to_json(struct plaindoc *doc, const char *path, struct pps_json *json,
                                 struct pps_error *err)
{
    memset(json, 0, sizeof *json);
    json->name = strdup(path);
    if (json->name == NULL) {
        plaindoc_free(doc);
        return pps_fail_memory(err, "%s", path);
    }
    json->places = doc->places;
    json->text = doc->text;
    json->n = doc->n;
    json->root = doc->root;
    json->n_places = doc->n_places;
    *doc = (struct plaindoc){.text = NULL};
    return PPS_OK;
}

enum pps_status plaindoc_fail(const char *path, const struct pps_fault *fault,
                              struct pps_error *err)
{
    if (fault->line == 0)
        return pps_fail_memory(err, "%s", path);
    return pps_fail_at(err, PPS_E_INPUT, path, fault->line, fault->column, "%s", fault->text);
}

enum pps_status plaindoc_load(struct pps_json *json, const char *path, struct pps_error *err)
{
    const enum plaindoc_form form = plaindoc_form_of(path);
    struct plaindoc doc;
    struct pps_fault fault;
    char *text;
    size_t n;
    if (form != PLAINDOC_YAML && form != PLAINDOC_TOML)
        return pps_json_load(json, path, err);
    memset(json, 0, sizeof *json);
    enum pps_status status = pps_whole_file_read(path, LARGEST, &text, &n, err);
    if (status != PPS_OK)
        return status;
    status = plaindoc_parse(&doc, form, text, n, &fault)
                 ? plaindoc_to_json(&doc, path, json, err)
                 : plaindoc_fail(path, &fault, err);
    free(text);
    return status;
}
