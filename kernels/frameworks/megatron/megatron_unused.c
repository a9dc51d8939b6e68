// SPDX-License-Identifier: Apache-2.0
// Forgets arguments of what a training does not have, as those of experts without experts.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <stdio.h>
#include <string.h>

static bool has_context(const struct megatron *m)
{
    return m->cp > 1;
}

static bool has_tensor(const struct megatron *m)
{
    return m->tp > 1;
}

static bool has_experts(const struct megatron *m)
{
    return megatron_number(m, MG_EXPERTS, 0) > 0;
}

static bool has_latent(const struct megatron *m)
{
    return megatron_has(m, MG_MLA);
}

static bool has_more_tokens(const struct megatron *m)
{
    return megatron_number(m, MG_MTP, 0) > 0;
}

static bool has_muon(const struct megatron *m)
{
    return megatron_has(m, MG_OPTIMIZER) &&
           strstr(m->values[MG_OPTIMIZER].text, "muon") != NULL;
}

static bool has_4bit(const struct megatron *m)
{
    return megatron_has(m, MG_FP4);
}

static bool has_fsdp(const struct megatron *m)
{
    return megatron_has(m, MG_FSDP);
}

static bool has_graphs(const struct megatron *m)
{
    return megatron_has(m, MG_GRAPHS) && !megatron_is(m, MG_GRAPHS, "none", NULL);
}

static bool has_linear(const struct megatron *m)
{
    return megatron_has(m, MG_LINEAR_ATTENTION);
}

static bool has_mamba(const struct megatron *m)
{
    return megatron_has(m, MG_HYBRID) || megatron_has(m, MG_HYBRID_OLD);
}

// Details of activations on the host, without a key that switches them on.
static bool never(const struct megatron *m)
{
    (void)m;
    return false;
}

static const struct {
    const char *begin;
    bool (*needs)(const struct megatron *m);
} needed[] = {
    {"muon-", has_muon},
    {"fp4-recipe", has_4bit},
    {"fsdp-all-gather", has_fsdp},
    {"param-name-patterns", has_fsdp},
    {"cuda-graph-scope", has_graphs},
    {"linear-", has_linear},
    {"mamba-", has_mamba},
    {"use-mamba-", has_mamba},
    {"cpu-offloading-activations", never},
    {"min-offloaded-tensor-size", never},
    {"pin-cpu-", never},
    {"context-parallel-", has_context},
    {"cp-", has_context},
    {"use-cp-", has_context},
    {"ulysses-", has_context},
    {"kv-head-repeat-before-uly-", has_context},
    {"tp-", has_tensor},
    {"coc-", has_tensor},
    {"moe-", has_experts},
    {"mla-", has_latent},
    {"mtp-", has_more_tokens},
};

// Copies the name of a recorded key: of "--name value" and of "model.name: value".
static void name_of(const char *key, char name[64])
{
    char text[96];
    const size_t n = strcspn(key, " :");
    snprintf(text, sizeof text, "%.*s", (int)n, key);
    const char *last = strrchr(text, '.');
    megatron_plain_name(last != NULL ? last + 1 : text, name);
}

static bool is_needed(const struct megatron *m, const struct framework_key *key)
{
    char name[64];
    name_of(key->name, name);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (strncmp(name, needed[i].begin, strlen(needed[i].begin)) == 0)
            return needed[i].needs(m);
    return true;
}

void megatron_forget_unused(const struct megatron *m)
{
    struct framework_keys *keys = &m->r->file->not_modelled;
    size_t kept = 0;
    for (size_t i = 0; i < keys->n; i++)
        if (is_needed(m, &keys->list[i]))
            keys->list[kept++] = keys->list[i];
    keys->n = kept;
}
