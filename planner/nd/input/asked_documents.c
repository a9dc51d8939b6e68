// SPDX-License-Identifier: Apache-2.0
// Reads the documents of `ppsweep nd`: model, cluster and training, in separate files or in one.
#include "planner/nd/input/asked.h"
#include "planner/shared/document_read.h"

#include "base/math/units.h"
#include "kernels/common/description/run_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 1 << 20 }; // as in a cluster's document

// Default GiB per device reserved for framework and communication, as in the shipped clusters.
static const double RESERVE_GIB = 4;

// Options of the published tool that name the model file.
static const struct {
    const char *name;
    enum plaindoc_form form; // of files without a known name extension
} model_options[] = {
    {"yaml-path", PLAINDOC_YAML}, {"shell-path", PLAINDOC_FLAT}, {"toml-path", PLAINDOC_TOML},
    {"yaml", PLAINDOC_YAML},      {"shell", PLAINDOC_FLAT},
};

static enum pps_status fail_document(const struct pps_json *json,
                                     const struct docfault *fault,
                                     struct pps_error *err)
{
    return fault->at_key ? pps_json_fail_key(json, fault->item, err, "%s", fault->text)
                         : pps_json_fail(json, fault->item, err, "%s", fault->text);
}

// ---- parts of a document ------------------------------------------------------------------------

static bool read_switch(const cJSON *strategy,
                        const char *key,
                        bool *value,
                        struct docfault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(strategy, key);
    if (item == NULL)
        return true;
    if (!cJSON_IsBool(item))
        return docfault_set(fault, item, false, "%s: expected true or false", key);
    *value = cJSON_IsTrue(item);
    return true;
}

static bool read_switches(const cJSON *strategy,
                          struct nd_switches *vary,
                          struct docfault *fault)
{
    return read_switch(strategy, "DP", &vary->dp, fault) &&
           read_switch(strategy, "TP", &vary->tp, fault) &&
           read_switch(strategy, "PP", &vary->pp, fault) &&
           read_switch(strategy, "EP", &vary->ep, fault) &&
           read_switch(strategy, "CP", &vary->cp, fault) &&
           read_switch(strategy, "FSDP", &vary->fsdp, fault);
}

static bool has_key(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
}

static bool read_parts(struct nd_job *job, const struct rundoc *run, struct docfault *fault)
{
    if (run->model != NULL && !job->has_model) {
        if (!cJSON_IsObject(run->model))
            return docfault_set(
                fault, run->model, false,
                "model: expected an object; otherwise name the model file first");
        if (!modeldesc_read(&job->model, run->model, fault))
            return false;
        job->has_model = true;
        job->model_item = run->model;
    }
    if (run->cluster != NULL) {
        if (!cluster_read(&job->cluster, run->cluster, fault))
            return false;
        job->has_cluster = true;
        job->says_memory = has_key(run->cluster, "max_device_memory");
        job->says_reserve = has_key(run->cluster, "memory_reserve_mb");
    }
    if (run->training != NULL && !training_read(&job->training, run->training, fault))
        return false;
    return run->strategy == NULL || read_switches(run->strategy, &job->vary, fault);
}

static enum pps_status load(struct nd_job *job,
                            const char *path,
                            enum plaindoc_form form,
                            struct pps_error *err)
{
    struct rundoc run;
    struct docfault fault = {.item = NULL};
    struct pps_json *json = &job->documents[job->n_documents];
    enum pps_status status = nd_tool_document(json, path, form, err);
    if (status != PPS_OK)
        return status;
    job->n_documents++;
    if (!rundoc_split(&run, json->root, &fault) || !read_parts(job, &run, &fault))
        return fail_document(json, &fault, err);
    return PPS_OK;
}

// Loads a file, or a shipped document by its name.
static enum pps_status load_word(struct nd_job *job,
                                 const char *kind,
                                 const char *word,
                                 struct pps_error *err)
{
    char *path = pps_shipped_path(kind, word, strdup(word));
    if (path == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for a path");
    const struct pps_missing missing = pps_shipped_missing(kind, word, path);
    enum pps_status status = missing.text[0] == '\0'
                                 ? load(job, path, PLAINDOC_NONE, err)
                                 : pps_fail(err, PPS_E_INPUT, "%s", missing.text);
    free(path);
    return status;
}

// ---- options and defaults ----------------------------------------------------------------------

// Reads --devices, or --nnodes times --npus-per-node; 0 without either.
static enum pps_status read_devices(const struct pps_args *args,
                                    uint64_t *devices,
                                    uint64_t *node,
                                    struct pps_error *err)
{
    uint64_t nodes = 0;
    *devices = 0;
    enum pps_status status = pps_arg_count(args, "npus-per-node", 1, DEVICES_MAX, node, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "nnodes", 1, DEVICES_MAX, &nodes, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "devices", 1, DEVICES_MAX, devices, err);
    if (status == PPS_OK && *devices == 0)
        *devices = nodes * (*node > 0 ? *node : 8);
    return status;
}

static enum pps_status default_cluster(struct nd_job *job,
                                       uint64_t devices,
                                       struct pps_error *err)
{
    struct docfault fault;
    char text[64];
    struct pps_json *json = &job->documents[job->n_documents];
    const int n =
        snprintf(text, sizeof text, "{\"world_size\": %llu}", (unsigned long long)devices);
    enum pps_status status = pps_json_parse(json, "--devices", text, (size_t)n, err);
    if (status != PPS_OK)
        return status;
    job->n_documents++;
    return cluster_read(&job->cluster, json->root, &fault) ? PPS_OK
                                                           : fail_document(json, &fault, err);
}

// Without a memory limit, uses all memory of a known device, minus the reserve. As published the
// limit is a constant.
static void assume_memory(struct nd_job *job, const struct pps_args *args)
{
    const char *compat = pps_arg(args, "compat");
    struct cluster *cluster = &job->cluster;
    const double memory = cluster->hardware.memory;
    if (job->says_memory || pps_arg(args, "memory") != NULL ||
        memory <= 2 * RESERVE_GIB * UNITS_GIB ||
        (compat != NULL && strcmp(compat, "orig") == 0))
        return;
    cluster->memory_limit = memory;
    if (!job->says_reserve)
        cluster->reserve = RESERVE_GIB * UNITS_GIB;
    job->assumes_memory = true;
}

void nd_job_say_memory(const struct nd_job *job)
{
    const struct cluster *cluster = &job->cluster;
    if (job->assumes_memory)
        pps_say(stderr,
                "note      %s: %.6g GiB per device, including %.4g GiB reserved for framework "
                "and communication (--memory N)",
                cluster->hardware.name, units_to_gib(cluster->memory_limit),
                units_to_gib(cluster->reserve));
}

static enum pps_status read_cluster_options(struct nd_job *job,
                                            const struct pps_args *args,
                                            struct pps_error *err)
{
    uint64_t devices = 0, node = 0;
    double gib = 0;
    enum pps_status status = read_devices(args, &devices, &node, err);
    if (status == PPS_OK && !job->has_cluster) {
        if (devices == 0)
            return pps_fail(err, PPS_E_INPUT,
                            "number of devices missing; name a cluster file or write --devices "
                            "N");
        status = default_cluster(job, devices, err);
    }
    if (status == PPS_OK)
        status = pps_arg_number(args, "memory", 0.001, 1e9, &gib, err);
    if (status != PPS_OK)
        return status;
    if (devices > 0)
        job->cluster.world_size = (int64_t)devices;
    if (node > 0)
        job->cluster.node_devices = job->cluster.hardware.node = (int64_t)node;
    assume_memory(job, args);
    if (gib > 0)
        job->cluster.memory_limit = gib * UNITS_GIB;
    return PPS_OK;
}

static enum pps_status read_other_options(struct nd_job *job,
                                          const struct pps_args *args,
                                          struct pps_error *err)
{
    uint64_t gbs = (uint64_t)job->training.gbs, tokens = (uint64_t)job->model.seq_length;
    enum pps_status status = pps_arg_count(args, "gbs", 1, 1U << 30, &gbs, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seq-length", 1, 1U << 28, &tokens, err);
    job->training.gbs = (int64_t)gbs;
    job->model.seq_length = (int64_t)tokens;
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

static enum pps_status load_all(struct nd_job *job,
                                const struct pps_args *args,
                                struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    const char *model = NULL;
    enum plaindoc_form form = PLAINDOC_NONE;
    for (size_t k = 0; k < sizeof model_options / sizeof *model_options; k++) {
        const char *path = pps_arg(args, model_options[k].name);
        if (path != NULL && model != NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "only support yaml/shell/toml file: name only one");
        if (path != NULL) {
            model = path;
            form = model_options[k].form;
        }
    }
    if (model != NULL)
        status = load(job, model, form, err);
    for (int k = 0; k < pps_arg_words(args) && status == PPS_OK; k++)
        status = load_word(job, k == 0 && model == NULL ? "model" : "cluster",
                           pps_arg_word(args, k), err);
    if (status == PPS_OK && pps_arg(args, "training") != NULL)
        status = load(job, pps_arg(args, "training"), PLAINDOC_NONE, err);
    return status;
}

// --preset fsdp also shards gradients and parameters; the published formulas have no such levels.
static enum pps_status apply_fsdp(struct nd_job *job,
                                  const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *preset = pps_arg(args, "preset"), *compat = pps_arg(args, "compat");
    struct training *t = &job->training;
    job->fsdp = preset != NULL && strcmp(preset, "fsdp") == 0 &&
                (compat == NULL || strcmp(compat, "orig") != 0);
    if (!job->fsdp)
        return PPS_OK;
    if (!t->distributed_optimizer)
        return pps_fail(err, PPS_E_INPUT,
                        "--preset fsdp shards parameters, but the training document sets "
                        "use_distributed_optimizer to false; write --preset zero");
    if (t->zero_given && t->zero_level < 2)
        return pps_fail(
            err, PPS_E_INPUT,
            "--preset fsdp shards parameters, but the training document sets zero_level "
            "%d; set 2 or 3, or write --preset zero",
            t->zero_level);
    if (!t->zero_given)
        t->zero_level = 3;
    return PPS_OK;
}

enum pps_status nd_job_documents(struct nd_job *job,
                                 const struct pps_args *args,
                                 struct pps_error *err)
{
    job->vary = (struct nd_switches){true, true, true, true, false, true};
    training_default(&job->training);
    enum pps_status status = load_all(job, args, err);
    if (status == PPS_OK && !job->has_model)
        return pps_fail(err, PPS_E_INPUT,
                        "model missing; write: ppsweep nd MODEL.json [CLUSTER.json]");
    if (status == PPS_OK)
        status = read_cluster_options(job, args, err);
    if (status == PPS_OK)
        status = read_other_options(job, args, err);
    return status == PPS_OK ? apply_fsdp(job, args, err) : status;
}

void nd_job_free(struct nd_job *job)
{
    for (int k = 0; k < job->n_documents; k++)
        pps_json_free(&job->documents[k]);
    job->n_documents = 0;
}
