// SPDX-License-Identifier: Apache-2.0
// Finds configuration files and their degrees.
#include "planner/nd/runs/configurations.h"

#include "base/system/disk.h"
#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "planner/profiles/run_folders.h"
#include "planner/shared/configurations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define FILE_MAX ((size_t)64 << 20) // bytes of a configuration

enum { DEGREE_MAX = 1 << 20 };

// ---- degrees ------------------------------------------------------------------------------------

static int64_t degree_of(const cJSON *part, const char *key)
{
    const cJSON *item = pps_json_member(part, key);
    if (!cJSON_IsNumber(item) || item->valuedouble < 1 || item->valuedouble > DEGREE_MAX)
        return 0;
    return (int64_t)item->valuedouble;
}

static enum framework framework_by_ending(const char *path)
{
    return pps_ends_with(path, ".sh")     ? FRAMEWORK_MEGATRON
           : pps_ends_with(path, ".toml") ? FRAMEWORK_TORCHTITAN
                                          : FRAMEWORK_MINDFORMERS;
}

// A file that cannot be understood can be run nevertheless.
static void look_into(struct nd_configuration *c, const char *text, size_t n)
{
    struct framework_file file = {.framework = FRAMEWORK_NONE};
    struct pps_fault fault = {.line = 0};
    bool read = false;
    const bool ok = framework_read(&file, &read, plaindoc_form_of(c->path), text, n, &fault);
    c->framework = ok && read ? file.framework : framework_by_ending(c->path);
    if (ok && read) {
        const cJSON *baseline = pps_json_member(file.document.root, "baseline");
        c->dp = c->dp > 0 ? c->dp : degree_of(baseline, "dp");
        c->tp = c->tp > 0 ? c->tp : degree_of(baseline, "tp");
        c->pp = c->pp > 0 ? c->pp : degree_of(baseline, "pp");
        c->cp = c->cp > 0 ? c->cp : degree_of(baseline, "cp");
        const cJSON *model = pps_json_member(file.document.root, "model");
        c->layers = degree_of(model, "num_layers");
        if (c->layers > 0)
            c->layers += degree_of(model, "mtp_depth");
    }
    if (read)
        framework_file_free(&file);
}

int64_t nd_configuration_world(const struct nd_configuration *c)
{
    return c->dp * c->tp * c->pp * (c->cp > 0 ? c->cp : 1);
}

// ---- files --------------------------------------------------------------------------------------

static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash != NULL ? slash + 1 : path);
    if (name == NULL)
        return NULL;
    const char *ending = plan_configuration_ending(name);
    if (ending != NULL && strlen(name) > strlen(ending))
        name[strlen(name) - strlen(ending)] = '\0';
    if (pps_ends_with(name, "_pretrain") && strlen(name) > strlen("_pretrain"))
        name[strlen(name) - strlen("_pretrain")] = '\0';
    return name;
}

static enum pps_status check_name(const struct nd_configurations *all,
                                  const struct nd_configuration *c, struct pps_error *err)
{
    for (size_t k = 0; k < all->n; k++)
        if (strcmp(all->list[k].name, c->name) == 0)
            return pps_fail(err, PPS_E_INPUT,
                            "%s and %s would have the same logs: rename one of them",
                            all->list[k].path, c->path);
    return PPS_OK;
}

static enum pps_status read_file(struct nd_configuration *c, struct pps_error *err)
{
    char *text;
    size_t n;
    const enum pps_status status = pps_whole_file_read(c->path, FILE_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    c->digest = XXH64(text, n, 0);
    struct run_degrees degrees;
    run_degrees_read(c->name, &degrees);
    c->dp = degrees.dp;
    c->tp = degrees.tp;
    c->pp = degrees.pp;
    c->cp = degrees.cp;
    look_into(c, text, n);
    free(text);
    return PPS_OK;
}

static enum pps_status add_file(struct nd_configurations *all, const char *path,
                                struct pps_error *err)
{
    struct nd_configuration *list =
        pps_grow(all->list, &all->room, all->n + 1, sizeof *all->list);
    if (list == NULL)
        return pps_fail_memory(err, "the configurations");
    all->list = list;
    struct nd_configuration *c = &list[all->n];
    *c = (struct nd_configuration){.path = realpath(path, NULL)};
    if (c->path == NULL)
        return pps_disk_fail_open(err, path);
    c->name = name_of(path);
    enum pps_status status =
        c->name == NULL ? pps_fail_memory(err, "the configurations") : check_name(all, c, err);
    if (status == PPS_OK)
        status = read_file(c, err);
    if (status == PPS_OK) {
        all->n++;
        return PPS_OK;
    }
    free(c->path);
    free(c->name);
    return status;
}

// ---- folders ------------------------------------------------------------------------------------

// Adds the files of a folder; *n is their number. JSON files are not configurations of frameworks.
static enum pps_status add_folder(struct nd_configurations *all, const char *folder, int *n,
                                  struct pps_error *err)
{
    struct plan_configurations list;
    enum pps_status status = plan_configurations_list(&list, folder, err);
    *n = 0;
    for (size_t k = 0; k < list.n && status == PPS_OK; k++)
        if (!pps_ends_with(list.paths[k], ".json")) {
            status = add_file(all, list.paths[k], err);
            ++*n;
        }
    plan_configurations_free(&list);
    return status;
}

static enum pps_status keep_folder(struct nd_configurations *all, const char *folder,
                                   struct pps_error *err)
{
    if (all->folder == NULL)
        all->folder = strdup(folder);
    return all->folder != NULL ? PPS_OK : pps_fail_memory(err, "the configurations");
}

static enum pps_status add_any_folder(struct nd_configurations *all, const char *folder,
                                      const char *part, struct pps_error *err)
{
    char below[4096];
    int n = 0;
    enum pps_status status = add_folder(all, folder, &n, err);
    if (status != PPS_OK || n > 0)
        return status == PPS_OK ? keep_folder(all, folder, err) : status;
    snprintf(below, sizeof below, "%s/%s", folder, part);
    if (plan_is_folder(below))
        status = add_folder(all, below, &n, err);
    if (status == PPS_OK && n == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: this folder has no configuration files (.yaml, .yml, .sh, .toml)",
                        folder);
    return status == PPS_OK ? keep_folder(all, below, err) : status;
}

enum pps_status nd_configurations_add(struct nd_configurations *all, const char *path,
                                      const char *part, struct pps_error *err)
{
    char folder[4096];
    if (plan_is_folder(path))
        return add_any_folder(all, path, part, err);
    const char *slash = strrchr(path, '/');
    const int n = slash != NULL ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s%s", n, path, slash == NULL ? "." : n == 0 ? "/" : "");
    const enum pps_status status = add_file(all, path, err);
    return status == PPS_OK ? keep_folder(all, folder, err) : status;
}

void nd_configurations_free(struct nd_configurations *all)
{
    for (size_t k = 0; k < all->n; k++) {
        free(all->list[k].path);
        free(all->list[k].name);
    }
    free(all->list);
    free(all->folder);
    *all = (struct nd_configurations){.list = NULL};
}
