// SPDX-License-Identifier: Apache-2.0
// Sorts the keys of a configuration that its reader does not know by a table of harmless ones.
#include "kernels/frameworks/form/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 256, VALUE_BYTES = 64 };

// ---- the table ----------------------------------------------------------------------------------

static const char *last_key(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : path;
}

static bool fits(const char *pattern, size_t n, const char *path)
{
    const char *last = last_key(path);
    if (strncmp(pattern, "*.", 2) == 0)
        return strlen(last) == n - 2 && strncmp(pattern + 2, last, n - 2) == 0;
    if (pattern[n - 1] == '*')
        return strncmp(pattern, path, n - 1) == 0;
    return strncmp(pattern, path, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

static bool fits_one(const char *patterns, const char *path)
{
    for (size_t n; *patterns != '\0'; patterns += n + (patterns[n] == ' ')) {
        n = strcspn(patterns, " ");
        if (fits(patterns, n, path))
            return true;
    }
    return false;
}

static const struct framework_harmless *row_of(const struct framework_others *others,
                                               const char *path)
{
    for (size_t k = 0; k < others->n; k++)
        if (fits_one(others->table[k].paths, path))
            return &others->table[k];
    return NULL;
}

// Writes a value as JSON without the quotes of text.
static bool value_text(const cJSON *item, char text[VALUE_BYTES])
{
    char *json = cJSON_IsString(item) ? NULL : pps_json_print_line(item);
    const char *value = cJSON_IsString(item) ? item->valuestring : json;
    const bool ok = value != NULL;
    snprintf(text, VALUE_BYTES, "%s", ok ? value : "");
    cJSON_free(json);
    return ok;
}

// Returns whether one of the alternatives "a|b" is the value.
static bool has_value(const char *alternatives, const char *value)
{
    const size_t n = strlen(value);
    for (const char *c = alternatives;; c++) {
        const size_t length = strcspn(c, "|");
        if (length == n && strncmp(c, value, n) == 0)
            return true;
        c += length;
        if (*c == '\0')
            return false;
    }
}

static bool is_harmless(const struct framework_others *others,
                        const struct framework_harmless *row, const char *value)
{
    if (row == NULL)
        return false;
    return row->values == NULL || (row->needs != 0 && (row->needs & others->has) == 0) ||
           has_value(row->values, value);
}

// ---- the document -------------------------------------------------------------------------------

struct walk {
    struct framework_reader *r;
    const struct plaindoc *document;
    const struct framework_others *others;
};

static void join(char path[PATH_BYTES], const char *prefix, const char *key)
{
    snprintf(path, PATH_BYTES, "%s%s%s", prefix, *prefix != '\0' ? "." : "", key);
}

// Returns whether the reader or the table knows something of a section.
static bool concerns(const struct walk *w, const cJSON *section, const char *prefix)
{
    char path[PATH_BYTES];
    for (const char *const *name = w->others->sections; *name != NULL; name++)
        if (strcmp(*name, prefix) == 0)
            return true;
    for (const cJSON *item = section->child; item != NULL; item = item->next) {
        join(path, prefix, item->string);
        if (w->others->known(w->others->self, path, item) || row_of(w->others, path) != NULL ||
            (cJSON_IsObject(item) && concerns(w, item, path)))
            return true;
    }
    return false;
}

static bool sort_key(const struct walk *w, const cJSON *item, const char *path)
{
    char value[VALUE_BYTES] = "", name[PATH_BYTES + VALUE_BYTES];
    if (!cJSON_IsObject(item) && !value_text(item, value))
        return framework_no_memory(w->r);
    if (cJSON_IsNull(item) || (cJSON_IsObject(item) && item->child == NULL) ||
        is_harmless(w->others, row_of(w->others, path), value)) {
        framework_ignore(w->r, path);
        return true;
    }
    snprintf(name, sizeof name, "%s%s%s", path, *value != '\0' ? "=" : "", value);
    return framework_not_modelled(w->r, name, framework_key_at(w->document, item));
}

// Returns whether the table has a row for a whole section and no key of it is known or counts.
static bool is_harmless_section(const struct walk *w, const cJSON *section, const char *prefix)
{
    char path[PATH_BYTES], value[VALUE_BYTES];
    const struct framework_harmless *row = row_of(w->others, prefix);
    if (row == NULL || row->values != NULL)
        return false;
    for (const cJSON *item = section->child; item != NULL; item = item->next) {
        join(path, prefix, item->string);
        if (w->others->known(w->others->self, path, item) ||
            (cJSON_IsObject(item)
                 ? !is_harmless_section(w, item, path)
                 : !value_text(item, value) ||
                       !is_harmless(w->others, row_of(w->others, path), value)))
            return false;
    }
    return true;
}

static bool sort_section(const struct walk *w, const cJSON *section, const char *prefix)
{
    char path[PATH_BYTES];
    for (const cJSON *item = section->child; item != NULL; item = item->next) {
        join(path, prefix, item->string);
        if (w->others->known(w->others->self, path, item))
            continue;
        const bool open = cJSON_IsObject(item) && concerns(w, item, path);
        if (cJSON_IsObject(item) && is_harmless_section(w, item, path))
            framework_ignore(w->r, path);
        else if (open ? !sort_section(w, item, path) : !sort_key(w, item, path))
            return false;
    }
    return true;
}

bool framework_sort_others(struct framework_reader *r, const struct plaindoc *document,
                           const struct framework_others *others)
{
    const struct walk w = {r, document, others};
    return sort_section(&w, document->root, "");
}
