// SPDX-License-Identifier: Apache-2.0
// Distributions of training problems as JSON: what is written reads back, faults have a place, and problems of every
// distribution can be drawn.
#include "extras/learning/problem_json.h"
#include "base/document/json.h"

#include <criterion/criterion.h>
#include <string.h>

static bool read_text(const char *text, struct problem_space *space, struct pps_json *json,
                      struct pps_fault *fault)
{
    struct pps_error err;
    cr_assert(pps_json_parse(json, "problems", text, strlen(text), &err) == PPS_OK);
    return problem_space_read(json->root, space, fault);
}

// Catches a range that the writer or the reader forgets.
Test(problem_json, spaces_read_back)
{
    const struct problem_space space = {
        {2, 3},     {1, 2.5},   {1, 1}, {0.25, 3}, {0.5, 1.75}, {0.1, 0.2}, {0.3, 0.3},
        {0.1, 0.5}, {0, 0.125}, 7.5,    {0, 0.75}, {1.5, 4},    {1, 3}};
    struct problem_space read;
    struct pps_fault fault;
    struct cJSON *tree = problem_space_tree(&space);
    cr_assert(problem_space_read(tree, &read, &fault), "%s", fault.text);
    cr_assert(memcmp(&space, &read, sizeof space) == 0);
    cJSON_Delete(tree);
}

Test(problem_json, absent_keys_keep_the_default)
{
    const struct problem_space usual = problem_default();
    struct problem_space read;
    struct pps_json json;
    struct pps_fault fault;
    cr_assert(read_text("{\"level\": 0.25, \"devices\": [2, 8]}", &read, &json, &fault));
    cr_assert(read.level.least == 0.25 && read.level.most == 0.25);
    cr_assert(read.devices.least == 2 && read.devices.most == 8);
    read.level = usual.level;
    read.devices = usual.devices;
    cr_assert(memcmp(&read, &usual, sizeof read) == 0);
    pps_json_free(&json);
}

Test(problem_json, faults)
{
    static const struct {
        const char *text, *key, *fault;
    } cases[] = {
        {"[1]", NULL, "expected an object"},
        {"{\"levl\": 0}", "levl", "did you mean level?"},
        {"{\"level\": [0]}", "level", "a list [least, most]"},
        {"{\"level\": []}", "level", "a list [least, most]"},
        {"{\"level\": [0, 0.1, 0.2]}", "level", "a list [least, most]"},
        {"{\"level\": [0, \"a\"]}", "level", "a list [least, most]"},
        {"{\"level\": [0.2, 0.1]}", "level", "must not be above the second"},
        {"{\"level\": [0, 1]}", "level", "levels must be 0 to 0.99"},
        {"{\"devices\": 1}", "devices", "devices must be whole numbers from 2 to 64"},
        {"{\"devices\": [2, 2.5]}", "devices", "devices must be whole numbers from 2 to 64"},
        {"{\"chunks\": [1, 1.5]}", "chunks", "chunks must be 1 or 2"},
        {"{\"outlier_k\": [1, 2]}", "outlier_k", "outlier_k"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem_space space;
        struct pps_json json;
        struct pps_fault fault;
        cr_assert_not(read_text(cases[k].text, &space, &json, &fault), "%s", cases[k].text);
        cr_assert_not_null(strstr(fault.text, cases[k].fault), "%s: %s", cases[k].text,
                           fault.text);
        if (cases[k].key != NULL)
            cr_assert_str_eq(fault.item->string, cases[k].key);
        pps_json_free(&json);
    }
}
