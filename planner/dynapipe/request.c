// SPDX-License-Identifier: Apache-2.0
// Reads the options of the dynaplan commands.
#include "planner/dynapipe/request.h"

#include "base/document/json.h"
#include "base/system/installed.h"
#include "base/system/whole_file.h"
#include "base/text/nearest.h"
#include "base/text/say.h"
#include "base/text/text_buffer.h"
#include "kernels/dynapipe/costs/model_tables.h"
#include "kernels/dynapipe/documents/cost_tables_read.h"
#include "kernels/dynapipe/documents/network_read.h"
#include "planner/dynapipe/request_private.h"
#include "planner/shared/document_read.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COSTS_MOST = 64 << 20, LENGTHS = 16, ROWS = 9, SEED = 1 };

static const char default_cluster[] = "h100";

// ---- documents ------------------------------------------------------------------------------------

// Reads a JSON file, or a shipped document by its name.
static enum pps_status load(const char *kind, const char *word, struct pps_json *json,
                            struct pps_error *err)
{
    char *path = pps_installed_path(kind, word, strdup(word));
    if (path == NULL)
        return pps_fail_memory(err, "a path");
    const struct pps_missing missing = pps_installed_missing(kind, word, path);
    const enum pps_status status = missing.text[0] == '\0'
                                       ? pps_json_load(json, path, err)
                                       : pps_fail(err, PPS_E_INPUT, "%s", missing.text);
    free(path);
    return status;
}

static enum pps_status read_network(const char *word, struct network *network,
                                    struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    enum pps_status status = load("model", word, &json, err);
    if (status != PPS_OK)
        return status;
    if (!network_read(json.root, network, &fault))
        status = plan_fail_document(&json, &fault, err);
    pps_json_free(&json);
    return status;
}

static enum pps_status read_links(const char *word, struct dynaplan_request *r,
                                  struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    enum pps_status status = load("cluster", word, &json, err);
    if (status != PPS_OK)
        return status;
    if (!network_links_read(json.root, &r->links, &r->setup.limit, &fault))
        status = plan_fail_document(&json, &fault, err);
    else if (cJSON_GetObjectItemCaseSensitive(json.root, "node_devices") == NULL)
        r->links.node_devices =
            r->links.node_devices > r->tp ? r->links.node_devices / r->tp : 1;
    pps_json_free(&json);
    return status;
}

// Reads the model and the hardware of a cluster for modelled tables.
static enum pps_status read_models(const char *model, const char *cluster,
                                   struct layercost_model *made, struct network *network,
                                   struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    struct modeldesc described;
    struct cluster links;
    struct training training;
    enum pps_status status = load("model", model, &json, err);
    if (status != PPS_OK)
        return status;
    if (!network_model_read(json.root, &described, network, &fault))
        status = plan_fail_document(&json, &fault, err);
    else
        plan_print_notes(&json, json.root);
    pps_json_free(&json);
    if (status == PPS_OK)
        status = load("cluster", cluster, &json, err);
    if (status != PPS_OK)
        return status;
    training_default(&training);
    if (cJSON_GetObjectItemCaseSensitive(json.root, "bandwidth_inside_gbps") != NULL)
        status = pps_json_fail(&json, json.root, err,
                               "the links do not say which device computes; name a cluster, or "
                               "give the tables with --costs FILE");
    else if (!cluster_read(&links, json.root, &fault))
        status = plan_fail_document(&json, &fault, err);
    else
        layercost_open(made, &described, &links.hardware, &training);
    pps_json_free(&json);
    return status;
}

enum pps_status dynaplan_model_tables(const char *model, const char *cluster,
                                      int32_t tensor_parallel, int32_t longest,
                                      struct network *network, struct cost_tables *tables,
                                      struct pps_error *err)
{
    static const int32_t rows[ROWS] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    int32_t lengths[LENGTHS], n = 0;
    struct layercost_model made;
    for (int32_t length = 64; length < longest; length *= 2)
        lengths[n++] = length;
    lengths[n++] = longest;
    const enum pps_status status = read_models(model, cluster, &made, network, err);
    if (status != PPS_OK)
        return status;
    if (made.model.heads % tensor_parallel != 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--tp %d: the model has %lld attention heads, which it does not divide",
                        (int)tensor_parallel, (long long)made.model.heads);
    return model_tables_make(&made, network->decoders > 0, tensor_parallel, rows, ROWS, lengths,
                             n, tables)
               ? PPS_OK
               : pps_fail_memory(err, "the cost tables");
}

// Reads cost tables; a network in them is used unless there is a model.
static enum pps_status read_costs(const char *word, bool needs_network,
                                  struct dynaplan_request *r, struct pps_error *err)
{
    char *text, *path = pps_installed_path("cost", word, strdup(word));
    size_t n, first = 0;
    struct pps_json json = {.root = NULL};
    struct pps_fault fault;
    if (path == NULL)
        return pps_fail_memory(err, "a path");
    enum pps_status status = pps_whole_file_read(path, COSTS_MOST, &text, &n, err);
    if (status != PPS_OK) {
        free(path);
        return status;
    }
    while (first < n &&
           (isspace((unsigned char)text[first]) || (unsigned char)text[first] >= 0x80))
        first++;
    if (first < n && (text[first] == '{' || text[first] == '/')) {
        status = pps_json_parse(&json, path, text, n, err);
        if (status == PPS_OK && !cost_tables_read(json.root, r->tp, &r->tables, &fault))
            status = plan_fail_document(&json, &fault, err);
        const cJSON *network = status == PPS_OK ? network_of_costs(json.root) : NULL;
        if (network != NULL && needs_network && !network_read(network, &r->network, &fault))
            status = plan_fail_document(&json, &fault, err);
        pps_json_free(&json);
    } else if (!cost_tables_read_csv(text, n, r->tp, &r->tables, &fault)) {
        status = pps_fail_at(err, PPS_E_INPUT, path, fault.line, 0, "%s", fault.text);
    }
    if (status == PPS_OK && needs_network && r->network.hidden == 0)
        status = pps_fail(err, PPS_E_INPUT,
                          "%s does not describe the network; name it with --model, or add "
                          "\"network\": {\"encoder_layers\": 24, \"hidden\": 1024}",
                          path);
    free(text);
    free(path);
    return status;
}

static enum pps_status read_documents(struct dynaplan_request *r, const struct pps_args *args,
                                      struct pps_error *err)
{
    const char *model = pps_arg(args, "model"), *costs = pps_arg(args, "costs"),
               *cluster = pps_arg(args, "cluster");
    enum pps_status status = PPS_OK;
    if (model == NULL && costs == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "give the network with --model NAME, or cost tables with --costs FILE");
    if (cluster == NULL) {
        cluster = default_cluster;
        pps_say(stderr, "note      no --cluster: links and memory of %s", default_cluster);
    }
    if (costs == NULL) {
        r->is_modelled = true;
        pps_say(stderr, "note      no --costs: times and memory of layers are modelled");
        status = dynaplan_model_tables(model, cluster, r->tp, MODEL_TABLES_TOKENS, &r->network,
                                       &r->tables, err);
    } else {
        if (model != NULL)
            status = read_network(model, &r->network, err);
        if (status == PPS_OK)
            status = read_costs(costs, model == NULL, r, err);
    }
    if (status == PPS_OK && r->network.decoders > 0 && !r->tables.has_decoder)
        status =
            pps_fail(err, PPS_E_INPUT,
                     "the network has decoder layers, but the cost tables have no decoder");
    if (status == PPS_OK && r->network.decoders == 0 && r->tables.has_decoder)
        status =
            pps_fail(err, PPS_E_INPUT,
                     "the cost tables have a decoder, but the network has no decoder layers; "
                     "describe it in a file of --model with encoder_layers and decoder_layers");
    return status == PPS_OK ? read_links(cluster, r, err) : status;
}

// ---- the pipeline ---------------------------------------------------------------------------------

static enum pps_status read_whole(const struct pps_args *args, const char *name, uint64_t least,
                                  uint64_t most, int32_t *value, struct pps_error *err)
{
    uint64_t read = (uint64_t)*value;
    const enum pps_status status = pps_arg_count(args, name, least, most, &read, err);
    *value = (int32_t)read;
    return status;
}

static enum pps_status read_list(const char *list, int32_t layers, int32_t *devices,
                                 struct pps_error *err)
{
    int32_t n = 0;
    for (const char *at = list; *at != '\0'; n++) {
        char *end;
        const unsigned long device = strtoul(at, &end, 10);
        if (!isdigit((unsigned char)*at) || device >= DYNAPIPE_DEVICES_MAX ||
            (*end != ',' && *end != '\0') || n == layers)
            return pps_fail(err, PPS_E_INPUT,
                            "--assignment: expected %d devices separated by commas, one for "
                            "each layer, as in 0,0,1,1",
                            (int)layers);
        devices[n] = (int32_t)device;
        at = *end == ',' ? end + 1 : end;
    }
    return n == layers ? PPS_OK
                       : pps_fail(err, PPS_E_INPUT,
                                  "--assignment: %d devices, but the network has %d layers",
                                  (int)n, (int)layers);
}

static enum pps_status spread(struct dynaplan_request *r, const struct pps_args *args,
                              int32_t *device, struct pps_error *err)
{
    const int32_t layers = r->network.encoders + r->network.decoders;
    int32_t devices = 0, per_stage = 0, chunks = 1;
    char text[256];
    enum pps_status status =
        read_whole(args, "devices", 1, DYNAPIPE_DEVICES_MAX, &devices, err);
    if (status == PPS_OK)
        status = read_whole(args, "layers-per-stage", 1, NETWORK_LAYERS_MAX, &per_stage, err);
    if (status != PPS_OK)
        return status;
    if (devices == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "give the devices of the pipeline with --devices D, or the device of "
                        "every layer with --assignment");
    if (per_stage > 0 && layers % (devices * per_stage) != 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--layers-per-stage %d: %d layers are no multiple of %d devices x %d "
                        "layers; choose another number, or use --assignment",
                        (int)per_stage, (int)layers, (int)devices, (int)per_stage);
    if (per_stage > 0)
        chunks = layers / (devices * per_stage);
    return network_spread(&r->network, devices, chunks, device, text, sizeof text)
               ? PPS_OK
               : pps_fail(err, PPS_E_INPUT, "--devices: %s", text);
}

static enum pps_status read_stages(struct dynaplan_request *r, const struct pps_args *args,
                                   struct pps_error *err)
{
    static const char *const others[] = {"devices", "layers-per-stage"};
    const char *list = pps_arg(args, "assignment");
    int32_t device[NETWORK_LAYERS_MAX];
    char text[512];
    enum pps_status status;
    for (size_t k = 0; k < 2 && list != NULL; k++)
        if (pps_arg(args, others[k]) != NULL)
            return pps_fail(err, PPS_E_INPUT, "give --assignment or --%s, not both", others[k]);
    status = list != NULL
                 ? read_list(list, r->network.encoders + r->network.decoders, device, err)
                 : spread(r, args, device, err);
    if (status == PPS_OK && !network_assign(&r->network, device, &r->stages, text, sizeof text))
        status = pps_fail(err, PPS_E_INPUT, "--assignment: %s", text);
    return status;
}

enum pps_status dynaplan_read_memory(struct dynaplan_request *r, const struct pps_args *args,
                                     struct pps_error *err)
{
    const char *memory = pps_arg(args, "memory");
    if (memory != NULL && strcmp(memory, "none") == 0) {
        r->setup.limit = (double)INFINITY;
        return PPS_OK;
    }
    const struct pps_memory_option option = {"memory", "MB", 1e12, 1e12};
    return pps_arg_memory(args, &option, &r->setup.limit, err);
}

enum pps_status dynaplan_open_state(struct step_setup *setup, struct pps_error *err)
{
    const int32_t over = step_setup_open(setup);
    return over < 0
               ? PPS_OK
               : pps_fail(
                     err, PPS_E_INPUT,
                     "--memory: device %d needs %.1f MB for parameters, gradients and "
                     "optimiser, has %.1f MB; use more devices, a larger --tp or --zero, or "
                     "more --memory",
                     (int)over, setup->state[over], setup->limit);
}

static void set_name(struct dynaplan_request *r, const struct pps_args *args)
{
    const char *model = pps_arg(args, "model"), *cluster = pps_arg(args, "cluster");
    model = model != NULL ? model : pps_arg(args, "costs");
    cluster = cluster != NULL ? cluster : default_cluster;
    snprintf(r->name, sizeof r->name, "%.100s on %lld %.100s", model,
             (long long)r->stages.devices * r->tp * r->setup.replicas, cluster);
}

static enum pps_status open_setup(struct dynaplan_request *r, const struct pps_args *args,
                                  struct pps_error *err)
{
    int32_t replicas = 1, zero = 0;
    enum pps_status status = read_whole(args, "dp", 1, 4096, &replicas, err);
    if (status == PPS_OK)
        status = read_whole(args, "zero", 0, 3, &zero, err);
    if (status == PPS_OK)
        status = dynaplan_read_memory(r, args, err);
    if (status == PPS_OK)
        status = read_stages(r, args, err);
    if (status != PPS_OK)
        return status;
    r->setup.network = &r->network;
    r->setup.stages = &r->stages;
    r->setup.links = &r->links;
    r->setup.tables = &r->tables;
    r->setup.replicas = replicas;
    r->setup.zero = zero;
    set_name(r, args);
    return dynaplan_open_state(&r->setup, err);
}

// ---- the choice -----------------------------------------------------------------------------------

static enum pps_status read_name(const struct pps_args *args, const char *option,
                                 const char *const *names, int n, int *value,
                                 struct pps_error *err)
{
    const char *word = pps_arg(args, option);
    if (word == NULL)
        return PPS_OK;
    for (int k = 0; k < n; k++)
        if (strcmp(word, names[k]) == 0) {
            *value = k;
            return PPS_OK;
        }
    const struct pps_hint hint = pps_did_you_mean(word, names, (size_t)n);
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: there is no such name%s; see ppsweep dynaplan --help", option,
                    word, hint.text);
}

// Reads a variable of the environment that is true or false, in any case; without it, or empty, it is false.
static enum pps_status read_truth(const char *name, bool *is_true, struct pps_error *err)
{
    static const char *const words[] = {"true", "yes", "1", "false", "no", "0", ""};
    const char *value = getenv(name);
    int k = 0;
    *is_true = false;
    while (value != NULL && k < 7 && strcasecmp(value, words[k]) != 0)
        k++;
    if (k == 7)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: expected true, yes or 1, or false, no or 0, got %.40s", name,
                        value);
    *is_true = value != NULL && k < 3;
    return PPS_OK;
}

// Refuses a method that the assignment does not have, and names those that it has.
static enum pps_status fail_method(int method, const char *const *all,
                                   enum assignment assignment, struct pps_error *err)
{
    struct text_buffer names = {.text = NULL};
    for (int k = 0; k <= PLAN_FREE_WARM_UPS; k++)
        if (k != METHOD_CYCLIC && plan_method_allows(k, assignment))
            text_buffer_add(&names, "%s%s", names.n > 0 ? ", " : "", all[k]);
    const enum pps_status status =
        names.failed
            ? pps_fail_memory(err, "--method")
            : pps_fail(err, PPS_E_INPUT, "--method %s: it needs %s; this assignment allows %s",
                       all[method],
                       method == METHOD_INTERLEAVED ? "the devices 0, 1, 2, ... again and again"
                                                    : "one stage on every device",
                       names.text);
    text_buffer_free(&names);
    return status;
}

static enum pps_status read_method(struct dynaplan_request *r, const struct pps_args *args,
                                   struct pps_error *err)
{
    const char *all[PLAN_FREE_WARM_UPS + 1];
    int method = PLAN_ANY_METHOD;
    memcpy(all, method_names, METHODS * sizeof *all);
    all[PLAN_FREE_WARM_UPS] = plan_free_warm_ups;
    const enum pps_status status =
        read_name(args, "method", all, PLAN_FREE_WARM_UPS + 1, &method, err);
    if (status != PPS_OK)
        return status;
    if (method == METHOD_CYCLIC)
        return pps_fail(err, PPS_E_INPUT,
                        "--method cyclic: its times are those of whole cycles, which no "
                        "training runs; use wait-free-cyclic");
    const enum assignment assignment = assignment_of(&r->setup.pipeline);
    if (method >= 0 && !plan_method_allows(method, assignment))
        return fail_method(method, all, assignment, err);
    r->choice.method = method;
    return PPS_OK;
}

static enum pps_status read_choice(struct dynaplan_request *r, const struct pps_args *args,
                                   struct pps_error *err)
{
    static const char *const orders[] = {"best", "length", "path"};
    bool fast;
    int order = SPLIT_ORDER_BEST, mode;
    uint64_t budget = 0, seed = SEED;
    enum pps_status status = read_truth("DYNAPIPE_FAST_MODE", &fast, err);
    mode = fast ? PLAN_FAST : PLAN_BEST;
    if (status == PPS_OK)
        status = read_name(args, "order", orders, 3, &order, err);
    if (status == PPS_OK)
        status = read_name(args, "mode", plan_mode_names, PLAN_MODES, &mode, err);
    if (status == PPS_OK)
        status = read_method(r, args, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "budget", 1, (uint64_t)1 << 40, &budget, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seed", 0, (uint64_t)1 << 53, &seed, err);
    if (status == PPS_OK)
        status = pps_arg_number(args, "fraction", 0, 1, &r->choice.fraction, err);
    if (status == PPS_OK)
        status = read_whole(args, "offset", 0, 64, &r->choice.offset, err);
    if (status == PPS_OK)
        status = plan_arg_compat(args, &r->choice.as_published, err);
    r->choice.order = (enum split_order)order;
    r->choice.mode = (enum plan_mode)mode;
    r->choice.budget = (int64_t)budget;
    r->choice.seed = seed;
    r->choice.pack = pps_arg(args, "pack") != NULL;
    r->choice.keeps_order = pps_arg(args, "no-permute") != NULL;
    return status;
}

enum pps_status dynaplan_request_open(struct dynaplan_request *r, const struct pps_args *args,
                                      struct pps_error *err)
{
    memset(r, 0, sizeof *r);
    r->tp = 1;
    enum pps_status status;
    if (pps_arg_words(args) > 1) {
        status = dynaplan_open_training(r, args, err);
        return status == PPS_OK ? read_choice(r, args, err) : status;
    }
    status = read_whole(args, "tp", 1, 65536, &r->tp, err);
    if (status == PPS_OK)
        status = read_documents(r, args, err);
    if (status == PPS_OK)
        status = open_setup(r, args, err);
    if (status == PPS_OK)
        status = read_choice(r, args, err);
    return status != PPS_OK || batch_bound_open(&r->bound, &r->setup, !r->choice.as_published)
               ? status
               : pps_fail_memory(err, "the cost tables");
}

void dynaplan_request_close(struct dynaplan_request *r)
{
    batch_bound_close(&r->bound);
    cost_tables_free(&r->tables);
    training_stages_free(&r->training);
    if (!r->has_training)
        return;
    plan_configuration_close(&r->configuration);
    plan_run_close(&r->run);
}
