// SPDX-License-Identifier: Apache-2.0
// Tests of init files and the decomposition of memory. They would catch a constant that counts twice, head and tail of
// another round, and dependent unknowns that pass.
#include "planner/balance/init/memory_fit.h"

#include "base/math/condition.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_keys[BALANCE_KINDS] = {"none", "select", "select_comm", "both",
                                                     "full"};

Test(memory_fit, golden_decompositions)
{
    static const char *const names[] = {
        "memory_01_doc_175b.json",
        "memory_02_exact6.json",
        "memory_03_two_rounds_pp4.json",
        "memory_04_no_const.json",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct balance_init init;
        struct memory_fit fit;
        struct pps_fault fault;
        cJSON *golden = golden_of("balance", names[i]);
        const cJSON *expect = golden_item(golden, "expect"),
                    *activation = golden_item(expect, "activation");
        cr_assert(balance_init_read(golden_item(golden, "init"), &init, &fault), "%s",
                  fault.text);
        cr_assert(memory_fit_find(&init, &fit, &fault), "%s: %s", names[i], fault.text);
        cr_expect_eq(fit.unknowns, (int)golden_item(expect, "unknowns")->valuedouble);
        cr_expect_eq(fit.equations, (int)golden_item(expect, "equations")->valuedouble);
        near(fit.parameter_mb, golden_item(expect, "parameter")->valuedouble, 1e-6, "%s",
             names[i]);
        near(fit.head_mb, golden_item(expect, "head")->valuedouble, 1e-6, "%s", names[i]);
        near(fit.tail_mb, golden_item(expect, "tail")->valuedouble, 1e-6, "%s", names[i]);
        const cJSON *constant = cJSON_GetObjectItem(expect, "const");
        cr_expect_eq(fit.has_constant, cJSON_IsNumber(constant), "%s", names[i]);
        if (fit.has_constant)
            near(fit.constant_mb, constant->valuedouble, 1e-6, "%s", names[i]);
        for (int k = 0; k < BALANCE_KINDS; k++) {
            const cJSON *known = cJSON_GetObjectItem(activation, kind_keys[k]);
            cr_expect_eq(fit.has[k], cJSON_IsNumber(known), "%s %s", names[i], kind_keys[k]);
            if (fit.has[k])
                near(fit.activation_mb[k], known->valuedouble, 1e-6, "%s %s", names[i],
                     kind_keys[k]);
        }
        near(fit.rms + 1, golden_item(expect, "rms_residual")->valuedouble + 1, 1e-6, "%s",
             names[i]);
        balance_init_free(&init);
        cJSON_Delete(golden);
    }
}

// Reads a document of a test and decomposes it. Returns the text of the fault; "": none.
static const char *fault_of(const char *text, struct memory_fit *fit, struct pps_fault *fault)
{
    struct balance_init init;
    cJSON *root = cJSON_Parse(text);
    cr_assert_not_null(root, "%s", text);
    fault->text[0] = '\0';
    if (balance_init_read(root, &init, fault))
        (void)memory_fit_find(&init, fit, fault);
    balance_init_free(&init);
    cJSON_Delete(root);
    return fault->text;
}

#define START "{\"pipeline_config\": {\"pipeline_num\": "
#define USAGE(ids, mbs)                                                                        \
    "\"memory_usage\": {\"head_memory\": 90, \"tail_memory\": 60, \"body_memories\": "         \
    "{\"stage_id\": " ids ", \"memories\": " mbs "}}"

Test(memory_fit, wrong_files)
{
    static const struct {
        const char *text, *fault;
    } cases[] = {
        {"{}", "pipeline_config: expected"},
        {START "2, \"num_layer\": 8}}", "pipeline_num: expected a whole number from 3"},
        {START "4, \"num_layer\": 3}}", "num_layer: 3 layers cannot fill 4 stages"},
        {START "4, \"num_layer\": 8, \"offset\": 0}}", "memory_usage: expected"},
        {START "4, \"num_layer\": 8, \"offset\": [1, 0, 0]}, " USAGE("[1, 2]", "[9, 8]") "}",
         "offset: round 1: expected 4 whole numbers"},
        {START "4, \"num_layer\": 8, \"offset\": [1, 0, 0, 0]}, " USAGE("[1, 2]", "[9, 8]") "}",
         "offset: round 1: the sum is 1, expected 0"},
        {START
         "4, \"num_layer\": 8, \"offset\": [2, -2, 0, 0]}, " USAGE("[1, 2]", "[9, 8]") "}",
         "offset: round 1, stage 1: 0 layers, expected at least 1"},
        {START
         "4, \"num_layer\": 8, \"offset\": 0}, \"recompute_config\": {\"recompute\": [3, 0, 0, "
         "0]}, " USAGE("[1, 2]", "[9, 8]") "}",
         "recompute: round 1, stage 0: expected from 0 to the 2 layers"},
        {START "4, \"num_layer\": 8, \"offset\": 0}, " USAGE("[1, 1]", "[9, 8]") "}",
         "stage_id: round 1: stage 1 appears twice"},
        {START "4, \"num_layer\": 8, \"offset\": 0}, " USAGE("[1, 2]", "[9]") "}",
         "memories: round 1: 1 numbers for 2 stages"},
        {START "4, \"num_layer\": 8, \"offset\": 0}, " USAGE("[1, 7]", "[9, 8]") "}",
         "stage_id: round 1: expected stages from 1 to 2"},
        {START "4, \"num_layer\": 8, \"offset\": 0}, " USAGE("[1]", "[9]") "}",
         "memory_usage: 1 measured middle stages, expected at least 2"},
        {START "5, \"num_layer\": 10, \"offset\": 0}, " USAGE("[1, 2, 3]", "[9, 8, 7]") "}",
         "offset: all measured middle stages have 2 layers"},
        {START
         "4, \"num_layer\": 8, \"offset\": 0}, \"recompute_config\": {\"recompute\": [1, 0, 0, "
         "0]}, " USAGE("[1, 2]", "[9, 8]") "}",
         "recompute_config: kind full is on stage 0, but on no measured middle stage"},
        {START
         "6, \"num_layer\": 12, \"offset\": [0, 1, 0, 0, -1, 0]}, \"recompute_config\": "
         "{\"recompute\": [0, 3, 2, 2, 1, 0]}, " USAGE("[1, 2, 3, 4]", "[9, 8, 7, 6]") "}",
         "memory_usage: the measured stages cannot tell these apart: none"},
        {START "4, \"num_layer\": 8, \"offset\": 0}, \"time_config\": {\"head\": -1}, " USAGE(
             "[1, 2]", "[9, 8]") "}",
         "head: expected a forward time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_fit fit;
        struct pps_fault fault;
        const char *text = fault_of(cases[i].text, &fit, &fault);
        cr_expect_eq(strncmp(text, cases[i].fault, strlen(cases[i].fault)), 0, "%zu: %s", i,
                     text);
    }
}

// With 2 middle stages and no recomputation the constant is not an unknown. A scalar stands for all rounds.
Test(memory_fit, smallest_cases_and_scalars)
{
    struct memory_fit fit;
    struct pps_fault fault;
    cr_expect_str_empty(
        fault_of(START "4, \"num_layer\": 8, \"offset\": 0}, " USAGE("[1, 2]", "[50, 40]") "}",
                 &fit, &fault));
    cr_expect_not(fit.has_constant);
    near(fit.activation_mb[BALANCE_NONE], 5, 1e-9, "activations");
    near(fit.parameter_mb, 10, 1e-9, "parameters");
    near(fit.head_mb, 90 - 20 - 40, 1e-9, "head");
    cr_expect_str_empty(fault_of(
        START "4, \"num_layer\": 8, \"offset\": [[0, 1, -1, 0], 0]}, \"recompute_config\": "
              "{\"recompute\": [false, true]}, " USAGE("[[1, 2], [1, 2]]",
                                                       "[[79, 24], [30, 28]]") "}",
        &fit, &fault));
    near(fit.activation_mb[BALANCE_FULL], 1, 1e-9, "recomputed layers");
    near(fit.constant_mb, 4, 1e-9, "constant");
    near(fit.head_mb, 26, 1e-9, "head of round 1");
}

Test(memory_fit, condition_numbers)
{
    const double diagonal[] = {1, 0, 0, 1}, same[] = {1, 1, 1, 1}, close[] = {1, 1, 0, 0.1};
    near(condition_number(2, 2, diagonal), 1, 1e-12, "orthogonal");
    cr_expect(isinf(condition_number(2, 2, same)));
    // Columns of length 1 with the cosine c have the condition number sqrt((1 + c) / (1 - c)).
    const double c = 1 / sqrt(1.01);
    near(condition_number(2, 2, close), sqrt((1 + c) / (1 - c)), 1e-9, "two columns");
}
