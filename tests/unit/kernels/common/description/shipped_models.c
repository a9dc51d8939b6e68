// SPDX-License-Identifier: Apache-2.0
// Shipped models and clusters: every file is read, and its parameters equal the published ones.
#include "tests/unit/support/documents.h"
#include "tests/unit/support/kernels/models.h"

#include "base/math/units.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct published {
    const char *name;
    int64_t total;   // of the checkpoint; 0: only rounded numbers are published
    double billions; // rounded so
    double step;     // to multiples of this
    int64_t active;  // with the embedding; 0: all
};

static const struct published models[] = {
    {"llama2-7b", 6738415616, 7, 1, 0},
    {"llama2-13b", 13015864320, 13, 1, 0},
    {"llama2-70b", 68976648192, 69, 1, 0},
    {"llama3-8b", 8030261248, 8, 1, 0},
    {"llama3-70b", 70553706496, 70.6, 0.1, 0},
    {"llama3-405b", 405853388800, 406, 1, 0},
    {"gpt3-175b", 0, 174.6, 0.1, 0},
    {"megatron-22b", 0, 22, 1, 0},
    {"megatron-175b", 0, 175, 1, 0},
    {"megatron-530b", 0, 529.6, 0.1, 0},
    {"megatron-1t", 0, 1008.0, 0.1, 0},
    {"mixtral-8x7b", 46702792704, 47, 1, 12879925248},
    {"mixtral-8x22b", 140620634112, 141, 1, 39152031744},
    {"deepseek-v2", 235741434880, 236, 1, 21375800320},
    {"deepseek-v2-lite", 15706484224, 15.7, 0.1, 2661150208},
    {"deepseek-v3", 671026419200, 671, 1, 37552297472},
    {"qwen2.5-72b", 72706203648, 72.7, 0.1, 0},
    {"qwen3-30b-a3b", 30532122624, 30.5, 0.1, 3353032704},
};

static struct modeldesc shipped(const char *name)
{
    char path[128];
    struct modeldesc model;
    struct pps_fault fault;
    snprintf(path, sizeof path, "sweep_configs/models/%s.json", name);
    struct pps_json json = document_in(path);
    cr_assert(modeldesc_read(&model, json.root, &fault), "%s: %s", name, fault.text);
    pps_json_free(&json);
    return model;
}

Test(models, parameters)
{
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        const struct published *p = &models[i];
        const struct modeldesc model = shipped(p->name);
        struct modeldesc_counts counts;
        modeldesc_count(&model, &counts);
        cr_assert_str_eq(model.name, p->name);
        cr_assert(model.seq_given, "%s", p->name);
        cr_assert(p->total == 0 || counts.total == p->total, "%s: %lld", p->name,
                  (long long)counts.total);
        cr_assert(fabs((double)counts.total / 1e9 - p->billions) <= p->step / 2, "%s: %lld",
                  p->name, (long long)counts.total);
        cr_assert_eq(counts.active + looked_up(&model),
                     p->active == 0 ? counts.total : p->active, "%s: %lld", p->name,
                     (long long)counts.active);
    }
}

// The formula of Megatron-LM's paper (Narayanan et al. 2021, equation 2) and the last layer norm.
Test(models, megatron_formula)
{
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        if (strncmp(models[i].name, "megatron", 8) != 0)
            continue;
        const struct modeldesc m = shipped(models[i].name);
        const int64_t h = m.hidden, formula = 12 * m.num_layers * h * h +
                                              13 * m.num_layers * h +
                                              (m.vocab + m.seq_length) * h;
        struct modeldesc_counts counts;
        modeldesc_count(&m, &counts);
        cr_assert_eq(counts.total, formula + 2 * h, "%s", models[i].name);
    }
}

Test(models, module_of_deepseek_v3)
{
    const struct modeldesc model = shipped("deepseek-v3");
    struct modeldesc_counts counts;
    modeldesc_count(&model, &counts);
    cr_assert_eq(counts.mtp_module, 11610068224);
    cr_assert_eq(modeldesc_layers(&model), 62);
}

// A file without a line in the table would go untested.
static int files_in(const char *folder)
{
    char path[512];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", PPS_SOURCE, folder);
    DIR *dir = opendir(path);
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += strstr(entry->d_name, ".json") != NULL;
    closedir(dir);
    return n;
}

Test(models, all_files)
{
    cr_assert_eq(files_in("sweep_configs/models"), (int)COUNT_OF(models));
}

Test(models, clusters)
{
    static const struct {
        const char *name, *hardware;
        double gib;
    } rows[] = {{"a100-80", "A100", 80},
                {"h100", "H100", 80},
                {"h200", "H200", 141},
                {"b200", "B200", 180},
                {"ascend-910b", "Ascend910B", 64}};
    cr_assert_eq(files_in("sweep_configs/clusters"), (int)COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[128];
        struct cluster cluster;
        struct pps_fault fault;
        snprintf(path, sizeof path, "sweep_configs/clusters/%s.json", rows[i].name);
        struct pps_json json = document_in(path);
        cr_assert(cluster_read(&cluster, json.root, &fault), "%s: %s", path, fault.text);
        cr_assert_str_eq(cluster.hardware.name, rows[i].hardware);
        cr_assert_eq(cluster.memory_limit, rows[i].gib * UNITS_GIB, "%s", path);
        cr_assert_eq(cluster.memory_limit, cluster.hardware.memory, "%s", path);
        cr_assert(cluster.world_size == 64 && cluster.node_devices == 8, "%s", path);
        cr_assert_eq(cluster.reserve, 4 * UNITS_GIB, "%s", path);
        pps_json_free(&json);
    }
}
