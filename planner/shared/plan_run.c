// SPDX-License-Identifier: Apache-2.0
// Reads the documents of a training run, in separate files or in one.
#include "planner/shared/plan_run_private.h"

#include "base/system/installed.h"
#include "base/text/characters.h"
#include "base/text/say.h"
#include "kernels/common/description/run_document.h"
#include "kernels/common/plan/plan_json.h"
#include "planner/shared/configurations.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Options of the published tool that name the model file.
static const struct {
    const char *name;
    enum plaindoc_form form; // of files without a known name extension
} model_options[] = {
    {"yaml-path", PLAINDOC_YAML}, {"shell-path", PLAINDOC_FLAT}, {"toml-path", PLAINDOC_TOML},
    {"yaml", PLAINDOC_YAML},      {"shell", PLAINDOC_FLAT},
};

// ---- parts of a document ------------------------------------------------------------------------

static bool has_key(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
}

// A configuration of a framework says how many devices the training uses, a cluster record what they are.
static bool read_cluster(struct plan_run *run, const cJSON *item, bool of_framework,
                         struct pps_fault *fault)
{
    struct cluster read;
    if (!cluster_read(&read, item, fault))
        return false;
    if (of_framework)
        run->file = read;
    else
        run->record_devices = read.world_size;
    if (of_framework)
        run->file_memory = has_key(item, "max_device_memory");
    if (!of_framework || !run->has_cluster) {
        run->cluster = read;
        run->sets_memory = has_key(item, "max_device_memory");
        run->sets_reserve = has_key(item, "memory_reserve_mb");
    }
    run->has_cluster = true;
    run->names_hardware = run->names_hardware || has_key(item, "hardware");
    if (run->file.world_size > 0)
        run->cluster.world_size = run->file.world_size;
    // The limit of a framework leaves the rest of the device to everything else.
    if (run->file_memory) {
        run->cluster.memory_limit = run->file.memory_limit;
        run->cluster.reserve = run->file.reserve;
        run->sets_memory = run->sets_reserve = true;
    }
    return true;
}

static bool read_parts(struct plan_run *run, const struct rundoc *parts, bool of_framework,
                       const struct plan_strategy_reader *strategy, struct pps_fault *fault)
{
    if (parts->model != NULL && !run->has_model) {
        if (!cJSON_IsObject(parts->model))
            return pps_fault_set(
                fault, parts->model, false,
                "model: expected an object; otherwise name the model file first");
        if (!modeldesc_read(&run->model, parts->model, fault))
            return false;
        run->has_model = true;
        run->model_item = parts->model;
    }
    if (parts->cluster != NULL && !read_cluster(run, parts->cluster, of_framework, fault))
        return false;
    if (parts->training != NULL && !training_read(&run->training, parts->training, fault))
        return false;
    if (parts->training != NULL && !of_framework)
        run->sets_batch =
            has_key(parts->training, "gbs") || has_key(parts->training, "global_batch_size");
    return parts->strategy == NULL || strategy->read(strategy->self, parts->strategy, fault);
}

// Returns the object that describes the run: the document, or the training of a plan; NULL: the plan names
// none.
static cJSON *training_of(const struct plan_document *document)
{
    cJSON *root = document->json.root;
    return plan_json_is_plan(root) ? cJSON_GetObjectItemCaseSensitive(root, "configuration")
                                   : root;
}

static enum pps_status read_document(struct plan_document *document,
                                     const struct plan_text *instead, const char *path,
                                     enum plaindoc_form form, struct pps_error *err)
{
    if (instead == NULL || strcmp(instead->name, path) != 0)
        return plan_document_read(document, path, form, err);
    return plan_document_of_text(document, path, instead->form, instead->text, instead->n, err);
}

// A document whose first key is not ours may be a file of a framework that is not known.
static void name_frameworks(const struct plan_document *document, struct pps_fault *fault)
{
    const size_t n = strlen(fault->text);
    if (document->framework == FRAMEWORK_NONE &&
        pps_ends_with(fault->text, "no such key in a run"))
        snprintf(fault->text + n, sizeof fault->text - n,
                 ", and the file has no keys of a known framework (%s)", framework_known());
}

static enum pps_status load(struct plan_run *run, const char *path, enum plaindoc_form form,
                            const struct plan_strategy_reader *strategy, struct pps_error *err);

// Loads the model that a configuration names, if there is one: a folder or file beside it, or a shipped model, as in
// meta-llama/Llama-3.1-70B.
static enum pps_status load_named_model(struct plan_run *run, const char *configuration,
                                        const char *name,
                                        const struct plan_strategy_reader *strategy,
                                        struct pps_error *err)
{
    struct pps_installed_names names;
    pps_installed_names("model", &names);
    const char *known = pps_installed_match(&names, name);
    if (run->n_documents == PLAN_DOCUMENTS)
        return PPS_OK;
    char *path = plan_document_model(configuration, name);
    if (path == NULL && known != NULL)
        path = pps_installed_path("model", known, strdup(known));
    if (path == NULL)
        return PPS_OK;
    const enum pps_status status = load(run, path, PLAINDOC_NONE, strategy, err);
    free(path);
    return status;
}

static enum pps_status load(struct plan_run *run, const char *path, enum plaindoc_form form,
                            const struct plan_strategy_reader *strategy, struct pps_error *err)
{
    struct rundoc parts;
    struct pps_fault fault = {.item = NULL};
    struct plan_document *document = &run->documents[run->n_documents];
    enum pps_status status = read_document(document, run->instead, path, form, err);
    if (status != PPS_OK)
        return status;
    run->n_documents++;
    cJSON *root = training_of(document);
    const bool of_training =
        document->framework != FRAMEWORK_NONE || root != document->json.root;
    if (root == NULL)
        return pps_json_fail(
            &document->json, document->json.root, err,
            "the plan does not say of which training it is (\"configuration\"); "
            "plans of ppsweep check do");
    if (!rundoc_split(&parts, root, &fault) ||
        !read_parts(run, &parts, of_training, strategy, &fault)) {
        name_frameworks(document, &fault);
        return plan_fail_document(&document->json, &fault, err);
    }
    if (!run->has_model && document->model_name[0] != '\0') {
        status = load_named_model(run, path, document->model_name, strategy, err);
        if (status != PPS_OK)
            return status;
    }
    const struct pps_fault *unknown = &document->unknown_model;
    if (!run->has_model && unknown->text[0] != '\0')
        return pps_fail_at(err, PPS_E_INPUT, path, unknown->line, unknown->column, "%s",
                           unknown->text);
    if (parts.baseline != NULL) {
        run->baseline = cJSON_GetObjectItemCaseSensitive(root, "baseline");
        run->baseline_in = document;
    }
    return parts.model != NULL && run->model_item == parts.model
               ? plan_document_add_notes(document, parts.model, err)
               : PPS_OK;
}

// Loads a file; of a folder the first configuration.
static enum pps_status load_path(struct plan_run *run, const char *path,
                                 enum plaindoc_form form,
                                 const struct plan_strategy_reader *strategy,
                                 struct pps_error *err)
{
    struct plan_configurations list;
    if (!plan_is_folder(path))
        return load(run, path, form, strategy, err);
    enum pps_status status = plan_configurations_require(&list, path, err);
    if (status == PPS_OK)
        status = load(run, list.paths[0], form, strategy, err);
    plan_configurations_free(&list);
    return status;
}

// Loads a file, or a shipped document by its name.
static enum pps_status load_word(struct plan_run *run, const char *kind, const char *word,
                                 const struct plan_strategy_reader *strategy,
                                 struct pps_error *err)
{
    char *path = pps_installed_path(kind, word, strdup(word));
    if (path == NULL)
        return pps_fail_memory(err, "a path");
    const struct pps_missing missing = pps_installed_missing(kind, word, path);
    enum pps_status status = missing.text[0] == '\0'
                                 ? load_path(run, path, PLAINDOC_NONE, strategy, err)
                                 : pps_fail(err, PPS_E_INPUT, "%s", missing.text);
    free(path);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

// The option that names the model's file.
struct model_option {
    const char *path; // NULL: none
    enum plaindoc_form form;
    bool in_config; // the file of --config sets it: arguments have priority
};

static enum pps_status find_model_option(const struct pps_args *args,
                                         struct model_option *model, struct pps_error *err)
{
    *model = (struct model_option){.path = NULL};
    for (size_t k = 0; k < sizeof model_options / sizeof *model_options; k++) {
        const char *path = pps_arg(args, model_options[k].name);
        if (path == NULL)
            continue;
        if (model->path != NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "only support yaml/shell/toml file: name only one");
        *model = (struct model_option){path, model_options[k].form,
                                       pps_arg_in_config(args, model_options[k].name)};
    }
    return PPS_OK;
}

static enum pps_status load_all(struct plan_run *run, const struct pps_args *args,
                                const struct plan_strategy_reader *strategy,
                                struct pps_error *err)
{
    struct model_option model;
    enum pps_status status = find_model_option(args, &model, err);
    const bool first = model.path != NULL && !model.in_config;
    if (status == PPS_OK && first)
        status = load_path(run, model.path, model.form, strategy, err);
    for (int k = 0; k < pps_arg_words(args) && status == PPS_OK; k++)
        status = load_word(run, k == 0 && !first ? "model" : "cluster", pps_arg_word(args, k),
                           strategy, err);
    if (status == PPS_OK && model.in_config && !run->has_model)
        status = load_path(run, model.path, model.form, strategy, err);
    if (status == PPS_OK && pps_arg(args, "training") != NULL)
        status = load(run, pps_arg(args, "training"), PLAINDOC_NONE, strategy, err);
    return status;
}

static bool skip_strategy(void *self, const cJSON *strategy, struct pps_fault *fault)
{
    (void)self;
    (void)strategy;
    (void)fault;
    return true;
}

static enum pps_status finish(struct plan_run *run, const struct pps_args *args,
                              enum pps_status status, struct pps_error *err)
{
    if (status == PPS_OK)
        status = plan_run_apply_options(run, args, err);
    if (status != PPS_OK)
        plan_run_close(run);
    return status;
}

const struct plan_document *plan_run_configuration(const struct plan_run *run)
{
    for (int k = 0; k < run->n_documents; k++)
        if (run->documents[k].framework != FRAMEWORK_NONE)
            return &run->documents[k];
    return NULL;
}

static enum pps_status open_run(struct plan_run *run, const struct pps_args *args,
                                const struct plan_strategy_reader *strategy,
                                struct pps_error *err)
{
    training_default(&run->training);
    const struct plan_strategy_reader skip = {skip_strategy, NULL};
    enum pps_status status = load_all(run, args, strategy != NULL ? strategy : &skip, err);
    if (status == PPS_OK && !run->has_model)
        status = pps_fail(err, PPS_E_INPUT,
                          "model missing; write: ppsweep %s MODEL.json [CLUSTER.json]",
                          pps_arg_command(args));
    return finish(run, args, status, err);
}

enum pps_status plan_run_open_files(struct plan_run *run, const char *training,
                                    const char *cluster, const struct pps_args *args,
                                    struct pps_error *err)
{
    const struct plan_strategy_reader none = {skip_strategy, NULL};
    *run = (struct plan_run){.n_documents = 0};
    training_default(&run->training);
    enum pps_status status = load_word(run, "model", training, &none, err);
    if (status == PPS_OK && cluster != NULL)
        status = load_word(run, "cluster", cluster, &none, err);
    if (status == PPS_OK && !run->has_model)
        status = pps_fail_at(err, PPS_E_INPUT, training, 0, 0, "describes no training");
    return finish(run, args, status, err);
}

enum pps_status plan_run_open(struct plan_run *run, const struct pps_args *args,
                              const struct plan_strategy_reader *strategy,
                              struct pps_error *err)
{
    *run = (struct plan_run){.n_documents = 0};
    return open_run(run, args, strategy, err);
}

enum pps_status plan_run_open_with(struct plan_run *run, const struct pps_args *args,
                                   const struct plan_text *instead, struct pps_error *err)
{
    *run = (struct plan_run){.instead = instead};
    return open_run(run, args, NULL, err);
}

enum pps_status plan_run_check_schedule(const struct plan_run *run, struct pps_error *err)
{
    const enum training_schedule schedule = run->training.schedule;
    if (schedule != TRAINING_ZERO_BUBBLE && schedule != TRAINING_DUALPIPE)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "schedule %s: pipelines are solved for 1f1b and vpp; ppsweep schedule "
                    "compares others",
                    training_schedule_word(schedule));
}

void plan_run_close(struct plan_run *run)
{
    for (int k = 0; k < run->n_documents; k++)
        plan_document_free(&run->documents[k]);
    *run = (struct plan_run){.n_documents = 0};
}

void plan_print_beside(const struct modeldesc *model)
{
    struct modeldesc_counts counts;
    modeldesc_count(model, &counts);
    if (model->mtp_depth > 0)
        pps_say(stdout, "          beside it %.4g B in %lld MTP module%s",
                (double)(model->mtp_depth * counts.mtp_module) / 1e9,
                (long long)model->mtp_depth, model->mtp_depth > 1 ? "s" : "");
    const int64_t towers[] = {model->image_tower, model->audio_tower};
    for (int k = 0; k < 2; k++)
        if (towers[k] > 0)
            pps_say(stdout, "          beside it %.4g B in a tower for %s, which is not priced",
                    (double)towers[k] / 1e9, k == 0 ? "images" : "sound");
}

void plan_print_kinds(const struct modeldesc *model)
{
    int64_t n[MODELDESC_KINDS];
    modeldesc_kinds_of(model, 0, model->num_layers, n);
    for (int k = 0; k < model->n_kinds; k++) {
        char text[MODELDESC_KIND_TEXT];
        modeldesc_kind_text(model, k, text);
        pps_say(stdout, "%s %lld %s", k == 0 ? "layers   " : "         ", (long long)n[k],
                text);
    }
}
