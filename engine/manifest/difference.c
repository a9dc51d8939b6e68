// SPDX-License-Identifier: Apache-2.0
// Compares manifests key by key, in the order in which a user checks the settings.
#include "engine/manifest/difference.h"

#include "base/document/json.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_TEXT = 120 };

struct difference {
    char *text;
    size_t cap;
};

// Begins `from` bytes behind the start.
static void value_text(const char *json, size_t from, char out[VALUE_TEXT])
{
    const int n = VALUE_TEXT - 7;
    json += from;
    snprintf(out, VALUE_TEXT, "%s%.*s%s", from > 0 ? "..." : "", n, json,
             strlen(json) > (size_t)n ? "..." : "");
}

// Returns how much of two long texts to leave out, so that what differs is among the rest.
static size_t common_start(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n])
        n++;
    if (n < VALUE_TEXT / 2)
        return 0;
    for (n -= VALUE_TEXT / 4; n > 0 && a[n - 1] != ','; n--)
        ;
    return n;
}

// Says how many values two lists have, if that differs.
static void count_values(const struct difference *d, const cJSON *was, const cJSON *is)
{
    const int n = cJSON_GetArraySize(was), m = cJSON_GetArraySize(is);
    const size_t at = strlen(d->text);
    if (cJSON_IsArray(was) && cJSON_IsArray(is) && n != m)
        snprintf(d->text + at, d->cap - at, " (%d and %d values)", n, m);
}

static bool differ(const struct difference *d, const char *key, const cJSON *was,
                   const cJSON *is)
{
    char before[VALUE_TEXT], now[VALUE_TEXT];
    if ((was == NULL && is == NULL) || cJSON_Compare(was, is, true))
        return false;
    char *a = was != NULL ? pps_json_print_line(was) : NULL,
         *b = is != NULL ? pps_json_print_line(is) : NULL;
    const size_t from = a != NULL && b != NULL ? common_start(a, b) : 0;
    value_text(a != NULL ? a : "not set", from, before);
    value_text(b != NULL ? b : "not set", from, now);
    snprintf(d->text, d->cap, "%s was %s, is %s", key, before, now);
    if (from > 0)
        count_values(d, was, is);
    cJSON_free(a);
    cJSON_free(b);
    return true;
}

// Finds the first member that differs or that only one object has; ignores the member `skip`.
static bool members_differ(const struct difference *d, const cJSON *was, const cJSON *is,
                           const char *skip)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, is) {
        if (strcmp(item->string, skip) != 0 &&
            differ(d, item->string, pps_json_member(was, item->string), item))
            return true;
    }
    cJSON_ArrayForEach (item, was) {
        if (pps_json_member(is, item->string) == NULL && differ(d, item->string, item, NULL))
            return true;
    }
    return false;
}

// Compares the order of the members, because objects in another order give rows in another
// order.
static bool order_differs(const struct difference *d, const cJSON *was, const cJSON *is)
{
    const cJSON *a = was != NULL ? was->child : NULL;
    const cJSON *b = is != NULL ? is->child : NULL;
    for (; a != NULL && b != NULL; a = a->next, b = b->next)
        if (strcmp(a->string, b->string) != 0) {
            snprintf(d->text, d->cap, "the order of the parameters was %s first, is %s first",
                     a->string, b->string);
            return true;
        }
    return false;
}

// ---- documents --------------------------------------------------------------------------------

static bool values_differ(const struct difference *d, const char *path, const cJSON *was,
                          const cJSON *is);

// Compares one part of two documents, the member `name` or the list item `i`, and extends the
// path.
static bool part_differs(const struct difference *d, const char *path, const char *name, int i,
                         const cJSON *was, const cJSON *is)
{
    char longer[256];
    if (name != NULL)
        snprintf(longer, sizeof longer, "%.180s.%.64s", path, name);
    else
        snprintf(longer, sizeof longer, "%.180s[%d]", path, i);
    return values_differ(d, longer, was, is);
}

static bool objects_differ(const struct difference *d, const char *path, const cJSON *was,
                           const cJSON *is)
{
    const cJSON *item, *a = was->child, *b = is->child;
    cJSON_ArrayForEach (item, is) {
        if (part_differs(d, path, item->string, 0, pps_json_member(was, item->string), item))
            return true;
    }
    cJSON_ArrayForEach (item, was) {
        if (pps_json_member(is, item->string) == NULL &&
            part_differs(d, path, item->string, 0, item, NULL))
            return true;
    }
    for (; a != NULL && b != NULL; a = a->next, b = b->next)
        if (strcmp(a->string, b->string) != 0) {
            snprintf(d->text, d->cap, "%s has the same keys in another order", path);
            return true;
        }
    return false;
}

// Finds the first value that differs, at any depth, and its path.
static bool values_differ(const struct difference *d, const char *path, const cJSON *was,
                          const cJSON *is)
{
    if (cJSON_IsObject(was) && cJSON_IsObject(is))
        return objects_differ(d, path, was, is);
    const int n = cJSON_GetArraySize(is);
    if (!cJSON_IsArray(was) || !cJSON_IsArray(is) || cJSON_GetArraySize(was) != n)
        return differ(d, path, was, is);
    for (int i = 0; i < n; i++)
        if (part_differs(d, path, NULL, i, cJSON_GetArrayItem(was, i),
                         cJSON_GetArrayItem(is, i)))
            return true;
    return false;
}

// ---- columns and options ----------------------------------------------------------------------

// Returns the points of the whole experiment. A shard's own points are fewer.
static const cJSON *all_points(const cJSON *manifest)
{
    const cJSON *shard = pps_json_member(manifest, "shard");
    return pps_json_member(shard != NULL ? shard : manifest, "points");
}

static bool columns_differ(const struct difference *d, const cJSON *was, const cJSON *is)
{
    const int shown_was = cJSON_GetArraySize(pps_json_member(was, "parameters"));
    const int shown_is = cJSON_GetArraySize(pps_json_member(is, "parameters"));
    if (shown_was != shown_is) {
        snprintf(d->text, d->cap, "it was made with%s --typed",
                 shown_was > shown_is ? "" : "out");
        return true;
    }
    const cJSON *a = pps_json_member(was, "columns"), *b = pps_json_member(is, "columns");
    if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
        return differ(d, "the columns (--metrics, --status)", a, b);
    for (int i = 0; i < cJSON_GetArraySize(a); i++) {
        const cJSON *left = cJSON_GetArrayItem(a, i), *right = cJSON_GetArrayItem(b, i);
        if (differ(d, "a column (--metrics)", pps_json_member(left, "name"),
                   pps_json_member(right, "name")) ||
            differ(d, "decimals (--digits)", pps_json_member(left, "decimals"),
                   pps_json_member(right, "decimals")))
            return true;
    }
    return false;
}

static bool shards_differ(const struct difference *d, const cJSON *was, const cJSON *is)
{
    const cJSON *a = pps_json_member(was, "shard"), *b = pps_json_member(is, "shard");
    return differ(d, "the number of shards (--shard)", pps_json_member(a, "of"),
                  pps_json_member(b, "of")) ||
           differ(d, "--shard", pps_json_member(a, "index"), pps_json_member(b, "index"));
}

static bool points_file_differs(const struct difference *d, const cJSON *was, const cJSON *is)
{
    const cJSON *file = pps_json_member(pps_json_member(is, "experiment"), "points");
    if (file == NULL ||
        cJSON_Compare(pps_json_member(was, "digest"), pps_json_member(is, "digest"), true))
        return false;
    snprintf(d->text, d->cap, "points: the contents of %s have changed",
             cJSON_IsString(file) ? file->valuestring : "the file");
    return true;
}

bool pps_manifest_difference(const cJSON *was, const cJSON *is, char *text, size_t cap)
{
    static const char *const keys[] = {"kernel", "kernel_version", "ppsweep"};
    const struct difference d = {text, cap};
    const cJSON *before = pps_json_member(was, "experiment");
    const cJSON *now = pps_json_member(is, "experiment");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (differ(&d, keys[i], pps_json_member(was, keys[i]), pps_json_member(is, keys[i])))
            return true;
    if (values_differ(&d, "inputs", pps_json_member(before, "inputs"),
                      pps_json_member(now, "inputs")))
        return true;
    const cJSON *params_before = pps_json_member(before, "params");
    const cJSON *params_now = pps_json_member(now, "params");
    return members_differ(&d, params_before, params_now, "") ||
           order_differs(&d, params_before, params_now) ||
           members_differ(&d, before, now, "params") || columns_differ(&d, was, is) ||
           differ(&d, "--exact", pps_json_member(was, "exact"), pps_json_member(is, "exact")) ||
           differ(&d, "--point-limit", pps_json_member(was, "point_limit"),
                  pps_json_member(is, "point_limit")) ||
           (all_points(was) != NULL && all_points(is) != NULL &&
            differ(&d, "the number of points (--limit)", all_points(was), all_points(is))) ||
           differ(&d, "the compression (--compress)", pps_json_member(was, "codec"),
                  pps_json_member(is, "codec")) ||
           shards_differ(&d, was, is) || points_file_differs(&d, was, is);
}
