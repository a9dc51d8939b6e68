// SPDX-License-Identifier: Apache-2.0
// ppsweep models and ppsweep clusters: the records that come with the program.
#include "base/text/human.h"
#include "planner/check/check.h"

#include "base/document/json.h"
#include "base/math/units.h"
#include "base/system/installed.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_opt options[] = {
    {"json", 0, NULL, "print one JSON array"},
    {NULL, 0, NULL, NULL},
};

static const char models_details[] =
    "WORD is a part of the names to list. A name is found as people write it: Llama-3-70B and\n"
    "meta-llama/Llama-3.1-70B-Instruct are llama3-70b. Parameters are all stored matrices of the language\n"
    "model, each once; modules for more than one next token (MTP) have a line of their own. Active are those\n"
    "that one token uses.\n"
    "\n"
    "  ppsweep models qwen\n";

static const char clusters_details[] =
    "WORD is a part of the names to list. H100 and h100 are the same.\n"
    "\n"
    "  ppsweep clusters\n";

// ---- lines --------------------------------------------------------------------------------------

// Prints the line of a record, or its object.
typedef bool print_record(const char *name, const cJSON *root, cJSON *list,
                          struct pps_fault *fault);

static bool print_model(const char *name, const cJSON *root, cJSON *list,
                        struct pps_fault *fault)
{
    struct modeldesc model;
    struct modeldesc_counts counts;
    if (!modeldesc_read(&model, root, fault))
        return false;
    modeldesc_count(&model, &counts);
    if (list == NULL) {
        printf("%-22s %17s %17s %6lld %7s\n", name, pps_count_text((double)counts.total).text,
               pps_count_text((double)counts.active).text, (long long)model.num_layers,
               pps_count_text((double)model.hidden).text);
        if (model.mtp_depth > 0)
            printf("  %-20s %17s\n", "and MTP modules",
                   pps_count_text((double)(model.mtp_depth * counts.mtp_module)).text);
        return true;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddNumberToObject(object, "parameters", (double)counts.total);
    cJSON_AddNumberToObject(object, "active", (double)counts.active);
    if (model.mtp_depth > 0)
        cJSON_AddNumberToObject(object, "mtp_parameters",
                                (double)(model.mtp_depth * counts.mtp_module));
    cJSON_AddNumberToObject(object, "layers", (double)model.num_layers);
    cJSON_AddNumberToObject(object, "hidden_size", (double)model.hidden);
    return cJSON_AddItemToArray(list, object);
}

static bool print_cluster(const char *name, const cJSON *root, cJSON *list,
                          struct pps_fault *fault)
{
    struct cluster cluster;
    if (!cluster_read(&cluster, root, fault))
        return false;
    if (list == NULL) {
        printf("%-22s %-10s %8s %10.0f %12s\n", name, cluster.hardware.name,
               pps_count_text((double)cluster.world_size).text,
               cluster.memory_limit / UNITS_GIB,
               pps_decimals_text(cluster.hardware.peak / 1e12, 1).text);
        return true;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "hardware", cluster.hardware.name);
    cJSON_AddNumberToObject(object, "devices", (double)cluster.world_size);
    cJSON_AddNumberToObject(object, "memory_gib", cluster.memory_limit / UNITS_GIB);
    cJSON_AddNumberToObject(object, "peak", cluster.hardware.peak);
    return cJSON_AddItemToArray(list, object);
}

// ---- lists --------------------------------------------------------------------------------------

static enum pps_status list_one(const char *kind, const char *name, print_record *print,
                                cJSON *list, struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault = {.item = NULL};
    char *path = pps_installed_path(kind, name, strdup(name));
    if (path == NULL)
        return pps_fail_memory(err, "a path");
    enum pps_status status = pps_json_load(&json, path, err);
    free(path);
    if (status != PPS_OK)
        return status;
    if (!print(name, json.root, list, &fault))
        status = plan_fail_document(&json, &fault, err);
    pps_json_free(&json);
    return status;
}

static enum pps_status list_all(const struct pps_args *args, const char *kind, const char *head,
                                print_record *print, struct pps_error *err)
{
    struct pps_installed_names names;
    const char *word = pps_arg_words(args) > 0 ? pps_arg_word(args, 0) : "";
    cJSON *list = pps_arg(args, "json") != NULL ? cJSON_CreateArray() : NULL;
    enum pps_status status = PPS_OK;
    size_t n = 0;
    pps_installed_names(kind, &names);
    for (size_t k = 0; k < names.n && status == PPS_OK; k++) {
        if (strcasestr(names.name[k], word) == NULL)
            continue;
        if (n++ == 0 && list == NULL)
            puts(head);
        status = list_one(kind, names.name[k], print, list, err);
    }
    if (n == 0)
        status = pps_fail(err, PPS_E_INPUT,
                          "no %s has \"%s\" in its name; ppsweep %ss lists all of them", kind,
                          word, kind);
    if (list != NULL && status == PPS_OK)
        pps_json_put(stdout, list);
    else
        cJSON_Delete(list);
    return status;
}

static enum pps_status models_main(const struct pps_args *args, struct pps_error *err)
{
    static const char head[] =
        "model                         parameters            active layers  hidden";
    return list_all(args, "model", head, print_model, err);
}

static enum pps_status clusters_main(const struct pps_args *args, struct pps_error *err)
{
    static const char head[] =
        "cluster                hardware    devices memory GiB peak TFLOP/s";
    return list_all(args, "cluster", head, print_cluster, err);
}

const struct pps_command models_command = {
    .name = "models",
    .summary = "list the models that come with the program, with their parameters",
    .usage = "[options] [WORD]",
    .details = models_details,
    .options = options,
    .max_words = 1,
    .main = models_main,
};

const struct pps_command clusters_command = {
    .name = "clusters",
    .summary = "list the clusters that come with the program",
    .usage = "[options] [WORD]",
    .details = clusters_details,
    .options = options,
    .max_words = 1,
    .main = clusters_main,
};
