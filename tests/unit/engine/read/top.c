// SPDX-License-Identifier: Apache-2.0
// The best rows of a result file, and its groups.
#include "engine/read/top.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void enter_to_sort(void)
{
    enter();
    setenv("TMPDIR", folder, 1);
}

TestSuite(top, .init = enter_to_sort, .fini = leave);

static const struct pps_param params[] = {{.name = "n"}, {.name = "m"}};
static const struct pps_column columns[] = {
    {.name = "time", .goal = PPS_LOWER},
    {.name = "speed", .goal = PPS_HIGHER},
};
static const struct pps_kernel kernel = {
    .name = "toy",
    .params = params,
    .n_params = 2,
    .columns = columns,
    .n_columns = 2,
};
static const struct pps_kernel *const kernels[] = {&kernel, NULL};

static const char result[] = "n,m,time,speed\n"
                             "2,1,5.0,1\n"
                             "1,1,3.0,2\n"
                             "2,2,4.0,\n"
                             "1,2,3.0,4\n"
                             "2,3,,9\n"
                             "1,3,7.0,4\n";

// Runs `ask` over the text; returns what was written, or NULL and err.
static char *run(struct pps_top_ask ask, const char *text, struct pps_error *err)
{
    struct pps_top_count count;
    char *written = NULL;
    size_t size;
    spill("r.csv", text);
    ask.view.path = "r.csv";
    ask.view.kernels = kernels;
    ask.folder = folder;
    ask.out = open_memstream(&written, &size);
    const enum pps_status status = pps_top(&ask, &count, err);
    fclose(ask.out);
    if (status == PPS_OK)
        return written;
    free(written);
    return NULL;
}

// Catches a wrong goal, ties out of order, groups out of order, rows among the best that have no
// value or whose first column is empty (their point cannot be done), and a filter that lets through what it should not.
Test(top, chooses_the_right_rows)
{
    static const char *filter[] = {"n=2.0"};
    const struct {
        struct pps_top_ask ask;
        const char *rows;
    } cases[] = {
        {{.k = 2}, "1,1,3.0,2\n1,2,3.0,4\n"},
        {{.k = 9}, "1,1,3.0,2\n1,2,3.0,4\n2,2,4.0,\n2,1,5.0,1\n1,3,7.0,4\n"},
        {{.k = 1, .by = "n"}, "2,2,4.0,\n1,1,3.0,2\n"},
        {{.k = 1, .by = "n,m"}, "2,1,5.0,1\n1,1,3.0,2\n2,2,4.0,\n1,2,3.0,4\n1,3,7.0,4\n"},
        {{.k = 2, .objective = "speed"}, "1,2,3.0,4\n1,3,7.0,4\n"},
        {{.k = 1, .objective = "speed", .goal = PPS_LOWER}, "2,1,5.0,1\n"},
        {{.k = 1, .view = {.filters = filter, .n_filters = 1}}, "2,2,4.0,\n"},
        {{.all = true}, "1,1,3.0,2\n1,2,3.0,4\n2,2,4.0,\n2,1,5.0,1\n1,3,7.0,4\n2,3,,9\n"},
        {{.all = true, .objective = "speed"},
         "1,2,3.0,4\n1,3,7.0,4\n1,1,3.0,2\n2,1,5.0,1\n2,2,4.0,\n2,3,,9\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_error err = {0};
        char *written = run(cases[i].ask, result, &err);
        cr_assert(written != NULL, "case %zu: %s", i, err.text);
        cr_assert_eq(strncmp(written, "n,m,time,speed\n", 15), 0);
        cr_assert_str_eq(written + 15, cases[i].rows, "case %zu", i);
        free(written);
    }
}

// Catches names that nobody has passing silently, and errors without a remedy.
Test(top, wrong_names_are_refused_with_a_hint)
{
    static const char *bad_word[] = {"n"}, *bad_name[] = {"nn=2"};
    const struct {
        struct pps_top_ask ask;
        const char *text, *says;
    } cases[] = {
        {{.k = 1, .objective = "tiem"}, result, "did you mean time?"},
        {{.k = 1, .by = "n,n"}, result, "--by names n twice"},
        {{.k = 1, .view = {.filters = bad_word, .n_filters = 1}}, result, "column=value"},
        {{.k = 1, .view = {.filters = bad_name, .n_filters = 1}}, result, "did you mean n?"},
        {{.k = 1}, "a,b\n1,2\n", "--objective"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_error err = {0};
        cr_assert(run(cases[i].ask, cases[i].text, &err) == NULL, "case %zu", i);
        cr_assert_eq(err.code, PPS_E_INPUT, "case %zu", i);
        cr_assert(strstr(err.text, cases[i].says) != NULL, "case %zu: %s", i, err.text);
    }
}

// Catches a table whose columns do not line up.
Test(top, a_table_is_aligned)
{
    struct pps_error err = {0};
    char *written = run((struct pps_top_ask){.k = 2, .table = true}, result, &err);
    cr_assert_str_eq(written, "n  m  time  speed\n"
                              "1  1   3.0      2\n"
                              "1  2   3.0      4\n");
    free(written);
}
