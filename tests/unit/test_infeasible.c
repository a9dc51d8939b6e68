// SPDX-License-Identifier: Apache-2.0
// Rows that say that a point cannot be done, and cells of words: written, counted, audited,
// verified, ranked, merged, reused and answered.
#include "toykernel.h"

#include "verifying.h"

#include "engine/evaluate.h"
#include "engine/merge.h"
#include "engine/reuse.h"
#include "engine/top.h"

// Six things in a room of 60: from x = 11 on there is too little room, x = 13 is never finished and
// x = 51 is no point.
#define BOXES(kernel_, box_, x_)                                                               \
    "{\"kernel\": \"" kernel_ "\", \"inputs\": {\"box\": " box_                                \
    ", \"place\": {\"room\": 60}}, "                                                           \
    "\"x\": " x_ "}"
#define BOX        "{\"size\": 2, \"weight\": 3}"
#define EXPERIMENT BOXES("toy", BOX, "[1, 2, 5, 8, 10, 11, 12, 13, 14, 51]")
#define HEADER     "x,time,answer,need\n"
#define ROWS                                                                                   \
    "1,6.00,yes,6\n2,3.00,yes,12\n5,1.20,yes,30\n8,0.75,yes,48\n10,0.60,yes,60\n"              \
    "11,,no,66\n12,,no,72\n13,,,\n14,,no,84\n"

TestSuite(infeasible, .init = enter, .fini = leave);

static const atomic_bool never;

static void write_plan(const struct result_plan *plan)
{
    write_result(plan);
}

// r.csv with blocks of 3 points.
static void write_rows(void)
{
    write_plan(&(struct result_plan){"r.csv", EXPERIMENT, "none", 3, 0, 0, NULL, NULL});
}

static void has_text(const char *path, const char *text)
{
    size_t n;
    unsigned char *bytes = slurp(path, &n);
    bytes[n] = '\0';
    cr_assert_str_eq((const char *)bytes, text, "%s", path);
    free(bytes);
}

// ---- rows ---------------------------------------------------------------------------------------

Test(infeasible, rows_and_counts)
{
    struct pps_verified verified;
    write_rows();
    has_text("r.csv", HEADER ROWS);
    passes("r.csv", 1, &verified);
    cr_assert_eq(verified.rows, 9);
    cr_assert_eq(verified.failed, 1);
    cr_assert_eq(verified.infeasible, 3);
    cr_assert_eq(verified.computed, 9);
}

static const char *const with_words[] = {"x,time,answer,need,status\n",
                                         "1,6.00,yes,6,ok\n",
                                         "2,3.00,yes,12,ok\n",
                                         "5,1.20,yes,30,ok\n",
                                         "8,0.75,yes,48,ok\n",
                                         "10,0.60,yes,60,ok\n",
                                         "11,,no,66,infeasible\n",
                                         "12,,no,72,infeasible\n",
                                         "13,,,,failed\n",
                                         "14,,no,84,infeasible\n",
                                         NULL};

static void spoil_word(uint64_t block, char *text, size_t *n, struct pps_block *counts)
{
    char *at = strstr(text, "failed");
    (void)counts;
    if (block != 2)
        return;
    memmove(at + 2, at + 6, (size_t)(text + *n - (at + 6)));
    memcpy(at, "ok", 2);
    *n -= 4;
}

// The last column of --status, which verify makes again and another run has to ask for.
Test(infeasible, status)
{
    struct pps_verified verified;
    char want[1024] = "";
    struct pps_experiment *without = load_good(EXPERIMENT), *with;
    for (int i = 0; with_words[i] != NULL; i++)
        strcat(want, with_words[i]);
    with_status = true;
    with = load_good(EXPERIMENT);
    cr_assert_neq(with->digest, without->digest);
    write_rows();
    has_text("r.csv", want);
    passes("r.csv", 1, &verified);
    cr_assert_eq(verified.failed, 1);
    cr_assert_eq(verified.infeasible, 3);
    write_plan(&(struct result_plan){"r.csv", EXPERIMENT, "none", 3, 0, 0, spoil_word, NULL});
    fails("r.csv", 0, PPS_E_WRONG, "block 2: ");
    pps_experiment_free(with);
    pps_experiment_free(without);
}

// Rows with it are reused where it is not asked for, and the other way round.
Test(infeasible, status_and_reuse)
{
    for (int was = 0; was < 2; was++)
        for (int is = 0; is < 2; is++) {
            struct pps_reuse *reuse;
            struct pps_reused found;
            struct pps_error err = {.text = ""};
            double point[PPS_MAX_PARAMS];
            with_status = was;
            write_rows();
            with_status = is;
            struct pps_experiment *e = load_good(EXPERIMENT);
            cr_assert_eq(pps_reuse_open(&reuse, "r.csv", e, 0, &err), PPS_OK, "%s", err.text);
            memcpy(point, e->space.base, sizeof point);
            point[TOY_X] = 5;
            cr_assert(pps_reuse_find(reuse, point, &found));
            cr_assert_eq(
                strncmp(found.results, is ? "1.20,yes,30,ok\n" : "1.20,yes,30\n", found.n), 0);
            pps_reuse_close(reuse);
            pps_experiment_free(e);
        }
}

// ---- the best rows ------------------------------------------------------------------------------

static enum pps_status keep_nothing(void *self,
                                    const struct pps_block *block,
                                    struct pps_error *err)
{
    (void)self, (void)block, (void)err;
    return PPS_OK;
}

static void best_is(int objective,
                    bool only_best,
                    const int *by,
                    int n_by,
                    const char *const *want)
{
    struct pps_experiment *e = load_good(EXPERIMENT);
    const struct pps_sweep sweep = {.experiment = e,
                                    .block_points = 4,
                                    .threads = 2,
                                    .sink = {NULL, keep_nothing},
                                    .stop = &never,
                                    .objective = objective,
                                    .n_best = 2,
                                    .by = by,
                                    .n_by = n_by,
                                    .only_best = only_best};
    struct pps_totals totals;
    struct pps_error err = {.text = ""};
    size_t n, wanted = 0;
    cr_assert_eq(pps_sweep_run(&sweep, &totals, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(totals.infeasible, 3);
    cr_assert_eq(totals.failed, 1);
    const struct pps_best_row *rows = pps_tops_rows(&totals.best, &n);
    while (want[wanted] != NULL)
        wanted++;
    cr_assert_eq(n, wanted, "%d rows", (int)n);
    for (size_t i = 0; i < n; i++)
        cr_assert_str_eq(rows[i].text, want[i]);
    pps_totals_free(&totals);
    pps_experiment_free(e);
}

// What cannot be done needs the most: it never wins for that.
Test(infeasible, never_wins)
{
    static const char *const by_time[] = {"10,0.60,yes,60", "8,0.75,yes,48", NULL};
    static const char *const by_need[] = {"10,0.60,yes,60", "8,0.75,yes,48", NULL};
    static const char *const groups[] = {"10,0.60,yes,60", "8,0.75,yes,48", "5,1.20,yes,30",
                                         "2,3.00,yes,12",  "1,6.00,yes,6",  NULL};
    static const int by[] = {TOY_X};
    for (int only = 0; only < 2; only++) {
        best_is(TOY_TIME, only, NULL, 0, by_time);
        best_is(TOY_NEED, only, NULL, 0, by_need);
        best_is(TOY_NEED, only, by, 1, groups);
    }
}

// --fail-fast names the point.
Test(infeasible, fail_fast)
{
    struct pps_experiment *e = load_good(EXPERIMENT);
    const struct pps_sweep sweep = {.experiment = e,
                                    .block_points = 4,
                                    .threads = 1,
                                    .sink = {NULL, keep_nothing},
                                    .stop = &never,
                                    .fail_fast = true};
    struct pps_totals totals;
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_sweep_run(&sweep, &totals, &err), PPS_E_POINTS);
    cr_assert_str_eq(err.text, "toy could not finish the point x=13; without --fail-fast its "
                               "results are empty");
    cr_assert_eq(totals.rows, 4, "blocks before it are kept");
    pps_totals_free(&totals);
    pps_experiment_free(e);
}

static void top_is(struct pps_top_ask ask, const char *want)
{
    struct pps_top_count count;
    struct pps_error err = {.text = ""};
    char *text = NULL;
    size_t n;
    ask.view = (struct pps_view_ask){.path = "r.csv", .kernels = toy_kernels};
    ask.out = open_memstream(&text, &n);
    ask.memory_bytes = 1 << 20;
    ask.folder = ".";
    cr_assert_eq(pps_top(&ask, &count, &err), PPS_OK, "%s", err.text);
    fclose(ask.out);
    cr_assert_str_eq(text, want);
    free(text);
}

Test(infeasible, never_wins_in_a_file)
{
    write_rows();
    top_is((struct pps_top_ask){.k = 1}, HEADER "10,0.60,yes,60\n");
    top_is((struct pps_top_ask){.k = 1, .objective = "need"}, HEADER "10,0.60,yes,60\n");
    top_is((struct pps_top_ask){.k = 1, .objective = "need", .by = "answer"},
           HEADER "10,0.60,yes,60\n");
    top_is((struct pps_top_ask){.all = true, .objective = "need"},
           HEADER "10,0.60,yes,60\n8,0.75,yes,48\n5,1.20,yes,30\n2,3.00,yes,12\n"
                  "1,6.00,yes,6\n11,,no,66\n12,,no,72\n13,,,\n14,,no,84\n");
}

// ---- audits -------------------------------------------------------------------------------------

static enum pps_status audit(const char *text,
                             struct pps_audited *audited,
                             struct pps_error *err)
{
    struct pps_experiment *e = load_good(text);
    const struct pps_sweep sweep = {.experiment = e,
                                    .block_points = 4,
                                    .threads = 1,
                                    .sink = {NULL, keep_nothing},
                                    .stop = &never,
                                    .audit = 1};
    struct pps_totals totals;
    const enum pps_status status = pps_sweep_run(&sweep, &totals, err);
    *audited = totals.audited;
    pps_totals_free(&totals);
    pps_experiment_free(e);
    return status;
}

static void audit_finds(const char *text, const char *words)
{
    struct pps_audited audited;
    struct pps_error err = {.text = ""};
    cr_assert_eq(audit(text, &audited, &err), PPS_E_POINTS, "%s", text);
    cr_assert_str_eq(err.text, words);
}

// A reference that says another word, another outcome, another figure of what cannot be done, or
// one where there is none.
Test(infeasible, audits)
{
    struct pps_audited audited;
    struct pps_error err = {.text = ""};
    cr_assert_eq(audit(EXPERIMENT, &audited, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(audited.rows, 9);
    cr_assert_eq(audited.largest, 0);
    audit_finds(BOXES("texts", BOX, "[4, 5]"),
                "audit: x=5: answer is \"yes\", but \"maybe\" by the reference");
    audit_finds(BOXES("outcomes", BOX, "[4, 5]"),
                "audit: x=5: the run finished this point, but the reference says that this "
                "point cannot be done");
    // Things of 8 in a room of 60: x = 9 is too many.
    audit_finds(BOXES("needs", "{\"size\": 2, \"weight\": 4}", "[7, 9]"),
                "audit: x=9: need is 72, but 73 by the reference (difference 0.014, allowed "
                "1e-09)");
    audit_finds(
        BOXES("empties", "{\"size\": 2, \"weight\": 4}", "[7, 9]"),
        "audit: x=9: time is nan, but 1 by the reference (difference nan, allowed 1e-09)");
}

// ---- verifying ----------------------------------------------------------------------------------

static void other_word(uint64_t block, char *text, size_t *n, struct pps_block *counts)
{
    (void)counts, (void)n;
    if (block == 0)
        memcpy(strstr(text, "yes"), "yEs", 3);
}

static void other_reason(uint64_t block, char *text, size_t *n, struct pps_block *counts)
{
    (void)counts, (void)n;
    if (block == 2)
        memcpy(strstr(text, "no"), "No", 2);
}

static void one_fewer(uint64_t block, char *text, size_t *n, struct pps_block *counts)
{
    (void)text, (void)n;
    if (block == 1)
        counts->infeasible--;
}

static void taken_for_failed(uint64_t block, char *text, size_t *n, struct pps_block *counts)
{
    (void)text, (void)n;
    if (block == 1) {
        counts->infeasible--;
        counts->failed++;
    }
}

static void has_a_time(uint64_t block, char *text, size_t *n, struct pps_block *counts)
{
    (void)counts;
    char *at = strstr(text, "11,,");
    if (block != 1)
        return;
    memmove(at + 4, at + 3, (size_t)(text + *n - (at + 3)));
    at[3] = '0';
    *n += 1;
}

Test(infeasible, verify_finds)
{
    static const struct {
        void (*spoil)(uint64_t block, char *text, size_t *n, struct pps_block *counts);
        double sample;
        const char *words;
    } cases[] = {
        {other_word, 1, "block 0: row 1: answer is \"yEs\", but should be \"yes\""},
        {other_reason, 1, "block 2: row 7: answer is \"No\", but should be \"no\""},
        {one_fewer, 0, "block 1: "},
        {taken_for_failed, 0, "block 1: "},
        {has_a_time, 0, "block 1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_plan(
            &(struct result_plan){"r.csv", EXPERIMENT, "none", 3, 0, 0, cases[i].spoil, NULL});
        fails("r.csv", cases[i].sample, PPS_E_WRONG, cases[i].words);
    }
    write_rows();
    size_t n;
    unsigned char *bytes = slurp("r.csv", &n);
    bytes[sizeof HEADER - 1 + 8] ^= 1; // of "yes"
    spill("r.csv", bytes, n);
    fails("r.csv", 0, PPS_E_WRONG, "block 0");
    free(bytes);
}

// ---- shards, earlier results --------------------------------------------------------------------

Test(infeasible, shards_are_merged)
{
    const char *const paths[] = {"s.shard-1-of-2.csv", "s.shard-0-of-2.csv"};
    struct pps_merge m = {.stop = &never};
    struct pps_error err = {.text = ""};
    struct pps_verified verified;
    write_plan(&(struct result_plan){paths[1], EXPERIMENT, "none", 3, 0, 2, NULL, NULL});
    write_plan(&(struct result_plan){paths[0], EXPERIMENT, "none", 3, 1, 2, NULL, NULL});
    passes(paths[0], 1, &verified);
    cr_assert_eq(verified.infeasible, 1);
    cr_assert_eq(pps_merge_open(&m, paths, 2, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_merge_write(&m, "m.csv", false, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(m.infeasible, 3);
    pps_merge_close(&m);
    has_text("m.csv", HEADER ROWS);
    passes("m.csv", 1, &verified);
    cr_assert_eq(verified.infeasible, 3);
}

static struct pps_reuse *reuse_for(const char *text, struct pps_experiment **e)
{
    struct pps_reuse *reuse;
    struct pps_error err = {.text = ""};
    *e = load_good(text);
    cr_assert_eq(pps_reuse_open(&reuse, "r.csv", *e, 0, &err), PPS_OK, "%s", err.text);
    return reuse;
}

// Rows are known by what the documents say; those of what cannot be done are computed again.
Test(infeasible, rows_are_reused)
{
    struct pps_experiment *e;
    struct pps_reused found;
    write_rows();
    struct pps_reuse *reuse = reuse_for(BOXES("toy", BOX, "\"1..20\""), &e);
    double point[PPS_MAX_PARAMS];
    memcpy(point, e->space.base, sizeof point);
    point[TOY_X] = 5;
    cr_assert(pps_reuse_find(reuse, point, &found));
    cr_assert_eq(strncmp(found.results, "1.20,yes,30\n", found.n), 0);
    cr_assert_eq(found.objective, 1.2);
    point[TOY_X] = 11;
    cr_assert_not(pps_reuse_find(reuse, point, &found));
    point[TOY_X] = 6;
    cr_assert_not(pps_reuse_find(reuse, point, &found));
    pps_reuse_close(reuse);
    pps_experiment_free(e);
}

#define TWO_BOXES(x_) BOXES("toy", "[" BOX ", {\"size\": 1, \"weight\": 1}]", x_)

Test(infeasible, rows_of_several_documents_are_reused)
{
    struct pps_experiment *e;
    struct pps_reused found;
    write_plan(
        &(struct result_plan){"r.csv", TWO_BOXES("[4, 5]"), "none", 3, 0, 0, NULL, NULL});
    struct pps_reuse *reuse = reuse_for(TWO_BOXES("\"1..20\""), &e);
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    pps_cursor_seek(cursor, &e->space, 24); // the second box, x = 5
    cr_assert(pps_reuse_find(reuse, cursor->point, &found));
    cr_assert_eq(strncmp(found.results, "0.20,yes,5\n", found.n), 0, "%s", found.results);
    pps_cursor_seek(cursor, &e->space, 4); // the first
    cr_assert(pps_reuse_find(reuse, cursor->point, &found));
    cr_assert_eq(strncmp(found.results, "1.20,yes,30\n", found.n), 0, "%s", found.results);
    free(cursor);
    pps_reuse_close(reuse);
    pps_experiment_free(e);
}

// A box more, or in another order, is a longer axis; rows of a box that is gone are no rows of ours.
Test(infeasible, documents_come_and_go)
{
    static const char *const boxes[] = {BOX, "{\"size\": 1, \"weight\": 1, \"name\": \"b\"}",
                                        "{\"size\": 3, \"weight\": 3, \"name\": \"c\"}"};
    static const struct {
        int was[3], is[3]; // boxes, ended with -1
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
        write_plan(&(struct result_plan){"r.csv", text[0], "none", 3, 0, 0, NULL, NULL});
        struct pps_experiment *e;
        struct pps_reuse *reuse = reuse_for(text[1], &e);
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
            cr_assert_eq(pps_reuse_find(reuse, cursor->point, &found), had, "%d: %d", (int)i,
                         (int)k);
            const double x = (double)(k % 3 + 1);
            const int n =
                snprintf(want, sizeof want, "%.2f,yes,%g\n", loads[box] / x, loads[box] * x);
            cr_assert(!had ||
                          (found.n == (size_t)n && memcmp(found.results, want, found.n) == 0),
                      "%d: %d: %s", (int)i, (int)k, want);
        }
        free(cursor);
        pps_reuse_close(reuse);
        pps_experiment_free(e);
    }
}

// The documents that the result was made with have other contents, other names, or are not there.
Test(infeasible, other_inputs_are_not_reused)
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
        struct pps_reuse *reuse;
        struct pps_error err = {.text = ""};
        char want[128];
        snprintf(want, sizeof want,
                 "--reuse r.csv: it was made with another %s; compute its rows anew",
                 others[i].slot);
        cr_assert_eq(pps_reuse_open(&reuse, "r.csv", e, 0, &err), PPS_E_INPUT, "%s",
                     others[i].text);
        cr_assert_str_eq(err.text, want);
        pps_reuse_close(reuse);
        pps_experiment_free(e);
    }
}

// ---- answers ------------------------------------------------------------------------------------

static enum pps_status answer(const char *points,
                              char **text,
                              struct pps_evaluated *count,
                              struct pps_error *err)
{
    static const char experiment[] = "{\"box\": [" BOX ", {\"size\": 1, \"weight\": 1, "
                                     "\"name\": \"tiny\"}], \"place\": {\"room\": 60}}";
    struct pps_json json;
    struct pps_inputs *inputs;
    size_t n;
    cr_assert_eq(pps_json_parse(&json, "inputs", experiment, strlen(experiment), err), PPS_OK);
    const struct pps_inputs_ask ask = {.kernel = &toy, .file = &json, .item = json.root};
    cr_assert_eq(pps_inputs_open(&inputs, &ask, err), PPS_OK, "%s", err->text);
    spill("p.csv", points, strlen(points));
    const struct pps_evaluate evaluate = {.kernel = pps_inputs_kernel(inputs),
                                          .inputs = inputs,
                                          .path = "p.csv",
                                          .out = open_memstream(text, &n),
                                          .digits = PPS_DEFAULT_DIGITS,
                                          .threads = 2,
                                          .stop = &never};
    const enum pps_status status = pps_evaluate(&evaluate, count, err);
    fclose(evaluate.out);
    pps_inputs_close(inputs);
    pps_json_free(&json);
    return status;
}

// A row's document says what its other cells do not.
Test(infeasible, points_are_answered)
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
    cr_assert_str_eq(err.text, "weight is said by a document; leave it out");
    free(text);
    cr_assert_eq(answer("x,box\n2,tini\n", &text, &count, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "box: want box-1 or tiny (got \"tini\"); did you mean tiny?");
    free(text);
}
