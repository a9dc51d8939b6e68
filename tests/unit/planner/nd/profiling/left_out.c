// SPDX-License-Identifier: Apache-2.0
// What reports say about the error of their predictions.
#include "planner/nd/profiling/left_out.h"
#include "planner/nd/profiling/order_right.h"
#include "tests/unit/support/documents.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct modeldesc dense = {.experts = 0}, experts = {.experts = 8};

Test(nd_left_out, trust_says_what_is_measured)
{
    char text[ND_TRUST_TEXT];
    struct training training;
    training_default(&training);
    const struct hardware *h100 = hardware_find("H100");
    cr_assert(strstr(nd_trust_text(h100, &training, &dense, text),
                     "stack megatron-tuned (assumed") != NULL,
              "%s", text);
    cr_assert(strstr(text, "+-") != NULL &&
                  strstr(text, "on devices like H100, for dense models)") != NULL,
              "%s", text);
    training.stack = *stack_find("deepspeed");
    cr_assert(strstr(nd_trust_text(h100, &training, &experts, text), "stack deepspeed;") !=
              NULL);
    cr_assert(strstr(text, "steps for models with experts)") != NULL, "%s", text);
    cr_assert(strstr(text, "no published step on H100 with this stack: ") != NULL, "%s", text);
    training.stack = *stack_find("megatron-tuned");
    nd_trust_text(hardware_find("MI300X"), &training, &dense, text);
    cr_assert(strstr(text, "no published step on MI300X") != NULL, "%s", text);
    training.precision = TRAINING_FP8;
    training.stack = *stack_find("deepseek");
    nd_trust_text(h100, &training, &experts, text);
    cr_assert(strstr(text, "% (only 1 published step on devices like H100") != NULL, "%s",
              text);
    training.precision = TRAINING_BF16;
    struct hardware mine = *h100;
    memcpy(mine.name, "mine", 5);
    mine.base[0] = '\0';
    nd_trust_text(&mine, &training, &dense, text);
    cr_assert(strstr(text, "no published step on mine") != NULL, "%s", text);
    const struct modeldesc hybrid = {
        .n_kinds = 2,
        .kinds = {{.mixer = MODELDESC_ATTENTION}, {.mixer = MODELDESC_MAMBA2}}};
    training.stack = *stack_find("megatron-tuned");
    nd_trust_text(h100, &training, &hybrid, text);
    cr_assert(strstr(text, "no published step of a model with layers of kind mamba2: ") != NULL,
              "%s", text);
}

// Catches the error of published steps beside figures that no step was published with.
Test(nd_left_out, changed_figures_were_not_measured)
{
    static const char *const stacks[][2] = {
        {"{\"base\": \"megatron-tuned\", \"gemm\": 5}", "stack megatron-tuned, changed; no"},
        {"{\"name\": \"megatron\", \"gemm\": 3}", "stack megatron, changed; no"},
        {"{\"scale\": 0.01}", "stack custom; no"},
        {"{\"name\": \"fsdp\", \"on\": {}}", "stack fsdp, changed; no"},
        {"{\"name\": \"fsdp\", \"tp_exposed\": 1}", "stack fsdp; times +- "},
    };
    static const char *const devices[] = {"\"hbm\": 1e11", "\"power\": 1",
                                          "\"el_shared\": 0.01", "\"levels\": [[64, 0.5]]",
                                          "\"eg\": 0.9"};
    char text[ND_TRUST_TEXT], device[128];
    struct pps_fault fault;
    struct training training;
    training_default(&training);
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        struct pps_json json = document_of(stacks[i][0]);
        cr_assert(stack_read(&training.stack, json.root, &fault), "%s", fault.text);
        pps_json_free(&json);
        nd_trust_text(hardware_find("H100"), &training, &dense, text);
        cr_expect(strstr(text, stacks[i][1]) == text, "%s: %s", stacks[i][0], text);
    }
    training.stack = *stack_find("megatron-tuned");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct hardware hardware;
        snprintf(device, sizeof device, "{\"base\": \"H100\", %s}", devices[i]);
        struct pps_json json = document_of(device);
        cr_assert(hardware_read(&hardware, json.root, &fault), "%s", fault.text);
        pps_json_free(&json);
        nd_trust_text(&hardware, &training, &dense, text);
        cr_expect(strstr(text, "no published step on a device with these rates: ") != NULL,
                  "%s: %s", devices[i], text);
    }
}

// Catches rows that are too close to have an order.
Test(nd_order, close_rows_are_equal)
{
    static const double close[] = {10, 10.15, 10.19, 10.3}, apart[] = {10, 10.4};
    char text[ND_ORDER_TEXT];
    cr_assert(strstr(nd_order_text(close, 4, text), "rows 1 to 3 are equal") != NULL, "%s",
              text);
    cr_assert(strstr(nd_order_text(apart, 2, text), "row 2 is 4.0 % slower") != NULL, "%s",
              text);
    cr_assert(nd_order_text(close, 1, text) == NULL);
}
