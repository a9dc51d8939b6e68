// SPDX-License-Identifier: Apache-2.0
// Rows of infeasible points, and cells with text: merged, reused and evaluated.
#include "tests/unit/support/engine/toy_rows.h"

#include "engine/check/merge.h"
#include "engine/job/known_rows_read.h"
#include "engine/point/evaluate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(infeasible_rows, .init = enter, .fini = leave);

// ---- shards, earlier results --------------------------------------------------------------------

Test(infeasible_rows, shards_are_merged)
{
    const char *const paths[] = {"s.shard-1-of-2.csv", "s.shard-0-of-2.csv"};
    struct pps_merge m = {.stop = &never};
    struct pps_error err = {.text = ""};
    struct pps_verified verified;
    write_result(&(struct result_plan){paths[1], EXPERIMENT, "none", 3, 0, 2, NULL, NULL});
    write_result(&(struct result_plan){paths[0], EXPERIMENT, "none", 3, 1, 2, NULL, NULL});
    passes(paths[0], 1, &verified);
    cr_assert_eq(verified.counts.infeasible, 1);
    cr_assert_eq(pps_merge_open(&m, paths, 2, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_merge_write(&m, "m.csv", false, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(m.counts.infeasible, 3);
    pps_merge_close(&m);
    has_text("m.csv", HEADER ROWS);
    passes("m.csv", 1, &verified);
    cr_assert_eq(verified.counts.infeasible, 3);
}

static struct pps_known_rows *reuse_for(const char *text, struct pps_experiment **e)
{
    struct pps_known_rows *reuse;
    struct pps_error err = {.text = ""};
    bool checked;
    *e = load_good(text);
    cr_assert_eq(pps_known_rows_open(&reuse, "r.csv", *e, 0, &checked, &err), PPS_OK, "%s",
                 err.text);
    return reuse;
}

// Rows are identified by the values that documents set, also rows of infeasible points. Failed
// points are computed again.
Test(infeasible_rows, rows_are_reused)
{
    struct pps_experiment *e;
    struct pps_reused found;
    write_rows();
    struct pps_known_rows *reuse = reuse_for(BOXES("toy", BOX, "\"1..20\""), &e);
    double point[PPS_MAX_PARAMS];
    memcpy(point, e->space.base, sizeof point);
    point[TOY_X] = 5;
    cr_assert(pps_known_rows_find(reuse, point, &found));
    cr_assert_eq(strncmp(found.results, "1.20,yes,30\n", found.n), 0);
    cr_assert(!found.infeasible && found.value == 1.2);
    point[TOY_X] = 11;
    cr_assert(pps_known_rows_find(reuse, point, &found));
    cr_assert_eq(strncmp(found.results, ",no,66\n", found.n), 0, "%.20s", found.results);
    cr_assert(found.infeasible && isnan(found.value)); // the kernel has no `nearest` column
    point[TOY_X] = 13;
    cr_assert_not(pps_known_rows_find(reuse, point, &found));
    point[TOY_X] = 6;
    cr_assert_not(pps_known_rows_find(reuse, point, &found));
    pps_known_rows_close(reuse);
    pps_experiment_free(e);
}

#define TWO_BOXES(x_) BOXES("toy", "[" BOX ", {\"size\": 1, \"weight\": 1}]", x_)

Test(infeasible_rows, rows_of_several_documents_are_reused)
{
    struct pps_experiment *e;
    struct pps_reused found;
    write_result(
        &(struct result_plan){"r.csv", TWO_BOXES("[4, 5]"), "none", 3, 0, 0, NULL, NULL});
    struct pps_known_rows *reuse = reuse_for(TWO_BOXES("\"1..20\""), &e);
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    pps_cursor_seek(cursor, &e->space, 24); // the second box, x = 5
    cr_assert(pps_known_rows_find(reuse, cursor->point, &found));
    cr_assert_eq(strncmp(found.results, "0.20,yes,5\n", found.n), 0, "%s", found.results);
    pps_cursor_seek(cursor, &e->space, 4); // the first box
    cr_assert(pps_known_rows_find(reuse, cursor->point, &found));
    cr_assert_eq(strncmp(found.results, "1.20,yes,30\n", found.n), 0, "%s", found.results);
    free(cursor);
    pps_known_rows_close(reuse);
    pps_experiment_free(e);
}

// A result with one box more, or with boxes in another order, has a longer axis. Rows of a
// removed box are not reused.
Test(infeasible_rows, documents_come_and_go)
{
    static const char *const boxes[] = {BOX, "{\"size\": 1, \"weight\": 1, \"name\": \"b\"}",
                                        "{\"size\": 3, \"weight\": 3, \"name\": \"c\"}"};
    static const struct {
        int was[3], is[3]; // boxes, ended by -1
    } cases[] = {
        {{0, -1, -1}, {0, 1, -1}}, {{0, -1, -1}, {2, 1, 0}},  {{0, 1, -1}, {0, -1, -1}},
        {{1, 0, 2}, {2, 0, -1}},   {{1, 0, -1}, {0, -1, -1}}, {{1, 2, -1}, {2, -1, -1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2][1024];
        for (int t = 0; t < 2; t++) {
            const int *list = t == 0 ? cases[i].was : cases[i].is;
            char *at = text[t];
            at += sprintf(at, "{\"kernel\": \"toy\", \"inputs\": {\"box\": [");
            for (int b = 0; b < 3 && list[b] >= 0; b++)
                at +=
                    sprintf(at, "%s%.*s%s", b > 0 ? ", " : "", (int)strlen(boxes[list[b]]) - 1,
                            boxes[list[b]], list[b] == 0 ? ", \"name\": \"a\"}" : "}");
            sprintf(at, "]}, \"x\": [1, 2, 3]}");
        }
        write_result(&(struct result_plan){"r.csv", text[0], "none", 3, 0, 0, NULL, NULL});
        struct pps_experiment *e;
        struct pps_known_rows *reuse = reuse_for(text[1], &e);
        struct pps_cursor *cursor = calloc(1, sizeof *cursor);
        for (uint64_t k = 0; k < e->n_points; k++) {
            const int box = cases[i].is[k / 3];
            const double loads[] = {6, 1, 9};
            struct pps_reused found;
            char want[64];
            bool had = false;
            for (int b = 0; b < 3; b++)
                had = had || cases[i].was[b] == box;
            pps_cursor_seek(cursor, &e->space, k);
            cr_assert_eq(pps_known_rows_find(reuse, cursor->point, &found), had, "%d: %d",
                         (int)i, (int)k);
            const double x = (double)(k % 3 + 1);
            const int n =
                snprintf(want, sizeof want, "%.2f,yes,%g\n", loads[box] / x, loads[box] * x);
            cr_assert(!had ||
                          (found.n == (size_t)n && memcmp(found.results, want, found.n) == 0),
                      "%d: %d: %s", (int)i, (int)k, want);
        }
        free(cursor);
        pps_known_rows_close(reuse);
        pps_experiment_free(e);
    }
}

// The documents of the old result have other contents or other names, or do not exist.
Test(infeasible_rows, other_inputs_are_not_reused)
{
    static const struct {
        const char *text, *slot;
    } others[] = {
        {BOXES("toy", "{\"size\": 2, \"weight\": 4}", "[1, 2]"), "box"},
        {BOXES("toy", "[{\"size\": 2, \"weight\": 4}, {\"weight\": 3}]", "[1, 2]"), "box"},
        {BOXES("toy", "{\"weight\": 3, \"size\": 2, \"name\": \"b\"}", "[1, 2]"), "box"},
        {"{\"kernel\": \"toy\", \"inputs\": {\"box\": " BOX "}, \"x\": [1, 2]}", "place"},
        {"{\"kernel\": \"toy\", \"inputs\": {\"box\": " BOX ", \"place\": {\"room\": 60}, "
         "\"way\": {}}, \"x\": [1, 2]}",
         "way"},
    };
    write_rows();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct pps_experiment *e = load_good(others[i].text);
        struct pps_known_rows *reuse;
        struct pps_error err = {.text = ""};
        bool checked;
        char want[128];
        snprintf(want, sizeof want,
                 "--reuse r.csv: it was made with another %s; recompute its rows",
                 others[i].slot);
        cr_assert_eq(pps_known_rows_open(&reuse, "r.csv", e, 0, &checked, &err), PPS_E_INPUT,
                     "%s", others[i].text);
        cr_assert_str_eq(err.text, want);
        pps_experiment_free(e);
    }
}

// ---- evaluation ---------------------------------------------------------------------------------

// `strict`, and a scratch_bytes that replaces the kernel's own (NULL: no replacement).
struct manner {
    bool strict;
    size_t (*scratch_bytes)(const double *highest, const void *shared);
};

static enum pps_status answer_so(const struct manner *manner, const char *points, char **text,
                                 struct pps_evaluated *count, struct pps_error *err)
{
    static const char experiment[] = "{\"box\": [" BOX ", {\"size\": 1, \"weight\": 1, "
                                     "\"name\": \"tiny\"}], \"place\": {\"room\": 60}}";
    struct pps_json json;
    struct pps_documents *inputs;
    size_t n;
    cr_assert_eq(pps_json_parse(&json, "inputs", experiment, strlen(experiment), err), PPS_OK);
    const struct pps_documents_ask ask = {.kernel = &toy, .file = &json, .item = json.root};
    cr_assert_eq(pps_documents_open(&inputs, &ask, err), PPS_OK, "%s", err->text);
    spill("p.csv", points);
    struct pps_kernel kernel = *pps_documents_kernel(inputs);
    if (manner->scratch_bytes != NULL)
        kernel.scratch_bytes = manner->scratch_bytes;
    const struct pps_evaluate evaluate = {.kernel = &kernel,
                                          .inputs = inputs,
                                          .path = "p.csv",
                                          .out = open_memstream(text, &n),
                                          .digits = PPS_DEFAULT_DIGITS,
                                          .threads = 2,
                                          .strict = manner->strict,
                                          .reasons = !manner->strict,
                                          .stop = &never};
    const enum pps_status status = pps_evaluate(&evaluate, count, err);
    fclose(evaluate.out);
    pps_documents_close(inputs);
    pps_json_free(&json);
    return status;
}

static enum pps_status answer(const char *points, char **text, struct pps_evaluated *count,
                              struct pps_error *err)
{
    return answer_so(&(struct manner){.strict = true}, points, text, count, err);
}

// A row's document sets the values that its other cells do not set.
Test(infeasible_rows, points_are_evaluated)
{
    struct pps_evaluated count;
    struct pps_error err = {.text = ""};
    char *text;
    cr_assert_eq(answer("x,answer\n5,?\n11,?\n13,\n51,\n", &text, &count, &err), PPS_OK, "%s",
                 err.text);
    cr_assert_str_eq(text, "x,answer,time,need\n5,yes,1.20,30\n11,no,,66\n13,,,\n51,,,\n");
    cr_assert_eq(count.rows, 4);
    cr_assert_eq(count.failed, 1);
    cr_assert_eq(count.infeasible, 1);
    cr_assert_eq(count.left_out[1], 1);
    free(text);
    cr_assert_eq(answer("box,x,size\ntiny,2,7\nbox-1,2,7\n", &text, &count, &err), PPS_OK);
    cr_assert_str_eq(
        text, "box,x,size,time,answer,need\ntiny,2,7,3.50,yes,14\nbox-1,2,7,10.50,yes,42\n");
    free(text);
    cr_assert_eq(answer("x,box\n2,tiny\n4,box-1\n", &text, &count, &err), PPS_OK);
    cr_assert_str_eq(text, "x,box,time,answer,need\n2,tiny,0.50,yes,2\n4,box-1,1.50,yes,24\n");
    free(text);
    cr_assert_eq(answer("x,weight\n2,3\n", &text, &count, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "weight is set by a document; remove it");
    free(text);
    cr_assert_eq(answer("x,box\n2,tini\n", &text, &count, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text,
                     "box: expected box-1 or tiny (got \"tini\"); did you mean tiny?");
    free(text);
}

// A kernel with enough memory for x below 40, but not for two rows with a large x and a large
// size.
static size_t little_memory(const double *highest, const void *shared)
{
    (void)shared;
    return highest[TOY_X] >= 40 || highest[TOY_X] * highest[TOY_SIZE] > 1000 ? SIZE_MAX : 64;
}

// Would catch a point that ends the evaluation because the point, or its batch, needs too much
// memory.
Test(infeasible_rows, rows_too_large_for_memory)
{
    const struct manner manner = {.scratch_bytes = little_memory};
    struct pps_evaluated count;
    struct pps_error err = {.text = ""};
    char *text;
    cr_assert_eq(answer_so(&manner, "x,box\n2,tiny\n45,tiny\n4,box-1\n", &text, &count, &err),
                 PPS_OK, "%s", err.text);
    static const char expected[] = "x,box,time,answer,need,reason\n2,tiny,0.50,yes,2,\n"
                                   "45,tiny,,,,";
    cr_assert_eq(strncmp(text, expected, sizeof expected - 1), 0, "%s", text);
    cr_assert_not_null(strstr(text, "more memory than is available for 2 threads"), "%s", text);
    cr_assert_not_null(strstr(text, "\n4,box-1,1.50,yes,24,\n"), "%s", text);
    cr_assert_eq(count.unreadable, 1);
    cr_assert_eq(count.rows, 3);
    free(text);
}
