// SPDX-License-Identifier: Apache-2.0
// Documents of an experiment: where they come from, what they are called, what they say of
// parameters, and the place of whatever is wrong with them.
#include "toykernel.h"

#include "files.h"

#include "engine/experiment.h"
#include "engine/inputs.h"

#include <criterion/criterion.h>
#include <sys/stat.h>

// ---- experiments in a folder --------------------------------------------------------------------

static void set_up(void)
{
    enter();
    spill("small.json", "{\"size\": 2, \"weight\": 3}");
    spill("large.json", "{\"name\": \"crate\", \"weight\": 5,\n \"size\": 10}\n");
    spill("hall.json", "{\"room\": 70.5}");
    cr_assert_eq(mkdir("deep", 0700), 0);
    spill("deep/box.json", "{\"weight\": 1}");
}

// Whatever happened, what was opened is closed.
static void tear_down(void)
{
    leave();
    cr_assert_eq(toy_opened, toy_closed, "%d opened, %d closed", toy_opened, toy_closed);
}

TestSuite(inputs, .init = set_up, .fini = tear_down);

static enum pps_status load(struct pps_experiment **e,
                            const char *path,
                            const char *text,
                            const char *const *words,
                            struct pps_error *err)
{
    struct pps_request request = {.kernels = toy_kernels,
                                  .path = path,
                                  .digits = PPS_DEFAULT_DIGITS,
                                  .inputs = {.words = words}};
    while (words != NULL && words[request.inputs.n] != NULL)
        request.inputs.n++;
    spill(path, text);
    *err = (struct pps_error){.text = ""};
    return pps_experiment_load(e, &request, err);
}

static struct pps_experiment *good(const char *text, const char *const *words)
{
    struct pps_experiment *e;
    struct pps_error err;
    const enum pps_status status = load(&e, "e.json", text, words, &err);
    cr_assert_eq(status, PPS_OK, "%s: %s:%d:%d: %s", text, err.file, err.line, err.column,
                 err.text);
    return e;
}

// FILE:LINE:COLUMN: TEXT, as main prints it; no line or no column where there is none.
static void is_refused(const char *path,
                       const char *text,
                       const char *const *words,
                       const char *said)
{
    struct pps_experiment *e;
    struct pps_error err;
    char line[8192], place[64] = "";
    cr_assert_eq(load(&e, path, text, words, &err), PPS_E_INPUT, "%s: not refused", text);
    if (err.line > 0)
        snprintf(place, sizeof place, ":%d:%d", err.line, err.column);
    snprintf(line, sizeof line, "%s%s%s%s", err.file, place, err.file[0] ? ": " : "", err.text);
    cr_assert_str_eq(line, said, "%s\ngot  %s\nwant %s", text, line, said);
    pps_experiment_free(e);
}

static void has_point(const struct pps_experiment *e, uint64_t index, int p, double value)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    pps_cursor_seek(cursor, &e->space, index);
    cr_assert_eq(cursor->point[p], value, "point %d: %s is %g, not %g", (int)index,
                 e->kernel->params[p].name, cursor->point[p], value);
    free(cursor);
}

static void has_header(const struct pps_experiment *e, const char *header)
{
    char *text = pps_experiment_header(e);
    cr_assert_str_eq(text, header);
    free(text);
}

static const char *box_name(const struct pps_experiment *e, int i)
{
    return e->kernel->params[TOY_BOX].names[i];
}

#define SMALL(rest_) "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"small.json\"}" rest_ "}"

// ---- where documents come from ------------------------------------------------------------------

// A parameter that only a document says is a constant of the experiment; one that it could be
// said by has the document's value unless an axis has others.
Test(inputs, one_document_says_defaults)
{
    struct pps_experiment *e = good(SMALL(", \"x\": [1, 2]"), NULL);
    has_header(e, "x,time,answer,need\n");
    cr_assert_eq(e->n_points, 2);
    has_point(e, 1, TOY_SIZE, 2);
    has_point(e, 1, TOY_WEIGHT, 3);
    has_point(e, 1, TOY_ROOM, 100);
    cr_assert_str_eq(box_name(e, 0), "small");
    pps_experiment_free(e);
    e = good(SMALL(", \"x\": 1, \"size\": [7, 8]"), NULL);
    has_point(e, 1, TOY_SIZE, 8);
    has_point(e, 1, TOY_WEIGHT, 3);
    pps_experiment_free(e);
}

// Would catch paths that are looked for in the working folder.
Test(inputs, paths_are_beside_the_experiment)
{
    struct pps_error err;
    struct pps_experiment *e;
    const char *text = "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"box.json\"}, \"x\": 1}";
    cr_assert_eq(load(&e, "deep/e.json", text, NULL, &err), PPS_OK, "%s", err.text);
    cr_assert_str_eq(box_name(e, 0), "box");
    has_point(e, 0, TOY_WEIGHT, 1);
    pps_experiment_free(e);
    // Those of the command line are not.
    const char *const words[] = {"box=small.json", NULL};
    cr_assert_eq(load(&e, "deep/e.json", text, words, &err), PPS_OK, "%s", err.text);
    cr_assert_str_eq(box_name(e, 0), "small");
    pps_experiment_free(e);
}

Test(inputs, names)
{
    struct pps_experiment *e =
        good("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", {\"weight\": 9}, "
             "\"large.json\", {\"weight\": 8, \"name\": \"8-bit.v2+\"}]}, \"x\": 1}",
             NULL);
    const char *const names[] = {"small", "box-2", "crate", "8-bit.v2+", NULL};
    for (int i = 0; i < 5; i++) {
        const char *name = box_name(e, i);
        cr_assert(name == names[i] || strcmp(name, names[i]) == 0, "%d: %s", i, name);
    }
    char *list = NULL;
    size_t n;
    FILE *out = open_memstream(&list, &n);
    pps_inputs_list(e->inputs, out);
    fclose(out);
    cr_assert_str_eq(list, "box small (small.json), box-2, crate (large.json), 8-bit.v2+");
    free(list);
    pps_experiment_free(e);
}

// Several documents are the outermost axis, which sets all that they say, but shows itself alone.
Test(inputs, several_are_an_axis)
{
    struct pps_experiment *e =
        good("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"], "
             "\"place\": [{\"room\": 5}, \"hall.json\"]}, \"x\": \"1..2\", "
             "\"where\": [\"W * S > 6 || room < 70\", \"box != 'crate' || x == 1\"]}",
             NULL);
    has_header(e, "box,place,x,time,answer,need\n");
    cr_assert_eq(e->n_points, 8);
    has_point(e, 0, TOY_ROOM, 5);
    has_point(e, 3, TOY_ROOM, 70.5);
    has_point(e, 3, TOY_SIZE, 2);
    has_point(e, 7, TOY_SIZE, 10);
    has_point(e, 7, TOY_WEIGHT, 5);
    has_point(e, 7, TOY_BOX, 1);
    pps_experiment_free(e);
    // An axis takes the place of what they say.
    e = good("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"]}, "
             "\"size\": [7, 8]}",
             NULL);
    cr_assert_eq(e->n_points, 4);
    has_point(e, 2, TOY_SIZE, 7);
    has_point(e, 2, TOY_WEIGHT, 5);
    pps_experiment_free(e);
}

Test(inputs, words_take_the_place_of_what_is_said)
{
    const char *const words[] = {"box=large.json", "place=hall.json",
                                 "box=deep/box.json,"
                                 "small.json",
                                 NULL};
    struct pps_experiment *e = good(SMALL(", \"x\": 1"), words);
    cr_assert_eq(e->n_points, 3);
    cr_assert_str_eq(box_name(e, 0), "crate");
    cr_assert_str_eq(box_name(e, 1), "box");
    cr_assert_str_eq(box_name(e, 2), "small");
    has_point(e, 0, TOY_ROOM, 70.5);
    pps_experiment_free(e);
}

// What a row shows of a number is what the kernel was given: a document's number, too, one document
// or several.
Test(inputs, numbers_are_those_that_rows_show)
{
    const char *const one = "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"small.json\", "
                            "\"place\": {\"room\": 74.505805969238281}}, \"x\": 1}";
    const char *const two = "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"small.json\", "
                            "\"place\": [{\"room\": 74.505805969238281}, {}]}, \"x\": 1}";
    struct pps_experiment *e = good(one, NULL);
    has_point(e, 0, TOY_ROOM, 74.5058059692383);
    pps_experiment_free(e);
    e = good(two, NULL);
    has_point(e, 0, TOY_ROOM, 74.5058059692383);
    double point[TOY_N] = {0};
    pps_inputs_say(e->inputs, 0, point);
    cr_assert_eq(point[TOY_ROOM], 74.5058059692383);
    pps_experiment_free(e);
}

// A slot that needs no document has a name for what stands in for it.
Test(inputs, without_a_document)
{
    struct pps_experiment *e = good(SMALL(", \"x\": 1"), NULL);
    cr_assert_str_eq(e->kernel->params[TOY_PLACE].names[0], "default");
    pps_experiment_free(e);
}

// ---- what is part of the digest -----------------------------------------------------------------

static uint64_t digest_of(const char *text)
{
    struct pps_experiment *e = good(text, NULL);
    const uint64_t digest = e->digest;
    pps_experiment_free(e);
    return digest;
}

// Would catch a result that is found again though a document has changed.
Test(inputs, contents_count)
{
    const uint64_t before = digest_of(SMALL(", \"x\": 1"));
    spill("other.json", "{\"name\": \"small\",\n\"size\": 2,   \"weight\": 3}");
    cr_assert_neq(before, digest_of("{\"kernel\": \"toy\", \"inputs\": "
                                    "{\"box\": \"large.json\"}, \"x\": 1}"));
    spill("small.json", "{\"weight\": 3, \"size\": 2.0}");
    cr_assert_neq(before, digest_of(SMALL(", \"x\": 1")), "another order of keys");
    spill("small.json", "{\"size\": 2,\n // as it was\n \"weight\": 3.0}");
    cr_assert_eq(before, digest_of(SMALL(", \"x\": 1")), "another way to write it");
    spill("small.json", "{\"size\": 2, \"weight\": 4}");
    cr_assert_neq(before, digest_of(SMALL(", \"x\": 1")));
}

// The resolved experiment says the same again: nothing but its text is needed.
Test(inputs, resolved_again)
{
    static const char *const texts[] = {
        SMALL(", \"x\": [1, 2]"),
        SMALL(", \"preset\": \"halves\", \"where\": \"x < 2\""),
        "{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", {\"weight\": 9}, "
        "\"large.json\"], \"place\": \"hall.json\", \"way\": {\"factor\": 0.1}}, \"x\": 1}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pps_experiment *e = good(texts[i], NULL);
        char *text = cJSON_PrintUnformatted(e->resolved);
        cr_assert_eq(system("rm -f small.json large.json hall.json"), 0);
        cr_assert_eq(e->digest, digest_of(text), "%s", text);
        cJSON_free(text);
        pps_experiment_free(e);
        leave();
        set_up();
    }
}

// ---- what is wrong ------------------------------------------------------------------------------

Test(inputs, slots_are_refused)
{
    static const struct {
        const char *inputs, *said;
    } cases[] = {
        {"{}", "the kernel toy needs a box: \"inputs\": {\"box\": \"FILE.json\"}, or --input "
               "box=FILE.json"},
        {"[\"small.json\"]", "e.json:1:29: inputs: want an object: {\"box\": \"FILE.json\"}"},
        {"{\"bux\": \"small.json\"}", "e.json:1:30: inputs: toy takes no \"bux\"; did you mean "
                                      "box?; it takes box, place, way"},
        {"{\"vehicle\": 1}",
         "e.json:1:30: inputs: toy takes no \"vehicle\"; it takes box, place, way"},
        {"{\"box\": []}", "e.json:1:37: inputs: box: the list is empty"},
        {"{\"box\": 3}", "e.json:1:37: inputs: want an object that describes a box"},
        {"{\"box\": [[]]}", "e.json:1:38: inputs: want an object that describes a box"},
        {"{\"box\": null}", "e.json:1:37: inputs: want an object that describes a box"},
        {"{\"box\": \"\"}", "e.json:1:37: inputs: want the path of a file"},
        {"{\"box\": \"none.json\"}", "none.json: cannot read it: No such file or directory"},
        {"{\"box\": \"deep\"}", "deep: cannot read it: it is a folder; name a file in it"},
        {"{\"box\": \"small.json\", \"way\": [{}, {\"factor\": 2}]}",
         "e.json:1:63: inputs: way takes one document"},
        {"{\"box\": [\"small.json\", \"small.json\"]}",
         "small.json:1:1: there is another box named \"small\"; give this one another "
         "\"name\""},
        {"{\"box\": [{\"weight\": 1, \"name\": \"a\"},\n {\"weight\": 2, \"name\": \"a\"}]}",
         "e.json:2:2: there is another box named \"a\"; give this one another \"name\""},
        {"{\"box\": {\"weight\": 1, \"name\": \"two words\"}}",
         "e.json:1:59: name: want up to 29 letters, digits and ._+-, as it will stand in rows"},
        {"{\"box\": {\"weight\": 1, \"name\": 3}}",
         "e.json:1:59: name: want up to 29 letters, digits and ._+-, as it will stand in rows"},
        {"{\"box\": \"two words.json\"}",
         "two words.json:1:1: the file's name will not do in rows; give the document a "
         "\"name\" of up to 29 letters, digits and ._+-"},
    };
    spill("two words.json", "{\"weight\": 1}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"kernel\": \"toy\", \"inputs\": %s, \"x\": 1}",
                 cases[i].inputs);
        is_refused("e.json", text, NULL, cases[i].said);
    }
    is_refused("e.json", "{\"inputs\": {\"box\": 1}, \"kernel\": \"contention\"}", NULL,
               "e.json:1:2: the kernel contention takes no inputs");
}

Test(inputs, words_are_refused)
{
    static const struct {
        const char *word, *said;
    } cases[] = {
        {"box", "--input box: want SLOT=FILE; slots are box, place, way"},
        {"box=", "--input box=: want SLOT=FILE; slots are box, place, way"},
        {"box=small.json,", "--input box=small.json,: a path is empty"},
        {"bux=small.json", "--input bux=small.json: toy takes no bux; did you mean box?; it "
                           "takes box, place, way"},
        {"=small.json", "--input =small.json: toy takes no ; it takes box, place, way"},
        {"way=hall.json,hall.json", "--input: way takes one document"},
    };
    spill("hall.json", "{}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const words[] = {cases[i].word, NULL};
        is_refused("e.json", SMALL(", \"x\": 1"), words, cases[i].said);
    }
    const char *const words[] = {"box=small.json", NULL};
    is_refused("e.json", "{\"kernel\": \"contention\"}", words,
               "--input box=small.json: the kernel contention takes no inputs");
}

// The kernel's own faults, in a file and where the document is a part of the experiment.
Test(inputs, faults_have_places)
{
    static const struct {
        const char *document, *place, *inline_place, *said;
    } cases[] = {
        {"{\"weight\": 1,\n   \"sice\": 3}", "2:4", "2:4", "no such key"},
        {"{\"weight\": 1,\n   \"size\": -3}", "2:12", "2:12", "want a number from 0 up"},
        {"{\"weight\": 1, \"size\": \"big\"}", "1:23", "1:59", "want a number from 0 up"},
        {"{\"size\": 2}", "1:1", "1:37", "a box has a weight"},
        {"{\"size\": 1001, \"weight\": 1}", "1:1", "1:37",
         "size: want a whole number from 1 to 1000 (got 1001)"},
        {"{\"size\": 1.5, \"weight\": 1}", "1:1", "1:37",
         "size: want a whole number from 1 to 1000 (got 1.5)"},
        {"{\"size\": 0, \"weight\": 1}", "1:1", "1:37",
         "size: want a whole number from 1 to 1000 (got 0)"},
        {"{\"weight\": 1e6}", "1:1", "1:37",
         "weight: want a whole number from 0 to 1000 (got 1000000)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512], said[256];
        spill("bad.json", cases[i].document);
        snprintf(said, sizeof said, "bad.json:%s: %s", cases[i].place, cases[i].said);
        is_refused("e.json",
                   "{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", "
                   "\"bad.json\"]}, \"x\": 1}",
                   NULL, said);
        snprintf(text, sizeof text,
                 "{\"kernel\": \"toy\", \"inputs\": {\"box\": %s}, \"x\": 1}",
                 cases[i].document);
        snprintf(said, sizeof said, "e.json:%s: %s", cases[i].inline_place, cases[i].said);
        is_refused("e.json", text, NULL, said);
    }
    spill("bad.json", "{\"weight\": 1,}");
    is_refused("e.json", "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"bad.json\"}, \"x\": 1}",
               NULL, "bad.json:1:13: nothing follows this comma; remove it");
}

Test(inputs, too_many)
{
    char *text = malloc(1 << 15), *at = text;
    at += sprintf(at, "{\"kernel\": \"toy\", \"inputs\": {\"box\": [{\"weight\": 1}");
    for (int i = 1; i < PPS_MAX_DOCUMENTS; i++)
        at += sprintf(at, ", {\"weight\": %d}", i);
    sprintf(at, "]}, \"x\": 1}");
    struct pps_experiment *e = good(text, NULL);
    cr_assert_eq(e->n_points, PPS_MAX_DOCUMENTS);
    pps_experiment_free(e);
    sprintf(at, ",\n{\"weight\": 1}]}, \"x\": 1}");
    is_refused("e.json", text, NULL, "e.json:2:1: inputs: at most 256 documents");
    free(text);
}

// What only documents say is no axis, and no column of points.
Test(inputs, fixed_parameters_are_refused)
{
    static const char *const texts[][2] = {
        {SMALL(", \"x\": 1, \"weight\": [1, 2]"),
         "e.json:1:60: weight is said by a document under \"inputs\"; it is no axis"},
        {SMALL(", \"x\": 1, \"box\": \"small\""),
         "e.json:1:60: box is said by a document under \"inputs\"; it is no axis"},
        {SMALL(", \"x\": 1, \"W\": 2"),
         "e.json:1:60: unknown name \"W\"; ppsweep kernels toy lists the parameters"},
        {SMALL(", \"points\": \"p.csv\""),
         "p.csv:1:3: weight is said by a document; leave it out"},
        {"{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"]}, "
         "\"points\": \"q.csv\"}",
         "q.csv:1:0: box is an axis already, as several are given under \"inputs\"; leave the "
         "column out"},
    };
    spill("p.csv", "x,weight\n1,2\n");
    spill("q.csv", "x,box\n1,small\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_refused("e.json", texts[i][0], NULL, texts[i][1]);
}

// ---- points -------------------------------------------------------------------------------------

// Each point is computed for every document; what a column says goes before what a document says.
Test(inputs, points_and_documents)
{
    spill("p.csv", "x,size\n1,7\n2,8\n");
    struct pps_experiment *e =
        good("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"]}, "
             "\"points\": \"p.csv\"}",
             NULL);
    has_header(e, "box,x,size,time,answer,need\n");
    cr_assert_eq(e->n_points, 4);
    has_point(e, 2, TOY_SIZE, 7);
    has_point(e, 2, TOY_WEIGHT, 5);
    has_point(e, 1, TOY_SIZE, 8);
    has_point(e, 1, TOY_WEIGHT, 3);
    pps_experiment_free(e);
    // One document may be named.
    spill("p.csv", "x,box\n1,small\n");
    e = good(SMALL(", \"points\": \"p.csv\""), NULL);
    has_header(e, "x,box,time,answer,need\n");
    pps_experiment_free(e);
}

// ---- by a manifest ------------------------------------------------------------------------------

Test(inputs, opened_again)
{
    struct pps_experiment *e =
        good("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"], "
             "\"place\": \"hall.json\"}, \"x\": 1}",
             NULL);
    struct pps_inputs *inputs;
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_inputs_again(&inputs, &toy, "r.csv", e->resolved, &err), PPS_OK, "%s",
                 err.text);
    const struct pps_kernel *kernel = pps_inputs_kernel(inputs);
    double point[TOY_N] = {[TOY_BOX] = 1, [TOY_SIZE] = 99};
    cr_assert_str_eq(kernel->params[TOY_BOX].names[1], "crate");
    cr_assert_eq(kernel->params[TOY_ROOM].fallback, 70.5);
    cr_assert(cJSON_Compare(pps_inputs_resolved(inputs), pps_inputs_resolved(e->inputs), true));
    pps_inputs_say(inputs, 0, point);
    cr_assert_eq(point[TOY_SIZE], 10);
    cr_assert_eq(point[TOY_WEIGHT], 5);
    point[TOY_SIZE] = 99;
    pps_inputs_say(inputs, UINT64_C(1) << TOY_SIZE, point);
    cr_assert_eq(point[TOY_SIZE], 99);
    pps_inputs_close(inputs);
    pps_experiment_free(e);
    cJSON *none = cJSON_Parse("{\"inputs\": {\"box\": {}}}");
    cr_assert_eq(pps_inputs_again(&inputs, &toy, "r.csv", none, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.file, "r.csv");
    pps_inputs_close(inputs);
    cJSON_Delete(none);
}
