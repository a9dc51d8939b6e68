// SPDX-License-Identifier: Apache-2.0
// Flat and YAML documents: the trees that the reader builds, and the place and text of its errors.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/document/plain.h"
#include "tests/unit/support/plain_rows.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

// What has the same meaning in both forms, after "k" and the form's separator.
Test(plaindoc, values)
{
    static const struct plain_good rows[] = {
        {"1", "1"},
        {"-2.5e3 # ratio", "-2500"},
        {"+.5", "0.5"},
        {"5.", "5"},
        {"9007199254740991", "9007199254740991"},
        {"true", "true"},
        {"false\t#no", "false"},
        {"\"a # b\"", "\"a # b\""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\U0001F600\"",
         "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ud83d\\ude00\""},
        {"'C:\\x'", "\"C:\\\\x\""},
        {"''", "\"\""},
        {"[]", "[]"},
        {"[ ]", "[]"},
        {"[1, 2,3 , ]", "[1, 2, 3]"},
        {"[1, # one\n  2,\n\n  [3, 4]\n]", "[1, 2, [3, 4]]"},
        {"[true, 'x', \"y\"]", "[true, \"x\", \"y\"]"},
        {"{}", "{}"},
    };
    static const char *const separators[] = {" = ", ": "};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int form = PLAINDOC_FLAT; form <= PLAINDOC_YAML; form++) {
            if (form == PLAINDOC_YAML && strstr(rows[i].text, "\\ud83d") != NULL)
                continue; // YAML has no surrogate pairs
            char text[256], json[256];
            snprintf(text, sizeof text, "k%s%s\n", separators[form], rows[i].text);
            snprintf(json, sizeof json, "{\"k\": %s}", rows[i].json);
            plain_accept((enum plaindoc_form)form, &(struct plain_good){text, json}, 1);
            text[strlen(text) - 1] = '\0'; // without an end of line
            plain_accept((enum plaindoc_form)form, &(struct plain_good){text, json}, 1);
        }
}

Test(plaindoc, flat)
{
    static const struct plain_good rows[] = {
        {"", "{}"},
        {"# nothing\n\n  \t\n", "{}"},
        {"\xef\xbb\xbfgbs=32\r\nmbs_options = [1, 2]\r\n",
         "{\"gbs\":32,\"mbs_options\":[1,2]}"},
        {"max_device_memory = 55GB", "{\"max_device_memory\":\"55GB\"}"},
        {"name = a b  c # d", "{\"name\":\"a b  c\"}"},
        {"name = a#b", "{\"name\":\"a#b\"}"},
        {"model.hidden_size = 8\nPP=false", "{\"model.hidden_size\":8,\"PP\":false}"},
        {"q_lora_rank = null", "{\"q_lora_rank\":null}"},
        {"url = http://x/?a=b", "{\"url\":\"http://x/?a=b\"}"},
        {"  indented = 1.2.3", "{\"indented\":\"1.2.3\"}"},
        {"hardware = {base: H100, eg: 0.5, 'el': 1}",
         "{\"hardware\":{\"base\":\"H100\",\"eg\":0.5,\"el\":1}}"},
        {"h = [A100, H100]", "{\"h\":[\"A100\",\"H100\"]}"},
        {"a: 1\nb : x=y\nc=d: e\n", "{\"a\":1,\"b\":\"x=y\",\"c\":\"d: e\"}"},
        {"t = 1\n[model] # shape\nL: 2\n  [x.\"y z\"]\na.b = 3\n",
         "{\"t\":1,\"model\":{\"L\":2},\"x\":{\"y z\":{\"a.b\":3}}}"},
        {"a = {b = 1, c: x=y}", "{\"a\":{\"b\":1,\"c\":\"x=y\"}}"},
    };
    plain_accept(PLAINDOC_FLAT, rows, COUNT_OF(rows));
}

Test(plaindoc, flat_faults)
{
    static const struct plain_bad rows[] = {
        {"gbs", 1, 1, "expected key = value"},
        {"a = 1\n  gbs 2\n", 2, 3, "expected key = value"},
        {"[a]\nb = 1\n[a]\n", 3, 1, "this section is defined twice"},
        {"a = 1\n[a.b]\n", 2, 2, "\"a\" is a value already, so it cannot be a section"},
        {"a:b = 1", 1, 2, "a key cannot contain \":\""},
        {"# x\n= 2", 2, 1, "a key is missing before ="},
        {"a b = 2", 1, 2, "a key cannot contain \" \""},
        {"{a} = 2", 1, 1, "a key cannot contain \"{\""},
        {"gbs =", 1, 6, "a value is missing"},
        {"gbs = # 3", 1, 7, "a value is missing"},
        {"gbs = 1\n\ngbs = 2", 3, 1, "\"gbs\" appears twice (first at line 1)"},
        {"a = [1, 2", 1, 5, "no ] closes this"},
        {"a = [", 1, 5, "no ] closes this"},
        {"a = [1,,2]", 1, 8, "a value is missing"},
        {"a = [1, 2] 3", 1, 12, "the value ends before this; begin a new line"},
        {"a = {b: 1", 1, 5, "no } closes this"},
        {"a = {b 1}", 1, 9, "expected : after a key"},
        {"a = {b: 1, b: 2}", 1, 12, "\"b\" appears twice (first at line 1)"},
        {"a = {: 1}", 1, 6, "a key is missing"},
        {"a = [1}", 1, 7, "expected , or ]"},
        {"a = \"x", 1, 5, "this text has no closing \" on its line"},
        {"a = 'x\n'", 1, 5, "this text has no closing ' on its line"},
        {"a = \"\\x\"", 1, 6, "unknown escape; write \\\\ for a backslash"},
        {"a = \"\\", 1, 6, "unknown escape; write \\\\ for a backslash"},
        {"a = \"\\u12\"", 1, 6, "not a valid Unicode escape"},
        {"a = \"\\ud800\"", 1, 6, "not a valid Unicode escape"},
        {"a = \"\\u0000\"", 1, 6, "not a valid Unicode escape"},
        {"a = \"\\U00110000\"", 1, 6, "not a valid Unicode escape"},
        {"a = 'b' c", 1, 9, "the value ends before this; begin a new line"},
        {"a = '''b'''", 1, 5, "multi-line text is not supported"},
        {"a = 1e999", 1, 5, "numbers must be finite"},
        {"a = 9007199254740992", 1, 5, "whole numbers must be below 2^53"},
        {"a = -9007199254740992", 1, 5, "whole numbers must be below 2^53"},
        {"a = 007", 1, 5, "a number cannot begin with 0; put text in quotes"},
        {"\xc3\xa4 = '\xc3\xa4' 'x'", 1, 9, "the value ends before this; begin a new line"},
        {"a = \xff", 1, 5, "not UTF-8; save the text as UTF-8"},
        {"a = \x01", 1, 5, "a control character (U+0001); remove it"},
        {"a = 1\rb", 1, 6, "a control character (U+000D); remove it"},
    };
    plain_refuse(PLAINDOC_FLAT, rows, COUNT_OF(rows));
}

static void fill(char *text, const char *piece, int times)
{
    *text = '\0';
    for (int i = 0; i < times; i++)
        strcat(text, piece);
}

Test(plaindoc, bounds)
{
    static char text[1 << 18];
    struct plaindoc doc;
    struct pps_fault fault;
    fill(text, "[", 100);
    memcpy(text, "a=", 2);
    cr_assert_not(plaindoc_parse(&doc, PLAINDOC_FLAT, text, 100, &fault));
    cr_assert_str_eq(fault.text, "nested deeper than 64");
    fill(text, "a.", 100);
    cr_assert_not(plaindoc_parse(&doc, PLAINDOC_TOML, text, strlen(text), &fault));
    cr_assert_str_eq(fault.text, "nested deeper than 64");
    fill(text, "a:\n - ", 0);
    for (int i = 0, n = 0; i < 80; i++)
        n += sprintf(text + n, "%*sa:\n", i, "");
    cr_assert_not(plaindoc_parse(&doc, PLAINDOC_YAML, text, strlen(text), &fault));
    cr_assert_str_eq(fault.text, "nested deeper than 64");
    text[0] = 'a', text[1] = '=', text[2] = '[';
    for (int i = 0; i < 20000; i++)
        text[3 + 2 * i] = '1', text[4 + 2 * i] = ',';
    cr_assert_not(plaindoc_parse(&doc, PLAINDOC_FLAT, text, 40003, &fault));
    cr_assert_str_eq(fault.text, "more than 16384 values");
}

// Every value has its place, with that of its key.
Test(plaindoc, places)
{
    static const char text[] = "a:\n  b: [1, x]\n";
    struct plaindoc doc;
    struct pps_fault fault;
    cr_assert(plaindoc_parse(&doc, PLAINDOC_YAML, text, sizeof text - 1, &fault));
    cr_assert_eq(doc.n_places, 5);
    const cJSON *b = doc.root->child->child;
    cr_assert_eq(doc.places[0].item, doc.root);
    cr_assert(doc.places[1].item == doc.root->child && doc.places[1].key_at == 0);
    cr_assert(doc.places[2].item == b && doc.places[2].key_at == 5 &&
              doc.places[2].value_at == 8);
    cr_assert(doc.places[3].item == b->child && doc.places[3].value_at == 9);
    cr_assert(doc.places[4].item == b->child->next && doc.places[4].value_at == 12);
    cr_assert_eq(doc.places[4].key_at, 12);
    plaindoc_free(&doc);
}

Test(plaindoc, forms)
{
    cr_assert_eq(plaindoc_form_of("x.yaml"), PLAINDOC_YAML);
    cr_assert_eq(plaindoc_form_of("a/b.c/x.YML"), PLAINDOC_YAML);
    cr_assert_eq(plaindoc_form_of("x.toml"), PLAINDOC_TOML);
    cr_assert_eq(plaindoc_form_of("x.txt"), PLAINDOC_FLAT);
    cr_assert_eq(plaindoc_form_of("x.sh"), PLAINDOC_FLAT);
    cr_assert_eq(plaindoc_form_of("x.json"), PLAINDOC_NONE);
    cr_assert_eq(plaindoc_form_of("yaml"), PLAINDOC_NONE);
}

Test(plaindoc, looks)
{
    static const struct {
        const char *text;
        enum plaindoc_form form;
    } rows[] = {
        {"a: 1\n", PLAINDOC_YAML},
        {"a:", PLAINDOC_YAML},
        {"\xef\xbb\xbf# x = 1\r\n\r\n  a:\r\n", PLAINDOC_YAML},
        {"---\na: 1\n", PLAINDOC_YAML},
        {"- a\n", PLAINDOC_YAML},
        {"a = 1\n", PLAINDOC_FLAT},
        {"a=b: c\n", PLAINDOC_FLAT},
        {"# x: 1\na.b = 1", PLAINDOC_FLAT},
        {"[model]\n", PLAINDOC_FLAT},
        {"[\"x\"]\n", PLAINDOC_FLAT},
        {"{\"a\": 1}", PLAINDOC_NONE},
        {"// x\n{}", PLAINDOC_NONE},
        {"[{}]", PLAINDOC_NONE},
        {"[1]", PLAINDOC_NONE},
        {"", PLAINDOC_NONE},
        {"# x", PLAINDOC_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        cr_expect_eq(plaindoc_form_like(rows[i].text, strlen(rows[i].text)), rows[i].form, "%s",
                     rows[i].text);
}
