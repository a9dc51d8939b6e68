// SPDX-License-Identifier: Apache-2.0
// Reads manifests from files and checks their digest.
#include "engine/manifest/manifest_file.h"

#include "base/columns/parquet_read.h"
#include "base/document/json.h"
#include "base/system/disk.h"
#include "base/system/whole_file.h"
#include "base/text/characters.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define MANIFEST_MAX ((size_t)64 << 20) // bytes

// The last member as manifest.c writes it.
#define DIGEST_FORMAT ",\n\t\"manifest_digest\":\t\"%016" PRIx64 "\"\n}\n"
enum { DIGEST_NAME_BYTES = 23, DIGEST_BYTES = 43 };

// ---- text
// -------------------------------------------------------------------------------------

static enum pps_status check_digest(const char *name, const char *text, size_t n,
                                    struct pps_error *err)
{
    char want[DIGEST_BYTES + 1];
    const char *what = "is too short for a manifest";
    if (n >= DIGEST_BYTES) {
        n -= DIGEST_BYTES;
        snprintf(want, sizeof want, DIGEST_FORMAT, (uint64_t)XXH64(text, n, 0));
        if (memcmp(text + n, want, DIGEST_BYTES) == 0)
            return PPS_OK;
        what = memcmp(text + n, want, DIGEST_NAME_BYTES) != 0
                   ? "does not end with its digest: it is damaged or truncated"
                   : "is damaged: its text and its digest differ";
    }
    return pps_fail_at(err, PPS_E_WRONG, name, 0, 0, "%s", what);
}

// Parses an object with nothing but blanks behind it; NULL for anything else.
static cJSON *parse_object(const char *text, size_t n)
{
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(text, n, &end, false);
    bool alone = cJSON_IsObject(root);
    for (; alone && end < text + n; end++)
        alone = (unsigned char)*end <= ' ';
    if (alone)
        return root;
    cJSON_Delete(root);
    return NULL;
}

enum pps_status pps_manifest_file_parse(const char *name, const char *text, size_t n,
                                        cJSON **root, struct pps_error *err)
{
    *root = NULL;
    enum pps_status status = check_digest(name, text, n, err);
    if (status != PPS_OK)
        return status;
    *root = parse_object(text, n);
    return *root != NULL ? PPS_OK
                         : pps_fail_at(err, PPS_E_WRONG, name, 0, 0, "is not a JSON object");
}

// ---- numbers as written
// -----------------------------------------------------------------------

// *place is the index of item's place; items and places are in the order of the
// document.
static bool keep_spelling(const struct pps_json *json, cJSON *item, size_t *place)
{
    while (*place < json->n_places && json->places[*place].item != item)
        (*place)++;
    if (cJSON_IsNumber(item) && *place < json->n_places) {
        const char *text = json->text + json->places[*place].value_at;
        item->valuestring = strndup(text, strspn(text, "0123456789+-.eE"));
        item->type = cJSON_Raw;
        return item->valuestring != NULL;
    }
    cJSON *child;
    cJSON_ArrayForEach (child, item) {
        if (!keep_spelling(json, child, place))
            return false;
    }
    return true;
}

static enum pps_status read_spelled(const char *path, cJSON **root, struct pps_error *err)
{
    struct pps_json json;
    size_t place = 0;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (keep_spelling(&json, json.root, &place)) {
        *root = json.root;
        json.root = NULL;
    } else {
        status = pps_fail_memory(err, "a manifest");
    }
    pps_json_free(&json);
    return status;
}

// ---- files ------------------------------------------------------------------------------------

static enum pps_status read_strict(const char *path, cJSON **root, struct pps_error *err)
{
    char *text;
    size_t n;
    *root = NULL;
    enum pps_status status = pps_whole_file_read_regular(path, MANIFEST_MAX, &text, &n, err);
    if (status == PPS_OK)
        status = pps_manifest_file_parse(path, text, n, root, err);
    free(text);
    return status;
}

static enum pps_status read_lenient(const char *path, cJSON **root, struct pps_error *err)
{
    char *text;
    size_t n;
    enum pps_status status = pps_whole_file_read_regular(path, MANIFEST_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    *root = parse_object(text, n);
    free(text);
    return *root != NULL ? PPS_OK
                         : pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                                       "is damaged: expected a JSON object");
}

enum pps_status pps_manifest_file_read(const char *path, enum pps_manifest_mode mode,
                                       cJSON **root, struct pps_error *err)
{
    *root = NULL;
    if (mode == PPS_MANIFEST_STRICT)
        return read_strict(path, root, err);
    return mode == PPS_MANIFEST_SPELLED ? read_spelled(path, root, err)
                                        : read_lenient(path, root, err);
}

enum pps_status pps_manifest_beside(const char *path, const char *ending, cJSON **root,
                                    struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    char *name = NULL;
    *root = NULL;
    if (asprintf(&name, "%s%s", path, ending) < 0)
        return pps_fail_memory(err, "a path");
    if (access(name, F_OK) == 0 || errno != ENOENT)
        status = pps_manifest_file_read(name, PPS_MANIFEST_LENIENT, root, err);
    free(name);
    return status;
}

enum pps_status pps_manifest_of_result(const char *path, cJSON **root, struct pps_error *err)
{
    *root = NULL;
    if (strcmp(path, "-") == 0 || pps_ends_with(path, ".part"))
        return PPS_OK;
    return pps_manifest_beside(path, ".json", root, err);
}

// Reads the metadata at the start of a Parquet file; *root stays NULL if there is none.
static enum pps_status read_inside(int fd, const char *path, cJSON **root,
                                   struct pps_error *err)
{
    unsigned char *bytes = NULL;
    size_t n = 0, got = 1, wanted = 0;
    struct pps_parquet_start start;
    enum pps_status status = PPS_OK;
    while (status == PPS_OK && got > 0 && !pps_parquet_start_read(bytes, n, &start, &wanted) &&
           wanted > 0 && wanted <= MANIFEST_MAX) {
        unsigned char *more = realloc(bytes, wanted);
        if (more == NULL) {
            free(bytes);
            return pps_fail_memory(err, "%s", path);
        }
        bytes = more;
        status = pps_disk_read_at(fd, path, bytes + n, wanted - n, n, &got, err);
        n += got;
    }
    if (status == PPS_OK && pps_parquet_start_read(bytes, n, &start, &wanted))
        *root = parse_object(start.metadata, start.metadata_bytes);
    free(bytes);
    return status;
}

enum pps_status pps_manifest_known(const char *path, cJSON **root, struct pps_error *err)
{
    uint64_t bytes;
    int fd;
    enum pps_status status = pps_manifest_of_result(path, root, err);
    if (status != PPS_OK || *root != NULL || !pps_ends_with(path, ".parquet"))
        return status;
    status = pps_disk_open_regular(path, &fd, &bytes, err);
    if (status != PPS_OK)
        return status;
    status = read_inside(fd, path, root, err);
    close(fd);
    return status;
}

// ---- numbers
// ----------------------------------------------------------------------------------

double pps_manifest_number(const cJSON *object, const char *key)
{
    const cJSON *item = pps_json_member(object, key);
    double value = 0;
    if (cJSON_IsNumber(item))
        value = item->valuedouble;
    else if (cJSON_IsRaw(item))
        value = strtod(item->valuestring, NULL);
    return value >= 0 && isfinite(value) ? value : 0;
}

uint64_t pps_manifest_count(const cJSON *object, const char *key)
{
    const double value = pps_manifest_number(object, key);
    return value < 0x1p63 ? (uint64_t)value : 0;
}
