// SPDX-License-Identifier: Apache-2.0
// Documents written in the plain forms: their text, and that they read back unchanged.
#include "tests/unit/support/documents.h"

#include "base/edit/plain_write.h"
#include "base/text/text_buffer.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static const char *const names[] = {"flat", "YAML", "TOML"};

static void compare_text(enum plaindoc_form form, const char *json, const char *wanted)
{
    struct pps_json doc = document_of(json);
    struct text_buffer room = {.text = NULL};
    docwrite(&room, form, doc.root);
    cr_assert_not(room.failed);
    cr_assert_str_eq(room.text != NULL ? room.text : "", wanted, "%s of %s:\n%s", names[form],
                     json, room.text);
    text_buffer_free(&room);
    pps_json_free(&doc);
}

#define RUN                                                                                    \
    "{'name':'llama3-8b','offset':[[1,0],[0,1]],'model':{'L':2,'eps':1e-05,'tied':false,"      \
    "'act':{'kind':'silu'}},'training':{},'note':'a: b','list':['x',{'w':1.5}],'none':null}"

Test(docwrite, text)
{
    compare_text(
        PLAINDOC_FLAT, RUN,
        "name = llama3-8b\noffset = [[1, 0], [0, 1]]\nmodel.L = 2\nmodel.eps = 1.0e-05\n"
        "model.tied = false\nmodel.act.kind = silu\nnote = \"a: b\"\n"
        "list = [x, {w: 1.5}]\nnone = null\n");
    compare_text(PLAINDOC_YAML, RUN,
                 "name: llama3-8b\noffset: [[1, 0], [0, 1]]\nmodel:\n  L: 2\n  eps: 1.0e-05\n"
                 "  tied: false\n  act:\n    kind: silu\ntraining: {}\nnote: \"a: b\"\n"
                 "list: [x, {w: 1.5}]\nnone: null\n");
    compare_text(PLAINDOC_TOML, RUN,
                 "name = \"llama3-8b\"\noffset = [[1, 0], [0, 1]]\nnote = \"a: b\"\n"
                 "list = [\"x\", {w = 1.5}]\n\n[model]\nL = 2\neps = 1.0e-05\ntied = false\n\n"
                 "[model.act]\nkind = \"silu\"\n\n[training]\n");
    compare_text(PLAINDOC_YAML, "{}", "");
}

// Writes a document in a form that can hold all its values, and reads the text back.
static void round_trip(enum plaindoc_form form, const char *json)
{
    struct pps_json doc = document_of(json);
    struct text_buffer room = {.text = NULL};
    struct plaindoc again;
    struct pps_fault fault;
    docwrite(&room, form, doc.root);
    cr_assert(plaindoc_parse(&again, form, room.text, room.n, &fault),
              "%s of %s:\n%s\n%d:%d: %s", names[form], json, room.text, fault.line,
              fault.column, fault.text);
    cr_assert(cJSON_Compare(doc.root, again.root, true), "%s of %s:\n%s", names[form], json,
              room.text);
    plaindoc_free(&again);
    text_buffer_free(&room);
    pps_json_free(&doc);
}

Test(docwrite, round_trips)
{
    static const char *const rows[] = {
        "{'a':1,'b':-0.1,'c':1e300,'d':123456789012345,'e':9007199254740991,'f':5e-324,'g':0}",
        "{'a':'','b':'true','c':'True','d':'null','e':'1','f':'-','g':'~','h':' x ','i':'x y'}",
        "{'a':'q\\\"q','b':'back\\\\slash','c':'\\n\\t\\r\\b\\f','d':'\\u0001\\u007f\\u00e9'}",
        "{'a':'it\\u0027s','b':'#x','c':'x # y','d':'[x]','e':'{x}','f':'a,b','g':'55GB'}",
        "{'a':[],'b':[[]],'c':[true,false],'d':['x','null'],'e':[{'f':1,'g':{}}],'h':[1.5]}",
        "{'a':'h\\u00fcte','b':'-x','c':'&x','d':'*','e':'?','f':'a:','g':'---','h':'no'}",
        "{'on':'Yes','a':'- x'}",
    };
    static const char *const nested[] = {
        "{'a':{'b':{'c':{'d':1}},'e':2},'f':3}",
        "{'a b':{'c:d':{'#':1},'':2,'null':3,'- ':4},'true':5,'1':6,'h\\u00fc':7,'x\\n':8}",
        "{'a':{},'b':{'c':{}}}",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int form = PLAINDOC_FLAT; form <= PLAINDOC_TOML; form++)
            round_trip((enum plaindoc_form)form, rows[i]);
    for (size_t i = 0; i < COUNT_OF(nested); i++) {
        round_trip(PLAINDOC_YAML, nested[i]);
        round_trip(PLAINDOC_TOML, nested[i]);
    }
    round_trip(PLAINDOC_FLAT, "{'a.b':2,'c':1}");
    round_trip(PLAINDOC_YAML, "{'a':null,'b':[null]}");
    round_trip(PLAINDOC_FLAT, "{'a':null,'b':[null]}");
}

// Values that a form cannot hold are skipped.
Test(docwrite, left_out)
{
    compare_text(PLAINDOC_TOML, "{'a':null,'b':{'c':null},'d':[{'e':null,'f':1},null]}",
                 "d = [{f = 1}, \"null\"]\n\n[b]\n");
    compare_text(PLAINDOC_FLAT, "{'a b':1,'':2,'c=':3,'d':{'e#':4,'f':5},'g':{}}", "d.f = 5\n");
}

Test(docwrite, shipped_models)
{
    static const char *const files[] = {"sweep_configs/models/deepseek-v3.json",
                                        "sweep_configs/models/gpt3-175b.json",
                                        "sweep_configs/clusters/a100-80.json"};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct pps_json doc = document_in(files[i]);
        char *text = cJSON_PrintUnformatted(doc.root);
        for (char *c = text; *c != '\0'; c++)
            if (*c == '"')
                *c = '\'';
        for (int form = PLAINDOC_FLAT; form <= PLAINDOC_TOML; form++)
            round_trip((enum plaindoc_form)form, text);
        cJSON_free(text);
        pps_json_free(&doc);
    }
}
