// SPDX-License-Identifier: Apache-2.0
// Documents by hand, against the JSON that they mean; that lines are kept; what is refused.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <string.h>

#include "kernels/common/flattext.h"

static const struct {
    const char *text, *json;
} cases[] = {
    {"", "{}"},
    {"\n# nothing\n---\n", "{}"},
    {"a = 1\nb: -2.5e3 # why\nc=x\n", "{\"a\":1,\"b\":-2500,\"c\":\"x\"}"},
    {"\xef\xbb\xbf"
     "a: True\r\nb: ~\r\nc: NULL\r\nd: false",
     "{\"a\":true,\"b\":null,\"c\":null,\"d\":false}"},
    {"a: \"x # \\\" y\"\nb: 'it''s' # it\nc: http://x#y",
     "{\"a\":\"x # \\\" y\",\"b\":\"it's\",\"c\":\"http://x#y\"}"},
    {"a: 01\nb: 1.\nc: +1\nd: 1e5\ne: -\nf: 0",
     "{\"a\":\"01\",\"b\":\"1.\",\"c\":\"+1\",\"d\":100000,\"e\":\"-\",\"f\":0}"},
    {"m:\n  a: 1\n\n  n:\n      b: 2\n  c: 3\nd: 4",
     "{\"m\":{\"a\":1,\"n\":{\"b\":2},\"c\":3},\"d\":4}"},
    {"m:\nd: 4\nlast:", "{\"m\":null,\"d\":4,\"last\":null}"},
    {"  a: 1\n  b:\n    c: 2", "{\"a\":1,\"b\":{\"c\":2}}"},
    {"t = 1\n[model]\na = 1\n  # in between\n[x.y-z]\n  b = 2\n",
     "{\"t\":1,\"model\":{\"a\":1},\"x\":{\"y-z\":{\"b\":2}}}"},
    {"a: [1, x y, 'p, q', [true], {k: 1, \"l\": [ ]}]",
     "{\"a\":[1,\"x y\",\"p, q\",[true],{\"k\":1,\"l\":[]}]}"},
    {"a: {}\n\"b c\" = {x = 1}", "{\"a\":{},\"b c\":{\"x\":1}}"},
    {"model.a = 55GB", "{\"model.a\":\"55GB\"}"},
    {"a: back\\slash\ttab", "{\"a\":\"back\\\\slash\\ttab\"}"},
};

Test(flattext, means)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct textroom json = {.text = NULL};
        struct flattext_fault fault = {0};
        cr_assert(flattext_to_json(&json, cases[k].text, strlen(cases[k].text), &fault),
                  "case %zu: line %d: %s", k, fault.line, fault.text);
        cJSON *got = cJSON_Parse(json.text);
        cr_assert(got != NULL, "case %zu: %s", k, json.text);
        char *text = cJSON_PrintUnformatted(got);
        cr_expect_str_eq(text, cases[k].json, "case %zu: %s", k, text);
        cJSON_free(text);
        cJSON_Delete(got);
        textroom_free(&json);
    }
}

Test(flattext, keeps_lines)
{
    static const char text[] = "# one\na: 1\n\nm:\n  b: x\n\nc: 2\n";
    struct textroom json = {.text = NULL};
    struct flattext_fault fault;
    cr_assert(flattext_to_json(&json, text, strlen(text), &fault));
    int line = 1;
    for (const char *at = json.text; *at != '\0'; at++) {
        if (strncmp(at, "\"a\": 1", 6) == 0)
            cr_expect_eq(line, 2);
        if (strncmp(at, "\"x\"", 3) == 0)
            cr_expect_eq(line, 5);
        if (strncmp(at, "\"c\": 2", 6) == 0)
            cr_expect_eq(line, 7);
        line += *at == '\n';
    }
    cr_expect_eq(line, 8);
    textroom_free(&json);
}

Test(flattext, refuses)
{
    static const struct {
        const char *text;
        int line;
        const char *says;
    } bad[] = {
        {"a: 1\nb\n", 2, "write key = value"},
        {"a: 1\n  b: 2\n", 2, "indented"},
        {"m:\n    b: 2\n  c: 1\n", 3, "indented"},
        {"a:\n  - 1\n", 2, "write a list on one line"},
        {"\ta: 1\n", 1, "tabs"},
        {"a: [1, 2\n", 1, "bracket"},
        {"a: [1 2]]\n", 1, "follows"},
        {"a: 'x\n", 1, "quote"},
        {"a: 'x' y\n", 1, "follows"},
        {"[model\n", 1, "section"},
        {"a: [1, , 2]\n", 1, "missing"},
        {"= 1\n", 1, "write key = value"},
        {"a: {b}\n", 1, "key: value"},
        {"a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", 1,
         "deep"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct textroom json = {.text = NULL};
        struct flattext_fault fault = {0};
        cr_expect_not(flattext_to_json(&json, bad[k].text, strlen(bad[k].text), &fault),
                      "case %zu", k);
        cr_expect_eq(fault.line, bad[k].line, "case %zu: line %d", k, fault.line);
        cr_expect(strstr(fault.text, bad[k].says) != NULL, "case %zu: %s", k, fault.text);
        textroom_free(&json);
    }
}

Test(flattext, is_told_from_json)
{
    cr_expect(flattext_is_flat("a = 1", 5));
    cr_expect(flattext_is_flat("# x\n[m]\n", 8));
    cr_expect(flattext_is_flat("\n[model]\n", 9));
    cr_expect_not(flattext_is_flat(" \n{\"a\": 1}", 10));
    cr_expect_not(flattext_is_flat("// x\n{}", 7));
    cr_expect_not(flattext_is_flat("[{}]", 4));
    cr_expect_not(flattext_is_flat("", 0));
}
