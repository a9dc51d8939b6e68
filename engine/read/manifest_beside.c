// SPDX-License-Identifier: Apache-2.0
// Reads the manifest beside a result.
#include "engine/read/result.h"

#include "base/system/whole_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANIFEST_MAX ((size_t)64 << 20) // bytes

static enum pps_status parse(const char *path, struct cJSON **manifest, struct pps_error *err)
{
    char *text;
    size_t n;
    enum pps_status status = pps_whole_file_read_regular(path, MANIFEST_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    *manifest = cJSON_ParseWithLengthOpts(text, n + 1, NULL, true);
    free(text);
    if (cJSON_IsObject(*manifest))
        return PPS_OK;
    cJSON_Delete(*manifest);
    *manifest = NULL;
    return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "is damaged: expected a JSON object");
}

static bool has_manifest(const char *path)
{
    size_t n = strlen(path);
    return strcmp(path, "-") != 0 && !(n >= 5 && strcmp(path + n - 5, ".part") == 0);
}

enum pps_status pps_result_manifest_of(const char *path,
                                       const char *ending,
                                       struct cJSON **manifest,
                                       struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    *manifest = NULL;
    size_t n = strlen(path) + strlen(ending) + 1;
    char *name = malloc(n);
    if (name == NULL)
        return pps_fail_memory(err, "a path");
    snprintf(name, n, "%s%s", path, ending);
    if (access(name, F_OK) == 0 || errno != ENOENT)
        status = parse(name, manifest, err);
    free(name);
    return status;
}

enum pps_status pps_result_manifest(const char *path,
                                    struct cJSON **manifest,
                                    struct pps_error *err)
{
    *manifest = NULL;
    return has_manifest(path) ? pps_result_manifest_of(path, ".json", manifest, err) : PPS_OK;
}
