// SPDX-License-Identifier: Apache-2.0
// The best rows as stacked bars: rows, labels and refused input.
#include "engine/picture/bars.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(bars, .init = enter, .fini = leave);

static const struct pps_param params[] = {{.name = "dp", .unit = ""},
                                          {.name = "tp", .unit = ""},
                                          {.name = "mode", .unit = ""}};
static const struct pps_column columns[] = {
    {.name = "time", .unit = "s", .goal = PPS_LOWER},
    {.name = "speed", .unit = "", .goal = PPS_HIGHER},
    {.name = "weights", .unit = "MiB"},
    {.name = "states", .unit = "MiB"},
    {.name = "work", .unit = "MiB"},
};
static const struct pps_stack stacks[] = {
    {"memory", "weights,states,work"},
    {"all", "weights,states"},
    {NULL, NULL},
};
static const struct pps_kernel kernel = {
    .name = "toy",
    .params = params,
    .n_params = 3,
    .columns = columns,
    .n_columns = 5,
    .stacks = stacks,
};
static const struct pps_kernel *const kernels[] = {&kernel, NULL};

static const char result[] = "dp,tp,mode,time,speed,weights,states,work\n"
                             "1,8,a,9.0,1,10,20.5,3\n"
                             "2,4,a,5.0,2,20,11,3\n"
                             "4,2,a,4.0,3,40,6,3\n"
                             "8,1,a,,4,80,3,3\n"
                             "8,1,b,3.0,5,,3,3\n"
                             "2,4,b,6.0,6,20,11,0\n";

static enum pps_status open_text(struct pps_bars *bars, struct pps_bars_ask *ask,
                                 const char *text, struct pps_error *err)
{
    spill("r.csv", text);
    ask->view.path = "r.csv";
    ask->view.kernels = kernels;
    if (ask->k == 0)
        ask->k = 2;
    return pps_bars_open(bars, ask, err);
}

static char *slice_text(struct pps_bars *bars)
{
    struct pps_error err;
    char *written = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    cr_assert_eq(pps_bars_slice(bars, out, &err), PPS_OK);
    fclose(out);
    return written;
}

// Catches text that bars.gp cannot read, labels that do not vary, and a missing limit.
Test(bars, the_script_can_read_the_text)
{
    static const char expected[] =
        "# title \"mode=a\"\n# stack \"memory\"\n# unit \"MiB\"\n"
        "# parts \"weights states work\"\n"
        "# labels \"dp\"\n# labels \"tp\"\n"
        "# objective \"time\"\n# objective-unit \"s\"\n# goal lower\n"
        "# shown 2\n# rows 4\n# limit 80.5\n"
        "3 4 2 40 6 3 4.0\n"
        "2 2 4 20 11 3 5.0\n";
    struct pps_bars_ask ask = {.stack = "memory", .has_limit = true, .limit = 80.5};
    struct pps_bars bars;
    struct pps_error err = {0};
    cr_assert_eq(open_text(&bars, &ask, result, &err), PPS_OK, "%s", err.text);
    char *text = slice_text(&bars);
    cr_assert_str_eq(text, expected);
    free(text);
    pps_bars_close(&bars);
}

// Catches rows chosen by the wrong column or goal, and rows without a value of a segment.
Test(bars, chooses_the_right_rows)
{
    static const char *filter[] = {"tp=4"};
    const struct {
        struct pps_bars_ask ask;
        const char *rows; // end of the text
    } cases[] = {
        {{.stack = "weights,states", .k = 1}, "rows 4\n3 40 6 4.0\n"},
        {{.stack = "states,work"}, "rows 5\n5 8 1 b 3 3 3.0\n3 4 2 a 6 3 4.0\n"},
        {{.stack = "all", .objective = "speed"}, "rows 5\n6 2 4 b 20 11 6\n4 8 1 a 80 3 4\n"},
        {{.stack = "all", .objective = "speed", .goal = PPS_LOWER},
         "rows 5\n1 1 8 10 20.5 1\n2 2 4 20 11 2\n"},
        {{.stack = "states,work", .objective = "weights", .goal = PPS_HIGHER, .k = 1},
         "rows 5\n4 3 3 80\n"},
        {{.stack = "all", .view = {.filters = filter, .n_filters = 1}},
         "rows 2\n2 a 20 11 5.0\n6 b 20 11 6.0\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_bars_ask ask = cases[i].ask;
        struct pps_bars bars;
        struct pps_error err = {0};
        cr_assert_eq(open_text(&bars, &ask, result, &err), PPS_OK, "case %zu: %s", i, err.text);
        char *text = slice_text(&bars);
        cr_assert_str_eq(strstr(text, "rows "), cases[i].rows, "case %zu", i);
        free(text);
        pps_bars_close(&bars);
    }
}

// Catches a bar whose segments do not add up, and error messages without advice.
Test(bars, refuses_columns_that_cannot_be_added)
{
    static const char many[] = "a,b,c,d,e,f,g,h,i,j,k,l,m\n1,1,1,1,1,1,1,1,1,1,1,1,1\n";
    const struct {
        const char *stack, *text, *says;
    } cases[] = {
        {"weights,time", result, "weights [MiB] and time [s] cannot be added"},
        {"weights", result, "or the name of a stack: memory, all"},
        {"memry", result, "or the name of a stack: memory, all"},
        {"weights,", result, "write two or more columns"},
        {"weights,stats", result, "did you mean states?"},
        {"weights,weights", result, "names weights twice"},
        {"states,work", "dp,tp,mode,time,speed,weights,states,work\n1,1,a,1,1,1,-2,1\n",
         "row 1 of r.csv: states is negative"},
        {"states,work", "dp,tp,mode,time,speed,weights,states,work\n1,1,a,,1,1,2,1\n",
         "none of 1 rows has a value of time"},
        {"a,b,c,d,e,f,g,h,i,j,k,l,m", many, "at most 12 parts"},
        {"a,b", "a,b\n1,2\n", "--objective"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_bars_ask ask = {.stack = cases[i].stack};
        struct pps_bars bars;
        struct pps_error err = {0};
        cr_assert_eq(open_text(&bars, &ask, cases[i].text, &err), PPS_E_INPUT, "case %zu", i);
        cr_assert(strstr(err.text, cases[i].says) != NULL, "case %zu: %s", i, err.text);
        cr_assert_null(bars.view.result, "case %zu: the result is still open", i);
    }
}

// Catches wrong labels if the parameters are unknown.
Test(bars, labels_of_an_unknown_result_are_left_of_its_segments)
{
    static const char text[] = "p,q,x,y,cost,note\n1,7,2,3,9,k\n2,7,2,3,8,l\n";
    struct pps_bars_ask ask = {.stack = "x,y", .objective = "cost"};
    struct pps_bars bars;
    struct pps_error err = {0};
    cr_assert_eq(open_text(&bars, &ask, text, &err), PPS_OK, "%s", err.text);
    char *written = slice_text(&bars);
    cr_assert(strstr(written, "# labels \"p\"\n# objective") != NULL, "%s", written);
    cr_assert_str_eq(strstr(written, "rows 2\n"), "rows 2\n2 2 2 3 8\n1 1 2 3 9\n");
    free(written);
    pps_bars_close(&bars);
}
