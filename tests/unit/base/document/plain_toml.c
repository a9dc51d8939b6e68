// SPDX-License-Identifier: Apache-2.0
// TOML documents: the trees that the reader builds, the places of values, and the place and text of
// errors. Each row is one rule of the TOML specification.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/document/plain.h"
#include "tests/unit/support/plain_rows.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

// A value that a double cannot hold becomes text: a file with `lr = nan` or a date stays readable.
Test(plain_toml, values)
{
    static const struct plain_good rows[] = {
        {"1", "1"},
        {"+1_000", "1000"},
        {"-2.5e3 # ratio", "-2500"},
        {"1_0.2_5e+0_1#x", "102.5"},
        {"0xdead_BEEF", "3735928559"},
        {"0o755", "493"},
        {"0b1101_0110", "214"},
        {"-0", "0"},
        {"9007199254740991", "9007199254740991"},
        {"9007199254740992", "\"9007199254740992\""},
        {"0xffff_ffff_ffff_ffff", "\"0xffff_ffff_ffff_ffff\""},
        {"1e999", "\"1e999\""},
        {"inf", "\"inf\""},
        {"-nan", "\"-nan\""},
        {"true", "true"},
        {"false\t#no", "false"},
        {"1979-05-27", "\"1979-05-27\""},
        {"1979-05-27T07:32:00.999-07:00 # c", "\"1979-05-27T07:32:00.999-07:00\""},
        {"1979-05-27 07:32:00z", "\"1979-05-27 07:32:00z\""},
        {"07:32:00.5", "\"07:32:00.5\""},
        {"2000-02-29", "\"2000-02-29\""},
        {"\"a # b\"", "\"a # b\""},
        {"\"\\\"\\\\\\b\\f\\n\\r\\t\\u00e9\\U0001F600\"",
         "\"\\\"\\\\\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\""},
        {"'C:\\x'", "\"C:\\\\x\""},
        {"''", "\"\""},
        {"\"\"\"\none\r\ntwo \\\n\n   three \"\"quoted\"\"\"\"\"",
         "\"one\\ntwo three \\\"\\\"quoted\\\"\\\"\""},
        {"'''\na\\n\n''b'''''", "\"a\\\\n\\n''b''\""},
        {"\"\"\"\"\"\"", "\"\""},
        {"[]", "[]"},
        {"[1, # one\n  2,\n\n  [3, 4]\n,]", "[1, 2, [3, 4]]"},
        {"[true, 'x', {a.b = 1}]", "[true, \"x\", {\"a\":{\"b\":1}}]"},
        {"{}", "{}"},
        {"{a = 1, 'b c'.d = 2, b = {}}", "{\"a\":1,\"b c\":{\"d\":2},\"b\":{}}"},
        {"{ # TOML 1.1\n  a = 1,\n  b = 2, # last\n}", "{\"a\":1,\"b\":2}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[256], json[256];
        snprintf(text, sizeof text, "k = %s\n", rows[i].text);
        snprintf(json, sizeof json, "{\"k\": %s}", rows[i].json);
        plain_accept(PLAINDOC_TOML, &(struct plain_good){text, json}, 1);
        text[strlen(text) - 1] = '\0'; // without an end of line
        plain_accept(PLAINDOC_TOML, &(struct plain_good){text, json}, 1);
    }
}

Test(plain_toml, tables)
{
    static const struct plain_good rows[] = {
        {"", "{}"},
        {"title = \"x\"# c\n[model]\nL = 2\n\n[training.more]\ngbs = 1_024\n[training]\nmbs=1",
         "{\"title\":\"x\",\"model\":{\"L\":2},\"training\":{\"more\":{\"gbs\":1024},\"mbs\":1}"
         "}"},
        {"a.b.c = 1\na.d = 2\n", "{\"a\":{\"b\":{\"c\":1},\"d\":2}}"},
        {"[ a . \"b c\" ]\nd = true\n", "{\"a\":{\"b c\":{\"d\":true}}}"},
        {"[a]\n[b]\n", "{\"a\":{},\"b\":{}}"},
        {"3 = 4\n-a_ = 5\n\"\" = 6\n7.14 = 1\n", "{\"3\":4,\"-a_\":5,\"\":6,\"7\":{\"14\":1}}"},
        {"[[stage]]\nn = 1\n[stage.sub]\nx = 2\n[[stage]]\n[[stage.list]]\ny = 3\n",
         "{\"stage\":[{\"n\":1,\"sub\":{\"x\":2}},{\"list\":[{\"y\":3}]}]}"},
        {"[a.b.c]\nx = 1\n[a]\ny = 2\n[a.d]\n",
         "{\"a\":{\"b\":{\"c\":{\"x\":1}},\"y\":2,\"d\":{}}}"},
        {"[f]\napple.color = 1\n[f.apple.taste]\nsweet = true\n",
         "{\"f\":{\"apple\":{\"color\":1,\"taste\":{\"sweet\":true}}}}"},
        {"  [a]  # indented\r\n\tb = 1\r\n", "{\"a\":{\"b\":1}}"},
    };
    plain_accept(PLAINDOC_TOML, rows, COUNT_OF(rows));
}

Test(plain_toml, faults)
{
    static const struct plain_bad rows[] = {
        {"a\n", 1, 2, "expected = after a key"},
        {"a = b\n", 1, 5, "\"b\": text needs quotes"},
        {"a = True\n", 1, 5, "\"True\": text needs quotes"},
        {"a =\n", 1, 4, "a value is missing"},
        {"a = 1__0\n", 1, 5, "\"1__0\": text needs quotes"},
        {"a = +.5\n", 1, 5, "\"+.5\": text needs quotes"},
        {"a = 5.\n", 1, 5, "\"5.\": text needs quotes"},
        {"a = -0x1\n", 1, 5, "\"-0x1\": text needs quotes"},
        {"a = 0o8\n", 1, 5, "\"0o8\": text needs quotes"},
        {"a = 012\n", 1, 5, "a number cannot begin with 0; put text in quotes"},
        {"a = 2001-02-29\n", 1, 5, "not a valid date or time; put text in quotes"},
        {"a = 24:00:00\n", 1, 5, "not a valid date or time; put text in quotes"},
        {"a = \"x\n", 1, 5, "this text has no closing \" on its line"},
        {"a = \"\"\"x\n\"\"", 1, 5, "this text has no closing \"\"\""},
        {"a = \"\\d\"\n", 1, 6,
         "unknown escape; write \\\\ for a backslash, or text in single quotes"},
        {"a = \"\\ud800\"\n", 1, 6, "not a valid Unicode escape"},
        {"a = \"\\u12\"\n", 1, 6, "expected 4 hexadecimal digits after \\u"},
        {"\"\"\"a\"\"\" = 1\n", 1, 1, "a key cannot be text on several lines"},
        {"[a]\nx = 1\n[b]\n[a]\n", 4, 2, "\"a\" appears twice (first at line 1)"},
        {"a = 1\n[a]\n", 2, 2, "\"a\" appears twice (first at line 1)"},
        {"a = 1\n[a.b]\n", 2, 2, "\"a\" is a value already, so it cannot be a table"},
        {"a = 1\na.b = 2\n", 2, 1, "\"a\" is a value already, so it cannot be a table"},
        {"a = []\n[[a]]\n", 2, 3, "\"a\" appears twice (first at line 1)"},
        {"[a.b]\n[[a]]\n", 2, 3, "\"a\" appears twice (first at line 1)"},
        {"[[a]]\n[a]\n", 2, 2, "\"a\" appears twice (first at line 1)"},
        {"a = {b = 1}\n[a.c]\n", 2, 2,
         "\"a\" is an inline table; add its keys inside of the braces"},
        {"a = {b.c = 1, b = 2}\n", 1, 15, "\"b\" appears twice (first at line 1)"},
        {"a = {b.c = 1}\na.b.d = 2\n", 2, 1,
         "\"a\" is an inline table; add its keys inside of the braces"},
        {"[a.b]\nx = 1\n[a]\nb.y = 2\n", 4, 1,
         "\"b\" has its own header; add its keys under that header"},
        {"[a]\nb.c = 1\n[a.b]\n", 3, 4, "\"b\" appears twice (first at line 2)"},
        {"[a\n", 1, 3, "expected ] after the name of a table"},
        {"[[a]\n", 1, 4, "expected ]] after the name of a table"},
        {"[a] b\n", 1, 5, "the value ends before this; begin a new line"},
        {"[]\n", 1, 2, "expected a key: letters, digits, _ and -, or text in quotes"},
        {"a. = 1\n", 1, 4, "expected a key: letters, digits, _ and -, or text in quotes"},
        {"a = {b: 1}\n", 1, 7, "expected = after a key"},
        {"a = [1,,2]\n", 1, 8, "a value is missing before this comma"},
        {"a = [1 2]\n", 1, 8, "expected , or ]"},
        {"a = [1, 2\nb = 3\n", 2, 1, "expected , or ]"},
        {"a = {b = 1\n", 1, 5, "no } closes this"},
        {"a = 1\n[b]\nc = 1\nc = 2\n", 4, 1, "\"c\" appears twice (first at line 3)"},
        {"a = 1 b = 2\n", 1, 7, "the value ends before this; begin a new line"},
        {"a = 1\rb = 2\n", 1, 6, "a control character (U+000D); remove it"},
    };
    plain_refuse(PLAINDOC_TOML, rows, COUNT_OF(rows));
}

static void fill(char *text, const char *piece, int times)
{
    *text = '\0';
    for (int i = 0; i < times; i++)
        strcat(text, piece);
}

// Levels of headers, dotted keys and brackets count together.
Test(plain_toml, depth)
{
    char text[1024] = "[";
    struct plaindoc doc;
    struct pps_fault fault;
    fill(text + 1, "a.", 39);
    strcat(text, "a]\n");
    fill(text + strlen(text), "b.", 20);
    strcat(text, "b = [[[1]]]");
    cr_assert(plaindoc_parse(&doc, PLAINDOC_TOML, text, strlen(text), &fault), "%s",
              fault.text);
    plaindoc_free(&doc);
    strcpy(strstr(text, "[[["), "[[[[[1]]]]]");
    cr_assert_not(plaindoc_parse(&doc, PLAINDOC_TOML, text, strlen(text), &fault));
    cr_assert_str_eq(fault.text, "nested deeper than 64");
    cr_assert_eq(fault.line, 2);
}

// Each value has its key, its start and its end; a table ends after its last value.
Test(plain_toml, places)
{
    static const char text[] =
        "[a] # x\nb.c = [1, 'x'] # y\n[[d]]\ne = \"\"\"\n1\"\"\"\n[[d]]\n";
    struct plaindoc doc;
    struct pps_fault fault;
    cr_assert(plaindoc_parse(&doc, PLAINDOC_TOML, text, sizeof text - 1, &fault));
    const struct pps_json_place *place = doc.places;
    cr_assert_eq(doc.n_places, 10);
    cr_assert(place[0].item == doc.root && place[0].value_end == 0);
    cr_assert(place[1].key_at == 1 && place[1].value_end == 22, "a");
    cr_assert(place[2].key_at == 8, "b");
    cr_assert(place[3].key_at == 10 && place[3].value_at == 14 && place[3].value_end == 22);
    cr_assert(place[4].value_at == 15 && place[4].value_end == 16, "1");
    cr_assert(place[5].value_at == 18 && place[5].value_end == 21, "'x'");
    cr_assert(cJSON_IsArray(place[6].item) && place[6].key_at == 29, "d");
    cr_assert(place[7].key_at == 29 && place[7].value_end == 45, "d[0]");
    cr_assert(place[8].key_at == 33 && place[8].value_at == 37 && place[8].value_end == 45);
    cr_assert(place[9].value_at == 48 && place[9].value_end == 51, "d[1]");
    plaindoc_free(&doc);
}
