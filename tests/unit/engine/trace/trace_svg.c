// SPDX-License-Identifier: Apache-2.0
// Traces as pictures: the positions of segments, and traces that are refused.
#include "engine/trace/trace_svg.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const tracks[] = {"compute", "down", NULL};
static const char *const kinds[] = {"forward", "fwd<&\">", "never", NULL};
static const struct pps_trace_names names = {"gpu", "micro_batch", "throttled", tracks, kinds,
                                             NULL,  NULL,          NULL,        NULL};

// Two transfers of GPU 0 overlap; the second continues alone, faster. GPU 1 comes first.
static const struct pps_piece pieces[] = {
    {1, 0, 0, 0, 7, 0, 1, 1, false, 0},
    {0, 1, 1, 0, 3, 1, 2, 0.5, false, 0},
    {0, 1, 1, 1, 4, 1, 2, 0.5, true, 0},
    {0, 1, 1, 1, 4, 2, 10, 1, false, 0},
};

static const struct pps_trace_window whole = {0, INFINITY};

static char *draw_part(const struct pps_piece *list,
                       int n,
                       struct pps_trace_window window,
                       enum pps_status *status)
{
    struct pps_tracesvg *svg;
    struct pps_error err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pps_tracesvg_open(&svg, "toy: a<b & c", window, &names, &err), PPS_OK);
    const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
    for (int i = 0; i < n; i++)
        sink.piece(sink.self, &list[i]);
    *status = pps_tracesvg_draw(svg, out, &err);
    pps_tracesvg_close(svg);
    fclose(out);
    return text;
}

static char *draw(const struct pps_piece *list, int n, enum pps_status *status)
{
    return draw_part(list, n, whole, status);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        n++;
    return n;
}

// Returns the n-th box (from 0) whose hint begins with this text.
static struct {
    double x, y, w, h;
} box;
static void find_box(const char *text, const char *hint, int nth)
{
    char end[64];
    snprintf(end, sizeof end, "><title>%s", hint);
    const char *at = strstr(text, end);
    for (; nth > 0 && at != NULL; nth--)
        at = strstr(at + 1, end);
    cr_assert(at != NULL, "no box %s", hint);
    while (strncmp(at, "<rect ", 6) != 0)
        at--;
    cr_assert_eq(sscanf(at, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &box.x,
                        &box.y, &box.w, &box.h),
                 4);
}

// Catches lanes out of order, tasks that cover each other, lengths out of proportion, heights
// that do not show rates, and a task of two segments with two numbers.
Test(tracesvg, pieces_stand_where_they_belong)
{
    enum pps_status status;
    char *text = draw(pieces, 4, &status);
    cr_assert_eq(status, PPS_OK);
    find_box(text, "forward 7", 0);
    const double left = box.x, unit = box.w, gpu1 = box.y, high = box.h;
    cr_assert_eq(unit, 90); // of 900 pixels for 10 units of time
    find_box(text, "fwd&lt;&amp;&quot;&gt; 3", 0);
    const double first = box.y;
    cr_assert_eq(box.h, high, "the pale box behind is of full height");
    cr_assert_eq(box.x, left + unit);
    find_box(text, "fwd&lt;&amp;&quot;&gt; 3", 1);
    cr_assert_eq(box.h, high / 2, "half the rate");
    cr_assert_eq(box.y, first + high / 2, "on the ground");
    find_box(text, "fwd&lt;&amp;&quot;&gt; 4", 0);
    cr_assert_geq(box.y, first + high, "a lane of its own");
    find_box(text, "fwd&lt;&amp;&quot;&gt; 4, micro_batch 1: 2 to 10, rate 1", 0);
    cr_assert_eq(box.x, left + 2 * unit);
    cr_assert_eq(box.w, 8 * unit);
    cr_assert_eq(box.h, high);
    cr_assert_lt(box.y + high, gpu1, "gpu 0 is above gpu 1");
    cr_assert_eq(count(text, ">4</text>"), 1 + 1, "one for the task, one at the axis");
    cr_assert_eq(count(text, ">time</text>"), 1, "of the model's own unit");
    cr_assert_eq(count(text, "fill=\"url(#flag)\"><title>"), 1);
    cr_assert_eq(count(text, "rate 0.5, throttled"), 3); // pale, coloured, hatched
    free(text);
}

// Catches a window that shows segments outside it or in another place, and an axis that still
// begins at 0.
Test(tracesvg, a_part_is_cut_out)
{
    enum pps_status status;
    char *text = draw_part(pieces, 4, (struct pps_trace_window){1.5, 4.5}, &status);
    cr_assert_eq(status, PPS_OK);
    cr_assert_eq(count(text, "forward 7"), 0);
    find_box(text, "fwd&lt;&amp;&quot;&gt; 3, micro_batch 0: 1.5 to 2,", 0);
    cr_assert_eq(box.w, 150);
    const double left = box.x;
    find_box(text, "fwd&lt;&amp;&quot;&gt; 4, micro_batch 1: 2 to 4.5,", 0);
    cr_assert_eq(box.x, left + 150);
    cr_assert_eq(box.w, 750);
    cr_assert_eq(count(text, ">1.5</text>"), 1);
    cr_assert_eq(count(text, ">0</text>"), 0);
    cr_assert_eq(count(text, ">4.5</text>"), 1);
    cr_assert_eq(count(text, ">5</text>"), 0);
    free(text);
    text = draw_part(pieces, 4, (struct pps_trace_window){20, 30}, &status);
    cr_assert_eq(status, PPS_OK, "nothing to see is a picture too");
    free(text);
}

// Catches invalid XML, kinds in the legend that do not occur, and a lost title.
Test(tracesvg, texts_are_escaped)
{
    enum pps_status status;
    char *text = draw(pieces, 4, &status);
    cr_assert_eq(count(text, ">toy: a&lt;b &amp; c</text>"), 1);
    cr_assert_eq(count(text, ">fwd&lt;&amp;&quot;&gt;</text>"), 1);
    cr_assert_eq(count(text, "never"), 0);
    cr_assert_eq(count(text, ">gpu 0</text>") + count(text, ">gpu 1</text>"), 2);
    cr_assert_eq(count(text, ">throttled</text>"), 1);
    cr_assert_eq(count(text, "<svg "), 1);
    cr_assert_str_eq(text + strlen(text) - 7, "</svg>\n");
    free(text);
    text = draw(pieces, 1, &status);
    cr_assert_eq(count(text, ">throttled</text>"), 0);
    free(text);
}

// Catches a division by zero in an empty picture.
Test(tracesvg, an_empty_trace_is_a_picture_too)
{
    enum pps_status status;
    const struct pps_piece point = {0, 0, 0, 0, 0, 0, 0, 0, false, 0};
    for (int n = 0; n < 2; n++) {
        char *text = draw(&point, n, &status);
        cr_assert_eq(status, PPS_OK);
        cr_assert_eq(count(text, "nan") + count(text, "inf"), 0, "%s", text);
        cr_assert_str_eq(text + strlen(text) - 7, "</svg>\n");
        free(text);
    }
}

// Catches a picture that no viewer opens, and memory that grows with segments that are not
// drawn.
Test(tracesvg, too_many_pieces_are_refused)
{
    struct pps_tracesvg *svg;
    struct pps_error err = {0};
    cr_assert_eq(pps_tracesvg_open(&svg, "", whole, &names, &err), PPS_OK);
    const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
    for (int i = 0; i <= PPS_TRACESVG_PIECES; i++)
        sink.piece(sink.self, &(struct pps_piece){0, 0, 0, i, i, i, i + 1, 1, false, 0});
    cr_assert_eq(pps_tracesvg_draw(svg, stdout, &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, "20001 > 20000") != NULL, "%s", err.text);
    pps_tracesvg_close(svg);
}

// Catches a full disk that is not reported.
Test(tracesvg, a_failed_write_is_reported)
{
    struct pps_tracesvg *svg;
    struct pps_error err;
    FILE *out = fopen("/dev/full", "w");
    cr_assert_eq(pps_tracesvg_open(&svg, "", whole, &names, &err), PPS_OK);
    cr_assert_eq(pps_tracesvg_draw(svg, out, &err), PPS_E_MACHINE);
    pps_tracesvg_close(svg);
    fclose(out);
}

// Catches counters that are skipped, drawn in the wrong group, or not drawn to the scale of
// their limit, and a missing unit of time.
Test(tracesvg, counters_are_strips_below_their_group)
{
    static const char *const counters[] = {"memory_gib", NULL};
    static const struct pps_trace_names counted = {
        "gpu", "micro_batch", "throttled", tracks, kinds, counters, "us", NULL, NULL};
    static const struct pps_level levels[] = {{0, 0, 0, 20}, {0, 0, 5, 40}};
    struct pps_tracesvg *svg;
    struct pps_error err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pps_tracesvg_open(&svg, "toy", whole, &counted, &err), PPS_OK);
    const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
    sink.limit(sink.self, &(struct pps_limit){0, 0, 80});
    for (int i = 0; i < 2; i++)
        sink.level(sink.self, &levels[i]);
    for (int i = 0; i < 4; i++)
        sink.piece(sink.self, &pieces[i]);
    cr_assert_eq(pps_tracesvg_draw(svg, out, &err), PPS_OK);
    pps_tracesvg_close(svg);
    fclose(out);
    cr_expect_eq(count(text, ">time (us)</text>"), 1);
    cr_expect_eq(count(text, "2 to 10 us, rate 1<"), 1);
    cr_expect_eq(count(text, "memory_gib<"), 1);
    cr_expect_eq(count(text, "up to 80, limit red"), 1);
    cr_expect_eq(count(text, "20 from 0 to 5"), 1);
    cr_expect_eq(count(text, "40 from 5 to 10"), 1);
    cr_expect_eq(count(text, "#d01c1c"), 1);
    free(text);
}
