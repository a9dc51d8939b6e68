// SPDX-License-Identifier: Apache-2.0
// Errors in documents: their place and the advice in the message.
#include "tests/unit/support/engine/toy_inputs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(inputs_wrong, .init = set_up, .fini = tear_down);

// ---- errors -------------------------------------------------------------------------------------

Test(inputs_wrong, slots_are_refused)
{
    static const struct {
        const char *inputs, *said;
    } cases[] = {
        {"{}", "the kernel toy needs a box: \"inputs\": {\"box\": \"FILE.json\"}, or --input "
               "box=FILE.json"},
        {"[\"small.json\"]",
         "e.json:1:29: inputs: expected an object: {\"box\": \"FILE.json\"}"},
        {"{\"bux\": \"small.json\"}", "e.json:1:30: inputs: toy takes no \"bux\"; did you mean "
                                      "box?; it takes box, place, way"},
        {"{\"box\": \"small.json\", \"bux\": 1}",
         "e.json:1:51: inputs: toy takes no \"bux\"; it takes box, place, way"},
        {"{\"vehicle\": 1}",
         "e.json:1:30: inputs: toy takes no \"vehicle\"; it takes box, place, way"},
        {"{\"box\": []}", "e.json:1:37: inputs: box: the list is empty"},
        {"{\"box\": 3}", "e.json:1:37: inputs: expected an object that describes a box"},
        {"{\"box\": [[]]}", "e.json:1:38: inputs: expected an object that describes a box"},
        {"{\"box\": null}", "e.json:1:37: inputs: expected an object that describes a box"},
        {"{\"box\": \"\"}", "e.json:1:37: inputs: expected the path of a file"},
        {"{\"box\": \"none.json\"}", "none.json: cannot read it: No such file or directory"},
        {"{\"box\": \"deep\"}", "deep: cannot read it: it is a folder; name a file in it"},
        {"{\"box\": \"small.json\", \"way\": [{}, {\"factor\": 2}]}",
         "e.json:1:63: inputs: way takes one document"},
        {"{\"box\": [\"small.json\", \"small.json\"]}",
         "small.json:1:1: there is another box named \"small\"; give this one a different "
         "\"name\""},
        {"{\"box\": [{\"weight\": 1, \"name\": \"a\"},\n {\"weight\": 2, \"name\": \"a\"}]}",
         "e.json:2:2: there is another box named \"a\"; give this one a different \"name\""},
        {"{\"box\": {\"weight\": 1, \"name\": \"two words\"}}",
         "e.json:1:59: name: expected up to 29 letters, digits and ._+-, because rows show "
         "the name"},
        {"{\"box\": {\"weight\": 1, \"name\": 3}}",
         "e.json:1:59: name: expected up to 29 letters, digits and ._+-, because rows show "
         "the name"},
        {"{\"box\": \"two words.json\"}",
         "two words.json:1:1: the file's name cannot be used in rows; give the document a "
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
               "e.json:1:13: inputs: contention takes no \"box\"; it takes training, cluster");
}

Test(inputs_wrong, words_are_refused)
{
    static const struct {
        const char *word, *said;
    } cases[] = {
        {"box", "--input box: expected SLOT=FILE; slots are box, place, way"},
        {"box=", "--input box=: expected SLOT=FILE; slots are box, place, way"},
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
               "--input box=small.json: contention takes no box; it takes training, cluster");
}

// Errors that the kernel finds, in a file and in a document that is part of the experiment.
Test(inputs_wrong, errors_have_places)
{
    static const struct {
        const char *document, *place, *inline_place, *said;
    } cases[] = {
        {"{\"weight\": 1,\n   \"sice\": 3}", "2:4", "2:4", "no such key"},
        {"{\"weight\": 1,\n   \"size\": -3}", "2:12", "2:12", "expected a number from 0 up"},
        {"{\"weight\": 1, \"size\": \"big\"}", "1:23", "1:59", "expected a number from 0 up"},
        {"{\"size\": 2}", "1:1", "1:37", "a box has a weight"},
        {"{\"size\": 1001, \"weight\": 1}", "1:1", "1:37",
         "size: expected a whole number from 1 to 1000 (got 1001)"},
        {"{\"size\": 1.5, \"weight\": 1}", "1:1", "1:37",
         "size: expected a whole number from 1 to 1000 (got 1.5)"},
        {"{\"size\": 0, \"weight\": 1}", "1:1", "1:37",
         "size: expected a whole number from 1 to 1000 (got 0)"},
        {"{\"weight\": 1e6}", "1:1", "1:37",
         "weight: expected a whole number from 0 to 1000 (got 1000000)"},
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

Test(inputs_wrong, too_many)
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

// A parameter that only documents set cannot be an axis or a column of points.
Test(inputs_wrong, fixed_parameters_are_refused)
{
    static const char *const texts[][2] = {
        {SMALL(", \"x\": 1, \"weight\": [1, 2]"),
         "e.json:1:60: weight is set by a document under \"inputs\"; it is not an axis"},
        {SMALL(", \"x\": 1, \"box\": \"small\""),
         "e.json:1:60: box is set by a document under \"inputs\"; it is not an axis"},
        {SMALL(", \"x\": 1, \"W\": 2"),
         "e.json:1:60: unknown name \"W\"; ppsweep kernels toy lists the parameters"},
        {SMALL(", \"points\": \"p.csv\""), "p.csv:1:3: weight is set by a document; remove it"},
        {"{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"]}, "
         "\"points\": \"q.csv\"}",
         "q.csv:1:0: box is an axis already, as several are given under \"inputs\"; remove the "
         "column"},
    };
    spill("p.csv", "x,weight\n1,2\n");
    spill("q.csv", "x,box\n1,small\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_refused("e.json", texts[i][0], NULL, texts[i][1]);
}
