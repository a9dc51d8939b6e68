// SPDX-License-Identifier: Apache-2.0
// Edits of TOML text: where values are replaced, added and removed, and that all other bytes stay.
#include "base/edit/toml_edit.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct row {
    const char *before, *settings, *after;
};

static void parse(struct plaindoc *doc, const char *text)
{
    struct pps_fault fault;
    cr_assert(plaindoc_parse(doc, PLAINDOC_TOML, text, strlen(text), &fault), "%s\n%d:%d: %s",
              text, fault.line, fault.column, fault.text);
}

// Applies "path=JSON; path=JSON; -path" and returns the new text, which the caller frees. NULL: one
// of them is impossible.
static char *edited(const char *before, const char *settings)
{
    struct plaindoc doc;
    struct text_edit edit = {.n = 0};
    struct toml_edit t;
    struct text_buffer out = {.text = NULL};
    char *copy = strdup(settings), *rest = copy, *word;
    bool ok = true;
    parse(&doc, before);
    toml_edit_begin(&t, &doc, &edit);
    while ((word = strsep(&rest, ";")) != NULL) {
        word += strspn(word, " ");
        char *equals = strchr(word, '=');
        if (*word == '-') {
            ok &= toml_remove(&t, word + 1);
        } else if (equals != NULL) {
            cJSON *value = cJSON_Parse(equals + 1);
            cr_assert_not_null(value, "%s", settings);
            *equals = '\0';
            ok &= toml_set(&t, word, value);
            cJSON_Delete(value);
        }
    }
    toml_edit_end(&t);
    text_edit_apply(&edit, before, strlen(before), &out);
    text_buffer_add_bytes(&out, "", 0);
    cr_assert_not(out.failed || edit.failed);
    text_edit_free(&edit);
    plaindoc_free(&doc);
    free(copy);
    if (ok)
        return out.text;
    text_buffer_free(&out);
    return NULL;
}

Test(toml_edit, rows)
{
    static const struct row rows[] = {
        // an equal value keeps its spelling, another one its place and its comment
        {"[a]\nx = 0x10 # hex\ny = 1_000\n", "a.x=16; a.y=2000",
         "[a]\nx = 0x10 # hex\ny = 2000\n"},
        {"[a]\nx = 'one' # c\r\n", "a.x=\"two\"", "[a]\nx = 'two' # c\r\n"},
        {"x = \"\"\"\na\"\"\" # c\n", "x=\"it's\"", "x = \"it's\" # c\n"},
        // a missing key: at the end of its table, before blank lines and comments of the next
        {"[a]\n  x = 1 # c\n\n# about b\n[b]\n", "a.y=[1,2]; a.z=true",
         "[a]\n  x = 1 # c\n  y = [1, 2]\n  z = true\n\n# about b\n[b]\n"},
        {"[a]\nx = [\n 1, # one\n]\n[b]", "a.y=1; b.z=2",
         "[a]\nx = [\n 1, # one\n]\ny = 1\n[b]\nz = 2"},
        {"\xef\xbb\xbf# c\r\n[a]\r\nx = 1\r\n", "a.y=2",
         "\xef\xbb\xbf# c\r\n[a]\r\nx = 1\r\ny = 2\r\n"},
        // the document itself
        {"# c\n[a]\n", "x=1; y=2", "x = 1\ny = 2\n# c\n[a]\n"},
        {"x = 1\n[a]\n", "y=2", "x = 1\ny = 2\n[a]\n"},
        // a missing table: at the end, all its keys together
        {"x = 1\n", "a.b=1; c.d=2; a.e=3", "x = 1\n\n[a]\nb = 1\ne = 3\n\n[c]\nd = 2\n"},
        {"x = 1", "a.b=1", "x = 1\n\n[a]\nb = 1\n"},
        {"", "a.b=1", "[a]\nb = 1\n"},
        {"[a.b]\nx = 1\n", "a.y=1", "[a.b]\nx = 1\n\n[a]\ny = 1\n"},
        // dotted keys and inline tables
        {"a.x = 1 # c\nb = 2\n", "a.x=3; a.y=4", "a.x = 3 # c\nb = 2\na.y = 4\n"},
        {"[t]\na.b.x = 1\n[u]\n", "t.a.b.y=2; t.a.c.z=3",
         "[t]\na.b.x = 1\na.b.y = 2\na.c.z = 3\n[u]\n"},
        {"a = { x = 1 } # c\n", "a.x=2; a.y=3", "a = { x = 2, y = 3 } # c\n"},
        {"a = {}\n", "a.x=2; a.y=3", "a = {x = 2, y = 3}\n"},
        {"a = {b.x = 1, c = 2}\n", "a.b.y=3", "a = {b.x = 1, c = 2, b.y = 3}\n"},
        // the last table of a list of tables
        {"[[a]]\nx = 1\n[[a]]\nx = 2\n", "a.x=3; a.y=4", "[[a]]\nx = 1\n[[a]]\nx = 3\ny = 4\n"},
        // removal: the line goes, its comment stays; other keys may follow
        {"[a]\nx = 1\ny = [\n1]\nz = 2 # two\n", "-a.y; -a.z; a.w=3; -a.none; -b.c",
         "[a]\nx = 1\n# two\nw = 3\n"},
        {"[a]\nx = 1\n[b]\n", "-a.x; a.y=2", "[a]\ny = 2\n[b]\n"},
        // a list of lists has a line for each item
        {"[a]\nx = 1\n", "a.x=[[\"b\", \"c\"], []]",
         "[a]\nx = [\n  [\"b\", \"c\"],\n  [],\n]\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *after = edited(rows[i].before, rows[i].settings);
        cr_assert_not_null(after, "%s", rows[i].before);
        cr_assert_str_eq(after, rows[i].after, "%s: %s\n%s", rows[i].before, rows[i].settings,
                         after);
        free(after);
    }
}

Test(toml_edit, impossible)
{
    static const struct row rows[] = {
        {"a = 1\n", "a.b=1", NULL},      {"[a.b]\n", "a.b=1", NULL}, {"[[a]]\n", "a=1", NULL},
        {"a = {x = 1}\n", "-a.x", NULL}, {"[a]\n", "-a", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        cr_assert_null(edited(rows[i].before, rows[i].settings), "%s", rows[i].before);
}

// A comment stands above its key, once.
Test(toml_edit, comments)
{
    static const char before[] = "[a]\r\n  x = 1 # one\r\ny = 2\r\n";
    struct plaindoc doc;
    struct text_edit edit = {.n = 0};
    struct toml_edit t;
    struct text_buffer out = {.text = NULL};
    parse(&doc, before);
    toml_edit_begin(&t, &doc, &edit);
    toml_comment(&t, "a.x", "why");
    toml_comment(&t, "a.none", "why");
    toml_edit_end(&t);
    text_edit_apply(&edit, before, strlen(before), &out);
    text_edit_free(&edit);
    plaindoc_free(&doc);
    cr_assert_str_eq(out.text, "[a]\r\n  # why\r\n  x = 1 # one\r\ny = 2\r\n");
    parse(&doc, out.text);
    toml_edit_begin(&t, &doc, &edit);
    toml_comment(&t, "a.x", "why");
    toml_edit_end(&t);
    cr_assert_eq(edit.n, 0);
    plaindoc_free(&doc);
    text_buffer_free(&out);
}

// ---- random edits -------------------------------------------------------------------------------

static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

// Sets a path in a tree as an edit does in the text.
static void set_in_tree(cJSON *root, const char *path, cJSON *value)
{
    char name[64];
    const char *dot;
    while ((dot = strchr(path, '.')) != NULL) {
        snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
        cJSON *child = cJSON_GetObjectItemCaseSensitive(root, name);
        root = child != NULL ? child : cJSON_AddObjectToObject(root, name);
        path = dot + 1;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(root, path);
    cJSON_AddItemToObject(root, path, value);
}

// Any set of edits gives the tree of the old document with these values, and a second run of the
// same edits changes nothing.
Test(toml_edit, random)
{
    static const char text[] =
        "# top\ntitle = 'x'\ndot.ted.a = 1 # one\r\ninline = { a = 1, b.c = [1,\n 2] }\r\n\n"
        "[one] # header\n  a = 1_0 # ten\n  b = \"\"\"\n\n[not a header]\n\"\"\"\n  c.d = 1\n\n"
        "# two follows\n[two.sub]\na = 0x1f\n[one.sub]\nb = false\n[[list]]\nx = 1";
    static const char *const paths[] = {
        "title",       "new",        "dot.ted.a",  "dot.ted.b",   "dot.x",   "inline.a",
        "inline.b.c",  "inline.b.d", "inline.new", "one.a",       "one.b",   "one.new",
        "one.c.d",     "one.c.new",  "one.sub.b",  "one.sub.c",   "two.new", "two.sub.a",
        "two.sub.new", "three.a",    "three.b",    "two.other.a",
    };
    static const char *const values[] = {"1",     "10",       "31",    "true",
                                         "\"x\"", "\"it's\"", "[1,2]", "[[\"a\"],[\"b\"]]",
                                         "0.25",  "[]"};
    unsigned state = 1;
    for (int round = 0; round < 2000; round++) {
        char settings[1024] = "";
        struct plaindoc doc, again;
        parse(&doc, text);
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
            if (next(&state) % 3 > 0)
                continue;
            const char *value = values[next(&state) % COUNT_OF(values)];
            const size_t n = strlen(settings);
            snprintf(settings + n, sizeof settings - n, "%s=%s;", paths[i], value);
            set_in_tree(doc.root, paths[i], cJSON_Parse(value));
        }
        char *after = edited(text, settings);
        cr_assert_not_null(after, "%s", settings);
        parse(&again, after);
        cr_assert(cJSON_Compare(doc.root, again.root, true), "%s\n%s", settings, after);
        char *twice = edited(after, settings);
        cr_assert_str_eq(twice, after, "%s", settings);
        free(twice);
        free(after);
        plaindoc_free(&doc);
        plaindoc_free(&again);
    }
}
