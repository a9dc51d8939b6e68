// SPDX-License-Identifier: Apache-2.0
// Applies the options that override the documents of a training run, and the defaults.
#include "base/math/units.h"
#include "base/text/say.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_baseline.h"
#include "planner/shared/plan_run_private.h"

#include <stdio.h>
#include <string.h>

enum { DEVICES_MAX = 1 << 20 }; // as in a cluster's document

// Default GiB per device reserved for framework and communication, as in the shipped clusters.
static const double RESERVE_GIB = 4;

// Reads --devices, or --nnodes times --npus-per-node; 0 without either.
static enum pps_status read_devices(const struct pps_args *args, uint64_t *devices,
                                    uint64_t *node, struct pps_error *err)
{
    uint64_t nodes = 0;
    *devices = 0;
    if (args == NULL)
        return PPS_OK;
    enum pps_status status = pps_arg_count(args, "npus-per-node", 1, DEVICES_MAX, node, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "nnodes", 1, DEVICES_MAX, &nodes, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "devices", 1, DEVICES_MAX, devices, err);
    if (status == PPS_OK && *devices == 0)
        *devices = nodes * (*node > 0 ? *node : 8);
    return status;
}

static enum pps_status default_cluster(struct plan_run *run, uint64_t devices,
                                       struct pps_error *err)
{
    struct pps_fault fault;
    char text[64];
    struct pps_json *json = &run->documents[run->n_documents].json;
    const int n =
        snprintf(text, sizeof text, "{\"world_size\": %llu}", (unsigned long long)devices);
    enum pps_status status = pps_json_parse(json, "--devices", text, (size_t)n, err);
    if (status != PPS_OK)
        return status;
    run->n_documents++;
    return cluster_read(&run->cluster, json->root, &fault)
               ? PPS_OK
               : plan_fail_document(json, &fault, err);
}

// Returns the value of an option; NULL: not given, or there are no options.
static const char *option(const struct pps_args *args, const char *name)
{
    return args != NULL ? pps_arg(args, name) : NULL;
}

// Without a memory limit, uses all memory of a known device, minus the reserve. As published the
// limit is a constant.
static void assume_memory(struct plan_run *run, const struct pps_args *args)
{
    const char *compat = option(args, "compat");
    struct cluster *cluster = &run->cluster;
    const double memory = cluster->hardware.memory;
    if (run->sets_memory || option(args, "memory") != NULL ||
        memory <= 2 * RESERVE_GIB * UNITS_GIB ||
        (compat != NULL && strcmp(compat, "orig") == 0))
        return;
    cluster->memory_limit = memory;
    if (!run->sets_reserve)
        cluster->reserve = RESERVE_GIB * UNITS_GIB;
    run->assumes_memory = true;
}

void plan_run_print_not_modelled(const struct plan_run *run)
{
    for (int d = 0; d < run->n_documents; d++)
        for (size_t k = 0; k < run->documents[d].not_modelled.n; k++) {
            const struct framework_key *key = &run->documents[d].not_modelled.list[k];
            pps_say(stderr, "note      read, not modelled: %s (%s:%d)", key->name,
                    run->documents[d].json.name, key->line);
        }
}

void plan_run_print_memory(const struct plan_run *run)
{
    const struct cluster *cluster = &run->cluster;
    if (run->assumes_memory)
        pps_say(stderr,
                "note      %s: %.6g GiB per device, including %.4g GiB reserved for framework "
                "and communication (--memory N)",
                cluster->hardware.name, units_to_gib(cluster->memory_limit),
                units_to_gib(cluster->reserve));
}

static enum pps_status read_cluster_options(struct plan_run *run, const struct pps_args *args,
                                            struct pps_error *err)
{
    static const struct pps_memory_option memory = {"memory", "GiB", 8192, 1e9};
    uint64_t devices = 0, node = 0;
    double gib = 0;
    enum pps_status status = read_devices(args, &devices, &node, err);
    if (status == PPS_OK && !run->has_cluster) {
        if (devices == 0)
            return pps_fail(err, PPS_E_INPUT,
                            "number of devices missing; name a cluster file or write --devices "
                            "N");
        status = default_cluster(run, devices, err);
    }
    if (status == PPS_OK && args != NULL)
        status = pps_arg_memory(args, &memory, &gib, err);
    if (status == PPS_OK && option(args, "memory") != NULL && gib < 0.001)
        return pps_fail(err, PPS_E_INPUT, "--memory %s: expected at least 0.001 GiB",
                        option(args, "memory"));
    if (status != PPS_OK)
        return status;
    if (devices > 0)
        run->cluster.world_size = (int64_t)devices;
    else if (run->file.world_size > 0 && run->record_devices > 0 &&
             run->file.world_size != run->record_devices && run->instead == NULL &&
             option(args, "quiet") == NULL)
        pps_say(stderr,
                "note      %lld devices as in the training's file; the cluster record has %lld "
                "(--devices N)",
                (long long)run->file.world_size, (long long)run->record_devices);
    if (node > 0)
        run->cluster.node_devices = run->cluster.hardware.node = (int64_t)node;
    assume_memory(run, args);
    if (gib > 0)
        run->cluster.memory_limit = gib * UNITS_GIB;
    return PPS_OK;
}

static enum pps_status read_stack_file(struct plan_run *run, const char *path,
                                       struct pps_error *err)
{
    struct pps_fault fault = {.item = NULL};
    struct plan_document *document = &run->documents[run->n_documents];
    enum pps_status status = pps_json_load(&document->json, path, err);
    if (status != PPS_OK)
        return status;
    run->n_documents++;
    // As `nd calibrate` prints it: {"stack": {...}}.
    const cJSON *stack = cJSON_GetObjectItemCaseSensitive(document->json.root, "stack");
    return stack_read(&run->training.stack, stack != NULL ? stack : document->json.root, &fault)
               ? PPS_OK
               : plan_fail_document(&document->json, &fault, err);
}

static enum pps_status read_stack(struct plan_run *run, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *word = option(args, "stack");
    const struct stack *stack = word != NULL ? stack_find(word) : NULL;
    char names[256];
    if (word == NULL) {
        stack_settle(&run->training.stack, &run->cluster.hardware);
        return PPS_OK;
    }
    if (stack != NULL) {
        run->training.stack = *stack;
        return PPS_OK;
    }
    if (strpbrk(word, "./") == NULL)
        return pps_fail(err, PPS_E_INPUT, "--stack %s: expected one of %s, or a file", word,
                        stack_names(names, sizeof names));
    return read_stack_file(run, word, err);
}

static enum pps_status read_precision(struct plan_run *run, const struct pps_args *args,
                                      struct pps_error *err)
{
    static const char *const words[] = {"bf16", "fp8", "mxfp8"};
    const struct hardware *hardware = &run->cluster.hardware;
    const char *word = option(args, "precision");
    int k = 0;
    while (word != NULL && k < 3 && strcmp(word, words[k]) != 0)
        k++;
    if (k == 3)
        return pps_fail(err, PPS_E_INPUT, "--precision %s: expected bf16, fp8 or mxfp8", word);
    if (word != NULL)
        run->training.precision = (enum training_precision)k;
    const char *lack = training_precision_lacks(run->training.precision, hardware);
    if (lack != NULL)
        return pps_fail(err, PPS_E_INPUT, "precision %s: %s %s", words[run->training.precision],
                        hardware->name, lack);
    return PPS_OK;
}

static enum pps_status read_other_options(struct plan_run *run, const struct pps_args *args,
                                          struct pps_error *err)
{
    uint64_t gbs = (uint64_t)run->training.gbs, tokens = (uint64_t)run->model.seq_length;
    enum pps_status status =
        args != NULL ? pps_arg_count(args, "gbs", 1, 1U << 30, &gbs, err) : PPS_OK;
    if (status == PPS_OK && args != NULL)
        status = pps_arg_count(args, "seq-length", 1, 1U << 28, &tokens, err);
    run->training.gbs = (int64_t)gbs;
    run->model.seq_length = (int64_t)tokens;
    if (status == PPS_OK)
        status = read_stack(run, args, err);
    return status == PPS_OK ? read_precision(run, args, err) : status;
}

enum pps_status plan_run_apply_options(struct plan_run *run, const struct pps_args *args,
                                       struct pps_error *err)
{
    enum pps_status status = read_cluster_options(run, args, err);
    if (status == PPS_OK)
        status = plan_baseline_complete(run, err);
    return status == PPS_OK ? read_other_options(run, args, err) : status;
}
