// SPDX-License-Identifier: Apache-2.0
// The published flavors of torchtitan's models, from torchtitan/models/NAME/__init__.py and the
// defaults in model/args.py, tag v0.2.2 (73a0e6979); llama2 from models/llama/__init__.py of October
// 2024 (9ccc1610f); 1B and 3B of llama3 from March 2026 (8953d2e39). Flavors that differ in the
// attention kernel only (_flex, _varlen, _irope and so on) share the row of their flavor.
//
// ffn is the width that torchtitan computes: 8/3 dim, times ffn_dim_multiplier, rounded up to
// multiple_of; llama4 divides the width of its experts by top_k + num_shared_experts. In llama4
// 17bx128e and debugmodel every second layer has experts; the row has as many dense layers first.
#include "base/text/nearest.h"
#include "kernels/frameworks/torchtitan_private.h"

#include <stdio.h>
#include <string.h>

#define DEEPSEEK .kv_rank = 512, .qk_nope = 128, .qk_rope = 64, .v_dim = 128
#define QWEN     .head_dim = 128, .groups = 8, .qk_norm = true
#define GPT_OSS                                                                                \
    .dim = 2880, .heads = 64, .groups = 8, .head_dim = 64, .ffn = 2880, .vocab = 201088,       \
    .topk = 4, .moe_ffn = 2880, .bias = true

// clang-format off
static const struct titan_flavor flavors[] = {
    {"llama2", "debugmodel", .layers = 8, .dim = 256, .heads = 16, .ffn = 768, .vocab = 2256},
    {"llama2", "271M", .layers = 16, .dim = 1024, .heads = 8, .ffn = 2816, .vocab = 32000},
    {"llama2", "1B", .layers = 18, .dim = 2048, .heads = 16, .ffn = 5632, .vocab = 32000},
    {"llama2", "7B", .layers = 32, .dim = 4096, .heads = 32, .ffn = 11008, .vocab = 32000},
    {"llama2", "13B", .layers = 40, .dim = 5120, .heads = 40, .ffn = 13824, .vocab = 32000},
    {"llama2", "26B", .layers = 80, .dim = 5120, .heads = 40, .ffn = 13824, .vocab = 32000},
    {"llama2", "70B", .layers = 80, .dim = 8192, .heads = 64, .groups = 8, .ffn = 28672, .vocab = 32000},

    {"llama3", "debugmodel", .layers = 6, .dim = 256, .heads = 16, .ffn = 768, .vocab = 2048},
    {"llama3", "1B", .layers = 16, .dim = 2048, .heads = 32, .groups = 8, .ffn = 8192, .vocab = 128256, .tied = true},
    {"llama3", "3B", .layers = 28, .dim = 3072, .heads = 24, .groups = 8, .ffn = 8192, .vocab = 128256, .tied = true},
    {"llama3", "8B", .layers = 32, .dim = 4096, .heads = 32, .groups = 8, .ffn = 14336, .vocab = 128256},
    {"llama3", "70B", .layers = 80, .dim = 8192, .heads = 64, .groups = 8, .ffn = 28672, .vocab = 128256},
    {"llama3", "405B", .layers = 126, .dim = 16384, .heads = 128, .groups = 8, .ffn = 53248, .vocab = 128256},

    {"llama4", "debugmodel", .layers = 6, .dim = 256, .heads = 16, .ffn = 768, .vocab = 2048,
     .experts = 8, .topk = 1, .moe_ffn = 512, .shared_ffn = 512, .dense_layers = 3,
     .alternates = true},
    {"llama4", "17bx16e", .layers = 48, .dim = 5120, .heads = 40, .groups = 8, .ffn = 16384, .vocab = 202048,
     .experts = 16, .topk = 1, .moe_ffn = 8192, .shared_ffn = 8192},
    {"llama4", "17bx128e", .layers = 48, .dim = 5120, .heads = 40, .groups = 8, .ffn = 16384, .vocab = 202048,
     .experts = 128, .topk = 1, .moe_ffn = 8192, .shared_ffn = 8192, .dense_layers = 24,
     .alternates = true},

    {"deepseek_v3", "debugmodel", .layers = 6, .dim = 256, .heads = 16, .ffn = 1024, .vocab = 2048, DEEPSEEK,
     .experts = 8, .topk = 3, .moe_ffn = 256, .shared_ffn = 512, .dense_layers = 1},
    {"deepseek_v3", "16B", .layers = 27, .dim = 2048, .heads = 16, .ffn = 10944, .vocab = 102400, DEEPSEEK,
     .experts = 64, .topk = 6, .moe_ffn = 1408, .shared_ffn = 2816, .dense_layers = 1},
    {"deepseek_v3", "236B", .layers = 60, .dim = 5120, .heads = 128, .ffn = 12288, .vocab = 102400, DEEPSEEK,
     .q_rank = 1536, .experts = 160, .topk = 6, .moe_ffn = 1536, .shared_ffn = 3072, .dense_layers = 1},
    {"deepseek_v3", "671B", .layers = 61, .dim = 7168, .heads = 128, .ffn = 18432, .vocab = 129280, DEEPSEEK,
     .q_rank = 1536, .experts = 256, .topk = 8, .moe_ffn = 2048, .shared_ffn = 2048, .dense_layers = 3},

    {"qwen3", "debugmodel", .layers = 8, .dim = 256, .heads = 16, .ffn = 3072, .vocab = 2048, QWEN, .tied = true},
    {"qwen3", "0.6B", .layers = 28, .dim = 1024, .heads = 16, .ffn = 3072, .vocab = 151936, QWEN, .tied = true},
    {"qwen3", "1.7B", .layers = 28, .dim = 2048, .heads = 16, .ffn = 6144, .vocab = 151936, QWEN, .tied = true},
    {"qwen3", "4B", .layers = 36, .dim = 2560, .heads = 32, .ffn = 9728, .vocab = 151936, QWEN, .tied = true},
    {"qwen3", "8B", .layers = 36, .dim = 4096, .heads = 32, .ffn = 12288, .vocab = 151936, QWEN},
    {"qwen3", "14B", .layers = 40, .dim = 5120, .heads = 40, .ffn = 17408, .vocab = 151936, QWEN},
    {"qwen3", "32B", .layers = 64, .dim = 5120, .heads = 64, .ffn = 25600, .vocab = 151936, QWEN},
    {"qwen3", "debugmodel_moe", .layers = 8, .dim = 256, .heads = 16, .ffn = 3072, .vocab = 2048, QWEN,
     .experts = 64, .topk = 8, .moe_ffn = 768},
    {"qwen3", "30B-A3B", .layers = 48, .dim = 2048, .heads = 32, .groups = 4, .head_dim = 128, .qk_norm = true,
     .ffn = 6144, .vocab = 151936, .experts = 128, .topk = 8, .moe_ffn = 768},
    {"qwen3", "235B-A22B", .layers = 94, .dim = 4096, .heads = 64, .groups = 4, .head_dim = 128, .qk_norm = true,
     .ffn = 12288, .vocab = 151936, .experts = 128, .topk = 8, .moe_ffn = 1536},

    {"gpt_oss", "debugmodel", .layers = 4, .dim = 256, .heads = 64, .groups = 8, .head_dim = 64, .ffn = 2880,
     .vocab = 201088, .experts = 8, .topk = 4, .moe_ffn = 2880, .bias = true},
    {"gpt_oss", "20b", .layers = 24, .experts = 32, GPT_OSS},
    {"gpt_oss", "120b", .layers = 36, .experts = 128, GPT_OSS},
};
// clang-format on

enum { N_FLAVORS = sizeof flavors / sizeof *flavors };

// Returns the length of a name without the endings that do not change the shape.
static size_t base_length(const char *flavor)
{
    static const char *const ends[] = {"_flex_attn", "_varlen_attn", "_flex",     "_varlen",
                                       "_irope",     "_sdpa",        "_hybridep", "_ep",
                                       "_fp8",       "_float8",      "_mxfp8"};
    const size_t n = strlen(flavor);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const size_t n_end = strlen(ends[k]);
        if (n > n_end && strcmp(flavor + n - n_end, ends[k]) == 0)
            return n - n_end;
    }
    return n;
}

// Models of experiments are the models of torchtitan in another implementation: simple_fsdp.llama3.
static const char *base_model(const char *model)
{
    static const char *const same[][2] = {
        {"llama3_ft", "llama3"},
        {"local_map_deepseek_v3", "deepseek_v3"},
        {"llama3_simple_fsdp", "llama3"},
        {"deepseek_v3_simple_fsdp", "deepseek_v3"},
    };
    const char *dot = strrchr(model, '.');
    model = dot != NULL ? dot + 1 : model;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if (strcmp(model, same[k][0]) == 0)
            return same[k][1];
    return model;
}

// Writes ", name, name ..." of the rows of a model, or of all models.
static void list_names(struct titan_hint *hint, size_t n, const char *model)
{
    for (int k = 0; k < N_FLAVORS && n < sizeof hint->text; k++) {
        const char *name = model != NULL ? flavors[k].flavor : flavors[k].model;
        const bool again = k > 0 && strcmp(flavors[k].model, flavors[k - 1].model) == 0;
        if (model != NULL ? strcmp(flavors[k].model, model) == 0 : !again)
            n += (size_t)snprintf(hint->text + n, sizeof hint->text - n, " %s", name);
    }
}

static struct titan_hint make_hint(const char *model, const char *flavor, bool of_flavor)
{
    struct titan_hint hint = {.of_flavor = of_flavor};
    struct pps_nearest nearest = pps_nearest_to(of_flavor ? flavor : model);
    size_t n = 0;
    for (int k = 0; k < N_FLAVORS; k++)
        if (!of_flavor || strcmp(flavors[k].model, model) == 0)
            pps_nearest_consider(&nearest, of_flavor ? flavors[k].flavor : flavors[k].model);
    if (nearest.name != NULL)
        n = (size_t)snprintf(hint.text, sizeof hint.text, "; did you mean %s?", nearest.name);
    n += (size_t)snprintf(hint.text + n, sizeof hint.text - n, "%s known:", n > 0 ? "" : ";");
    list_names(&hint, n, of_flavor ? model : NULL);
    return hint;
}

const char *titan_model_in(const char *name)
{
    // Models whose flavors are not known here, and whose names begin as those of others.
    static const char *const others[] = {"qwen3_5", "qwen35", "qwen3_vl", "kimi_k2", "kimi_vl"};
    const int n_others = sizeof others / sizeof *others;
    const char *best = NULL;
    for (int k = 0; k < N_FLAVORS + n_others; k++) {
        const char *model = k < N_FLAVORS ? flavors[k].model : others[k - N_FLAVORS];
        if (strstr(name, model) != NULL && (best == NULL || strlen(model) > strlen(best)))
            best = model;
    }
    return best;
}

const struct titan_flavor *titan_flavor(const char *model, const char *flavor,
                                        struct titan_hint *hint)
{
    const char *base = base_model(model);
    const size_t n = base_length(flavor);
    bool known = false;
    for (int k = 0; k < N_FLAVORS; k++) {
        if (strcmp(flavors[k].model, base) != 0)
            continue;
        known = true;
        if (strcmp(flavors[k].flavor, flavor) == 0 ||
            (strlen(flavors[k].flavor) == n && strncmp(flavors[k].flavor, flavor, n) == 0))
            return &flavors[k];
    }
    *hint = make_hint(base, flavor, known);
    return NULL;
}
