// SPDX-License-Identifier: Apache-2.0
// Edits of YAML text: what changes, and that nothing else does.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/edit/yaml_edit.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct row {
    const char *before;
    const char *changes; // {"path": value, ...}
    const char *after;
};

// Returns the text with the changes; the caller frees it.
static struct text_buffer edited(const char *before, const char *changes)
{
    struct plaindoc doc;
    struct pps_fault fault;
    struct text_edit edit = {.changes = NULL};
    struct text_buffer out = {.text = NULL};
    struct yaml_edit y;
    cJSON *values = cJSON_Parse(changes);
    cr_assert_not_null(values, "%s", changes);
    cr_assert(plaindoc_parse(&doc, PLAINDOC_YAML, before, strlen(before), &fault), "%s\n%s",
              before, fault.text);
    yaml_edit_begin(&y, &doc, &edit);
    for (const cJSON *value = values->child; value != NULL; value = value->next)
        yaml_set(&y, value->string, value);
    cr_assert(yaml_edit_end(&y, &fault), "%s: %s", changes, fault.text);
    text_edit_apply(&edit, before, strlen(before), &out);
    cr_assert_not(out.failed, "%s", before);
    // The text must have the values.
    struct plaindoc again;
    cr_assert(plaindoc_parse(&again, PLAINDOC_YAML, out.text, out.n, &fault), "%s\n%d: %s",
              out.text, fault.line, fault.text);
    for (const cJSON *value = values->child; value != NULL; value = value->next)
        cr_expect(cJSON_Compare(yaml_get(&again, value->string), value, true), "%s in\n%s",
                  value->string, out.text);
    plaindoc_free(&again);
    plaindoc_free(&doc);
    text_edit_free(&edit);
    cJSON_Delete(values);
    return out;
}

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct text_buffer out = edited(rows[i].before, rows[i].changes);
        cr_expect_str_eq(out.text, rows[i].after, "%s of\n%s\ngives\n%s", rows[i].changes,
                         rows[i].before, out.text);
        text_buffer_free(&out);
    }
}

Test(yaml_edit, values)
{
    static const struct row rows[] = {
        {"a: 1 # one\nb: 2", "{\"a\": 3}", "a: 3 # one\nb: 2"},
        {"a: 1 # one\nb: 2", "{\"b\": 3}", "a: 1 # one\nb: 3"},
        {"a: 0x10\nb: 1_000\nc: True\n", "{\"a\": 16, \"b\": 1000, \"c\": true}",
         "a: 0x10\nb: 1_000\nc: True\n"},
        {"\xef\xbb\xbf"
         "a: 1\r\nb:\r\n  c: [1,\r\n    2]\r\n",
         "{\"a\": 2, \"b.c\": [1, 3], \"b.d\": true}",
         "\xef\xbb\xbf"
         "a: 2\r\nb:\r\n  c: [1, 3]\r\n  d: true\r\n"},
        {"\xc3\xa4: \xc3\xb6\nb: 1\n", "{\"b\": 2}", "\xc3\xa4: \xc3\xb6\nb: 2\n"},
        {"a: True\nb: False\n", "{\"a\": false, \"c\": true}", "a: False\nb: False\nc: True\n"},
        {"a: \"58GB\"\nb: '58GB'\nc: 58GB\n",
         "{\"a\": \"60GB\", \"b\": \"60GB\", \"c\": \"60GB\"}",
         "a: \"60GB\"\nb: '60GB'\nc: \"60GB\"\n"},
        {"a: !!int 1\nb: &b 2\n", "{\"a\": 3, \"b\": 4}", "a: 3\nb: &b 4\n"},
        {"a:\nb: ~ # none\n", "{\"a\": 1, \"b\": 2}", "a: 1\nb: 2 # none\n"},
        {"a: |\n  text\n  text\nb: 1\n", "{\"a\": 1}", "a: 1\nb: 1\n"},
        {"{a: 1, b: [1, 2]}\n", "{\"a\": 2, \"b\": 3}", "{a: 2, b: 3}\n"},
        {"a: [[1, 1], [1, 1]]\n", "{\"a.0.0\": 4, \"a.1.0\": 4}", "a: [[4, 1], [4, 1]]\n"},
        {"a:\n  - b: 1\n  - b: 2\n", "{\"a.1.b\": 4}", "a:\n  - b: 1\n  - b: 4\n"},
    };
    check(rows, COUNT_OF(rows));
}

// Lists and maps without brackets become one line on the line of their key.
Test(yaml_edit, blocks)
{
    static const struct row rows[] = {
        {"a:\n  - 1\n  - 2 # two\n\n# next\nb: 1\n", "{\"a\": [3]}",
         "a: [3] # two\n\n# next\nb: 1\n"},
        {"a:\n- 1\n- 2\nb: 1\n", "{\"a\": 0}", "a: 0\nb: 1\n"},
        {"a: # why\n- 1\n- 2\nb: 1\n", "{\"a\": [0]}", "a: # why\n  [0]\nb: 1\n"},
        {"a: &x\n  - 1\nb: *x\n", "{\"a\": [2]}", "a: &x\n  [2]\nb: *x\n"},
        {"a:\n  - [1, 2]\n  -\n    - 3\nb: 1\n", "{\"a\": false}", "a: false\nb: 1\n"},
    };
    check(rows, COUNT_OF(rows));
}

Test(yaml_edit, new_keys)
{
    static const struct row rows[] = {
        {"a:\n    b: 1 # one\n\n# next\nc: 2\n", "{\"a.d\": 3, \"a.e\": [1]}",
         "a:\n    b: 1 # one\n    d: 3\n    e: [1]\n\n# next\nc: 2\n"},
        {"a: 1", "{\"b\": 2}", "a: 1\nb: 2"},
        {"a:\n    b: 1\n", "{\"c.d.e\": 1, \"c.f\": 2}",
         "a:\n    b: 1\nc:\n    d:\n        e: 1\n    f: 2\n"},
        {"a:\n  b:\n    c: 1\n", "{\"d\": 1, \"a.e\": 2, \"a.b.f\": 3}",
         "a:\n  b:\n    c: 1\n    f: 3\n  e: 2\nd: 1\n"},
        {"a: {b: 1}\nc: {}\nd: {e: 1, }\n", "{\"a.x\": 2, \"c.x\": 3, \"d.x.y\": 4}",
         "a: {b: 1, x: 2}\nc: {x: 3}\nd: {e: 1, x: {y: 4}, }\n"},
        {"a: # none\nb: ~\nc: 1\n", "{\"a.x\": 1, \"b.x\": 2}",
         "a: # none\n  x: 1\nb:\n  x: 2\nc: 1\n"},
        {"a:\n  b: |\n    text\n\nc: 1\n", "{\"a.d\": 2}",
         "a:\n  b: |\n    text\n\n  d: 2\nc: 1\n"},
        {"a:\n  - b: 1\n    c: 2\n  - b: 3\n", "{\"a.0.d\": 4}",
         "a:\n  - b: 1\n    c: 2\n    d: 4\n  - b: 3\n"},
        {"# nothing\n", "{\"a.b\": 1}", "# nothing\na:\n  b: 1\n"},
        {"", "{\"a\": 1}", "a: 1\n"},
        {"a: 1\n...\n", "{\"b\": 2}", "a: 1\nb: 2\n...\n"},
    };
    check(rows, COUNT_OF(rows));
}

Test(yaml_edit, aliases)
{
    static const struct row rows[] = {
        // The anchored value changes, and all aliases follow.
        {"dp: &dp 16\ns: [[*dp, 1]]\nn: *dp\n", "{\"dp\": 8}",
         "dp: &dp 8\ns: [[*dp, 1]]\nn: *dp\n"},
        {"dp: &dp 16\ns: [[*dp, 1]]\nn: *dp\n", "{\"dp\": 8, \"n\": 8, \"s.0.0\": 8}",
         "dp: &dp 8\ns: [[*dp, 1]]\nn: *dp\n"},
        // An alias with another value is replaced; the anchor stays.
        {"dp: &dp 16 # d\nn: *dp # n\n", "{\"n\": 4}", "dp: &dp 16 # d\nn: 4 # n\n"},
        {"dp: &dp 16\nn: *dp\n", "{\"n\": 16, \"dp\": 8}", "dp: &dp 8\nn: 16\n"},
        {"a: &x {p: 1, q: {r: 2}}\nb: *x # c\nd: 1\n", "{\"b.p\": 3}",
         "a: &x {p: 1, q: {r: 2}}\nb:\n  <<: *x\n  p: 3 # c\nd: 1\n"},
        {"a: &x {p: 1, q: {r: 2, s: 3}}\nb: *x\n", "{\"b.q.r\": 4, \"b.t.u\": 5}",
         "a: &x {p: 1, q: {r: 2, s: 3}}\nb:\n  <<: *x\n  q:\n    r: 4\n    s: 3\n  t:\n    u: "
         "5\n"},
        {"a: &x {p: 1}\nb: {c: *x}\n", "{\"b.c.p\": 3}",
         "a: &x {p: 1}\nb: {c: {<<: *x, p: 3}}\n"},
        {"a: &x {p: 1}\nb: *x\n", "{\"b.p\": 1}", "a: &x {p: 1}\nb: *x\n"},
        {"a: &x {p: 1}\nb: *x\n", "{\"a.p\": 2, \"b.p\": 2}", "a: &x {p: 2}\nb: *x\n"},
        {"a: &x [[1, 2]]\nb: *x\n", "{\"b.0.0\": 3}", "a: &x [[1, 2]]\nb: [[3, 2]]\n"},
        {"a: &x [1]\nb: *x\n", "{\"b\": [2]}", "a: &x [1]\nb: [2]\n"},
    };
    check(rows, COUNT_OF(rows));
}

Test(yaml_edit, merge_keys)
{
    static const struct row rows[] = {
        {"a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n", "{\"b.p\": 4, \"b.q\": 5}",
         "a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 5\n  p: 4\n"},
        {"a: &x {p: 1}\nb:\n  <<: *x\n", "{\"b.p\": 4}",
         "a: &x {p: 1}\nb:\n  <<: *x\n  p: 4\n"},
        {"a: &x {p: 1}\nb: {<<: *x}\n", "{\"b.p\": 4}", "a: &x {p: 1}\nb: {p: 4, <<: *x}\n"},
        {"a: &x {p: 1}\nb:\n  <<: *x\n", "{\"b.p\": 1}", "a: &x {p: 1}\nb:\n  <<: *x\n"},
        {"a: &x\n  p: {r: 1, s: 2}\nb:\n  <<: *x\n  q: 1\n", "{\"b.p.r\": 4}",
         "a: &x\n  p: {r: 1, s: 2}\nb:\n  <<: *x\n  q: 1\n  p:\n    r: 4\n    s: 2\n"},
        {"a: &x {p: 1}\nb:\n  <<: *x\n", "{\"a.p\": 4, \"b.p\": 1}",
         "a: &x {p: 4}\nb:\n  <<: *x\n  p: 1\n"},
        {"b: {<<: {p: 1}}\n", "{\"b.p\": 2}", "b: {p: 2, <<: {p: 1}}\n"},
    };
    check(rows, COUNT_OF(rows));
}

Test(yaml_edit, faults)
{
    static const struct {
        const char *text, *path;
    } rows[] = {
        {"a: 1\n", "a.b"},
        {"a: [1]\n", "a.b"},
        {"a: [1]\n", "a.1"},
        {"a: text\n", "a.b.c"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct plaindoc doc;
        struct pps_fault fault;
        struct text_edit edit = {.changes = NULL};
        struct yaml_edit y;
        cr_assert(
            plaindoc_parse(&doc, PLAINDOC_YAML, rows[i].text, strlen(rows[i].text), &fault));
        yaml_edit_begin(&y, &doc, &edit);
        yaml_set_number(&y, rows[i].path, 3);
        cr_expect_not(yaml_edit_end(&y, &fault), "%s", rows[i].path);
        cr_expect_not_null(fault.item);
        cr_expect_not_null(strstr(fault.text, "cannot be set here"), "%s", fault.text);
        text_edit_free(&edit);
        plaindoc_free(&doc);
    }
}
