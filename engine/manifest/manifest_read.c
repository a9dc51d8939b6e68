// SPDX-License-Identifier: Apache-2.0
// Checks the digest and reads the members of a manifest.
#include "engine/manifest/manifest_read.h"

#include "base/document/json.h"
#include "base/text/decimal.h"
#include "engine/manifest/manifest_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum pps_status wrong(const struct pps_manifest_facts *said, struct pps_error *err,
                             const char *what, const char *name)
{
    return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0, "%s%s", what, name);
}

// ---- members ----------------------------------------------------------------------------------

static enum pps_status read_text(const struct pps_manifest_facts *said, const char *name,
                                 const char **text, struct pps_error *err)
{
    *text = cJSON_GetStringValue(pps_json_member(said->root, name));
    return *text != NULL ? PPS_OK : wrong(said, err, "has no text ", name);
}

static enum pps_status read_texts(struct pps_manifest_facts *said, struct pps_error *err)
{
    enum pps_status status = read_text(said, "ppsweep", &said->version, err);
    if (status == PPS_OK)
        status = read_text(said, "kernel", &said->kernel, err);
    if (status == PPS_OK)
        status = read_text(said, "kernel_version", &said->kernel_version, err);
    if (status == PPS_OK)
        status = read_text(said, "codec", &said->codec, err);
    return status;
}

static enum pps_status read_hex(struct pps_manifest_facts *said, struct pps_error *err)
{
    const char *text = NULL;
    enum pps_status status = read_text(said, "digest", &text, err);
    if (status != PPS_OK)
        return status;
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return wrong(said, err, "does not have 16 hexadecimal digits as ", "digest");
    said->digest = strtoull(text, NULL, 16);
    return PPS_OK;
}

static enum pps_status read_counts(struct pps_manifest_facts *said, struct pps_error *err)
{
    const struct {
        const char *name;
        double *value;
    } counts[] = {{"points", &said->points},
                  {"rows", &said->rows},
                  {"failed", &said->failed},
                  {"infeasible", &said->infeasible},
                  {"block_points", &said->block_points},
                  {"text_bytes", &said->text_bytes},
                  {"data_bytes", &said->data_bytes}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const cJSON *item = pps_json_member(said->root, counts[i].name);
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || !isfinite(item->valuedouble))
            return wrong(said, err, "has no count ", counts[i].name);
        *counts[i].value = item->valuedouble;
    }
    return PPS_OK;
}

static bool all_texts(const cJSON *list, const char *member)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsString(member == NULL ? item : pps_json_member(item, member)))
            return false;
    }
    return cJSON_IsArray(list);
}

// Only runs with --point-limit say one.
static bool read_point_limit(struct pps_manifest_facts *said)
{
    const cJSON *item = pps_json_member(said->root, "point_limit");
    const double limit = cJSON_GetNumberValue(item);
    if (item == NULL)
        return true;
    if (!(limit >= 1 && limit <= (double)PPS_POINT_LIMIT_MAX))
        return false;
    said->point_limit = (uint64_t)limit;
    return true;
}

static enum pps_status read_lists(struct pps_manifest_facts *said, struct pps_error *err)
{
    const cJSON *item;
    said->experiment = pps_json_member(said->root, "experiment");
    said->parameters = pps_json_member(said->root, "parameters");
    said->columns = pps_json_member(said->root, "columns");
    said->left_out = pps_json_member(said->root, "skipped");
    said->only = cJSON_GetStringValue(
        pps_json_member(pps_json_member(said->root, "only_top"), "selection"));
    said->exact = cJSON_IsTrue(pps_json_member(said->root, "exact"));
    if (!cJSON_IsBool(pps_json_member(said->root, "exact")))
        return wrong(said, err, "does not say whether it was ", "exact");
    if (!read_point_limit(said))
        return wrong(said, err, "has no usable number ", "point_limit");
    if (!cJSON_IsObject(said->experiment))
        return wrong(said, err, "has no object ", "experiment");
    if (!all_texts(said->parameters, NULL))
        return wrong(said, err, "has no list of names ", "parameters");
    if (!all_texts(said->columns, "name") || cJSON_GetArraySize(said->columns) == 0)
        return wrong(said, err, "has no list of named ", "columns");
    if (!all_texts(said->left_out, "reason"))
        return wrong(said, err, "has no list of reasons ", "skipped");
    cJSON_ArrayForEach (item, said->left_out) {
        if (!cJSON_IsNumber(pps_json_member(item, "points")))
            return wrong(said, err, "has a reason without points in ", "skipped");
    }
    return PPS_OK;
}

// ---- the whole --------------------------------------------------------------------------------

static enum pps_status read_members(struct pps_manifest_facts *said, struct pps_error *err)
{
    enum pps_status status = read_texts(said, err);
    if (status == PPS_OK)
        status = read_hex(said, err);
    if (status == PPS_OK)
        status = read_counts(said, err);
    return status == PPS_OK ? read_lists(said, err) : status;
}

enum pps_status pps_manifest_facts_parse(struct pps_manifest_facts *said, const char *name,
                                         const char *text, size_t n, struct pps_error *err)
{
    *said = (struct pps_manifest_facts){.name = strdup(name)};
    if (said->name == NULL)
        return pps_fail_memory(err, "%s", name);
    enum pps_status status = pps_manifest_file_parse(name, text, n, &said->root, err);
    return status == PPS_OK ? read_members(said, err) : status;
}

enum pps_status pps_manifest_facts_read(struct pps_manifest_facts *said, const char *path,
                                        struct pps_error *err)
{
    *said = (struct pps_manifest_facts){.name = strdup(path)};
    if (said->name == NULL)
        return pps_fail_memory(err, "%s", path);
    enum pps_status status =
        pps_manifest_file_read(path, PPS_MANIFEST_STRICT, &said->root, err);
    return status == PPS_OK ? read_members(said, err) : status;
}

void pps_manifest_facts_free(struct pps_manifest_facts *said)
{
    cJSON_Delete(said->root);
    free(said->name);
    *said = (struct pps_manifest_facts){.name = NULL};
}

// ---- what follows from it ---------------------------------------------------------------------

char *pps_manifest_facts_header(const struct pps_manifest_facts *said)
{
    const cJSON *item;
    char *line = NULL;
    size_t n;
    FILE *out = open_memstream(&line, &n);
    if (out == NULL)
        return NULL;
    cJSON_ArrayForEach (item, said->parameters) {
        fprintf(out, "%s,", item->valuestring);
    }
    cJSON_ArrayForEach (item, said->columns) {
        fprintf(out, "%s%c", pps_json_member(item, "name")->valuestring,
                item->next != NULL ? ',' : '\n');
    }
    if (fclose(out) == 0)
        return line;
    free(line);
    return NULL;
}

int pps_manifest_facts_decimals(const struct pps_manifest_facts *said, int i)
{
    const cJSON *decimals = pps_json_member(cJSON_GetArrayItem(said->columns, i), "decimals");
    if (!cJSON_IsNumber(decimals) || !(decimals->valuedouble >= 0) ||
        decimals->valuedouble > PPS_MAX_DIGITS)
        return PPS_FULL_DIGITS;
    return (int)decimals->valuedouble;
}

bool pps_manifest_facts_left_out(const struct pps_manifest_facts *said, int i,
                                 const char **reason, double *n)
{
    const cJSON *entry = cJSON_GetArrayItem(said->left_out, i);
    if (entry == NULL)
        return false;
    *reason = pps_json_member(entry, "reason")->valuestring;
    *n = pps_json_member(entry, "points")->valuedouble;
    return true;
}
