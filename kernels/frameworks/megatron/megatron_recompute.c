// SPDX-License-Identifier: Apache-2.0
// Derives the recomputed layers of each stage and chunk, and the modules that selective recomputation
// makes again.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <stdio.h>
#include <string.h>

const char *const megatron_modules[N_MEGATRON_MODULES] = {
    "core_attn", "layernorm", "moe_act", "mla_up_proj", "mlp", "moe", "shared_experts"};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_full(const struct megatron *m)
{
    return megatron_is(m, MG_GRANULARITY, "full", NULL);
}

// With attention on the host, the networks of the layers are made again that would be made again wholly (MindSpeed,
// docs/zh/features/swap_attention.md).
static bool makes_networks(const struct megatron *m)
{
    return megatron_has(m, MG_SWAP_ATTENTION) &&
           (is_full(m) || megatron_number(m, MG_RECOMPUTE_LAYERS, 0) > 0);
}

static bool is_block(const struct megatron *m)
{
    return megatron_is(m, MG_METHOD, "block", NULL);
}

static bool is_selective(const struct megatron *m)
{
    return megatron_has(m, MG_RECOMPUTE_ACTIVATIONS) ||
           megatron_is(m, MG_GRANULARITY, "selective", NULL);
}

// ---- modules ---------------------------------------------------------------------------------

bool megatron_take_module(struct megatron *m, enum megatron_key key, const char *name, size_t n,
                          size_t at)
{
    if (key == MG_LORA_MODULES)
        return framework_take_adapters(m->r, name, n, at, &m->adapters);
    for (unsigned k = 0; k < N_MEGATRON_MODULES; k++)
        if (strlen(megatron_modules[k]) == n && memcmp(megatron_modules[k], name, n) == 0) {
            m->modules |= 1U << k;
            return true;
        }
    const size_t used = strlen(m->other_modules);
    if (used == 0)
        m->other_modules_at = at;
    snprintf(m->other_modules + used, sizeof m->other_modules - used, "%s%.*s",
             used > 0 ? "," : "", (int)(n < 40 ? n : 40), name);
    return true;
}

unsigned megatron_modules_of(const struct megatron *m)
{
    const bool norm = megatron_has(m, MG_RECOMPUTE_NORM);
    const bool function = megatron_has(m, MG_RECOMPUTE_FUNCTION);
    unsigned modules = 0;
    if (makes_networks(m))
        return 1U << MEGATRON_MLP | 1U << MEGATRON_MOE;
    if (is_selective(m))
        modules = megatron_has(m, MG_RECOMPUTE_MODULES) ? m->modules : 1U << MEGATRON_CORE_ATTN;
    if (megatron_has(m, MG_RECOMPUTE_EXPERTS))
        modules |= 1U << MEGATRON_MOE;
    if (megatron_has(m, MG_RECOMPUTE_UP_PROJ))
        modules |= 1U << MEGATRON_MLA_UP_PROJ;
    if (norm && (!function || modules != 0))
        modules |= 1U << MEGATRON_LAYERNORM;
    // Without a list, norms and activation functions are made again.
    if (function && modules != 0)
        modules |= 1U << MEGATRON_MOE_ACT;
    return modules;
}

static bool put_modules(const struct megatron *m)
{
    const unsigned modules = megatron_modules_of(m);
    cJSON *list = modules != 0 ? cJSON_CreateArray() : NULL;
    if (modules == 0)
        return true;
    for (unsigned k = 0; list != NULL && k < N_MEGATRON_MODULES; k++)
        if (modules & 1U << k)
            cJSON_AddItemToArray(list, cJSON_CreateString(megatron_modules[k]));
    return framework_put(m->r, FRAMEWORK_TRAINING, "recompute_modules", list,
                         megatron_at(m, megatron_has(m, MG_RECOMPUTE_MODULES)
                                            ? MG_RECOMPUTE_MODULES
                                            : MG_GRANULARITY));
}

static bool name_other_modules(const struct megatron *m)
{
    char name[96];
    if (m->other_modules[0] == '\0' || !is_selective(m))
        return true;
    snprintf(name, sizeof name, "--recompute-modules %s", m->other_modules);
    return framework_not_modelled(m->r, name, m->other_modules_at);
}

// ---- layers ----------------------------------------------------------------------------------

// Returns the layers of a chunk that are made again wholly, or whose networks are; `last`: of the model.
static int64_t block_of(const struct megatron *m, int64_t chunk, int64_t layers, bool last)
{
    const int64_t n = megatron_number(m, MG_RECOMPUTE_LAYERS, 0);
    const bool deals = megatron_has(m, MG_RECOMPUTE_PER_RANK);
    const int64_t again = least(deals ? megatron_dealt(n, chunk, m->chunks) : n, layers);
    if (is_full(m) && !is_block(m))
        return layers;
    // MindSpeed: the last layer of the model is not made again.
    return last && again == layers && megatron_has(m, MG_RECOMPUTE_ADVANCE)
               ? again - (again > 0)
               : again;
}

bool megatron_is_partly(const struct megatron *m)
{
    return megatron_modules_of(m) != 0 || megatron_has(m, MG_RECOMPUTE_FUNCTION) ||
           megatron_has(m, MG_RECOMPUTE_NORM);
}

static int64_t partly_recomputed(const struct megatron *m, int64_t left)
{
    const enum megatron_key layers = megatron_has(m, MG_RECOMPUTE_FUNCTION)
                                         ? MG_RECOMPUTE_FUNCTION_LAYERS
                                         : MG_RECOMPUTE_NORM_LAYERS;
    const bool some = megatron_has(m, MG_RECOMPUTE_FUNCTION)
                          ? megatron_modules_of(m) == 0
                          : megatron_has(m, MG_RECOMPUTE_NORM);
    if (some)
        return least(megatron_number(m, layers, left), left);
    return megatron_is_partly(m) ? left : 0;
}

static bool put_list(const struct megatron *m, const int64_t *mtp, bool full)
{
    int64_t again[MEGATRON_MOST_CHUNKS];
    const int64_t n = m->chunks * m->pp;
    for (int64_t i = 0; i < n; i++) {
        const int64_t layers = m->split[i] + mtp[i];
        const bool blocks = is_full(m) || makes_networks(m);
        const int64_t block = blocks ? block_of(m, i / m->pp, layers, i == n - 1) : 0;
        const int64_t whole = makes_networks(m) ? 0 : block;
        again[i] = full                ? whole
                   : makes_networks(m) ? block
                                       : partly_recomputed(m, layers - whole);
    }
    return framework_put_chunks(m->r, full ? "recompute" : "select_recompute", again, m->chunks,
                                m->pp, megatron_at(m, MG_GRANULARITY));
}

// Recomputation in another order than that of the backward passes, and tensors on the host.
static bool name_orders(const struct megatron *m)
{
    const bool both =
        megatron_has(m, MG_RECOMPUTE_FUNCTION) && megatron_has(m, MG_RECOMPUTE_NORM);
    return (!megatron_has(m, MG_RECOMPUTE_ADVANCE) ||
            megatron_not_modelled(m, MG_RECOMPUTE_ADVANCE)) &&
           (!megatron_has(m, MG_SWAP_ATTENTION) ||
            megatron_not_modelled(m, MG_SWAP_ATTENTION)) &&
           (!both || !megatron_has(m, MG_RECOMPUTE_NORM_LAYERS) ||
            megatron_not_modelled(m, MG_RECOMPUTE_NORM_LAYERS));
}

// Uniform recomputation of groups stores the input of the first layer of each.
static bool put_group(const struct megatron *m)
{
    const int64_t group = megatron_number(m, MG_RECOMPUTE_LAYERS, 1);
    return !is_full(m) || makes_networks(m) || is_block(m) || group <= 1 ||
           framework_put_number(m->r, FRAMEWORK_BASELINE, "recompute_group", (double)group,
                                megatron_at(m, MG_RECOMPUTE_LAYERS));
}

bool megatron_read_recompute(const struct megatron *m, const int64_t *mtp)
{
    m->r->file->deals_again = megatron_has(m, MG_RECOMPUTE_PER_RANK);
    if (!put_modules(m) || !name_other_modules(m) || !put_group(m) || !name_orders(m))
        return false;
    return m->no_split || ((!is_full(m) || makes_networks(m) || put_list(m, mtp, true)) &&
                           (!megatron_is_partly(m) || put_list(m, mtp, false)));
}
