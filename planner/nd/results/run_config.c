// SPDX-License-Identifier: Apache-2.0
// Finds and reads the configuration of a run.
#include "planner/nd/results/run_config.h"

#include "base/document/json.h"
#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "kernels/frameworks/framework.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX ((size_t)16 << 20) // bytes of a configuration

enum { PATH_BYTES = 4096, NUMBER_MOST = 1000000 };

static const char *const ENDINGS[] = {".yaml", ".yml", ".sh", ".toml"};

// ---- reading ------------------------------------------------------------------------------------

// Returns a whole number from 1 of an object, or 0.
static int32_t whole(const cJSON *object, const char *key)
{
    const cJSON *item = pps_json_member(object, key);
    const bool fits =
        cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= NUMBER_MOST;
    return fits ? (int32_t)item->valuedouble : 0;
}

static void take_degrees(struct run_degrees *d, const cJSON *baseline)
{
    const cJSON *op = pps_json_member(baseline, "op");
    *d = (struct run_degrees){
        .dp = whole(baseline, "dp"),
        .tp = whole(baseline, "tp"),
        .pp = whole(baseline, "pp"),
        .ep = whole(baseline, "ep"),
        .cp = whole(baseline, "cp"),
        .op = cJSON_IsNumber(op) && op->valuedouble == -1 ? -1 : whole(baseline, "op"),
        .vp = whole(baseline, "vp"),
        .mbs = whole(baseline, "mbs"),
    };
}

// Takes the layers of the stages of a pipeline with one chunk per stage.
static void take_layers(struct run_config *config, const cJSON *baseline)
{
    const cJSON *chunks = pps_json_member(baseline, "layers"), *item;
    const cJSON *stages = cJSON_GetArraySize(chunks) == 1 ? chunks->child : NULL;
    if (!cJSON_IsArray(stages) || cJSON_GetArraySize(stages) > RUN_CONFIG_STAGES)
        return;
    cJSON_ArrayForEach (item, stages) {
        if (!cJSON_IsNumber(item) || item->valuedouble < 1 || item->valuedouble > NUMBER_MOST) {
            config->n_layers = 0;
            return;
        }
        config->layers[config->n_layers++] = (int32_t)item->valuedouble;
    }
}

static void take_model(struct run_config *config, const cJSON *model)
{
    const cJSON *dense = pps_json_member(model, "first_k_dense_replace");
    config->has_dense = whole(model, "num_experts") > 1 && cJSON_IsNumber(dense) &&
                        dense->valuedouble >= 0 && dense->valuedouble <= NUMBER_MOST;
    config->dense = config->has_dense ? (int32_t)dense->valuedouble : 0;
}

// Returns whether the file is a configuration without errors.
static bool read_config(struct run_config *config, const char *path)
{
    struct framework_file file = {.framework = FRAMEWORK_NONE};
    struct pps_fault fault = {.line = 0};
    struct pps_error err;
    bool read = false;
    char *text;
    size_t n;
    if (pps_whole_file_read(path, FILE_MAX, &text, &n, &err) != PPS_OK)
        return false;
    const bool ok = framework_read(&file, &read, plaindoc_form_of(path), text, n, &fault);
    if (ok && read) {
        const cJSON *root = file.document.root, *baseline = pps_json_member(root, "baseline");
        *config = (struct run_config){.is_found = true};
        take_degrees(&config->degrees, baseline);
        take_layers(config, baseline);
        config->micro_batches = whole(baseline, "micro_batches");
        take_model(config, pps_json_member(root, "model"));
    }
    if (read)
        framework_file_free(&file);
    free(text);
    return ok && read;
}

// ---- search -------------------------------------------------------------------------------------

static bool has_ending(const char *name)
{
    for (size_t k = 0; k < sizeof ENDINGS / sizeof ENDINGS[0]; k++)
        if (pps_ends_with(name, ENDINGS[k]))
            return true;
    return false;
}

// Reads the only configuration in the folder. With several, none is that of a run.
static bool find_within(struct run_config *config, const char *folder)
{
    char path[PATH_BYTES];
    struct run_config other;
    int n = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return false;
    for (struct dirent *entry; n < 2 && (entry = readdir(entries)) != NULL;)
        if (has_ending(entry->d_name) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_BYTES)
            n += read_config(n == 0 ? config : &other, path);
    closedir(entries);
    return n == 1;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// Reads NAME.yaml and the like in the folder of n bytes, for a run with this name.
static bool find_beside(struct run_config *config, const char *folder, size_t n,
                        const char *name)
{
    static const char *const suffixes[] = {"", "_pretrain"};
    char path[PATH_BYTES];
    const char *at = n > 0 ? folder : ".";
    const int length = n > 0 ? (int)n : 1;
    for (size_t s = 0; s < sizeof suffixes / sizeof suffixes[0]; s++)
        for (size_t k = 0; k < sizeof ENDINGS / sizeof ENDINGS[0]; k++)
            if (snprintf(path, sizeof path, "%.*s/%s%s%s", length, at, name, suffixes[s],
                         ENDINGS[k]) < PATH_BYTES &&
                is_file(path) && read_config(config, path))
                return true;
    return false;
}

// Returns the length of the path of the folder above the first n bytes of a path: 0 for the current
// folder.
static size_t above(const char *path, size_t n)
{
    while (n > 0 && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

void run_config_find(struct run_config *config, const char *path)
{
    const char *name = run_file_name(path);
    const size_t parent = above(path, strlen(path));
    if (name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
        (find_within(config, path) || find_beside(config, path, parent, name) ||
         (parent > 0 && find_beside(config, path, above(path, parent), name))))
        return;
    *config = (struct run_config){.is_found = false};
}

bool run_config_guess(void *self, const char *path, struct run_degrees *degrees)
{
    struct run_config config;
    (void)self;
    run_config_find(&config, path);
    *degrees = config.degrees;
    return degrees->dp > 0 && degrees->tp > 0 && degrees->pp > 0;
}
