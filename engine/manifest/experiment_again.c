// SPDX-License-Identifier: Apache-2.0
// Turns a manifest into the request of its run and into its experiment.
#include "engine/manifest/experiment_again.h"

#include "engine/program/program.h"
#include "engine/space/typed_columns.h"
#include "engine/space/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The kernel of the result, or of all commands; NULL: not known.
static const struct pps_kernel *kernel_of(const struct pps_manifest_facts *said,
                                          const struct pps_kernel *const *kernels)
{
    return strcmp(said->kernel, PPS_PROGRAM_KERNEL) == 0
               ? &pps_program_table
               : pps_kernels_find(kernels, said->kernel);
}

bool pps_experiment_again_possible(const struct pps_manifest_facts *said,
                                   const struct pps_kernel *const *kernels, const char *version,
                                   char *why, size_t cap)
{
    const struct pps_kernel *kernel = kernel_of(said, kernels);
    if (kernel == NULL)
        snprintf(
            why, cap,
            "it was made by the kernel %.60s, which is not loaded (--kernel FILE.so loads it)",
            said->kernel);
    else if (strcmp(kernel->version, said->kernel_version) != 0)
        snprintf(why, cap, "it was made by version %.40s of %s, and this is version %s",
                 said->kernel_version, kernel->name, kernel->version);
    else if (strcmp(version, said->version) != 0)
        snprintf(why, cap, "it was made by ppsweep %.40s, and this is ppsweep %s",
                 said->version, version);
    else
        return true;
    return false;
}

// Returns whether the rows end with a status column.
static bool has_status(const struct pps_manifest_facts *said)
{
    const cJSON *last =
        cJSON_GetArrayItem(said->columns, cJSON_GetArraySize(said->columns) - 1);
    const char *name = cJSON_GetStringValue(pps_json_member(last, "name"));
    return name != NULL && strcmp(name, PPS_STATUS_COLUMN) == 0;
}

// Returns whether a parameter has a column of names beside its column of numbers.
static bool is_typed(const struct pps_manifest_facts *said, const struct pps_kernel *kernel)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, said->parameters) {
        if (pps_typed_find(kernel, item->valuestring, strlen(item->valuestring)) >= 0)
            return true;
    }
    return false;
}

// Returns the result columns as a list for --metrics; the caller frees it.
static char *metrics_of(const struct pps_manifest_facts *said)
{
    char *names = pps_manifest_facts_header(said);
    const int n_parameters = cJSON_GetArraySize(said->parameters);
    if (names == NULL)
        return NULL;
    char *at = names;
    for (int i = 0; i < n_parameters; i++)
        at = strchr(at, ',') + 1;
    memmove(names, at, strlen(at) + 1);
    names[strcspn(names, "\n")] = '\0';
    if (has_status(said) && strrchr(names, ',') != NULL)
        *strrchr(names, ',') = '\0';
    return names;
}

// Returns a possible --digits of the run: the decimals of a real column, or PPS_DEFAULT_DIGITS
// if there is none.
static int digits_of(const struct pps_manifest_facts *said, const struct pps_kernel *kernel)
{
    const cJSON *item;
    int i = 0;
    cJSON_ArrayForEach (item, said->columns) {
        if (kernel == &pps_program_table && pps_json_member(item, "kind") == NULL)
            return pps_manifest_facts_decimals(said, i);
        for (int c = 0; c < kernel->n_columns; c++)
            if (kernel->columns[c].kind == PPS_COLUMN_REAL &&
                strcmp(kernel->columns[c].name, pps_json_member(item, "name")->valuestring) ==
                    0)
                return pps_manifest_facts_decimals(said, i);
        i++;
    }
    return PPS_DEFAULT_DIGITS;
}

static enum pps_status check(const struct pps_manifest_facts *said,
                             const struct pps_index_head *head, const struct pps_experiment *e,
                             struct pps_error *err)
{
    if (e->digest != said->digest)
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "its experiment has the digest %016" PRIx64 ", not %016" PRIx64 "%s",
                           e->digest, said->digest,
                           pps_json_member(said->experiment, "points") != NULL
                               ? " (its file of points may have changed)"
                               : "");
    if (e->n_points != head->n_points)
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "its experiment has %" PRIu64 " points, but the index has %" PRIu64,
                           e->n_points, head->n_points);
    if ((uint32_t)e->space.n_reasons != head->n_reasons)
        return pps_fail_at(
            err, PPS_E_WRONG, said->name, 0, 0,
            "its experiment has %d reasons to skip points, but the index counts %" PRIu32,
            e->space.n_reasons, head->n_reasons);
    return PPS_OK;
}

// If the decimals equal the kernel's defaults, the run may have set --digits or not: the digest
// shows which.
static enum pps_status load_and_check(const struct pps_manifest_facts *said,
                                      struct pps_request *request, int digits,
                                      const struct pps_index_head *head,
                                      struct pps_experiment **experiment, struct pps_error *err)
{
    request->digits = PPS_DEFAULT_DIGITS;
    enum pps_status status =
        pps_experiment_load_tree(experiment, request, said->name, said->experiment, err);
    if (status != PPS_OK)
        return status;
    if ((*experiment)->digest != said->digest && digits != PPS_DEFAULT_DIGITS) {
        pps_experiment_free(*experiment);
        request->digits = digits;
        status =
            pps_experiment_load_tree(experiment, request, said->name, said->experiment, err);
    }
    return status == PPS_OK ? check(said, head, *experiment, err) : status;
}

enum pps_status pps_experiment_again(const struct pps_manifest_facts *said,
                                     const struct pps_kernel *const *kernels,
                                     const struct pps_index_head *head,
                                     const struct pps_input_words *inputs,
                                     struct pps_experiment **experiment, struct pps_error *err)
{
    const struct pps_kernel *only[] = {kernel_of(said, kernels), NULL};
    char *metrics = metrics_of(said);
    struct pps_request request = {.kernels = only,
                                  .metrics = metrics,
                                  .limit = head->n_points,
                                  .exact = said->exact,
                                  .point_limit = said->point_limit,
                                  .status = has_status(said),
                                  .typed = is_typed(said, only[0]),
                                  .inputs = *inputs,
                                  .again = true,
                                  .only = said->only};
    enum pps_status status;
    *experiment = NULL;
    if (metrics == NULL)
        status = pps_fail_memory(err, "the experiment");
    else
        status =
            load_and_check(said, &request, digits_of(said, only[0]), head, experiment, err);
    free(metrics);
    if (status != PPS_OK) {
        pps_experiment_free(*experiment);
        *experiment = NULL;
    }
    return status;
}
