// SPDX-License-Identifier: Apache-2.0
// Built-in records of software stacks. The sources of all figures are in sweep_configs/stacks; a
// test compares these records with the documents there.
#include "kernels/common/description/stack.h"

#include <string.h>

#define ALL {1, 1, 1, 1}

static const struct stack records[] = {
    {.name = "megatron",
     .rates = ALL,
     .grouped = 1,
     .imbalance = 1,
     .tp_exposed = 1,
     .cp_exposed = 1,
     .ep_exposed = 1,
     .dp_hidden = 0.33,
     .zero_hidden = 0.33,
     .dispatch = 2,
     .combine = 2,
     .logits = 6},
    {.name = "fsdp",
     .rates = ALL,
     .grouped = 1,
     .imbalance = 1,
     .tp_exposed = 1,
     .cp_exposed = 1,
     .ep_exposed = 1,
     .dp_hidden = 0.33,
     .zero_hidden = 0.33,
     .dispatch = 2,
     .combine = 2,
     .logits = 6},
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

void stack_apply(const struct stack *stack, struct hardware *hardware)
{
    const struct stack_rates *rates = &stack->rates;
    for (int i = 0; i < stack->n_on; i++)
        if (strcmp(stack->on[i].device, hardware->base) == 0)
            rates = &stack->on[i].rates;
    hardware->gemm_eff *= rates->gemm;
    hardware->attention_eff *= rates->attention;
    hardware->memory_eff *= rates->memory;
    hardware->link_eff *= rates->link;
    for (int i = 0; i < hardware->within.n; i++)
        hardware->within.at[i].value *= rates->link;
    for (int i = 0; i < hardware->across.n; i++)
        hardware->across.at[i].value *= rates->link;
}
