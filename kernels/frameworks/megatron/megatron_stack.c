// SPDX-License-Identifier: Apache-2.0
// Derives the software stack: what is hidden behind computation, and how tokens travel to experts. The
// figures are those of sweep_configs/stacks; options choose between them.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <math.h>

static bool has_experts(const struct megatron *m)
{
    return megatron_number(m, MG_EXPERTS, 0) > 0;
}

// The record whose figures hold except for those below: megatron-tuned is the record of files that
// overlap exchanges. Files without such options get megatron, and *assumed: their stack may be another one.
static const char *base_of(const struct megatron *m, enum megatron_key *from, bool *assumed)
{
    static const enum megatron_key tuned[] = {MG_FSDP, MG_OVERLAP_PARAMETERS, MG_OVERLAP_TP,
                                              MG_OVERLAP_EP};
    *from = MG_FSDP2;
    *assumed = false;
    if (megatron_has(m, MG_FSDP2))
        return "fsdp";
    for (size_t i = 0; i < sizeof tuned / sizeof *tuned; i++) {
        *from = tuned[i];
        if (megatron_has(m, tuned[i]))
            return "megatron-tuned";
    }
    *assumed = true;
    return "megatron";
}

// Copies of a token travel once to each node with DeepEP and HybridEP, the backends of dispatcher flex.
static bool copies_by_node(const struct megatron *m)
{
    return megatron_is(m, MG_DISPATCHER, "flex", NULL) || megatron_has(m, MG_DEEPEP);
}

static bool has_graphs(const struct megatron *m)
{
    return megatron_has(m, MG_GRAPHS_OLD) ||
           (megatron_has(m, MG_GRAPHS) && !megatron_is(m, MG_GRAPHS, "none", NULL));
}

// Norms are modules of their own without Transformer Engine, and in MindSpeed.
static bool has_own_norms(const struct megatron *m)
{
    return megatron_is(m, MG_IMPLEMENTATION, "local", NULL) ||
           megatron_has(m, MG_RECOMPUTE_NORM);
}

static bool add(cJSON *stack, const char *member, double value)
{
    return cJSON_AddNumberToObject(stack, member, value) != NULL;
}

// Megatron-LM has buckets of 40 million parameters, or a million for each replica, while it overlaps the exchange
// of gradients (megatron/core/distributed/distributed_data_parallel.py); of fp32.
static double bucket_of(const struct megatron *m)
{
    return megatron_has(m, MG_OVERLAP_GRADIENTS) ? 4e6 * fmax(40, (double)m->dp) : 0;
}

// The exchange of replicas: megatron-tuned hides it behind both passes, megatron behind half of the
// backward pass; without an option, nothing hides it.
static bool add_replicas(const struct megatron *m, cJSON *stack)
{
    const bool gradients = megatron_has(m, MG_OVERLAP_GRADIENTS);
    const bool parameters = megatron_has(m, MG_OVERLAP_PARAMETERS);
    return megatron_has(m, MG_FSDP) || megatron_has(m, MG_FSDP2) || (gradients && parameters) ||
           add(stack, "dp_hidden", gradients ? 0.33 : 0);
}

static bool add_dispatch(const struct megatron *m, cJSON *stack)
{
    if (!has_experts(m))
        return true;
    if (megatron_has(m, MG_OVERLAP_EP) && !add(stack, "ep_exposed", 0))
        return false;
    if (megatron_has(m, MG_OVERLAP_SHARED) &&
        cJSON_AddTrueToObject(stack, "shared_overlap") == NULL)
        return false;
    if (has_graphs(m) && !add(stack, "launch_experts", 0))
        return false;
    return copies_by_node(m) || cJSON_AddFalseToObject(stack, "node_copies") != NULL;
}

// The members that differ from the record.
static bool add_members(const struct megatron *m, cJSON *stack)
{
    return add_replicas(m, stack) && add_dispatch(m, stack) &&
           (!megatron_has(m, MG_NO_OVERLAP_PP) || add(stack, "pp_exposed", 1)) &&
           (!has_graphs(m) || add(stack, "launch", 0)) &&
           (megatron_has(m, MG_FSDP2) || !has_own_norms(m) ||
            cJSON_AddFalseToObject(stack, "fused_norms") != NULL);
}

// Options that change the time of the exchange of tokens, or of the products of experts, in a way that
// no figure of a stack tells.
static bool name_others(const struct megatron *m)
{
    if (megatron_has(m, MG_DELAY_WEIGHTS) && !megatron_has(m, MG_OVERLAP_EP) &&
        !megatron_is(m, MG_SCHEDULE, "dualpipev", NULL) &&
        !megatron_not_modelled(m, MG_DELAY_WEIGHTS))
        return false;
    if (!has_experts(m))
        return true;
    if (megatron_is(m, MG_DISPATCHER, "allgather", "allgather_seq") &&
        !megatron_not_modelled(m, MG_DISPATCHER))
        return false;
    return megatron_has(m, MG_GROUPED_GEMM) || m->ep >= megatron_number(m, MG_EXPERTS, 0) ||
           framework_not_modelled(m->r, "experts one after another (no --moe-grouped-gemm)",
                                  megatron_at(m, MG_EXPERTS));
}

// Returns a record by its name, or with the members that differ; NULL: out of memory.
static cJSON *stack_of(const struct megatron *m, const char *base, bool assumed)
{
    cJSON *stack = cJSON_CreateObject();
    if (stack == NULL || !add_members(m, stack) ||
        (assumed && (!add(stack, "bucket", bucket_of(m)) ||
                     cJSON_AddTrueToObject(stack, "assumed") == NULL))) {
        cJSON_Delete(stack);
        return NULL;
    }
    if (stack->child == NULL) {
        cJSON_Delete(stack);
        return cJSON_CreateString(base);
    }
    if (cJSON_AddStringToObject(stack, "base", base) == NULL) {
        cJSON_Delete(stack);
        return NULL;
    }
    return stack;
}

bool megatron_read_stack(const struct megatron *m)
{
    enum megatron_key from;
    bool assumed;
    const char *base = base_of(m, &from, &assumed);
    return framework_put(m->r, FRAMEWORK_TRAINING, "stack", stack_of(m, base, assumed),
                         megatron_at(m, from)) &&
           name_others(m);
}
