// SPDX-License-Identifier: Apache-2.0
// JSON documents with places: accepted documents, refused documents with line, column and
// message, and the places of values.
#include "base/document/json.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum pps_status parse(struct pps_json *json, const char *text, struct pps_error *err)
{
    memset(err, 0, sizeof *err);
    return pps_json_parse(json, "exp.json", text, strlen(text), err);
}

Test(jsonfile, good)
{
    static const char *const rows[] = {
        "{}",
        "[]",
        "1",
        " \t\r\n-0 ",
        "\"text\"",
        "true",
        "null",
        "{\"n\": [8, 16]}",
        "// comment\n{ // another\n\"n\": 8 // third\n, \"m\": 9 }// last",
        "{\r\n\"n\": 8,\r\n\"m\": 9\r\n}\r\n",
        "\xef\xbb\xbf{\"n\": 8}",
        "{\"n\": \"// no comment\"}",
        "{\"n\": \"quote \\\" // still none\"}",
        "// caf\xc3\xa9\n1",
        "//",
        "\"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\\\\"",
        "\"\xf0\x9f\x98\x80\x7f\"",
        "[0, -1, 1.5, 0.1, 1e5, 1E+5, 1e-5, 12.5e3, 9007199254740991, -9007199254740991]",
        "[1e300, 9007199254740992.0, 1e16, 0e999, 0.0e-999, 5e-324]",
        "[0.12345678901234567890123456789012345678901234567890123456789]",
        "{\"\": 1, \"a\": {\"a\": 1}, \"A\": 2, \"b\": [{\"a\": 1}, {\"a\": 1}]}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pps_json json;
        struct pps_error err;
        bool empty = strcmp(rows[i], "//") == 0;
        enum pps_status status = parse(&json, rows[i], &err);
        cr_assert_eq(status, empty ? PPS_E_INPUT : PPS_OK, "%s: %d:%d %s", rows[i], err.line,
                     err.column, err.text);
        if (status == PPS_OK)
            pps_json_free(&json);
    }
}

struct bad_row {
    const char *text;
    int line, column;
    const char *message;
};

static void expect_refusals(const struct bad_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct pps_json json;
        struct pps_error err;
        enum pps_status status = parse(&json, rows[i].text, &err);
        cr_assert_eq(status, PPS_E_INPUT, "%s: accepted", rows[i].text);
        cr_assert_null(json.text);
        cr_assert_str_eq(err.file, "exp.json");
        cr_assert_str_eq(err.text, rows[i].message, "%s: %s", rows[i].text, err.text);
        cr_assert(err.line == rows[i].line && err.column == rows[i].column, "%s: at %d:%d",
                  rows[i].text, err.line, err.column);
    }
}
#define EXPECT_REFUSALS(rows) expect_refusals(rows, sizeof rows / sizeof rows[0])

Test(jsonfile, bad_structure)
{
    static const struct bad_row rows[] = {
        {"", 1, 1, "a value is missing; write one"},
        {"  // all blank", 1, 15, "a value is missing; write one"},
        {"{\"n\": 8\n  \"m\": 9}", 2, 3, "a comma is missing before this"},
        {"[1 2]", 1, 4, "a comma is missing before this"},
        {"[1,\n]", 1, 3, "nothing follows this comma; remove it"},
        {"{\"n\": 8,}", 1, 8, "nothing follows this comma; remove it"},
        {"[,1]", 1, 2, "a value is missing before this"},
        {"[1,,2]", 1, 4, "a value is missing before this"},
        {"{\"n\":}", 1, 6, "a value is missing before this"},
        {"{\"n\" 8}", 1, 6, "a colon is missing before this"},
        {"{\"n\" = 8}", 1, 6, "a colon is missing before this"},
        {"{n: 8}", 1, 2, "a name is written in double quotes, as in \"n\": 8"},
        {"{1: 8}", 1, 2, "a name is written in double quotes, as in \"n\": 8"},
        {"{'n': 8}", 1, 2, "a single quote; write \""},
        {"{: 8}", 1, 2, "a name is missing before this"},
        {"{\"n\": 8]", 1, 8, "] does not close the { of line 1, column 1; write }"},
        {"{\n \"n\": [8}", 2, 9, "} does not close the [ of line 2, column 7; write ]"},
        {"{\"n\": [8, 16", 1, 13, "] is missing: the [ of line 1, column 7 is still open"},
        {"{\"n\": 8 // }\n\n", 1, 8, "} is missing: the { of line 1, column 1 is still open"},
        {"{\"n\": ", 1, 6, "} is missing: the { of line 1, column 1 is still open"},
        {"{\"n\"", 1, 5, "} is missing: the { of line 1, column 1 is still open"},
        {"{", 1, 2, "} is missing: the { of line 1, column 1 is still open"},
        {"[1,", 1, 4, "] is missing: the [ of line 1, column 1 is still open"},
        {"{} {}", 1, 4, "text after the end of the document; remove it"},
        {"1 ]", 1, 3, "text after the end of the document; remove it"},
        {"]", 1, 1, "a value is missing before this"},
        {"{\"n\": 8} # note", 1, 10, "text after the end of the document; remove it"},
        {"[ # note", 1, 3, "a comment begins with //"},
        {"[ /* note */ 1]", 1, 3, "a comment begins with // and ends with its line"},
        {"[1 / 2]", 1, 4, "/ is not expected here"},
        {"[\x01]", 1, 2, "byte 0x01 is not expected here"},
        {"[\xc3\xa9]", 1, 2, "\xc3\xa9 is not expected here"},
        {"[\xc2\xa0]", 1, 2, "a no-break space; write an ordinary space"},
        {"[\xe2\x80\x9cn\xe2\x80\x9d]", 1, 2, "a typographic quote; write \""},
        {"[True]", 1, 2, "True: write true"},
        {"[None]", 1, 2, "text is written in double quotes: write \"None\""},
        {"[gpipe]", 1, 2, "text is written in double quotes: write \"gpipe\""},
        {"[true1]", 1, 2, "text is written in double quotes: write \"true1\""},
    };
    EXPECT_REFUSALS(rows);
}

Test(jsonfile, bad_numbers)
{
    static const struct bad_row rows[] = {
        {"[1e999]", 1, 2, "1e999 is not a finite number"},
        {"[-1e999]", 1, 2, "-1e999 is not a finite number"},
        {"[NaN]", 1, 2, "NaN is not a finite number"},
        {"[-Infinity]", 1, 2, "-Infinity is not a finite number"},
        {"[Infinity]", 1, 2, "Infinity is not a finite number"},
        {"[+inf]", 1, 2, "+inf is not a number"},
        {"[01]", 1, 2, "01: a number has no leading zero; write 1"},
        {"[-007.5]", 1, 2, "-007.5: a number has no leading zero; write -7.5"},
        {"[00]", 1, 2, "00: a number has no leading zero; write 0"},
        {"[1.]", 1, 2, "1.: digits are missing after the point; write 1.0"},
        {"[1.e5]", 1, 2, "1.e5: digits are missing after the point; write 1.0"},
        {"[.5]", 1, 2, ".5: a number begins with a digit; write 0.5"},
        {"[-.5]", 1, 2, "-.5: a number begins with a digit; write -0.5"},
        {"[+1]", 1, 2, "+1: a number has no plus sign; write 1"},
        {"[1e]", 1, 2, "1e: digits are missing in the exponent"},
        {"[1e+]", 1, 2, "1e+: digits are missing in the exponent"},
        {"[0x10]", 1, 2, "0x10 is not a number"},
        {"[1..5]", 1, 2, "1..5: digits are missing after the point; write 1.0"},
        {"[-]", 1, 2, "- is not a number"},
        {"[1-2]", 1, 2, "1-2 is not a number"},
        {"[8k]", 1, 2, "8k is not a number"},
        {"[9007199254740993]", 1, 2, "9007199254740993 is above 2^53 and would be rounded"},
        {"[-9007199254740992]", 1, 2, "-9007199254740992 is above 2^53 and would be rounded"},
        {"[1e-400]", 1, 2, "1e-400 is too small and would become 0"},
        {"[0.1234567890123456789012345678901234567890123456789012345678901234567890]", 1, 2,
         "a number of 72 digits; write at most 63"},
    };
    EXPECT_REFUSALS(rows);
}

Test(jsonfile, bad_strings)
{
    static const char unfinished[] = "the string that begins here does not end on its line; "
                                     "write \" at its end, and \\n for "
                                     "a new line in it";
    const struct bad_row rows[] = {
        {"[\"a]", 1, 2, unfinished},
        {"[\"a\n\"]", 1, 2, unfinished},
        {"[\"a\\", 1, 4, "unknown escape; write \\\\ for a backslash"},
        {"{\"a: 1}", 1, 2, unfinished},
        {"[\"a\tb\"]", 1, 4, "control character 0x09 in a string; write \\u0009"},
        {"[\"a\\x\"]", 1, 4, "unknown escape; write \\\\ for a backslash"},
        {"[\"C:\\data\"]", 1, 5, "unknown escape; write \\\\ for a backslash"},
        {"[\"\\u12\"]", 1, 3, "\\u must be followed by four hexadecimal digits"},
        {"[\"\\u0000\"]", 1, 3, "\\u0000 cannot be part of a text"},
        {"[\"\\ud800\"]", 1, 3, "half a surrogate pair; write the character itself"},
        {"[\"\\ud800\\u0041\"]", 1, 3, "half a surrogate pair; write the character itself"},
        {"[\"\\udc00\\ud800\"]", 1, 3, "half a surrogate pair; write the character itself"},
        {"[\"\xc3\xa9\xff\"]", 1, 4, "byte 0xff is not UTF-8; save the text as UTF-8"},
        {"[\"\xc0\x80\"]", 1, 3, "byte 0xc0 is not UTF-8; save the text as UTF-8"},
        {"[\"\xed\xa0\x80\"]", 1, 3, "byte 0xed is not UTF-8; save the text as UTF-8"},
        {"[\"\xf4\x90\x80\x80\"]", 1, 3, "byte 0xf4 is not UTF-8; save the text as UTF-8"},
        {"[\"\xe0\x80\x80\"]", 1, 3, "byte 0xe0 is not UTF-8; save the text as UTF-8"},
        {"[\"\xe2\x82", 1, 3, "byte 0xe2 is not UTF-8; save the text as UTF-8"},
    };
    EXPECT_REFUSALS(rows);
}

// cJSON silently keeps the first of two equal keys.
Test(jsonfile, repeated_keys)
{
    static const struct bad_row rows[] = {
        {"{\"n\": 1,\n \"n\": 2}", 2, 2, "\"n\" appears twice (first at line 1)"},
        {"{\"n\": 1,\n \"\\u006e\": 2}", 2, 2, "\"n\" appears twice (first at line 1)"},
        {"{\"b\": 1,\n\"a\": 1,\n\"b\": 2,\n\"a\": 2}", 3, 1,
         "\"b\" appears twice (first at line 1)"},
        {"{\"x\": [{\"n\": 1, \"n\": 2}]}", 1, 17, "\"n\" appears twice (first at line 1)"},
        {"{\"n\": 1, \"n\": 2, \"n\": 3}", 1, 10, "\"n\" appears twice (first at line 1)"},
        {"{\"a\\nb\": 1, \"a\\nb\": 2}", 1, 13, "\"a?b\" appears twice (first at line 1)"},
    };
    EXPECT_REFUSALS(rows);
}

// Columns count characters, and each kind of line end ends a line.
Test(jsonfile, places)
{
    static const struct bad_row rows[] = {
        {"{\"\xc3\xa9\xe2\x82\xac\": x}", 1, 8,
         "text is written in double quotes: write \"x\""},
        {"[\r\n\r\n x]", 3, 2, "text is written in double quotes: write \"x\""},
        {"[\r\r x]", 3, 2, "text is written in double quotes: write \"x\""},
        {"[// one\r x]", 2, 2, "text is written in double quotes: write \"x\""},
        {"\xef\xbb\xbf[x]", 1, 2, "text is written in double quotes: write \"x\""},
    };
    EXPECT_REFUSALS(rows);
}

Test(jsonfile, nul_byte)
{
    struct pps_json json;
    struct pps_error err;
    cr_assert_eq(pps_json_parse(&json, "exp.json", "[1,\0 2]", 7, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "a NUL byte; remove it");
    cr_assert_eq(err.column, 4);
}

Test(jsonfile, depth)
{
    char text[200];
    struct pps_json json;
    struct pps_error err;
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = '\0';
    cr_assert_eq(parse(&json, text, &err), PPS_OK);
    pps_json_free(&json);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = '\0';
    cr_assert_eq(parse(&json, text, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "nested more than 64 levels deep");
    cr_assert_eq(err.column, 65);
}

static int fail_line(const struct pps_json *json, const cJSON *item, bool key)
{
    struct pps_error err = {0};
    enum pps_status status = key ? pps_json_fail_key(json, item, &err, "%s", "why\n")
                                 : pps_json_fail(json, item, &err, "%s", "why\n");
    cr_assert_eq(status, PPS_E_INPUT);
    cr_assert_str_eq(err.file, "exp.json");
    cr_assert_str_eq(err.text, "why?");
    return err.line * 100 + err.column;
}

Test(jsonfile, places_of_items)
{
    static const char text[] = "{ // first\n"
                               "  \"n\": [8, 16],\n"
                               "  \"rule\": \"sync_freq <= m\",\n"
                               "  \"esc\": \"a\\u0062 <= m\",\n"
                               "  \"deep\": {\"x\": {\"y\": true}}\n"
                               "}";
    struct pps_json json;
    struct pps_error err;
    int line, column;
    cr_assert_eq(parse(&json, text, &err), PPS_OK);
    const cJSON *n = pps_json_member(json.root, "n");
    const cJSON *deep = pps_json_member(pps_json_member(json.root, "deep"), "x");
    cr_assert_eq(fail_line(&json, json.root, false), 101);
    cr_assert_eq(fail_line(&json, n, false), 208);
    cr_assert_eq(fail_line(&json, n, true), 203);
    cr_assert_eq(fail_line(&json, n->child, false), 209);
    cr_assert_eq(fail_line(&json, n->child->next, true), 212);
    cr_assert_eq(fail_line(&json, pps_json_member(deep, "y"), false), 523);
    cr_assert_eq(fail_line(&json, pps_json_member(deep, "y"), true), 518);
    cr_assert_eq(fail_line(&json, NULL, false), 0);

    pps_json_where(&json, pps_json_member(json.root, "rule"), 13, &line, &column);
    cr_assert(line == 3 && column == 25, "%d:%d", line, column);
    pps_json_where(&json, pps_json_member(json.root, "rule"), 999, &line, &column);
    cr_assert(line == 3 && column == 26, "%d:%d", line, column);
    pps_json_where(&json, pps_json_member(json.root, "esc"), 5, &line, &column);
    cr_assert(line == 4 && column == 10, "%d:%d", line, column);
    pps_json_where(&json, n, 1, &line, &column);
    cr_assert(line == 2 && column == 8, "%d:%d", line, column);
    pps_json_where(&json, NULL, 1, &line, &column);
    cr_assert(line == 0 && column == 0);

    cr_assert_null(pps_json_member(json.root, "N")); // case matters
    cr_assert_null(pps_json_member(n, "n"));
    cr_assert_null(pps_json_member(NULL, "n"));
    pps_json_free(&json);
    pps_json_free(&json);
}

// Catches a comparison of every key with every other key.
Test(jsonfile, many_keys)
{
    enum { N = 200000 };
    char *text = malloc(N * 24 + 64), *end = text;
    struct pps_json json;
    struct pps_error err;
    *end++ = '{';
    for (int i = 0; i < N; i++)
        end += sprintf(end, "\"k%d\":%d,\n", i, i);
    strcpy(end, "\"k7\":0}");
    cr_assert_eq(parse(&json, text, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "\"k7\" appears twice (first at line 8)");
    cr_assert_eq(err.line, N + 1);
    strcpy(end, "\"last\":0}");
    cr_assert_eq(parse(&json, text, &err), PPS_OK);
    pps_json_free(&json);
    free(text);
}

// Documents that would need gigabytes after parsing are refused before parsing.
Test(jsonfile, many_values)
{
    size_t n = ((size_t)1 << 22) + 1;
    char *text = malloc(2 * n + 2);
    struct pps_json json;
    struct pps_error err;
    text[0] = '[';
    for (size_t i = 0; i < n; i++)
        memcpy(text + 1 + 2 * i, "0,", 2);
    text[2 * n] = ']';
    cr_assert_eq(pps_json_parse(&json, "exp.json", text, 2 * n + 1, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "more than 4194304 values; write ranges instead of lists");
    free(text);
}

// ---- files ---------------------------------------------------------------------------------

Test(jsonfile, load, .init = enter, .fini = leave)
{
    static const char path[] = "exp.json";
    struct pps_json json;
    struct pps_error err;

    cr_assert_eq(pps_json_load(&json, path, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "cannot read it: No such file or directory");
    cr_assert_str_eq(err.file, path);
    cr_assert_eq(pps_json_load(&json, folder, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "cannot read it: it is a folder; name a file in it");

    spill(path, "{\"n\": [8, 16]} // all\n");
    cr_assert_eq(pps_json_load(&json, path, &err), PPS_OK);
    cr_assert_str_eq(json.name, path);
    cr_assert_eq(json.n_places, 4u);
    pps_json_free(&json);

    spill(path, "{\"n\": }");
    cr_assert_eq(pps_json_load(&json, path, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.file, path);
    cr_assert_eq(err.column, 7);
}

Test(jsonfile, too_large)
{
    struct pps_json json;
    struct pps_error err;
    cr_assert_eq(pps_json_load(&json, "/dev/zero", &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "more than 64 MiB; a document may not be larger");
}
