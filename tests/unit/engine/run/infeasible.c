// SPDX-License-Identifier: Apache-2.0
// Rows of infeasible points, and cells with text: written, counted, audited, verified and
// ranked.
#include "tests/unit/support/engine/toy_rows.h"

#include "engine/job/known_rows_read.h"
#include "engine/read/top.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(infeasible, .init = enter, .fini = leave);

// ---- rows ---------------------------------------------------------------------------------------

Test(infeasible, rows_and_counts)
{
    struct pps_verified verified;
    write_rows();
    has_text("r.csv", HEADER ROWS);
    passes("r.csv", 1, &verified);
    cr_assert_eq(verified.counts.rows, 9);
    cr_assert_eq(verified.counts.failed, 1);
    cr_assert_eq(verified.counts.infeasible, 3);
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

static void spoil_word(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    char *at = memmem(text, *n, "failed", strlen("failed"));
    (void)counts;
    if (block != 2)
        return;
    memmove(at + 2, at + 6, (size_t)(text + *n - (at + 6)));
    memcpy(at, "ok", 2);
    *n -= 4;
}

// The column of --status: verify recomputes it, and another run has the column only on request.
Test(infeasible, status)
{
    struct pps_verified verified;
    char want[1024] = "";
    struct pps_experiment *without = load_good(EXPERIMENT), *with;
    for (int i = 0; with_words[i] != NULL; i++)
        strcat(want, with_words[i]);
    load_with_status(true);
    with = load_good(EXPERIMENT);
    cr_assert_neq(with->digest, without->digest);
    write_rows();
    has_text("r.csv", want);
    passes("r.csv", 1, &verified);
    cr_assert_eq(verified.counts.failed, 1);
    cr_assert_eq(verified.counts.infeasible, 3);
    write_result(&(struct result_plan){"r.csv", EXPERIMENT, "none", 3, 0, 0, spoil_word, NULL});
    fails("r.csv", 0, PPS_E_WRONG, "block 2: ");
    pps_experiment_free(with);
    pps_experiment_free(without);
}

// Rows with the column are reused by a run without it, and the other way round.
Test(infeasible, status_and_reuse)
{
    for (int was = 0; was < 2; was++)
        for (int is = 0; is < 2; is++) {
            struct pps_known_rows *reuse;
            struct pps_reused found;
            struct pps_error err = {.text = ""};
            bool checked;
            double point[PPS_MAX_PARAMS];
            load_with_status(was);
            write_rows();
            load_with_status(is);
            struct pps_experiment *e = load_good(EXPERIMENT);
            cr_assert_eq(pps_known_rows_open(&reuse, "r.csv", e, 0, &checked, &err), PPS_OK,
                         "%s", err.text);
            memcpy(point, e->space.base, sizeof point);
            point[TOY_X] = 5;
            cr_assert(pps_known_rows_find(reuse, point, &found));
            cr_assert_eq(
                strncmp(found.results, is ? "1.20,yes,30,ok\n" : "1.20,yes,30\n", found.n), 0);
            pps_known_rows_close(reuse);
            pps_experiment_free(e);
        }
}

// ---- the best rows ------------------------------------------------------------------------------

static enum pps_status keep_nothing(void *self, const struct pps_block *block,
                                    struct pps_error *err)
{
    (void)self, (void)block, (void)err;
    return PPS_OK;
}

static void best_is(int objective, bool only_best, const int *by, int n_by,
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
    cr_assert_eq(totals.counts.infeasible, 3);
    cr_assert_eq(totals.counts.failed, 1);
    const struct pps_best_row *rows = pps_best_by_group_rows(&totals.best, &n);
    while (want[wanted] != NULL)
        wanted++;
    cr_assert_eq(n, wanted, "%d rows", (int)n);
    for (size_t i = 0; i < n; i++)
        cr_assert_str_eq(rows[i].text, want[i]);
    pps_totals_free(&totals);
    pps_experiment_free(e);
}

// An infeasible point needs the most memory. It never wins a ranking by the maximum.
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
    cr_assert_eq(totals.counts.rows, 4, "blocks before it are kept");
    pps_totals_free(&totals);
    pps_experiment_free(e);
}

static void top_is(struct pps_top_ask ask, const char *want)
{
    struct pps_top_count count;
    struct pps_error err = {.text = ""};
    char *text = NULL;
    size_t n;
    ask.view = (struct pps_view_ask){.path = "r.csv", .kernels = test_kernels};
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

static enum pps_status audit(const char *text, struct pps_audited *audited,
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
    *audited = totals.shortcuts.audited;
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

// A reference that returns another word, another outcome, another figure of an infeasible
// point, or a figure where there is none.
Test(infeasible, audits)
{
    struct pps_audited audited;
    struct pps_error err = {.text = ""};
    cr_assert_eq(audit(EXPERIMENT, &audited, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(audited.rows, 9);
    cr_assert_eq(audited.largest, 0);
    audit_finds(BOXES("texts", BOX, "[4, 5]"),
                "audit: x=5: answer is \"yes\", but the reference gives \"maybe\"");
    audit_finds(BOXES("outcomes", BOX, "[4, 5]"),
                "audit: x=5: the run finished this point, but the reference reports this point "
                "as infeasible");
    // Items of size 8 in a room of 60: x = 9 is too many.
    audit_finds(BOXES("needs", "{\"size\": 2, \"weight\": 4}", "[7, 9]"),
                "audit: x=9: need is 72, but the reference gives 73 (difference 0.014, allowed "
                "1e-09)");
    audit_finds(
        BOXES("empties", "{\"size\": 2, \"weight\": 4}", "[7, 9]"),
        "audit: x=9: time is nan, but the reference gives 1 (difference nan, allowed 1e-09)");
}

// ---- verifying ----------------------------------------------------------------------------------

static void other_word(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)counts, (void)n;
    if (block == 0)
        memcpy(memmem(text, *n, "yes", strlen("yes")), "yEs", 3);
}

static void other_reason(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)counts, (void)n;
    if (block == 2)
        memcpy(memmem(text, *n, "no", strlen("no")), "No", 2);
}

static void one_fewer(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)text, (void)n;
    if (block == 1)
        counts->infeasible--;
}

static void taken_for_failed(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)text, (void)n;
    if (block == 1) {
        counts->infeasible--;
        counts->failed++;
    }
}

static void has_a_time(uint64_t block, char *text, size_t *n, struct pps_counts *counts)
{
    (void)counts;
    char *at = memmem(text, *n, "11,,", strlen("11,,"));
    if (block != 1)
        return;
    memmove(at + 4, at + 3, (size_t)(text + *n - (at + 3)));
    at[3] = '0';
    *n += 1;
}

Test(infeasible, verify_finds)
{
    static const struct {
        void (*spoil)(uint64_t block, char *text, size_t *n, struct pps_counts *counts);
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
        write_result(
            &(struct result_plan){"r.csv", EXPERIMENT, "none", 3, 0, 0, cases[i].spoil, NULL});
        fails("r.csv", cases[i].sample, PPS_E_WRONG, cases[i].words);
    }
    write_rows();
    size_t n;
    char *bytes = slurp("r.csv", &n);
    bytes[sizeof HEADER - 1 + 8] ^= 1; // of "yes"
    spill_bytes("r.csv", bytes, n);
    fails("r.csv", 0, PPS_E_WRONG, "block 0");
    free(bytes);
}
