// SPDX-License-Identifier: Apache-2.0
// JSON documents made of a tree: exact numbers, and refused trees.
#include "base/document/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// Would catch a seed that loses its last digit between an experiment and its manifest: cJSON
// prints 9007199254740991 as 9.00719925474099e+15.
Test(json_tree, a_tree_keeps_all_digits)
{
    struct pps_json json;
    struct pps_error err;
    cJSON *tree = cJSON_CreateObject();
    cJSON_AddNumberToObject(tree, "number", 9007199254740991.0);
    pps_json_add_count(tree, "count", 9007199254740991);
    cJSON_AddItemToObject(tree, "list", cJSON_CreateRaw("[0.1, {\"a\": \"b\"}]"));
    cr_assert_eq(pps_json_of_tree(&json, "m.json", tree, &err), PPS_OK, "%s", err.text);
    cJSON_Delete(tree);
    cr_assert_eq(pps_json_member(json.root, "number")->valuedouble, 9007199254740991.0);
    cr_assert_eq(pps_json_member(json.root, "count")->valuedouble, 9007199254740991.0);
    const cJSON *list = pps_json_member(json.root, "list");
    cr_assert_eq(list->child->valuedouble, 0.1);
    cr_assert_str_eq(list->child->next->child->valuestring, "b");
    cr_assert(cJSON_IsNumber(pps_json_member(json.root, "count")));
    cr_assert_eq(pps_json_fail(&json, json.root->child, &err, "why"), PPS_E_INPUT);
    cr_assert(strcmp(err.file, "m.json") == 0 && err.line == 0 && err.column == 0);
    pps_json_free(&json);
}

static void expect_bad_tree(cJSON *tree, const char *message)
{
    struct pps_json json;
    struct pps_error err;
    cr_assert_eq(pps_json_of_tree(&json, "m.json", tree, &err), PPS_E_INPUT, "%s", message);
    cr_assert_null(json.root);
    cr_assert_str_eq(err.text, message);
    cr_assert(strcmp(err.file, "m.json") == 0 && err.line == 0 && err.column == 0);
    cJSON_Delete(tree);
}

// Would catch a tree that brings what the readers of parsed documents never see.
Test(json_tree, bad_trees)
{
    char deep[132];
    snprintf(deep, sizeof deep, "%.*s%.*s", 65,
             "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 65,
             "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    expect_bad_tree(cJSON_Parse(deep), "nested more than 64 levels deep");
    expect_bad_tree(cJSON_Parse("{\"a\": 1, \"b\": {\"c\": 1, \"d\": 2, \"c\": 3}}"),
                    "\"c\" appears twice");
    expect_bad_tree(cJSON_Parse("[1, 1e999]"), "a number is not finite");
    expect_bad_tree(cJSON_Parse("[\"a\xff\"]"), "a text is not UTF-8");
    expect_bad_tree(cJSON_Parse("{\"\xff\": 1}"), "a text is not UTF-8");
    expect_bad_tree(cJSON_CreateRaw("[1, 1e999]"), "1e999 is not a finite number");
    expect_bad_tree(cJSON_CreateRaw("9007199254740993"),
                    "9007199254740993 is above 2^53 and would be rounded");
}
