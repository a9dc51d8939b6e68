// SPDX-License-Identifier: Apache-2.0
// Results cut into matrices: the maps, the positions of values, and refused cuts.
#include "engine/slice/slice.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(slice, .init = enter, .fini = leave);

static const struct pps_param params[] = {{.name = "n", .unit = ""},
                                          {.name = "x", .unit = ""},
                                          {.name = "y", .unit = ""},
                                          {.name = "z", .unit = ""}};
static const struct pps_column columns[] = {{.name = "time", .unit = "s", .goal = PPS_LOWER}};
static const struct pps_kernel kernel = {
    .name = "toy",
    .params = params,
    .n_params = 4,
    .columns = columns,
    .n_columns = 1,
    .heatmap = {.x = "x", .y = "y", .value = "time", .split = "z"},
};
static const struct pps_kernel *const kernels[] = {&kernel, NULL};

static enum pps_status cut_text(struct pps_slices **cut, struct pps_slice_ask ask,
                                const char *text, struct pps_error *err)
{
    spill("r.csv", text);
    ask.view.path = "r.csv";
    ask.view.kernels = kernels;
    return pps_slices_open(cut, &ask, err);
}

// Describes all maps in one line: "title: x labels / y label cells / ...; title ...".
static void describe(const struct pps_slices *cut, char *out, size_t cap)
{
    FILE *text = fmemopen(out, cap, "w");
    for (size_t m = 0; m < pps_slices_maps(cut); m++) {
        struct pps_slice slice;
        struct pps_error err;
        cr_assert_eq(pps_slices_get(cut, m, &slice, &err), PPS_OK);
        fprintf(text, "%s%s:", m == 0 ? "" : "; ", slice.title);
        for (size_t x = 0; x < slice.n_x; x++)
            fprintf(text, " %s", slice.x[x]);
        for (size_t y = 0; y < slice.n_y; y++) {
            fprintf(text, " / %s", slice.y[y]);
            for (size_t x = 0; x < slice.n_x; x++)
                if (isnan(slice.cells[y * slice.n_x + x]))
                    fputs(" -", text);
                else
                    fprintf(text, " %g", slice.cells[y * slice.n_x + x]);
        }
        pps_slice_free(&slice);
    }
    fclose(text);
}

static const char simplex[] = "n,x,y,z,time\n"
                              "8,0.0,0.0,1.0,1\n8,0.0,1.0,0.0,2\n8,1.0,0.0,0.0,3\n"
                              "8,a,0.0,1.0,4\n8,0.0,a,1.0,5\n"
                              "8,0.0,1.0,a,6\n8,b,1.0,a,7\n"
                              "16,0.0,0.0,1.0,8\n";
static const char free_axes[] = "n,x,y,z,time\n"
                                "8,0,0,0,1\n8,0,0,1,2\n8,0,1,0,3\n8,0,1,1,4\n";

// Degrees, with many combinations skipped (4 x 16) or infeasible (2 x 1).
static const char degrees[] = "n,x,y,z,time\n"
                              "8,1,16,1,5\n8,2,8,1,4\n8,4,1,8,7\n9,4,1,4,6\n"
                              "8,16,1,1,9\n8,2,1,1,\n8,2,8,2,3.5\n9,16,1,2,\n";

// Catches axes out of order (names among numbers, 10 before 9), a split that separates numbers
// that share a map or joins numbers that do not, letters without their own map, titles that do
// not distinguish maps, and rows combined the wrong way.
Test(slice, cuts_the_right_maps)
{
    static const char *filter[] = {"n=16"};
    const struct {
        struct pps_slice_ask ask;
        const char *text, *maps;
    } cases[] = {
        {{.by = NULL},
         simplex,
         "n=8: 0.0 1.0 a / 0.0 1 3 4 / 1.0 2 - - / a 5 - -; "
         "n=8 z=a: 0.0 b / 1.0 6 7; n=16: 0.0 / 0.0 8"},
        {{.view = {.filters = filter, .n_filters = 1}}, simplex, "n=16: 0.0 / 0.0 8"},
        {{.by = NULL}, free_axes, "z=0 n=8: 0 / 0 1 / 1 3; z=1 n=8: 0 / 0 2 / 1 4"},
        {{.reduce = PPS_REDUCE_MIN}, free_axes, "n=8: 0 / 0 1 / 1 3"},
        {{.reduce = PPS_REDUCE_MAX}, free_axes, "n=8: 0 / 0 2 / 1 4"},
        {{.reduce = PPS_REDUCE_MEAN}, free_axes, "n=8: 0 / 0 1.5 / 1 3.5"},
        {{.reduce = PPS_REDUCE_FIRST}, free_axes, "n=8: 0 / 0 1 / 1 3"},
        {{.reduce = PPS_REDUCE_LAST}, free_axes, "n=8: 0 / 0 2 / 1 4"},
        {{.by = "", .x = "z", .reduce = PPS_REDUCE_NONE},
         free_axes,
         "n=8 x=0: 0 1 / 0 1 2 / 1 3 4"},
        {{.by = "z"}, free_axes, "z=0 n=8: 0 / 0 1 / 1 3; z=1 n=8: 0 / 0 2 / 1 4"},
        {{.x = "n", .y = "x"},
         "n,x,time\n10,1,1\n9,1,2\n9,beta,\n10,alpha,4\n",
         ": 9 10 / 1 2 1 / alpha - 4 / beta - -"},
        {{.reduce = PPS_REDUCE_MIN},
         degrees,
         ": 1 2 4 16 / 1 - - 6 9 / 8 - 3.5 - - / 16 5 - - -"},
        {{.reduce = PPS_REDUCE_MIN, .by = "n"},
         degrees,
         "n=8: 1 2 4 16 / 1 - - 7 9 / 8 - 3.5 - - / 16 5 - - -; n=9: 4 16 / 1 6 -"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_slices *cut;
        struct pps_error err = {0};
        char text[512];
        cr_assert_eq(cut_text(&cut, cases[i].ask, cases[i].text, &err), PPS_OK, "case %zu: %s",
                     i, err.text);
        describe(cut, text, sizeof text);
        cr_assert_str_eq(text, cases[i].maps, "case %zu", i);
        pps_slices_close(cut);
    }
}

static const struct pps_column two_columns[] = {
    {.name = "time", .unit = "s", .goal = PPS_LOWER},
    {.name = "speed", .unit = "", .goal = PPS_HIGHER},
    {.name = "depth", .unit = "", .goal = PPS_NEUTRAL},
};
static const struct pps_kernel best_kernel = {
    .name = "toy",
    .params = params,
    .n_params = 4,
    .columns = two_columns,
    .n_columns = 3,
    .heatmap = {.x = "x", .y = "y", .value = "time", .best = true, .by = "n,absent"},
};

// Catches a kernel's default that is ignored, a best value by the wrong goal, and a default
// that overrides an option.
Test(slice, a_kernel_says_what_a_cell_is)
{
    static const struct pps_kernel *const only[] = {&best_kernel, NULL};
    static const char text[] = "n,x,y,z,time,speed,depth\n"
                               "8,0,0,0,5,50,1\n8,0,0,1,4,40,2\n9,0,0,0,3,60,3\n";
    const struct {
        struct pps_slice_ask ask;
        const char *maps, *name; // of the first map
    } cases[] = {
        {{.by = NULL}, "n=8: 0 / 0 4; n=9: 0 / 0 3", "r-n8"},
        {{.value = "speed"}, "n=8: 0 / 0 50; n=9: 0 / 0 60", "r-speed-n8"},
        {{.x = "n"}, "x=0: 8 9 / 0 4 3", "r-n-y"},
        {{.by = "z"}, "z=0: 0 / 0 3; z=1: 0 / 0 4", "r-z0"},
        {{.reduce = PPS_REDUCE_MAX}, ": 0 / 0 5", "r-max"},
        {{.value = "depth", .by = "n,z"},
         "n=8 z=0: 0 / 0 1; n=8 z=1: 0 / 0 2; n=9 z=0: 0 / 0 3",
         "r-depth-n8-z0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_slices *cut;
        struct pps_slice slice;
        struct pps_error err = {0};
        char maps[512], name[512];
        struct pps_slice_ask ask = cases[i].ask;
        spill("r.csv", text);
        ask.view.path = "r.csv";
        ask.view.kernels = only;
        cr_assert_eq(pps_slices_open(&cut, &ask, &err), PPS_OK, "case %zu: %s", i, err.text);
        describe(cut, maps, sizeof maps);
        cr_assert_str_eq(maps, cases[i].maps, "case %zu", i);
        cr_assert_eq(pps_slices_get(cut, 0, &slice, &err), PPS_OK);
        cr_assert(pps_slices_name(cut, 0, name, sizeof name));
        cr_assert_str_eq(name, cases[i].name, "case %zu", i);
        pps_slice_free(&slice);
        pps_slices_close(cut);
    }
}

// Catches rows that overwrite each other silently, and errors without a remedy.
Test(slice, refuses_what_it_cannot_cut)
{
    const struct {
        struct pps_slice_ask ask;
        const char *text, *says;
    } cases[] = {
        {{.by = "x"}, "n,x,y,z,time\n8,0,0,0,1\n9,0,0,0,2\n", "add n to --by"},
        {{.by = NULL}, "n,x,y,z,time\n8,0,0,0,1\n8,0,0,0,1\n", "rows 1 and 2 of r.csv"},
        {{.x = "xx"}, simplex, "did you mean x?"},
        {{.x = "y"}, simplex, "three columns"},
        {{.by = NULL}, "n,x,y,z,time\n", "no row"},
        {{.by = NULL}, "p,q,r\n1,2,3\n", "--x COLUMN"},
        {{.x = "p", .y = "q"}, "p,q,r\n1,2,3\n", "--value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_slices *cut;
        struct pps_error err = {0};
        cr_assert_eq(cut_text(&cut, cases[i].ask, cases[i].text, &err), PPS_E_INPUT, "case %zu",
                     i);
        cr_assert(cut == NULL);
        cr_assert(strstr(err.text, cases[i].says) != NULL, "case %zu: %s", i, err.text);
    }
}

// Catches a best cell by the wrong goal, and ties resolved by position in the matrix instead of
// row order.
Test(slice, the_best_cell_is_that_of_the_earliest_row)
{
    static const char text[] = "n,x,y,z,time\n8,5,5,0,2\n8,9,9,0,1\n8,0,0,0,1\n";
    struct pps_slices *cut;
    struct pps_slice slice;
    struct pps_error err;
    cr_assert_eq(cut_text(&cut, (struct pps_slice_ask){0}, text, &err), PPS_OK);
    cr_assert_eq(pps_slices_get(cut, 0, &slice, &err), PPS_OK);
    cr_assert(slice.has_best);
    cr_assert_str_eq(slice.x[slice.best_x], "9");
    cr_assert_str_eq(slice.y[slice.best_y], "9");
    cr_assert_eq(slice.n_best, 2);
    pps_slice_free(&slice);
    pps_slices_close(cut);
}

// Catches maps that share a file name.
Test(slice, names_tell_maps_apart)
{
    static const char *const names[] = {"r-n8", "r-n8-z_a", "r-n16"};
    struct pps_slices *cut;
    struct pps_error err;
    cr_assert_eq(cut_text(&cut, (struct pps_slice_ask){0}, simplex, &err), PPS_OK);
    cr_assert_eq(pps_slices_maps(cut), 3);
    for (size_t i = 0; i < 3; i++) {
        struct pps_slice slice;
        char name[512];
        cr_assert_eq(pps_slices_get(cut, i, &slice, &err), PPS_OK);
        cr_assert(pps_slices_name(cut, i, name, sizeof name));
        cr_assert_str_eq(name, names[i]);
        pps_slice_free(&slice);
    }
    pps_slices_close(cut);
}

// Catches pictures of other rows, or of rows combined in another way, that share a file name,
// and a name that is too long for a file.
Test(slice, names_tell_what_was_asked)
{
    static char many[400] = "z=1";
    static const char *filters[] = {"n=8,9", "y=1.0", many};
    const struct {
        struct pps_slice_ask ask;
        const char *name;
    } cases[] = {
        {{.reduce = PPS_REDUCE_MIN}, "r-min"},
        {{.reduce = PPS_REDUCE_MAX, .x = "x", .value = "time"}, "r-x-y-time-max"},
        {{.reduce = PPS_REDUCE_MIN, .view = {.filters = filters, .n_filters = 2}},
         "r-min-n8,9-y1.0"},
        {{.reduce = PPS_REDUCE_MIN, .view = {.filters = filters, .n_filters = 1}, .by = "n"},
         "r-min-n8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_slices *cut;
        struct pps_slice slice;
        struct pps_error err = {0};
        char name[512];
        cr_assert_eq(cut_text(&cut, cases[i].ask, degrees, &err), PPS_OK, "%s", err.text);
        cr_assert_eq(pps_slices_get(cut, 0, &slice, &err), PPS_OK);
        cr_assert(pps_slices_name(cut, 0, name, sizeof name));
        cr_assert_str_eq(name, cases[i].name);
        pps_slice_free(&slice);
        pps_slices_close(cut);
    }
    while (strlen(many) < 300)
        strcat(many, ",1");
    const struct pps_slice_ask ask = {.reduce = PPS_REDUCE_MIN,
                                      .view = {.filters = filters, .n_filters = 3}};
    struct pps_slices *cut;
    struct pps_slice slice;
    struct pps_error err = {0};
    char name[512];
    cr_assert_eq(cut_text(&cut, ask, degrees, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_slices_get(cut, 0, &slice, &err), PPS_OK);
    cr_assert(pps_slices_name(cut, 0, name, sizeof name));
    cr_assert_eq(strlen(name), 1 + 159, "%s", name);
    cr_assert_eq(strncmp(name, "r-min-n8,9-y1.0-z1,1,", 21), 0, "%s", name);
    pps_slice_free(&slice);
    pps_slices_close(cut);
}

// Catches a limit that is ignored, or skipped maps that are not counted.
Test(slice, a_limit_counts_what_it_leaves_out)
{
    struct pps_slices *cut;
    struct pps_error err;
    bool at_least;
    cr_assert_eq(cut_text(&cut, (struct pps_slice_ask){.max_maps = 1}, simplex, &err), PPS_OK);
    cr_assert_eq(pps_slices_maps(cut), 1);
    cr_assert_eq(pps_slices_left_out(cut, &at_least), 2);
    cr_assert_not(at_least);
    pps_slices_close(cut);
}

// Catches text that gnuplot cannot read: labels with spaces, keys that move.
Test(slice, the_text_is_as_gnuplot_reads_it)
{
    static const char text[] = "n,x,y,z,time\n8,0.5,0,0,2\n8,a b,0,1,1.25\n";
    static const char expected[] = "# title \"n=8\"\n# x \"x\"\n# y \"y\"\n# value \"time\"\n"
                                   "# unit \"s\"\n# goal lower\n# reduce none\n"
                                   "# x-numbers 1\n# y-numbers 1\n"
                                   "# x-labels \"0.5 a_b\"\n# y-labels \"0\"\n"
                                   "# min 1.25\n# max 2\n"
                                   "# best-x 2\n# best-y 1\n# best-cells 1\n# best-value 1.25\n"
                                   "y 0.5 a_b\n0 2 1.25\n";
    struct pps_slices *cut;
    struct pps_slice slice;
    struct pps_error err;
    char written[1024];
    cr_assert_eq(cut_text(&cut, (struct pps_slice_ask){0}, text, &err), PPS_OK);
    cr_assert_eq(pps_slices_get(cut, 0, &slice, &err), PPS_OK);
    FILE *out = fmemopen(written, sizeof written, "w");
    pps_slice_write(&slice, out);
    fclose(out);
    cr_assert_str_eq(written, expected);
    pps_slice_free(&slice);
    pps_slices_close(cut);
}
