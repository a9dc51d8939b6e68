// SPDX-License-Identifier: Apache-2.0
// Pareto fronts: the set compared with its definition, fronts of results, thinned points.
#include "engine/picture/pareto.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(pareto, .init = enter, .fini = leave);

// ---- the set --------------------------------------------------------------------------------

struct point {
    double a, b;
};

static bool beats(struct point p, struct point q)
{
    return p.a <= q.a && p.b <= q.b && (p.a < q.a || p.b < q.b);
}

// The front by its definition: n^2 comparisons. Returns how many, in order of a.
static size_t plain_front(const struct point *points, size_t n, struct point *front)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool stays = points[i].a == points[i].a && points[i].b == points[i].b;
        for (size_t j = 0; j < n && stays; j++)
            stays = !beats(points[j], points[i]) &&
                    !(j < i && points[j].a == points[i].a && points[j].b == points[i].b);
        size_t at = kept;
        for (; stays && at > 0 && front[at - 1].a > points[i].a; at--)
            front[at] = front[at - 1];
        if (stays) {
            front[at] = points[i];
            kept++;
        }
    }
    return kept;
}

// Catches a row on the front that another beats, one that is missing, equal rows that are lost
// or counted twice, and a first of them that is not the first: with few and with many distinct
// values, and with fronts longer than what waits for a sort.
Test(pareto, the_front_is_as_defined)
{
    enum { N = 6000 };
    static struct point points[N], expected[N];
    const unsigned steps[] = {3, 40, 100000, 0};
    struct random random = {1};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        struct pps_pareto_front front = {.n = 0};
        struct pps_error err = {0};
        for (uint64_t i = 0; i < N; i++) {
            const double u = (double)(random_bits(&random) >> 40);
            const double v = (double)(random_bits(&random) >> 40);
            // 0: all but a few are on the front.
            points[i] = steps[s] == 0 ? (struct point){u, -u + (i % 50 == 0 ? 9 : 0)}
                                      : (struct point){fmod(u, steps[s]), fmod(v, steps[s])};
            if (i % 97 == 0)
                points[i].b = (double)NAN;
            cr_assert_eq(
                pps_pareto_front_add(&front, points[i].a, points[i].b, i + 1, "text", 4, &err),
                PPS_OK);
        }
        const size_t n_expected = plain_front(points, N, expected);
        size_t n;
        const struct pps_pareto_front_row *rows = pps_pareto_front_rows(&front, &n);
        cr_assert_eq(n, n_expected, "steps %u: %zu, not %zu", steps[s], n, n_expected);
        for (size_t i = 0; i < n; i++) {
            uint64_t equal = 0, first = 0;
            for (uint64_t p = N; p-- > 0;)
                if (points[p].a == rows[i].a && points[p].b == rows[i].b) {
                    equal++;
                    first = p + 1;
                }
            cr_assert(rows[i].a == expected[i].a && rows[i].b == expected[i].b);
            cr_assert_eq(rows[i].equal, equal);
            cr_assert_eq(rows[i].row, first);
            cr_assert_str_eq(rows[i].text, "text");
        }
        pps_pareto_front_free(&front);
    }
}

// Catches memory that grows with the rows instead of the front.
Test(pareto, beaten_rows_are_not_kept)
{
    struct pps_pareto_front front = {.n = 0};
    struct pps_error err;
    for (uint64_t i = 0; i < 200000; i++) {
        const double a = (double)(200000 - i); // each beats all before it
        cr_assert_eq(pps_pareto_front_add(&front, a, a, i, "x", 1, &err), PPS_OK);
        cr_assert_leq(front.n, 4096);
    }
    size_t n;
    cr_assert_eq(pps_pareto_front_rows(&front, &n)->a, 1);
    cr_assert_eq(n, 1);
    cr_assert(pps_pareto_front_would_take(&front, 1, 1), "an equal row counts");
    cr_assert_not(pps_pareto_front_would_take(&front, 1, 1.5));
    pps_pareto_front_free(&front);
}

// ---- results --------------------------------------------------------------------------------

static const struct pps_param params[] = {{.name = "n", .unit = ""},
                                          {.name = "m", .unit = "GiB"}};
static const struct pps_column columns[] = {
    {.name = "time", .unit = "s", .goal = PPS_LOWER},
    {.name = "speed", .unit = "", .goal = PPS_HIGHER},
    {.name = "depth", .unit = "", .goal = PPS_NEUTRAL},
};
static const struct pps_kernel kernel = {
    .name = "toy",
    .params = params,
    .n_params = 2,
    .columns = columns,
    .n_columns = 3,
};
static const struct pps_kernel *const kernels[] = {&kernel, NULL};

static const char header[] = "n,m,time,speed,depth\n";
static const char result[] = "n,m,time,speed,depth\n"
                             "1,1,5.0,1,4\n"
                             "2,1,3.0,2,7\n"
                             "1,2,4.0,,1\n"
                             "2,2,3.0,4,7\n"
                             "1,3,,9,1\n"
                             "2,3,7.0,4.5,4\n"
                             "1,4,3.0,4,6\n"
                             "2,4,8.0,4.5,4\n";

static enum pps_status open_text(struct pps_pareto *pareto, struct pps_pareto_ask ask,
                                 const char *text, struct pps_error *err)
{
    spill("r.csv", text);
    ask.view.path = "r.csv";
    ask.view.kernels = kernels;
    return pps_pareto_open(pareto, &ask, err);
}

// Catches a goal that is not the kernel's or the command's, rows without a value on a front,
// groups that mix, ties that repeat, and an order along another column than the first.
Test(pareto, chooses_the_right_rows)
{
    static const char *filter[] = {"n=1"};
    const struct {
        struct pps_pareto_ask ask;
        const char *rows;
        uint64_t equal;
    } cases[] = {
        {{.columns = "time,speed"}, "2,2,3.0,4,7\n2,3,7.0,4.5,4\n", 1},
        {{.columns = "speed,time"}, "2,3,7.0,4.5,4\n2,2,3.0,4,7\n", 1},
        {{.columns = "time,min:speed"}, "2,1,3.0,2,7\n1,1,5.0,1,4\n", 0},
        {{.columns = "time,depth"}, "1,4,3.0,4,6\n1,2,4.0,,1\n", 0},
        {{.columns = "time,max:depth"}, "2,1,3.0,2,7\n", 1},
        {{.columns = "max:time,speed"}, "2,4,8.0,4.5,4\n", 0},
        {{.columns = "m,time"}, "2,1,3.0,2,7\n", 0},
        {{.columns = "time,speed", .by = "n"}, "1,4,3.0,4,6\n2,2,3.0,4,7\n2,3,7.0,4.5,4\n", 0},
        {{.columns = "time,speed", .view = {.filters = filter, .n_filters = 1}},
         "1,4,3.0,4,6\n",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_pareto pareto;
        struct pps_error err = {0};
        char *written = NULL;
        size_t size;
        cr_assert_eq(open_text(&pareto, cases[i].ask, result, &err), PPS_OK, "case %zu: %s", i,
                     err.text);
        FILE *out = open_memstream(&written, &size);
        cr_assert_eq(pps_pareto_write(&pareto, out, false, &err), PPS_OK);
        fclose(out);
        cr_assert_eq(strncmp(written, header, sizeof header - 1), 0);
        cr_assert_str_eq(written + sizeof header - 1, cases[i].rows, "case %zu", i);
        cr_assert_eq(pareto.equal, cases[i].equal, "case %zu", i);
        free(written);
        pps_pareto_close(&pareto);
    }
}

// Catches lists that are read as something else.
Test(pareto, wrong_columns_are_refused)
{
    const struct {
        const char *columns, *says;
    } cases[] = {
        {"time", "write two columns"},          {"time,", "write two columns"},
        {",time", "write two columns"},         {"time,speed,depth", "write two columns"},
        {"time,time", "two different columns"}, {"time,max:time", "two different columns"},
        {"time,sped", "did you mean speed?"},   {"most:time,speed", "no column most:time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_pareto pareto;
        struct pps_error err = {0};
        const struct pps_pareto_ask ask = {.columns = cases[i].columns};
        cr_assert_eq(open_text(&pareto, ask, result, &err), PPS_E_INPUT, "case %zu", i);
        cr_assert(strstr(err.text, cases[i].says) != NULL, "case %zu: %s", i, err.text);
        cr_assert_null(pareto.view.result, "case %zu: the result is still open", i);
    }
}

// Catches text that pareto.gp does not read: keys, units, goals, groups, blocks.
Test(pareto, the_text_is_as_the_script_reads_it)
{
    static const char expected[] = "# title \"\"\n"
                                   "# x \"time\"\n# x-unit \"s\"\n# x-goal lower\n"
                                   "# x-scale linear\n# x-min 3\n# x-max 8\n"
                                   "# y \"speed\"\n# y-unit \"\"\n# y-goal higher\n"
                                   "# y-scale linear\n# y-min 1\n# y-max 4.5\n"
                                   "# rows 6\n# front-rows 3\n# equal-rows 0\n"
                                   "# groups \"n=1 n=2\"\n"
                                   "5 1 1\n3 2 2\n3 4 4\n7 4.5 6\n8 4.5 8\n\n\n"
                                   "3 4 7\n\n\n"
                                   "3 4 4\n7 4.5 6\n";
    const struct pps_pareto_ask ask = {.columns = "time,speed", .by = "n", .cloud = true};
    struct pps_pareto pareto;
    struct pps_error err = {0};
    char *written = NULL;
    size_t size;
    cr_assert_eq(open_text(&pareto, ask, result, &err), PPS_OK, "%s", err.text);
    FILE *out = open_memstream(&written, &size);
    cr_assert_eq(pps_pareto_slice(&pareto, out, &err), PPS_OK, "%s", err.text);
    fclose(out);
    cr_assert_str_eq(written, expected);
    free(written);
    pps_pareto_close(&pareto);
}

// Catches a picture of nothing, and one of more fronts than there are colours.
Test(pareto, pictures_without_a_point_or_of_too_many_fronts_are_refused)
{
    struct pps_pareto pareto;
    struct pps_error err = {0};
    char text[512] = "n,m,time,speed,depth\n";
    struct pps_pareto_ask ask = {.columns = "time,speed", .cloud = true};
    cr_assert_eq(open_text(&pareto, ask, "n,m,time,speed,depth\n1,1,,2,3\n", &err), PPS_OK);
    cr_assert_eq(pps_pareto_slice(&pareto, stdout, &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, "no row has numbers in both time and speed") != NULL);
    pps_pareto_close(&pareto);
    for (int i = 0; i < 9; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,1,2,3,4\n", i);
    ask.by = "n";
    cr_assert_eq(open_text(&pareto, ask, text, &err), PPS_OK);
    cr_assert_eq(pps_pareto_slice(&pareto, stdout, &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, "at most 8 fronts, and --by makes 9") != NULL, "%s", err.text);
    pps_pareto_close(&pareto);
}

// ---- points ---------------------------------------------------------------------------------

// Catches memory that grows with the points, a choice that differs from call to call or favours
// neighbours, and a range that forgets what was dropped.
Test(pareto, many_points_are_thinned_out_the_same_way)
{
    struct pps_thinned_points clouds[2] = {{.n = 0}};
    struct pps_error err;
    const uint64_t n = 3 * PPS_THINNED_POINTS_POINTS;
    for (int c = 0; c < 2; c++)
        for (uint64_t row = 1; row <= n; row++)
            cr_assert_eq(
                pps_thinned_points_add(&clouds[c], (double)row, -(double)row, row, &err),
                PPS_OK);
    cr_assert_eq(clouds[0].x_max, (double)n);
    cr_assert_eq(clouds[0].y_min, -(double)n);
    cr_assert_leq(clouds[0].n, PPS_THINNED_POINTS_POINTS);
    cr_assert_geq(clouds[0].n, PPS_THINNED_POINTS_POINTS / 3);
    cr_assert_eq(clouds[0].n, clouds[1].n);
    size_t late = 0;
    for (size_t i = 0; i < clouds[0].n; i++) {
        cr_assert_eq(clouds[0].points[i].row, clouds[1].points[i].row);
        late += clouds[0].points[i].row > n / 2;
    }
    cr_assert(fabs((double)late / (double)clouds[0].n - 0.5) < 0.01);
    cr_assert_eq(pps_thinned_points_thin(&clouds[0], 10, 10, &err), PPS_OK);
    cr_assert_leq(clouds[0].n, 20, "a line meets few cells: %zu", clouds[0].n);
    cr_assert_geq(clouds[0].n, 10);
    for (int c = 0; c < 2; c++)
        pps_thinned_points_free(&clouds[c]);
}

// Catches equal or extreme values that end outside the grid.
Test(pareto, thinning_takes_any_range)
{
    const double values[][2] = {{1, 1}, {0, 0}, {-1e308, 1e308}, {1e-300, 1e300}, {1, 10}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct pps_thinned_points cloud = {.n = 0};
        struct pps_error err;
        for (uint64_t row = 0; row < 4; row++)
            cr_assert_eq(pps_thinned_points_add(&cloud, values[i][row % 2], values[i][row / 2],
                                                row, &err),
                         PPS_OK);
        cr_assert_eq(pps_thinned_points_thin(&cloud, 7, 5, &err), PPS_OK);
        cr_assert_geq(cloud.n, 1);
        cr_assert_eq(cloud.points[0].row, 0);
        pps_thinned_points_free(&cloud);
    }
    cr_assert(pps_thinned_points_scale(1, 10).log);
    cr_assert_not(pps_thinned_points_scale(1, 9.9).log);
    cr_assert_not(pps_thinned_points_scale(0, 1000).log);
    cr_assert_not(pps_thinned_points_scale(-1, 1000).log);
}
