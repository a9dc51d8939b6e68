// SPDX-License-Identifier: Apache-2.0
// Builds a single point.
#include "engine/point/one_point.h"

#include "base/text/nearest.h"
#include "engine/experiment/documents.h"
#include "engine/experiment/experiment.h"
#include "engine/manifest/manifest_file.h"
#include "engine/program/program.h"
#include "engine/read/view.h"
#include "engine/space/typed_columns.h"
#include "engine/space/value.h"

#include <stdio.h>
#include <string.h>

void pps_point_default(const struct pps_kernel *kernel, double *point)
{
    for (int p = 0; p < kernel->n_params; p++)
        point[p] = kernel->params[p].fallback;
}

enum pps_status pps_point_set(const struct pps_kernel *kernel, const char *word, double *point,
                              struct pps_error *err)
{
    const size_t n = strcspn(word, "=");
    const int p = pps_param_find(kernel, word, n);
    char why[PPS_WHY], key[64];
    snprintf(key, sizeof key, "%.*s", (int)(n < 63 ? n : 63), word);
    if (word[n] == '\0')
        return pps_fail(err, PPS_E_INPUT, "%.60s: expected KEY=VALUE, as in n=8", word);
    if (p < 0) {
        const char *names[PPS_MAX_PARAMS];
        for (int i = 0; i < kernel->n_params; i++)
            names[i] = kernel->params[i].name;
        return pps_fail(err, PPS_E_INPUT, "%s is not a parameter of %s%s", key, kernel->name,
                        pps_did_you_mean(key, names, (size_t)kernel->n_params).text);
    }
    if (!pps_value_parse(&kernel->params[p], word + n + 1, strlen(word + n + 1), &point[p],
                         why))
        return pps_fail(err, PPS_E_INPUT, "%s: %s", key, why);
    return PPS_OK;
}

// ---- from a row -------------------------------------------------------------------------------

static bool has_columns(const struct pps_kernel *kernel, const struct pps_result *result)
{
    for (int c = 0; c < pps_result_columns(result); c++) {
        const char *name = pps_result_column_name(result, c);
        const size_t n = strlen(name);
        if (pps_param_find(kernel, name, n) < 0 && pps_column_find(kernel, name, n) < 0 &&
            pps_typed_find(kernel, name, n) < 0 && strcmp(name, PPS_STATUS_COLUMN) != 0)
            return false;
    }
    return true;
}

static enum pps_status choose_kernel(const struct pps_kernel *const *kernels, const char *path,
                                     const cJSON *manifest, const struct pps_result *result,
                                     const struct pps_kernel **kernel, struct pps_error *err)
{
    const cJSON *name = manifest != NULL ? pps_json_member(manifest, "kernel") : NULL;
    if (cJSON_IsString(name) && strcmp(name->valuestring, PPS_PROGRAM_KERNEL) == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: a command made its rows, which has no timelines and no baseline",
                        path);
    if (cJSON_IsString(name))
        return pps_kernel_choose(kernels, name->valuestring, kernel, err);
    for (int k = 0; kernels[k] != NULL; k++)
        if (has_columns(kernels[k], result)) {
            *kernel = kernels[k];
            return PPS_OK;
        }
    return pps_fail(err, PPS_E_INPUT, "%s: no kernel has all of its columns", path);
}

enum pps_status pps_point_constants(const struct pps_kernel *kernel, const char *path,
                                    const struct cJSON *manifest, double *point,
                                    struct pps_error *err)
{
    const cJSON *constants = manifest != NULL ? pps_json_member(manifest, "constants") : NULL;
    const cJSON *item;
    cJSON_ArrayForEach (item, constants) {
        char word[128], number[32];
        snprintf(number, sizeof number, "%.15g", item->valuedouble);
        snprintf(word, sizeof word, "%s=%s", item->string,
                 cJSON_IsString(item)  ? item->valuestring
                 : cJSON_IsTrue(item)  ? "true"
                 : cJSON_IsFalse(item) ? "false"
                                       : number);
        enum pps_status status = pps_point_set(kernel, word, point, err);
        if (status != PPS_OK) {
            const struct pps_error said = *err;
            return pps_fail(err, PPS_E_INPUT, "%s.json: constants: %s", path, said.text);
        }
    }
    return PPS_OK;
}

static enum pps_status set_cells(const struct pps_kernel *kernel, const char *path,
                                 const struct pps_result *result, const struct pps_cell *cells,
                                 double *point, struct pps_error *err)
{
    for (int c = 0; c < pps_result_columns(result); c++) {
        const char *name = pps_result_column_name(result, c);
        const int p = pps_param_find(kernel, name, strlen(name));
        char why[PPS_WHY];
        if (p >= 0 &&
            !pps_value_parse(&kernel->params[p], cells[c].text, cells[c].n, &point[p], why))
            return pps_fail(err, PPS_E_INPUT, "%s: row %llu: %s: %s", path,
                            (unsigned long long)pps_result_row(result), name, why);
    }
    return PPS_OK;
}

static uint64_t shown_params(const struct pps_kernel *kernel, const struct pps_result *result)
{
    uint64_t shown = 0;
    for (int c = 0; c < pps_result_columns(result); c++) {
        const char *name = pps_result_column_name(result, c);
        const int p = pps_param_find(kernel, name, strlen(name));
        shown |= p >= 0 ? (uint64_t)1 << p : 0;
    }
    return shown;
}

static enum pps_status go_to_row(struct pps_result *result, const char *path, uint64_t row,
                                 const struct pps_cell **cells, struct pps_error *err)
{
    do {
        enum pps_status status = pps_result_next(result, cells, err);
        if (status != PPS_OK)
            return status;
        if (*cells == NULL)
            return pps_fail(err, PPS_E_INPUT, "--row %llu: %s has %llu row%s",
                            (unsigned long long)row, path,
                            (unsigned long long)pps_result_row(result),
                            pps_result_row(result) == 1 ? "" : "s");
    } while (pps_result_row(result) < row);
    return PPS_OK;
}

enum pps_status pps_point_from_row(const struct pps_kernel *const *kernels, const char *path,
                                   uint64_t row, const struct pps_input_words *words,
                                   struct pps_documents **inputs,
                                   const struct pps_kernel **kernel, double *point,
                                   uint64_t *shown, struct pps_error *err)
{
    struct pps_result *result = NULL;
    cJSON *manifest = NULL;
    const struct pps_cell *cells = NULL;
    const struct pps_kernel *bare = NULL;
    *inputs = NULL;
    enum pps_status status = pps_result_open(&result, path, err);
    if (status == PPS_OK)
        status = pps_manifest_known(path, &manifest, err);
    if (status == PPS_OK)
        status = choose_kernel(kernels, path, manifest, result, &bare, err);
    if (status == PPS_OK)
        status = pps_documents_again(inputs, bare, path,
                                     pps_json_member(manifest, "experiment"), words, err);
    if (status == PPS_OK) {
        *kernel = pps_documents_kernel(*inputs);
        pps_typed_join(result, *kernel);
        status = go_to_row(result, path, row, &cells, err);
    }
    if (status == PPS_OK) {
        pps_point_default(*kernel, point);
        status = pps_point_constants(*kernel, path, manifest, point, err);
    }
    if (status == PPS_OK)
        status = set_cells(*kernel, path, result, cells, point, err);
    if (status == PPS_OK) {
        *shown = shown_params(*kernel, result);
        pps_documents_say(*inputs, *shown, point);
    }
    cJSON_Delete(manifest);
    pps_result_close(result);
    return status;
}

enum pps_status pps_point_check(const struct pps_kernel *kernel, const double *point,
                                struct pps_error *err)
{
    const int reason = kernel->check(point, kernel->shared);
    if (reason == 0)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "invalid point: %s", kernel->reasons[reason]);
}
