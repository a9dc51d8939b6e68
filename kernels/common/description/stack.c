// SPDX-License-Identifier: Apache-2.0
// Built-in records of software stacks. sweep_configs/stacks has the same records with the source of
// every figure; a test compares them.
#include "kernels/common/description/stack.h"

#include <stdio.h>
#include <string.h>

#define NO_FACTORS                                                                             \
    {                                                                                          \
        1, 1, 1, 1, 0                                                                          \
    }
// What the frameworks have in common: bf16 tokens on their way to experts, conversions of 8-bit
// products, half of the rate of an expert's products at 222 tokens.
#define COMMON                                                                                 \
    .scale = 1, .grouped = 1, .grouped_half = 222, .imbalance = 1, .ep_exposed = 1,            \
    .node_copies = true, .dispatch = 2, .combine = 2, .expert_outputs = 2, .expert_hidden = 2, \
    .quantise = 7.0
// Transformer Engine stores the inputs of 8-bit products as such. Megatron-LM keeps the logits in 16
// bits and as fp32, of its part of the vocabulary.
#define MEGATRON_MEMORY .kept_8bit = true, .logits = 6, .scores = 14
// torchtitan keeps every second product. `bytes` are those of a logit: 12 where two fp32 copies exist.
// Checkpoints of PyTorch stop early.
#define FSDP_MEMORY(bytes)                                                                     \
    .select_products = 0.5, .select_again = 0.37, .early_stop = true, .logits = (bytes),       \
    .scores = 10, .context_gathered = true, .fragmentation = 0.1, .pipeline_whole = true

static const struct stack records[] = {
    {"megatron-tuned", .rates = NO_FACTORS, COMMON, .stream = 1, .launch_experts = 0.004,
     .fused_norms = true, .tp_exposed = 0.50, .cp_exposed = 0.5, .dp_hidden = 0.77,
     .zero_hidden = 0.60, .zero_exposed = 0.41, MEGATRON_MEMORY},
    {"megatron-fused", .rates = NO_FACTORS, .on = {{"B200", {0.86, 1, 0.40, 1, 0}}}, .n_on = 1,
     COMMON, .stream = 1, .launch = 0.0025, .launch_experts = 0.004, .tp_exposed = 1,
     .cp_exposed = 1, .dp_hidden = 0.33, .zero_hidden = 0.60, .zero_exposed = 0.41,
     .fused_norms = true, .kept_8bit = true, .logits = 6, .scores = 9},
    {"megatron",
     .rates = {1, 1, 0.90, 0.80, 25e9},
     .on = {{"A100", {1, 1, 0.95, 0.80, 3.8e9}}, {"H100", {1.08, 1, 0.90, 0.80, 25e9}}},
     .n_on = 2,
     COMMON,
     .stream = 7,
     .gap = 0.00045,
     .launch = 0.0022,
     .launch_experts = 0.004,
     .tp_exposed = 1,
     .cp_exposed = 1,
     .dp_hidden = 0.33,
     .dp_exposed = 0.2,
     .gather_exposed = 1,
     .zero_hidden = 0.60,
     .zero_exposed = 0.41,
     .hop = 0.0004,
     .bucket = 25e6,
     .fused_norms = true,
     .kept_8bit = true,
     .logits = 12,
     .scores = 9,
     .fragmentation = 0.6},
    {"fsdp", .rates = {1, 0.75, 1, 1, 0},
     .on = {{"A100", {1, 1, 1, 1, 0}}, {"H100", {1, 1.21, 1, 1, 0}}}, .n_on = 2, COMMON,
     .stream = 1, .tp_exposed = 1, .cp_exposed = 0.5, .dp_hidden = 0.33, .zero_hidden = 0.60,
     .zero_exposed = 0.41, FSDP_MEMORY(12)},
    {"fsdp-2024", .rates = {1, 0.75, 1, 1, 0}, .on = {{"A100", {1, 1, 1, 1, 0}}}, .n_on = 1,
     COMMON, .stream = 1, .tp_exposed = 1, .cp_exposed = 0.5, .dp_hidden = 0.33,
     .zero_hidden = 0.60, .zero_exposed = 0.41, FSDP_MEMORY(12)},
    {"fsdp-2023", .rates = {1, 0.51, 0.51, 1, 0}, COMMON, .stream = 1, .tp_exposed = 1,
     .cp_exposed = 1, .dp_hidden = 0.33, .zero_hidden = 0.60, .zero_exposed = 0.41,
     FSDP_MEMORY(4)},
    {"deepspeed", .rates = {1, 0.75, 0.51, 1, 0}, COMMON, .stream = 1, .tp_exposed = 1,
     .cp_exposed = 1, .dp_hidden = 0.33, .zero_hidden = 0.60, .zero_exposed = 0.41,
     FSDP_MEMORY(12)},
    {"deepseek",          .rates = NO_FACTORS, .scale = 1,          .stream = 1,

     .grouped = 1,        .grouped_half = 222, .imbalance = 1,      .ep_exposed = 0,
     .ep_dualpipe = true, .node_copies = true, .dispatch = 1,       .combine = 2,
     .expert_outputs = 0, .expert_hidden = 1,  .quantise = 7.0,     .tp_exposed = 0.50,
     .cp_exposed = 0.5,   .dp_hidden = 0.77,   .zero_hidden = 0.60, .zero_exposed = 0.41,
     MEGATRON_MEMORY},
    // The equations alone: nothing is hidden but a third of a stage's time.
    {"plain", .rates = NO_FACTORS, .scale = 1, .stream = 1,

     .grouped = 1, .imbalance = 1, .tp_exposed = 1, .cp_exposed = 1, .ep_exposed = 1,
     .dp_hidden = 0.33, .zero_hidden = 0.33, .dispatch = 2, .combine = 2, .expert_outputs = 2,
     .expert_hidden = 2, .logits = 6},
};

enum { N_RECORDS = sizeof records / sizeof *records };

const struct stack *stack_all(int *n)
{
    *n = N_RECORDS;
    return records;
}

const struct stack *stack_find(const char *name)
{
    for (int i = 0; i < N_RECORDS; i++)
        if (strcmp(records[i].name, name) == 0)
            return &records[i];
    return NULL;
}

const char *stack_names(char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < N_RECORDS; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? ", " : "",
                 records[i].name);
    return text;
}

const struct stack *stack_of_device(const struct hardware *hardware)
{
    return strcmp(hardware->base, "Ascend910B") == 0 ? stack_find("megatron-tuned") : NULL;
}

// The factors of the links also change the tables of their efficiencies by size.
static void multiply(struct hardware_sizes *sizes, double factor)
{
    for (int i = 0; i < sizes->n; i++)
        sizes->at[i].value *= factor;
}

void stack_apply(const struct stack *stack, struct hardware *hardware)
{
    const struct stack_rates *rates = &stack->rates;
    for (int i = 0; i < stack->n_on; i++)
        if (strcmp(stack->on[i].device, hardware->base) == 0)
            rates = &stack->on[i].rates;
    const double speed = 1 / stack->scale;
    hardware->gemm_eff *= rates->gemm * speed;
    hardware->fp8_eff *= rates->gemm * speed;
    hardware->attention_eff *= rates->attention * speed;
    hardware->memory_eff *= rates->memory * speed;
    hardware->link_eff *= rates->link * speed;
    hardware->shared_path *= rates->link * speed;
    hardware->alpha *= stack->scale;
    hardware->hop = stack->hop * stack->scale;
    hardware->bucket = stack->bucket;
    hardware->across_most = rates->across * speed;
    multiply(&hardware->within, rates->link * speed);
    multiply(&hardware->across, rates->link * speed);
}
