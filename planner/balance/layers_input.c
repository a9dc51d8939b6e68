// SPDX-License-Identifier: Apache-2.0
// Reads the layers of the balance commands: of a file of layers, a plan, or a training.
#include "planner/balance/layers_input.h"

#include "base/text/say.h"
#include "kernels/balance/documents/layers_read.h"
#include "kernels/common/plan/plan_json.h"
#include "planner/balance/init/fit_layers.h"
#include "planner/shared/document_read.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- layers -------------------------------------------------------------------------------------

// Finds the file of the layers and the cluster among the words that are no axes, as in m=8,16; NULL: none.
static enum pps_status find_words(const struct pps_args *args, const char *words[2],
                                  struct pps_error *err)
{
    int n = 0;
    words[0] = words[1] = NULL;
    for (int i = 0; i < pps_arg_words(args); i++) {
        const char *at = pps_arg_word(args, i);
        if (strchr(at, '=') != NULL && pps_arg(args, "explore") != NULL)
            continue;
        if (n == 2 || (n == 1 && strchr(at, '=') != NULL))
            return pps_fail(err, PPS_E_INPUT,
                            "%s: unexpected argument; give a file of layers, or a training and "
                            "a cluster",
                            at);
        words[n++] = at;
    }
    return PPS_OK;
}

static enum pps_status find_path(struct balance_request *request, const struct pps_args *args,
                                 const char *word, struct pps_error *err)
{
    const char *name = pps_arg(args, "model-name"), *folder = pps_arg(args, "layer-folder");
    const bool has_word = word != NULL;
    if (has_word && (name != NULL || folder != NULL))
        return pps_fail(err, PPS_E_INPUT,
                        "give the layers as a file, or as --model-name in --layer-folder, not "
                        "both");
    if (!has_word && name == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "give the layers of a model: a JSON file, or --model-name NAME for "
                        "NAME.json in --layer-folder");
    const int n = has_word ? snprintf(request->path, sizeof request->path, "%s", word)
                           : snprintf(request->path, sizeof request->path, "%s/%s.json",
                                      folder != NULL ? folder : "layers", name);
    if (n < 0 || (size_t)n >= sizeof request->path)
        return pps_fail(err, PPS_E_INPUT, "the path of the layers is too long");
    return PPS_OK;
}

// Finds the layers by an init file, and writes them where --model-name will find them.
static enum pps_status fit_layers(struct balance_request *request, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *path = pps_arg(args, "init"), *name = pps_arg(args, "model-name"),
               *folder = pps_arg(args, "layer-folder");
    struct init_file file;
    if (pps_arg_words(args) > 0 && strchr(pps_arg_word(args, 0), '=') == NULL)
        return pps_fail(err, PPS_E_INPUT, "give --init or a file of layers, not both");
    name = name != NULL ? name : "model_name";
    folder = folder != NULL ? folder : "layers";
    const int n = snprintf(request->path, sizeof request->path, "%s/%s.json", folder, name);
    if (n < 0 || (size_t)n >= sizeof request->path)
        return pps_fail(err, PPS_E_INPUT, "the path of the layers is too long");
    enum pps_status status = init_file_read(&file, path, err);
    if (status != PPS_OK)
        return status;
    init_file_show(&file, stdout);
    status = init_file_layers(&file, name, &request->layers, err);
    if (status == PPS_OK)
        status = init_file_write(&request->layers, request->path, pps_arg_gate(args), err);
    init_file_free(&file);
    return status;
}

// ---- plans and trainings ------------------------------------------------------------------------

static const char no_layers[] =
    "the plan does not say of which layers its stages are made; plans of ppsweep check, ppsweep "
    "balance and ppsweep nd pipeline do";

static const char no_split[] =
    "its layers cannot be moved between stages; ppsweep balance layers FILE says why, and ppsweep "
    "nd pipeline and tune try splits";

// Names the model and the devices of a plan that knows its training.
static void name_layers(struct balance_layers *layers, const struct plan *plan)
{
    cJSON *root = cJSON_Parse(plan->configuration);
    const cJSON *cluster = pps_json_member(root, "cluster");
    const cJSON *name = pps_json_member(pps_json_member(root, "model"), "name");
    const cJSON *device = pps_json_member(pps_json_member(cluster, "hardware"), "name");
    const cJSON *devices = pps_json_member(cluster, "world_size");
    if (cJSON_IsString(name))
        snprintf(layers->name, sizeof layers->name, "%s", name->valuestring);
    if (cJSON_IsString(device) && cJSON_IsNumber(devices))
        snprintf(layers->devices, sizeof layers->devices, "%.0f %s", devices->valuedouble,
                 device->valuestring);
    cJSON_Delete(root);
}

// Takes layers, pipeline and strategy from a plan.
static bool take_plan(struct balance_request *request, const struct plan *plan,
                      struct pps_fault *fault)
{
    if (!balance_planned_of(plan, &request->planned, fault))
        return false;
    request->layers = request->planned.layers;
    name_layers(&request->layers, plan);
    if (request->layers.layers == 0)
        return pps_fault_set(fault, NULL, false, "%s",
                             plan->configuration != NULL ? no_split : no_layers);
    const char *misfit = balance_layers_misfit(&request->layers);
    if (misfit != NULL)
        return pps_fault_set(fault, NULL, false, "%s", misfit);
    if (request->planned.has_other_order)
        pps_say(stderr,
                "note      %s: its order (%s) is none of balance, which splits the layers for "
                "1F1B or interleaved 1F1B; its own strategy is no row",
                request->path, plan->makers[PLAN_ORDER].by);
    else if (plan->configuration != NULL && plan->split == NULL)
        pps_say(
            stderr,
            "note      %s: modules that predict several tokens are part of the tail, so every "
            "split has them on the last stage; its own strategy is no row",
            request->path);
    return true;
}

static enum pps_status read_plan(struct balance_request *request, const struct pps_json *json,
                                 struct pps_error *err)
{
    struct pps_fault fault = {.item = NULL};
    struct plan *plan = plan_json_read(json->root, &fault);
    const bool taken = plan != NULL && take_plan(request, plan, &fault);
    plan_free(plan);
    if (taken)
        return PPS_OK;
    if (fault.item == NULL)
        fault.item = json->root;
    return fault.text[0] == '\0' ? pps_fail_memory(err, "%s", request->path)
                                 : plan_fail_document(json, &fault, err);
}

static enum pps_status read_training(struct balance_request *request, const char *cluster,
                                     struct pps_error *err)
{
    struct pps_fault fault;
    struct pps_json json;
    struct plan *plan;
    enum pps_status status = plan_file_read(&plan, &json, request->path, cluster, err);
    if (status != PPS_OK)
        return status;
    if (!take_plan(request, plan, &fault))
        status = fault.text[0] == '\0'
                     ? pps_fail_memory(err, "%s", request->path)
                     : pps_fail_at(err, PPS_E_INPUT, request->path, 0, 0, "%s", fault.text);
    plan_free(plan);
    pps_json_free(&json);
    return status;
}

// Returns whether a document is a training: the configuration of a framework, or a run document.
static bool is_training(const struct plan_document *document)
{
    const cJSON *root = document->json.root;
    return document->framework != FRAMEWORK_NONE || pps_json_member(root, "baseline") != NULL ||
           pps_json_member(root, "model") != NULL;
}

// ---- files of layers ----------------------------------------------------------------------------

static enum pps_status read_layers(struct balance_request *request, const struct pps_json *json,
                                   struct pps_error *err)
{
    struct pps_fault fault = {.document = 0}, doubts[PLAN_DOUBTS_MOST];
    if (!balance_layers_read(json->root, &request->layers, &fault))
        return plan_fail_document(json, &fault, err);
    plan_warn(json, doubts,
              balance_layers_doubts(json->root, &request->layers, doubts, PLAN_DOUBTS_MOST));
    const char *misfit = balance_layers_misfit(&request->layers);
    return misfit == NULL ? PPS_OK : pps_json_fail(json, json->root, err, "%s", misfit);
}

static enum pps_status read_file(struct balance_request *request, const char *cluster,
                                 struct pps_error *err)
{
    struct plan_document document;
    enum pps_status status = plan_document_read(&document, request->path, PLAINDOC_NONE, err);
    if (status != PPS_OK)
        return status;
    const struct pps_json *json = &document.json;
    const bool is_plan = plan_json_is_plan(json->root);
    if (is_training(&document) || (is_plan && cluster != NULL))
        status = read_training(request, cluster, err);
    else if (cluster != NULL)
        status = pps_fail(err, PPS_E_INPUT,
                          "%s: unexpected argument; %s is no training, which a cluster prices",
                          cluster, request->path);
    else
        status = is_plan ? read_plan(request, json, err) : read_layers(request, json, err);
    plan_document_free(&document);
    return status;
}

enum pps_status balance_read_layers(struct balance_request *request,
                                    const struct pps_args *args, struct pps_error *err)
{
    const char *words[2];
    request->planned = (struct balance_planned){.memory_mb = (double)INFINITY};
    if (pps_arg(args, "init") != NULL)
        return fit_layers(request, args, err);
    enum pps_status status = find_words(args, words, err);
    if (status == PPS_OK)
        status = find_path(request, args, words[0], err);
    return status == PPS_OK ? read_file(request, words[1], err) : status;
}
