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
    {"apertus-70b", 0, 70.6, 0.1, 0},
    {"apertus-8b", 0, 8.05, 0.01, 0},
    {"deepseek-llm-7b", 6910365696, 6.9, 0.1, 0},
    {"dots.llm1", 142774381696, 142.8, 0.1, 14016588928},
    {"ernie-4.5-21b-a3b", 21825437888, 21.8, 0.1, 3352150208},
    {"ernie-4.5-300b-a47b", 0, 300, 2, 47926586560},
    {"glm-4.5", 0, 355, 6, 33632266144},
    {"glm-4.5-air", 0, 106, 2, 13424129664},
    {"hunyuan-a13b", 80393183232, 80.4, 0.1, 12747448320},
    {"kimi-k2", 0, 1030, 10, 32861500928},
    {"llama3.2-1b", 1235814400, 1.2, 0.1, 0},
    {"llama3.2-3b", 3212749824, 3.2, 0.1, 0},
    {"minimax-m2", 0, 230, 3, 11030553088},
    {"mistral-7b-v0.1", 7241732096, 7.24, 0.01, 0},
    {"mistral-7b-v0.3", 7248023552, 7.2, 0.1, 0},
    {"mistral-large", 122610069504, 122.6, 0.1, 0},
    {"mistral-nemo", 12247782400, 12.2, 0.1, 0},
    {"mistral-small-24b", 23572403200, 23.6, 0.1, 0},
    {"moonlight-16b-a3b", 15960110208, 16.0, 0.1, 2914776192},
    {"olmo2-13b", 13716198400, 13.7, 0.1, 0},
    {"olmo2-32b", 32234279936, 32.2, 0.1, 0},
    {"olmo2-7b", 7298617344, 7.3, 0.1, 0},
    {"phi4", 14659507200, 14.7, 0.1, 0},
    {"qwen2.5-0.5b", 494032768, 0.5, 0.1, 0},
    {"qwen2.5-1.5b", 1543714304, 1.5, 0.1, 0},
    {"qwen2.5-14b", 14770033664, 14.8, 0.1, 0},
    {"qwen2.5-32b", 32763876352, 32.8, 0.1, 0},
    {"qwen2.5-3b", 3085938688, 3.1, 0.1, 0},
    {"qwen2.5-7b", 7615616512, 7.6, 0.1, 0},
    {"qwen3-0.6b", 596049920, 0.6, 0.1, 0},
    {"qwen3-1.7b", 1720574976, 1.7, 0.1, 0},
    {"qwen3-14b", 14768307200, 14.8, 0.1, 0},
    {"qwen3-235b-a22b", 235093634560, 235.1, 0.1, 22190763520},
    {"qwen3-32b", 32762123264, 32.8, 0.1, 0},
    {"qwen3-4b", 4022468096, 4.0, 0.1, 0},
    {"qwen3-8b", 8190735360, 8.2, 0.1, 0},
    {"qwen3-coder-480b-a35b", 480154875392, 480.2, 0.1, 35474765312},
    {"seed-oss-36b", 36151104512, 36.2, 0.1, 0},
    {"smollm3-3b", 3075098624, 3.1, 0.1, 0},
    {"deepseek-v3.2", 0, 671, 2, 38403822336},
    {"glm-5", 0, 744, 1, 41784728832},
    {"qwen3.5-27b", 0, 27, 1, 0},
    {"qwen3.5-35b-a3b", 0, 35, 1, 3454988928},
    {"qwen3.5-397b-a17b", 0, 397, 2, 17349040896},
    {"qwen3-next-80b-a3b", 0, 79.7, 0.1, 3874929408},
    {"kimi-linear-48b-a3b", 49122681728, 49.1, 0.1, 3484459904},
    {"mimo-v2-flash", 0, 309, 1, 15445936320},
    {"step-3.5-flash", 0, 197, 1, 11987323968},
    {"falcon-h1-0.5b", 0, 0.52, 0.01, 0},
    {"falcon-h1-7b", 0, 7.59, 0.01, 0},
    {"falcon-h1-34b", 0, 33.6, 0.1, 0},
    {"longcat-flash", 0, 560, 2, 27954818048},
    {"nemotron-3-super", 0, 120.7, 0.2, 12770237440},
    {"gemma-4-31b", 0, 30.7, 0.1, 0},
    {"gpt-oss-20b", 20914757184, 20.9, 0.1, 4187440704},
    {"gpt-oss-120b", 116829156672, 116.8, 0.1, 5711982912},
    {"gemma-2b", 2506172416, 2.5, 0.1, 0},
    {"gemma-7b", 8537680896, 8.5, 0.1, 0},
    {"gemma-2-2b", 2614341888, 2.6, 0.1, 0},
    {"gemma-2-9b", 9241705984, 9.2, 0.1, 0},
    {"gemma-2-27b", 27227128320, 27.2, 0.1, 0},
    {"gemma-3-1b", 999885952, 1.0, 0.1, 0},
    {"gemma-3-4b", 3880263168, 3.9, 0.1, 0},
    {"gemma-3-12b", 11766034176, 11.8, 0.1, 0},
    {"gemma-3-27b", 27009346304, 27.0, 0.1, 0},
    {"gemma-4-26b-a4b", 0, 25.2, 0.1, 3822530560},
    {"llama4-scout-17b-16e", 107769861120, 107.8, 0.1, 17172894720},
    {"llama4-maverick-17b-128e", 400711848960, 400.7, 0.1, 17184691200},
    {"qwen3.5-122b-a10b", 0, 122, 1, 9771288576},
    {"qwen3-vl-4b", 4022468096, 4.0, 0.1, 0},
    {"qwen3-vl-8b", 8190735360, 8.2, 0.1, 0},
    {"qwen3-vl-32b", 32762123264, 32.8, 0.1, 0},
    {"qwen3-vl-30b-a3b", 30532122624, 30.5, 0.1, 3353032704},
    {"qwen3-vl-235b-a22b", 235093634560, 235.1, 0.1, 22190763520},
    {"qwen2.5-vl-3b", 3085938688, 3.1, 0.1, 0},
    {"qwen2.5-vl-7b", 7615616512, 7.6, 0.1, 0},
    {"qwen2.5-vl-32b", 32763876352, 32.8, 0.1, 0},
    {"nemotron-3-nano-30b-a3b", 0, 31.6, 0.1, 3580076352},
    {"nemotron-3-ultra-550b-a55b", 0, 550, 2, 56058843136},
    {"qwen3.5-0.8b", 0, 0.75, 0.01, 0},
    {"qwen3.5-2b", 1881825088, 1.9, 0.1, 0},
    {"qwen3.5-4b", 0, 4.2, 0.1, 0},
    {"qwen3.5-9b", 0, 9.0, 0.1, 0},
    {"glm-5.2", 0, 743.4, 0.1, 41250530304},
    {"deepseek-coder-6.7b", 6740512768, 6.7, 0.1, 0},
    {"ling-lite", 0, 16.8, 0.1, 2753153024},
    {"trinity-nano", 0, 6.1, 0.1, 1023923968},
    {"mimo-7b", 0, 7.6, 0.1, 0},
    {"olmo3-7b", 0, 7.3, 0.1, 0},
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
                {"ascend-910b", "Ascend910B", 64},
                {"ascend-910c", "Ascend910C", 128},
                {"a100-40", "A100-40", 40},
                {"a800", "A800", 80},
                {"h800", "H800", 80},
                {"h20", "H20", 96},
                {"gb200", "GB200", 186},
                {"b300", "B300", 288},
                {"gb300", "GB300", 288},
                {"mi300x", "MI300X", 192},
                {"mi325x", "MI325X", 256},
                {"mi355x", "MI355X", 288}};
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
        cr_assert(cluster.world_size == 64 &&
                      (cluster.node_devices == 8 || cluster.node_devices == 64),
                  "%s", path);
        cr_assert_eq(cluster.reserve, 4 * UNITS_GIB, "%s", path);
        pps_json_free(&json);
    }
}
