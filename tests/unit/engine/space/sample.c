// SPDX-License-Identifier: Apache-2.0
// Samples of spaces: the drawn points, and that each draw is computed from its number alone.
#include "tests/unit/support/engine/experiments.h"
#include "tests/unit/support/engine/points.h"
#include "tests/unit/support/rounds.h"

#include "engine/axes/axis_json.h"
#include "engine/space/sample.h"
#include "engine/space/value.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pps_experiment *load_sample(const char *axes, const char *sample)
{
    char text[1024];
    snprintf(text, sizeof text, "{%s, \"sample\": {%s}}", axes, sample);
    return load_good(text);
}

// Spaces of every shape, with the number of points of the whole grid.
static const struct {
    const char *axes;
    unsigned points;
} spaces[] = {
    {"\"priority_step\": 1", 7},
    {"\"n\": [8], \"tiers\": [{}], \"priority_step\": 0.1", 66},
    {"\"n\": [8, 16], \"sync_freq\": [1, 2, 4], \"tiers\": [{}], \"priority_step\": 0.5", 36},
    {"\"n\": \"1..12\", \"sync_freq\": \"divisors(n)\", \"tiers\": [{}], \"priority_step\": 1",
     105},
    {"\"gpus\": [2, 3, 5], \"n\": \"gpus..9\", \"sync_freq\": \"1..n-4\", \"fwd_len\": [1, 2], "
     "\"tiers\": [{}], \"priority_step\": 1",
     6 * (15 + 15 + 15)},
    {"\"fwd_len\": [1, 2], \"bwd_len\": [2, 4], \"zip\": [\"fwd_len\", \"bwd_len\"], "
     "\"tiers\": [{}], \"priority_step\": 1",
     6},
};
enum { N_SPACES = sizeof spaces / sizeof *spaces };

// Catches a point that is drawn twice or never: a sample as large as the grid is the grid in
// another order.
Test(sample, all_points_at_random_are_every_point_once)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    for (int s = 0; s < N_SPACES; s++) {
        char sample[32], text[1024];
        snprintf(sample, sizeof sample, "\"count\": %u", spaces[s].points);
        snprintf(text, sizeof text, "{%s}", spaces[s].axes);
        struct pps_experiment *grid = load_good(text);
        struct pps_experiment *drawn = load_sample(spaces[s].axes, sample);
        cr_assert_eq(grid->n_points, spaces[s].points, "%s: %llu", text,
                     (unsigned long long)grid->n_points);
        cr_assert_eq(drawn->n_points, grid->n_points);
        struct numbered_points points = points_of_experiment(grid);
        bool *seen = calloc(grid->n_points, sizeof *seen);
        uint64_t moved = 0;
        for (uint64_t k = 0; k < drawn->n_points; k++) {
            pps_cursor_seek(cursor, &drawn->space, k);
            cr_assert_eq(cursor->index, k);
            const struct numbered_point *at = points_find(&points, cursor->point);
            cr_assert(at != NULL && !seen[at->number], "%s", text);
            seen[at->number] = true;
            moved += at->number != k;
        }
        cr_assert_gt(moved, 0, "%s: in order", text);
        free(seen);
        free(points.sorted);
        pps_experiment_free(grid);
        pps_experiment_free(drawn);
    }
    free(cursor);
}

static const char *const samples[] = {
    "\"count\": 5",
    "\"count\": 6, \"method\": \"lhs\", \"seed\": 3",
    "\"count\": 6, \"method\": \"sobol\"",
};

static const char *const shapes[] = {
    "\"priority_step\": 0.5",
    "\"n\": \"2..9\", \"sync_freq\": \"1..n-3\", \"where\": \"n != 7\"",
    "\"fwd_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true}, \"n\": [4, 8], "
    "\"bwd_len\": \"2*fwd_len\", \"sync_freq\": \"1..n-3\"",
    "\"n\": \"1..9\", \"gpus\": {\"start\": 1, \"stop\": 9, \"continuous\": true}, "
    "\"prop_len\": {\"start\": 0, \"stop\": 1e-3, \"continuous\": true}, \"where\": "
    "[\"gpus <= n\", \"prop_len < 0.0009\"]",
};
enum { N_SAMPLES = 3, N_SHAPES = sizeof shapes / sizeof *shapes };

// Catches a draw that depends on the draw before it: walking and seeking give the same points.
Test(sample, draws_are_computed_from_their_number_alone)
{
    struct pps_cursor *walker = calloc(1, sizeof *walker), *single = calloc(1, sizeof *single);
    for (int i = 0; i < N_SAMPLES * N_SHAPES; i++) {
        struct pps_experiment *e = load_sample(shapes[i / N_SAMPLES], samples[i % N_SAMPLES]);
        struct pps_left_out walked[PPS_MAX_REASONS] = {{0, 0}},
                            sought[PPS_MAX_REASONS] = {{0, 0}};
        pps_cursor_seek(walker, &e->space, 0);
        uint64_t rows = 0, left_out = 0;
        for (uint64_t k = e->n_points; k-- > 0;) { // from the last to the first
            pps_cursor_seek(single, &e->space, k);
            rows += pps_cursor_next(single, k + 1, sought);
        }
        for (; pps_cursor_next(walker, e->n_points, walked); pps_cursor_step(walker), rows--) {
            pps_cursor_seek(single, &e->space, walker->index);
            cr_assert(pps_cursor_next(single, walker->index + 1, sought));
            cr_assert_eq(walker->prefix_n, single->prefix_n);
            cr_assert_arr_eq(walker->prefix, single->prefix, walker->prefix_n);
            cr_assert_arr_eq(walker->point, single->point, sizeof single->point);
        }
        cr_assert_eq(rows, 0);
        for (int r = 0; r < e->space.n_reasons; r++) {
            cr_assert_eq(walked[r].n, sought[r].n);
            left_out += walked[r].n;
        }
        cr_assert_leq(left_out, e->n_points);
        pps_experiment_free(e);
    }
    free(walker);
    free(single);
}

// Catches values that differ from the double of their text, or that are outside the range.
Test(sample, continuous_values_are_short_and_read_back)
{
    static const struct {
        const char *start, *stop, *more;
        size_t longest;
    } ranges[] = {
        {"0.5", "1.5", "", 8},
        {"0.1", "0.2", "", 9},
        {"1", "1000000", "", 9},
        {"1e-9", "3e-9", "", 20},
        {"1e12", "3e12", "", 16},
        {"0.5", "1.5", ", \"decimals\": 2", 4},
        {"0.5", "1.5", ", \"decimals\": 15", 17},
        {"100", "900", ", \"decimals\": -2", 5},
        {"0.333333333333333", "0.333333333333334", "", 17},
        {"2", "2", "", 3},
    };
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int m = 0; m < 3; m++) {
            char axes[256], sample[64];
            snprintf(axes, sizeof axes,
                     "\"bwd_len\": {\"start\": %s, \"stop\": %s, \"continuous\": true%s}",
                     ranges[r].start, ranges[r].stop, ranges[r].more);
            snprintf(sample, sizeof sample, "\"count\": 500, \"method\": \"%s\"",
                     pps_sample_methods[m]);
            struct pps_experiment *e = load_sample(axes, sample);
            for (uint64_t k = 0; k < 500; k++) {
                char cell[PPS_CELL_TEXT];
                pps_cursor_seek(cursor, &e->space, k);
                const double value = cursor->point[4];
                const size_t n = pps_value_text(&e->kernel->params[4], value, cell);
                cr_assert(value >= strtod(ranges[r].start, NULL) &&
                              value <= strtod(ranges[r].stop, NULL),
                          "%s", cell);
                cr_assert_eq(strtod(cell, NULL), value, "%s", cell);
                cr_assert_leq(n, ranges[r].longest, "%s", cell);
            }
            pps_experiment_free(e);
        }
    free(cursor);
}

// Catches missed strata: in a Latin hypercube each stratum has one draw on every axis, and
// lists whose length divides the count have each value equally often.
Test(sample, a_latin_hypercube_has_every_stratum_once)
{
    enum { COUNT = 840 };
    struct pps_experiment *e = load_sample(
        "\"n\": \"1..7\", \"fwd_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true, "
        "\"decimals\": 12}, \"bwd_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true, "
        "\"decimals\": 12}, \"sync_freq\": \"1..8\", \"tiers\": [{}], \"priority_step\": 0.5",
        "\"count\": 840, \"method\": \"lhs\", \"seed\": 9");
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    int strata[2][COUNT] = {{0}}, n[8] = {0}, sync_freq[9] = {0};
    double together = 0;
    for (uint64_t k = 0; k < COUNT; k++) {
        pps_cursor_seek(cursor, &e->space, k);
        for (int a = 0; a < 2; a++)
            strata[a][(int)((cursor->point[3 + a] - 1) * COUNT)]++;
        n[(int)cursor->point[0]]++;
        sync_freq[(int)cursor->point[2]]++;
        together += (cursor->point[3] - 1.5) * (cursor->point[4] - 1.5) * 12 / COUNT;
    }
    for (int s = 0; s < COUNT; s++)
        cr_assert(strata[0][s] == 1 && strata[1][s] == 1, "stratum %d", s);
    for (int v = 1; v <= 7; v++)
        cr_assert_eq(n[v], COUNT / 7);
    for (int v = 1; v <= 8; v++)
        cr_assert_eq(sync_freq[v], COUNT / 8);
    cr_assert_lt(fabs(together), 0.15, "the axes go together: %g", together);
    pps_experiment_free(e);
    free(cursor);
}

// Catches values that are not equally likely: continuous values over 20 equal intervals, grid
// points over the axes.
Test(sample, random_draws_are_spread_evenly)
{
    enum { COUNT = 20000 };
    struct pps_experiment *e =
        load_sample("\"fwd_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true}, \"n\": "
                    "\"1..20\", \"bwd_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true}",
                    "\"count\": 20000, \"seed\": 1");
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    int part[2][20] = {{0}}, n[21] = {0};
    for (uint64_t k = 0; k < COUNT; k++) {
        pps_cursor_seek(cursor, &e->space, k);
        for (int a = 0; a < 2; a++)
            part[a][(int)fmin(19, (cursor->point[3 + a] - 1) * 20)]++;
        n[(int)cursor->point[0]]++;
    }
    for (int v = 0; v < 20; v++) { // 1000 each; 5 standard deviations
        cr_assert(abs(part[0][v] - 1000) < 155 && abs(part[1][v] - 1000) < 155);
        cr_assert(abs(n[v + 1] - 1000) < 155, "n = %d: %d", v + 1, n[v + 1]);
    }
    pps_experiment_free(e);
    free(cursor);
}

// Catches passes over the grid that repeat points: beside a continuous axis, each point of the
// other axes occurs once before any occurs again, and the next pass has another order.
Test(sample, the_grid_beside_a_continuous_axis_is_gone_through_in_rounds)
{
    struct pps_experiment *e =
        load_sample("\"fwd_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true}, \"n\": "
                    "\"1..50\", \"tiers\": [{\"fwd_prop\": \"a\", \"grad_prop\": \"a\", "
                    "\"grad_sync\": \"a\"}]",
                    "\"count\": 150");
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    int order[150];
    for (int k = 0; k < 150; k++) {
        pps_cursor_seek(cursor, &e->space, (uint64_t)k);
        order[k] = (int)cursor->point[0];
    }
    for (int round = 0; round < 3; round++) {
        bool seen[51] = {false};
        for (int k = 0; k < 50; k++) {
            cr_assert(!seen[order[50 * round + k]]);
            seen[order[50 * round + k]] = true;
        }
    }
    cr_assert_neq(memcmp(order, order + 50, 50 * sizeof *order), 0);
    pps_experiment_free(e);
    free(cursor);
}

static uint64_t digest_of(const char *axes, const char *sample)
{
    struct pps_experiment *e = load_sample(axes, sample);
    const uint64_t digest = e->digest;
    pps_experiment_free(e);
    return digest;
}

// Catches different samples with the same file name.
Test(sample, everything_said_of_a_sample_is_part_of_the_digest)
{
    static const char axes[] = "\"n\": \"1..9\"";
    const uint64_t digest = digest_of(axes, "\"count\": 5");
    cr_assert_eq(digest, digest_of(axes, "\"seed\": 0, \"method\": \"random\", \"count\": 5"));
    cr_assert_neq(digest, digest_of(axes, "\"count\": 6"));
    cr_assert_neq(digest, digest_of(axes, "\"count\": 5, \"method\": \"lhs\""));
    cr_assert_neq(digest, digest_of(axes, "\"count\": 5, \"method\": \"sobol\""));
    cr_assert_neq(digest, digest_of(axes, "\"count\": 5, \"seed\": 1"));
}

static int always(const double *point, const void *shared)
{
    (void)point;
    (void)shared;
    return 0;
}

// Catches a dimension beyond the table of direction numbers.
Test(sample, sobol_has_so_many_dimensions_and_no_more)
{
    enum { MOST = 38 };
    static const char *const reasons[] = {"", NULL};
    struct pps_param params[MOST];
    for (int p = 0; p < MOST; p++)
        params[p] = (struct pps_param){.name = "p", .kind = PPS_REAL, .max = 9};
    const struct pps_kernel kernel = {.params = params,
                                      .n_params = MOST,
                                      .reasons = reasons,
                                      .check = always};
    for (int n = MOST - 1; n <= MOST; n++) {
        static const double values[] = {1, 2, 3};
        struct pps_space *space = calloc(1, sizeof *space);
        struct pps_error err = {.text = ""};
        space->kernel = &kernel;
        space->sample = calloc(1, sizeof *space->sample);
        space->sample->method = PPS_SAMPLE_SOBOL;
        space->sample->count = 8;
        for (; space->n_axes < n; space->n_axes++)
            cr_assert_eq(pps_axis_table(&space->axes[space->n_axes], &kernel, space->n_axes,
                                        values, 3, &err),
                         PPS_OK);
        cr_assert_eq(pps_space_prepare(space, &err), n < MOST ? PPS_OK : PPS_E_INPUT);
        cr_assert(n < MOST || strstr(err.text, "37 dimensions, but there are 38 axes") != NULL,
                  "%s", err.text);
        pps_space_free(space);
        free(space);
    }
}

// Catches a space that is counted unnecessarily: 10^40 points.
Test(sample, spaces_beyond_all_numbers_can_be_drawn_from)
{
    static const char axes[] =
        "\"fwd_len\": {\"start\": 1, \"stop\": 1e12}, \"bwd_len\": {\"start\": 1, \"stop\": "
        "1e12}, \"prop_len\": {\"start\": 1, \"stop\": 1e12}, \"n\": [2, 4], \"sync_freq\": "
        "\"1..n\"";
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    for (int m = 1; m < 3; m++) {
        struct pps_experiment *e = load_sample(axes, samples[m]);
        cr_assert_eq(e->n_points, 6);
        pps_cursor_seek(cursor, &e->space, 5);
        cr_assert_gt(cursor->point[3], 1);
        pps_experiment_free(e);
    }
    free(cursor);
}
