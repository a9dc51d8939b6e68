// SPDX-License-Identifier: Apache-2.0
// Documents of an experiment: their paths, their names, the parameters they set, and their
// effect on the digest.
#include "tests/unit/support/engine/toy_inputs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(inputs, .init = set_up, .fini = tear_down);

// ---- sources of documents -----------------------------------------------------------------------

// A parameter that only documents can set is a constant of the experiment. A parameter that
// axes can set as well has the document's value unless an axis sets it.
Test(inputs, one_document_sets_defaults)
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

// Would catch paths that are relative to the working folder.
Test(inputs, paths_are_relative_to_the_experiment)
{
    struct pps_error err;
    struct pps_experiment *e;
    const char *text = "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"box.json\"}, \"x\": 1}";
    cr_assert_eq(load(&e, "deep/e.json", text, NULL, &err), PPS_OK, "%s", err.text);
    cr_assert_str_eq(box_name(e, 0), "box");
    has_point(e, 0, TOY_WEIGHT, 1);
    pps_experiment_free(e);
    // Paths of the command line are relative to the working folder.
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
    pps_documents_list(e->inputs, out);
    fclose(out);
    cr_assert_str_eq(list, "box small (small.json), box-2, crate (large.json), 8-bit.v2+");
    free(list);
    pps_experiment_free(e);
}

// Several documents form the outermost axis. The axis sets all values of the documents, but
// only its own column is shown.
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
    // An axis replaces the values of the documents.
    e = good("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"]}, "
             "\"size\": [7, 8]}",
             NULL);
    cr_assert_eq(e->n_points, 4);
    has_point(e, 2, TOY_SIZE, 7);
    has_point(e, 2, TOY_WEIGHT, 5);
    pps_experiment_free(e);
}

Test(inputs, options_replace_inputs_of_the_experiment)
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

// A row shows the number that the kernel received, also for a number of a document, with one
// document or several.
Test(inputs, numbers_equal_the_numbers_in_rows)
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
    pps_documents_say(e->inputs, 0, point);
    cr_assert_eq(point[TOY_ROOM], 74.5058059692383);
    pps_experiment_free(e);
}

// A slot that needs no document has a name for its default.
Test(inputs, without_a_document)
{
    struct pps_experiment *e = good(SMALL(", \"x\": 1"), NULL);
    cr_assert_str_eq(e->kernel->params[TOY_PLACE].names[0], "default");
    pps_experiment_free(e);
}

// ---- the digest ---------------------------------------------------------------------------------

static uint64_t digest_of(const char *text)
{
    struct pps_experiment *e = good(text, NULL);
    const uint64_t digest = e->digest;
    pps_experiment_free(e);
    return digest;
}

// Would catch an old result that is found although a document has changed.
Test(inputs, contents_change_the_digest)
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

// The resolved experiment resolves to itself and needs no other file.
Test(inputs, resolved_again)
{
    static const char *const texts[] = {
        SMALL(", \"x\": [1, 2]"),
        SMALL(", \"preset\": \"halves\", \"where\": \"x < 2\""),
        ("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", {\"weight\": 9}, "
         "\"large.json\"], \"place\": \"hall.json\", \"way\": {\"factor\": 0.1}}, \"x\": 1}"),
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

// ---- points -------------------------------------------------------------------------------------

// Each point is computed for every document. A column overrides the value of a document.
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
    // A points file may name the only document.
    spill("p.csv", "x,box\n1,small\n");
    e = good(SMALL(", \"points\": \"p.csv\""), NULL);
    has_header(e, "x,box,time,answer,need\n");
    pps_experiment_free(e);
}

// ---- documents of a manifest --------------------------------------------------------------------

static const struct pps_input_words no_words = {NULL, 0};

Test(inputs, opened_again)
{
    struct pps_experiment *e =
        good("{\"kernel\": \"toy\", \"inputs\": {\"box\": [\"small.json\", \"large.json\"], "
             "\"place\": \"hall.json\"}, \"x\": 1}",
             NULL);
    struct pps_documents *inputs;
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_documents_again(&inputs, &toy, "r.csv", e->resolved, &no_words, &err),
                 PPS_OK, "%s", err.text);
    const struct pps_kernel *kernel = pps_documents_kernel(inputs);
    double point[TOY_N] = {[TOY_BOX] = 1, [TOY_SIZE] = 99};
    cr_assert_str_eq(kernel->params[TOY_BOX].names[1], "crate");
    cr_assert_eq(kernel->params[TOY_ROOM].fallback, 70.5);
    cr_assert(
        cJSON_Compare(pps_documents_resolved(inputs), pps_documents_resolved(e->inputs), true));
    pps_documents_say(inputs, 0, point);
    cr_assert_eq(point[TOY_SIZE], 10);
    cr_assert_eq(point[TOY_WEIGHT], 5);
    point[TOY_SIZE] = 99;
    pps_documents_say(inputs, UINT64_C(1) << TOY_SIZE, point);
    cr_assert_eq(point[TOY_SIZE], 99);
    pps_documents_close(inputs);
    pps_experiment_free(e);
    cJSON *none = cJSON_Parse("{\"inputs\": {\"box\": {}}}");
    cr_assert_eq(pps_documents_again(&inputs, &toy, "r.csv", none, &no_words, &err),
                 PPS_E_INPUT);
    cr_assert_str_eq(err.file, "r.csv");
    cr_assert_null(inputs);
    cJSON_Delete(none);
}
