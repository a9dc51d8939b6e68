// SPDX-License-Identifier: Apache-2.0
// Software stacks: shipped documents equal the built-in records, figures replace those of a base, and
// faults are named.
#include "kernels/common/description/stack.h"
#include "tests/unit/support/documents.h"

#include "kernels/common/description/training.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct stack read_stack(const char *text)
{
    struct pps_fault fault = {.text = ""};
    struct stack stack;
    struct pps_json json = document_of(text);
    cr_assert(stack_read(&stack, json.root, &fault), "%s: %s", text, fault.text);
    pps_json_free(&json);
    return stack;
}

Test(stacks, shipped_documents_are_the_records)
{
    int n;
    const struct stack *records = stack_all(&n);
    cr_assert(n >= 5);
    for (int i = 0; i < n; i++) {
        char path[128];
        struct pps_fault fault = {.text = ""};
        struct stack stack;
        snprintf(path, sizeof path, "sweep_configs/stacks/%s.json", records[i].name);
        struct pps_json json = document_in(path);
        cr_assert(stack_read(&stack, json.root, &fault), "%s: %s", path, fault.text);
        pps_json_free(&json);
        cr_expect_eq(memcmp(&stack, &records[i], sizeof stack), 0, "%s differs from its record",
                     path);
    }
}

Test(stacks, figures_replace_those_of_the_base)
{
    const struct stack fsdp = *stack_find("fsdp");
    const struct stack mine = read_stack("{\"base\": \"fsdp\", \"tp_exposed\": 0.25}");
    cr_assert_str_eq(mine.name, "fsdp, changed");
    cr_assert_str_eq(stack_base(&mine), "fsdp");
    cr_assert_float_eq(mine.tp_exposed, 0.25, 0);
    cr_assert_float_eq(mine.rates.attention, fsdp.rates.attention, 0);
    const struct stack named =
        read_stack("{\"name\": \"x\", \"on\": {\"GB200\": {\"memory\": 0.5}}}");
    cr_assert_str_eq(named.name, "x");
    cr_assert_str_eq(stack_base(&named), "megatron-tuned");
    cr_assert_eq(named.n_on, 1);
    cr_assert_str_eq(named.on[0].device, "B200"); // all devices with these efficiencies
    cr_assert_str_eq(read_stack("{\"launch\": 1e-4}").name, "custom");
    cr_assert_str_eq(read_stack("\"megatron\"").name, "megatron");
    cr_assert_str_eq(read_stack("{\"name\": \"fsdp\", \"base\": \"megatron\"}").name,
                     "fsdp, changed");
}

// Catches a written record that cannot be read back, or that loses figures.
Test(stacks, documents_are_read_back)
{
    static const char *const texts[] = {
        "\"fsdp\"",
        "{\"name\": \"mine\", \"base\": \"megatron\", \"gemm\": 0.5, \"on\": {}}",
        "{\"tp_exposed\": 0.25, \"early_stop\": true, \"scale\": 1.5}",
        "{\"base\": \"fsdp\", \"on\": {\"B200\": {\"gemm\": 0.5}, \"H100\": {\"link\": 2}}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct stack stack = read_stack(texts[i]);
        struct stack again;
        struct pps_fault fault = {.text = ""};
        cJSON *document = stack_document(&stack);
        cr_assert_not_null(document);
        cr_assert(stack_read(&again, document, &fault), "%s: %s", texts[i], fault.text);
        cJSON_Delete(document);
        cr_expect_str_eq(again.name, stack.name);
        cr_expect_str_eq(stack_base(&again), stack_base(&stack));
        document = stack_document(&again);
        char *text = cJSON_PrintUnformatted(document);
        cJSON *first = stack_document(&stack);
        char *other = cJSON_PrintUnformatted(first);
        cr_expect_str_eq(text, other);
        cr_expect(again.scale == stack.scale && again.tp_exposed == stack.tp_exposed &&
                      again.early_stop == stack.early_stop && again.n_on == stack.n_on &&
                      again.rates.gemm == stack.rates.gemm,
                  "%s: %s", texts[i], text);
        cJSON_free(text);
        cJSON_free(other);
        cJSON_Delete(document);
        cJSON_Delete(first);
    }
}

// The factors multiply efficiencies, on a device of `on` its own ones; times grow by the scale.
Test(stacks, factors_multiply_the_efficiencies)
{
    struct stack stack = read_stack("{\"gemm\": 0.5, \"link\": 0.25, \"scale\": 2,"
                                    " \"on\": {\"B200\": {\"gemm\": 0.75}}}");
    struct hardware h100 = *hardware_find("H100"), b300 = *hardware_find("B300");
    const struct hardware was = h100, b = b300;
    stack_apply(&stack, &h100);
    stack_apply(&stack, &b300);
    cr_assert_float_eq(h100.gemm_eff, was.gemm_eff * 0.25, 1e-15);
    cr_assert_float_eq(h100.fp8_eff, was.fp8_eff * 0.25, 1e-15);
    cr_assert_float_eq(h100.link_eff, was.link_eff * 0.125, 1e-15);
    cr_assert_float_eq(h100.memory_eff, was.memory_eff * 0.5, 1e-15);
    cr_assert_float_eq(h100.alpha, was.alpha * 2, 1e-15);
    cr_assert_float_eq(b300.gemm_eff, b.gemm_eff * 0.375, 1e-15);
}

Test(stacks, a_training_has_the_stack_of_its_level)
{
    struct training training;
    training_default(&training);
    cr_assert_str_eq(training_stack(&training)->name, "megatron-tuned");
    training.zero_level = 3;
    cr_assert_str_eq(training_stack(&training)->name, "fsdp");
    training.distributed_optimizer = false;
    cr_assert_str_eq(training_stack(&training)->name, "megatron-tuned");
    training.stack = *stack_find("deepspeed");
    cr_assert_str_eq(training_stack(&training)->name, "deepspeed");
}

// All published steps on the Ascend 910B are of the tuned stack; a stack that is named stays.
Test(stacks, an_assumed_stack_is_that_of_the_published_steps)
{
    const struct hardware *ascend = hardware_find("910C"), *h100 = hardware_find("H100");
    const char *text = "{\"base\": \"megatron\", \"assumed\": true, \"dp_hidden\": 0.125}";
    struct stack assumed = read_stack(text), other = assumed,
                 named = read_stack("{\"base\": \"megatron\", \"dp_hidden\": 0.125}");
    stack_settle(&assumed, ascend);
    cr_expect_str_eq(assumed.name, "megatron-tuned, changed");
    cr_expect_float_eq(assumed.dp_hidden, 0.125, 0);
    cr_expect_float_eq(assumed.stream, stack_find("megatron-tuned")->stream, 0);
    stack_settle(&other, h100);
    stack_settle(&named, ascend);
    cr_expect_str_eq(other.name, "megatron, changed");
    cr_expect_eq(memcmp(&other, &named, sizeof other), 0);
}

Test(stacks, faults_name_the_key)
{
    static const char *const rows[][2] = {
        {"3", "stack: expected the name"},
        {"\"megatrom\"", "no stack called \"megatrom\" is known; expected megatron-tuned, "},
        {"{\"base\": 3}", "base: expected the name of a known stack"},
        {"{\"base\": \"x\"}", "base: no stack called \"x\""},
        {"{\"name\": \"\"}", "name: expected text"},
        {"{\"tp_expose\": 1}", "tp_expose"},
        {"{\"tp_exposed\": 1.5}", "tp_exposed: "},
        {"{\"imbalance\": 0.5}", "imbalance: "},
        {"{\"gemm\": 1e-300}", "gemm: expected a number 0.01 ... 10"},
        {"{\"on\": {\"B200\": {\"link\": 1e-3}}}", "link: expected a number 0.01 ... 10"},
        {"{\"on\": [1]}", "on: expected an object"},
        {"{\"on\": {\"X1\": {}}}", "on: no device called \"X1\""},
        {"{\"on\": {\"H100\": {\"gem\": 1}}}", "gem"},
        {"{\"on\": {\"H100\": {\"gemm\": 0}}}", "gemm: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pps_fault fault = {.text = ""};
        struct stack stack = {.name = "kept"};
        struct pps_json json = document_of(rows[i][0]);
        cr_expect_not(stack_read(&stack, json.root, &fault), "%s", rows[i][0]);
        cr_expect(strstr(fault.text, rows[i][1]) != NULL, "%s: %s", rows[i][0], fault.text);
        cr_expect_str_eq(stack.name, "kept");
        pps_json_free(&json);
    }
}
