// SPDX-License-Identifier: Apache-2.0
// YAML documents: the trees that the reader builds, the places of values, the limits, and the place
// and text of errors.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/document/plain.h"
#include "base/text/text_buffer.h"
#include "tests/unit/support/plain_rows.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

Test(yaml, blocks)
{
    static const struct plain_good rows[] = {
        {"", "{}"},
        {"---\n# only this\n", "{}"},
        {"--- # begins\na: 1\n", "{\"a\":1}"},
        {"%YAML 1.2\n---\na: 1\n...\n", "{\"a\":1}"},
        {"a: 1\n---\n", "{\"a\":1}"},
        {"{a: 1, b: [x, y z]}\n", "{\"a\":1,\"b\":[\"x\",\"y z\"]}"},
        {"model:\n  hidden_size: 8\n  inner:\n      deep: yes it is\n  L: 2\ntraining:\n  gbs: "
         "4",
         "{\"model\":{\"hidden_size\":8,\"inner\":{\"deep\":\"yes it is\"},\"L\":2},"
         "\"training\":{\"gbs\":4}}"},
        {"a:\n\n# note\n  b: 1\n   # note\n\n  c: 2\n", "{\"a\":{\"b\":1,\"c\":2}}"},
        {"  a: 1\n  b: 2\n", "{\"a\":1,\"b\":2}"},
        {"a:\nb: ~\nc: null\nd: \"\"\n", "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"\"}"},
        {"a:\n- 1\n- 2\nb: 3", "{\"a\":[1,2],\"b\":3}"},
        {"a:\n  - x: 1\n    y: 2\n  -   x: 3\n      y: 4\n  -\n    x: 5\n  -\n",
         "{\"a\":[{\"x\":1,\"y\":2},{\"x\":3,\"y\":4},{\"x\":5},null]}"},
        {"a:\n  - - 1\n    - 2\n  - [3, 4]\n", "{\"a\":[[1,2],[3,4]]}"},
        {"a:\n  - b:\n      - c\n    d: e\n", "{\"a\":[{\"b\":[\"c\"],\"d\":\"e\"}]}"},
        {"offset: [[1, 0],\n         [0, 1]] # two rows\nnext: 1\n",
         "{\"offset\":[[1,0],[0,1]],\"next\":1}"},
        {"offset: [\n  [1, 0],\n  [0, 1],\n]\n", "{\"offset\":[[1,0],[0,1]]}"},
        {"\"a b\": 1\n'c:d': 2\ne f: 3\n", "{\"a b\":1,\"c:d\":2,\"e f\":3}"},
        {"? a\n: 1\n? b\n", "{\"a\":1,\"b\":null}"},
        {"a: -x\nb: {c: -1}\n", "{\"a\":\"-x\",\"b\":{\"c\":-1}}"},
        {"a: [b: 1]\n", "{\"a\":[{\"b\":1}]}"},
        {"a : 1\r\nb:\t2\r\n", "{\"a\":1,\"b\":2}"},
    };
    plain_accept(PLAINDOC_YAML, rows, COUNT_OF(rows));
}

Test(yaml, text)
{
    static const struct plain_good rows[] = {
        {"a: 'it''s'\nb: x # y\nc: x#y\nd: http://x:80/\n",
         "{\"a\":\"it's\",\"b\":\"x\",\"c\":\"x#y\",\"d\":\"http://x:80/\"}"},
        {"a: |\n  one\n   two\n\nb: >-\n  three\n  four\nc: 1\n",
         "{\"a\":\"one\\n two\\n\",\"b\":\"three four\",\"c\":1}"},
        {"a: \"one\n  two\"\nb: one\n  two\nc: 'x\n\n  y'\n",
         "{\"a\":\"one two\",\"b\":\"one two\",\"c\":\"x\\ny\"}"},
        {"a: \"\\x41\\e\\u00e9\\\n  b\"\n", "{\"a\":\"A\\u001b\xc3\xa9"
                                            "b\"}"},
        {"\xc3\xa4: \xe6\xa8\xa1 # \xe6\xa8\xa1\n", "{\"\xc3\xa4\":\"\xe6\xa8\xa1\"}"},
    };
    plain_accept(PLAINDOC_YAML, rows, COUNT_OF(rows));
}

// Numbers and booleans mean what they mean to PyYAML; in addition 1e-5 is a number. Numbers that
// cannot be held leave the document readable.
Test(yaml, scalars)
{
    static const struct plain_good rows[] = {
        {"a: True\nb: FALSE\nc: yes\nd: Off\ne: y\nf: Null\n",
         "{\"a\":true,\"b\":false,\"c\":true,\"d\":false,\"e\":\"y\",\"f\":null}"},
        {"a: 'true'\nb: \"1\"\nc: ! 1\n", "{\"a\":\"true\",\"b\":\"1\",\"c\":\"1\"}"},
        {"a: 1_000\nb: 1e-6\nc: 1.e-8\nd: +12\ne: .5\nf: -1E3\ng: 1_0.5\n",
         "{\"a\":1000,\"b\":1e-6,\"c\":1e-8,\"d\":12,\"e\":0.5,\"f\":-1000,\"g\":10.5}"},
        {"a: 0x1F\nb: 0o17\nc: 0b101\nd: -0x10\n", "{\"a\":31,\"b\":15,\"c\":5,\"d\":-16}"},
        {"a: 010\nb: 1:30\nc: 2024-01-02\nd: 0x\ne: _1\nf: 1__0\ng: 1_\n",
         "{\"a\":\"010\",\"b\":\"1:30\",\"c\":\"2024-01-02\",\"d\":\"0x\",\"e\":\"_1\","
         "\"f\":\"1__0\",\"g\":\"1_\"}"},
        {"a: .inf\nb: .NaN\nc: 1e999\nd: 9007199254740992\ne: 9007199254740991\n",
         "{\"a\":\".inf\",\"b\":\".NaN\",\"c\":\"1e999\",\"d\":\"9007199254740992\","
         "\"e\":9007199254740991}"},
        {"a: 0xfffffffffffffffff\nb: 55GB\n", "{\"a\":\"0xfffffffffffffffff\",\"b\":\"55GB\"}"},
    };
    plain_accept(PLAINDOC_YAML, rows, COUNT_OF(rows));
}

Test(yaml, tags)
{
    static const struct plain_good rows[] = {
        {"a: !!str 12\nb: !!int \"7\"\nc: !!float 3\nd: !!bool \"yes\"\ne: !!null ''\n",
         "{\"a\":\"12\",\"b\":7,\"c\":3,\"d\":true,\"e\":null}"},
        {"a: !!map {b: 1}\nc: !!seq [1]\nd: !!binary aGk=\n",
         "{\"a\":{\"b\":1},\"c\":[1],\"d\":\"aGk=\"}"},
        {"a: !!python/tuple [1, 2]\nb: !!python/name:numpy.float32 ''\nc: !mine 1\n",
         "{\"a\":[1,2],\"b\":\"\",\"c\":\"1\"}"},
    };
    plain_accept(PLAINDOC_YAML, rows, COUNT_OF(rows));
}

Test(yaml, aliases)
{
    static const struct plain_good rows[] = {
        {"a: &x 4\nb: *x\nc: [*x, 1]\n", "{\"a\":4,\"b\":4,\"c\":[4,1]}"},
        {"a: &x {b: [1, 2]}\nc: *x\nd: {e: *x}\n",
         "{\"a\":{\"b\":[1,2]},\"c\":{\"b\":[1,2]},\"d\":{\"e\":{\"b\":[1,2]}}}"},
        {"a: &x\n  b: &y 1\n  c: *y\nd: *x\ne: &x 2\nf: *x\n",
         "{\"a\":{\"b\":1,\"c\":1},\"d\":{\"b\":1,\"c\":1},\"e\":2,\"f\":2}"},
        {"a: &x\nb: *x\n", "{\"a\":null,\"b\":null}"},
        {"a: &x key\n*x : 1\n", "{\"a\":\"key\",\"key\":1}"},
        {"a: &x {p: 1, q: 2}\nb:\n  q: 3\n  <<: *x\n  r: 4\n",
         "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"q\":3,\"r\":4,\"p\":1}}"},
        {"a: &x {p: 1}\nb: &y {p: 2, q: 3}\nc: {<<: [*x, *y, {q: 4, r: 5}]}\n",
         "{\"a\":{\"p\":1},\"b\":{\"p\":2,\"q\":3},\"c\":{\"p\":1,\"q\":3,\"r\":5}}"},
        {"a: &x [{p: 1}, {q: 2}]\nb: {<<: *x}\n",
         "{\"a\":[{\"p\":1},{\"q\":2}],\"b\":{\"p\":1,\"q\":2}}"},
        {"a: &x {p: 1, <<: {q: {r: 2}, <<: {s: 3}}}\nb: {<<: *x}\n",
         "{\"a\":{\"p\":1,\"q\":{\"r\":2},\"s\":3},\"b\":{\"p\":1,\"q\":{\"r\":2},\"s\":3}}"},
        {"a: {\"<<\": 1}\n", "{\"a\":{\"<<\":1}}"},
    };
    plain_accept(PLAINDOC_YAML, rows, COUNT_OF(rows));
}

Test(yaml, faults)
{
    static const struct plain_bad rows[] = {
        {"just text\n", 1, 1, "expected key: value"},
        {"- a\n", 1, 1, "expected key: value, not a list"},
        {"a: 1\nb\n", 2, 1, "expected key: value"},
        {"a: 1\n  b: 2\n", 2, 4,
         "a second : on this line, or a line that is indented too far; put text with a colon "
         "in "
         "quotes"},
        {"a: b: c\n", 1, 5,
         "a second : on this line, or a line that is indented too far; put text with a colon "
         "in "
         "quotes"},
        {"a:\n    b: 1\n  c: 2\n", 3, 3, "expected key: value, indented like the lines above"},
        {"  a: 1\nb: 2\n", 2, 1, "expected a new key, indented like the first one"},
        {"a:\n\tb: 1\n", 2, 1, "a tab; indent with spaces"},
        {"a:\n  - 1\n - 2\n", 3, 2, "expected key: value, indented like the lines above"},
        {"a: 1\n- 2\n", 2, 1, "expected key: value, indented like the lines above"},
        {"a: - 1\n", 1, 4, "a list begins on the line below its key"},
        {"a: 1\nb: 2\na: 3\n", 3, 1, "\"a\" appears twice (first at line 1)"},
        {"{a: 1, a: 2}\n", 1, 8, "\"a\" appears twice (first at line 1)"},
        {": a\n", 1, 1, "expected key: value, indented like the lines above"},
        {"{: a}\n", 1, 2, "a value is missing"},
        {"[a]: 1\n", 1, 1, "a key must be text"},
        {"? [a]\n: 1\n", 1, 3, "a key must be text"},
        {"a: [1\nb: 2\n", 2, 2, "expected , or ]"},
        {"a: @b\n", 1, 4, "this character cannot begin a value; put the text in quotes"},
        {"\xc3\xa4: \"\\q\"\n", 1, 5, "unknown escape; write \\\\ for a backslash"},
        {"a: 'x\n", 1, 4, "this text has no closing quote"},
        {"a: \"\\0\"\n", 1, 4, "text with a NUL character (\\0)"},
        {"a: !!int x\n", 1, 10, "\"x\": the tag demands a whole number below 2^53"},
        {"a: 1\n---\nb: 2\n", 3, 1, "a second document; a file may have only one"},
        {"a: *x\n", 1, 4, "no anchor &x before this alias"},
        {"a: &x [1, *x]\n", 1, 11, "*x refers to a value that contains it"},
        {"a: &x 1\nb: {<<: *x}\n", 2, 9, "<<: expected a map, or a list of maps"},
        {"a: {<<: [{b: 1}, 2]}\n", 1, 9, "<<: expected a map, or a list of maps"},
    };
    plain_refuse(PLAINDOC_YAML, rows, COUNT_OF(rows));
}

// Every level has ten aliases of the level above: 10^9 values of 1 KB of text.
Test(yaml, alias_bomb)
{
    struct text_buffer text = {.text = NULL};
    struct plaindoc doc;
    struct pps_fault fault;
    text_buffer_add(&text, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 9; i++) {
        text_buffer_add(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            text_buffer_add(&text, "%s*a%d", k > 0 ? ", " : "", i - 1);
        text_buffer_add(&text, "]\n");
    }
    cr_assert_not(plaindoc_parse(&doc, PLAINDOC_YAML, text.text, text.n, &fault));
    cr_assert_str_eq(fault.text, "aliases make more than 16384 values");
    cr_assert(fault.line == 5 && fault.column > 9, "%d:%d", fault.line, fault.column);
    text_buffer_free(&text);
}

static void refuse_deep(struct text_buffer *text)
{
    struct plaindoc doc;
    struct pps_fault fault;
    cr_assert_not(plaindoc_parse(&doc, PLAINDOC_YAML, text->text, text->n, &fault));
    cr_assert_str_eq(fault.text, "nested deeper than 64");
    text_buffer_free(text);
}

Test(yaml, depth)
{
    struct text_buffer blocks = {.text = NULL}, brackets = {.text = NULL},
                       aliases = {.text = NULL};
    text_buffer_add(&brackets, "a: ");
    text_buffer_add(&aliases, "a0: &a0 1\n");
    for (int i = 0; i < 80; i++) {
        text_buffer_add(&blocks, "%*sa:\n", i, "");
        text_buffer_add(&brackets, "%s", i % 2 == 0 ? "[" : "{a: ");
        text_buffer_add(&aliases, "a%d: &a%d [*a%d]\n", i + 1, i + 1, i);
    }
    refuse_deep(&blocks);
    refuse_deep(&brackets);
    refuse_deep(&aliases);
}

// ---- places -------------------------------------------------------------------------------------

static const struct pps_json_place *place_of(const struct plaindoc *doc, const cJSON *item)
{
    for (size_t i = 0; i < doc->n_places; i++)
        if (doc->places[i].item == item)
            return &doc->places[i];
    return NULL;
}

static size_t count(const cJSON *item)
{
    size_t n = 1;
    for (const cJSON *child = item->child; child != NULL; child = child->next)
        n += count(child);
    return n;
}

static void check_place(const struct plaindoc *doc, const cJSON *item, const char *value,
                        bool copied)
{
    const struct pps_json_place *place = place_of(doc, item);
    cr_assert_not_null(place, "%s", value);
    char got[64];
    snprintf(got, sizeof got, "%.*s", (int)(place->value_end - place->value_at),
             doc->text + place->value_at);
    cr_expect_str_eq(got, value, "%s", got);
    cr_expect_eq(place->source != NULL, copied, "%s", value);
}

// Every value has the place of its own text, without anchor and tag, and of its key.
Test(yaml, places)
{
    static const struct {
        const char *key, *value;
    } rows[] = {
        {"a", "1"},        {"b", "'x y'"},      {"c", "[1,\n  2]"}, {"d", "e: 1\n  f: [2]"},
        {"g", "- 1\n- 2"}, {"h", "- 3\n  - 4"}, {"i", "12"},        {"j", "k: \xc3\xa4"},
        {"l", "{m: 1}"},   {"o", ""},           {"p", "x\n  y"},
    };
    static const char text[] =
        "\xc3\xa4: 0\na: 1 # one\nb: 'x y'\nc: [1,\n  2]\nd:\n  e: 1\n  f: "
        "[2] # two\n\ng:\n- 1\n- 2\nh:\n  - 3\n  - 4\ni: &n !!int 12\nj: "
        "&m # why\n  k: \xc3\xa4\nl: !!map {m: 1}\no:\np: x\n  y\n";
    struct plaindoc doc;
    struct pps_fault fault;
    cr_assert(plaindoc_parse(&doc, PLAINDOC_YAML, text, sizeof text - 1, &fault));
    cr_assert_eq(count(doc.root), doc.n_places);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const cJSON *item = cJSON_GetObjectItem(doc.root, rows[i].key);
        check_place(&doc, item, rows[i].value, false);
        cr_expect_eq(doc.text[place_of(&doc, item)->key_at], rows[i].key[0]);
    }
    plaindoc_free(&doc);
}

// A copied value has the place of the alias; the values in it have the places of their originals.
Test(yaml, places_of_copies)
{
    static const char text[] =
        "a: &x {p: 1, q: [2]}\nb: *x\nc:\n  <<: *x\n  p: 3\nd: [*x]\ne: {<<: {f: 4}}\n";
    struct plaindoc doc;
    struct pps_fault fault;
    cr_assert(plaindoc_parse(&doc, PLAINDOC_YAML, text, sizeof text - 1, &fault));
    cr_assert_eq(count(doc.root), doc.n_places);
    const cJSON *a = doc.root->child, *b = a->next, *c = b->next, *d = c->next, *e = d->next;
    check_place(&doc, a, "{p: 1, q: [2]}", false);
    check_place(&doc, b, "*x", true);
    check_place(&doc, b->child, "1", true);
    check_place(&doc, c, "<<: *x\n  p: 3", false);
    check_place(&doc, c->child, "3", false);
    check_place(&doc, c->child->next, "[2]", true);
    check_place(&doc, d->child, "*x", true);
    check_place(&doc, e->child, "4", true);
    cr_assert_eq(place_of(&doc, b)->source, a);
    cr_assert_eq(place_of(&doc, d->child)->source, a);
    cr_assert_eq(place_of(&doc, b->child)->source, a->child);
    plaindoc_free(&doc);
}
