// SPDX-License-Identifier: Apache-2.0
// Timelines as pictures: the positions of segments, utilisation where segments are too many, two points
// on one axis, and what pictures say of themselves.
#include "engine/trace/trace_svg.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const tracks[] = {"compute", "down", NULL};
static const char *const kinds[] = {"forward", "fwd<&\">", "never", NULL};
static const char *const counters[] = {"memory_gib", NULL};
static const struct pps_trace_names names = {.group = "gpu",
                                             .item = "micro_batch",
                                             .flag = "throttled",
                                             .tracks = tracks,
                                             .kinds = kinds,
                                             .end = "total_time"};

// Two transfers of GPU 0 overlap; the second continues alone, faster. GPU 1 comes first.
static const struct pps_piece pieces[] = {
    {1, 0, 0, 0, 7, 0, 1, 1, false, 0},
    {0, 1, 1, 0, 3, 1, 2, 0.5, false, 0},
    {0, 1, 1, 1, 4, 1, 2, 0.5, true, 0},
    {0, 1, 1, 1, 4, 2, 10, 1, false, 0},
};

static const struct pps_trace_window whole = {0, INFINITY};

// Sends the pieces as a point whose timeline ends at `end`.
static void send(struct pps_tracesvg *svg, const struct pps_piece *list, int n,
                 struct pps_trace_window window, double end)
{
    pps_tracesvg_begin(svg, "toy: a<b & c", window);
    const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
    for (int i = 0; i < n; i++)
        sink.piece(sink.self, &list[i]);
    pps_tracesvg_end(svg, end);
}

// Draws the picture and closes it.
static char *finish(struct pps_tracesvg *svg, struct pps_tracesvg_look look)
{
    struct pps_error err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    look.shown = look.shown != NULL ? look.shown : "";
    cr_assert_eq(pps_tracesvg_draw(svg, &look, out, &err), PPS_OK);
    pps_tracesvg_close(svg);
    fclose(out);
    return text;
}

static struct pps_tracesvg *open_picture(const struct pps_trace_names *with, bool loads)
{
    struct pps_tracesvg *svg;
    struct pps_error err;
    cr_assert_eq(pps_tracesvg_open(&svg, with, loads, &err), PPS_OK);
    return svg;
}

static char *draw(const struct pps_piece *list, int n)
{
    struct pps_tracesvg *svg = open_picture(&names, false);
    send(svg, list, n, whole, 10);
    return finish(svg, (struct pps_tracesvg_look){.width = 0});
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
    char *text = draw(pieces, 4);
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

// Catches an axis that begins at 0 although the window does not, and an end that is drawn in a part that it
// is not in.
Test(tracesvg, a_part_has_its_own_axis)
{
    static const struct pps_piece part[] = {{0, 1, 1, 0, 3, 1.5, 2, 0.5, false, 0},
                                            {0, 1, 1, 1, 4, 2, 4.5, 1, false, 0}};
    struct pps_tracesvg *svg = open_picture(&names, false);
    send(svg, part, 2, (struct pps_trace_window){1.5, 4.5}, 10);
    char *text =
        finish(svg, (struct pps_tracesvg_look){.shown = "Only times from 1.5 to 4.5."});
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
    cr_assert_eq(count(text, ">total_time 10 (later than this part)</text>"), 1);
    cr_assert_eq(count(text, "stroke=\"#000000\""), 0);
    cr_assert_eq(count(text, ">Only times from 1.5 to 4.5.</text>"), 1);
    free(text);
}

// Catches a timeline without its end, or with the end in another place.
Test(tracesvg, the_end_is_marked)
{
    char *text = draw(pieces, 4);
    find_box(text, "fwd&lt;&amp;&quot;&gt; 4, micro_batch 1: 2 to 10", 0);
    char line[64];
    snprintf(line, sizeof line, "<line x1=\"%.2f\"", box.x + box.w);
    const char *mark = strstr(text, "stroke=\"#000000\"");
    cr_assert(mark != NULL, "%s", text);
    while (strncmp(mark, "<line", 5) != 0)
        mark--;
    cr_assert(strncmp(mark, line, strlen(line)) == 0, "%.80s, not %s", mark, line);
    cr_assert_eq(count(text, ">total_time 10</text>"), 1);
    free(text);
}

// Catches invalid XML, kinds in the legend that do not occur, and a lost title.
Test(tracesvg, texts_are_escaped)
{
    char *text = draw(pieces, 4);
    cr_assert_eq(count(text, ">toy: a&lt;b &amp; c</text>"), 1);
    cr_assert_eq(count(text, ">fwd&lt;&amp;&quot;&gt;</text>"), 1);
    cr_assert_eq(count(text, "never"), 0);
    cr_assert_eq(count(text, ">gpu 0</text>") + count(text, ">gpu 1</text>"), 2);
    cr_assert_eq(count(text, ">throttled</text>"), 1);
    cr_assert_eq(count(text, "<svg "), 1);
    cr_assert_str_eq(text + strlen(text) - 7, "</svg>\n");
    free(text);
    text = draw(pieces, 1);
    cr_assert_eq(count(text, ">throttled</text>"), 0);
    free(text);
}

// Catches a division by zero in an empty picture, of tasks and of utilisation.
Test(tracesvg, an_empty_trace_is_a_picture_too)
{
    const struct pps_piece point = {0, 0, 0, 0, 0, 0, 0, 0, false, 0};
    for (int n = 0; n < 4; n++) {
        struct pps_tracesvg *svg = open_picture(&names, n > 1);
        send(svg, &point, n % 2, (struct pps_trace_window){n, 7}, 0);
        char *text = finish(svg, (struct pps_tracesvg_look){.width = 84});
        cr_assert_eq(count(text, "nan") + count(text, "inf"), 0, "%s", text);
        cr_assert_str_eq(text + strlen(text) - 7, "</svg>\n");
        free(text);
    }
}

// Catches a picture that no viewer opens, one that does not say that tasks are missing, and one that shows
// utilisation without need.
Test(tracesvg, too_many_pieces_become_utilisation)
{
    for (int more = 0; more < 2; more++) {
        struct pps_tracesvg *svg = open_picture(&names, false);
        pps_tracesvg_begin(svg, "toy", whole);
        const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
        for (int i = 0; i < PPS_TRACESVG_PIECES + more; i++)
            sink.piece(sink.self, &(struct pps_piece){0, 0, 0, i, i, i, i + 0.5, 1, false, 0});
        pps_tracesvg_end(svg, PPS_TRACESVG_PIECES);
        cr_expect_eq(pps_tracesvg_shows_loads(svg), more == 1);
        char *text = finish(svg, (struct pps_tracesvg_look){.width = 0});
        cr_expect_eq(count(text, "20 001 segments are too many to draw"), more);
        cr_expect_eq(count(text, ">utilisation 0</text>"), more);
        cr_expect_eq(count(text, "<title>forward"), more ? 0 : PPS_TRACESVG_PIECES);
        // Half of the time is busy, and of the last cell, which is shorter, all of it.
        cr_expect_eq(count(text, "<path"), 2 * more);
        free(text);
    }
}

// Catches a picture with more lanes than anybody reads.
Test(tracesvg, too_many_lanes_become_utilisation)
{
    struct pps_tracesvg *svg = open_picture(&names, false);
    pps_tracesvg_begin(svg, "toy", whole);
    const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
    for (int g = 0; g <= PPS_TRACESVG_LANES; g++)
        sink.piece(sink.self, &(struct pps_piece){g, 0, 0, 0, 0, 0, 1, 1, false, 0});
    pps_tracesvg_end(svg, 1);
    char *text = finish(svg, (struct pps_tracesvg_look){.width = 0});
    cr_expect_eq(count(text, "more than 120 lanes are too many to draw"), 1);
    cr_expect_eq(count(text, ">gpu 0</text>"), 1);
    free(text);
}

// Catches cells of the wrong shade or place, cells that stand for other times in the second panel, and
// utilisation above 1 that looks like 1.
Test(tracesvg, cells_show_means)
{
    static const struct pps_piece busy[] = {{0, 0, 0, 0, 0, 0, 512, 1, false, 0},
                                            {1, 0, 0, 0, 0, 0, 1000, 0.25, false, 0},
                                            {1, 0, 0, 0, 0, 0, 1000, 2, false, 0}};
    struct pps_tracesvg *svg = open_picture(&names, true);
    send(svg, busy, 3, whole, 1000);
    send(svg, busy, 1, whole, 512);
    char *text = finish(svg, (struct pps_tracesvg_look){.width = 0});
    cr_expect_eq(count(text, "average load of the lane over 4"), 1);
    cr_expect_eq(count(text, ">1 or more (up to 2.25)</text>"), 1);
    cr_expect_eq(count(text, "<path"), 2, "one shade in each panel");
    // 512 of 1000 units are 460.8 of 900 pixels.
    cr_expect_eq(count(text, "h460.8v"), 2, "%s", text);
    cr_expect_eq(count(text, "h900.0v"), 1);
    cr_expect_eq(count(text, "too many to draw"), 0, "it was asked for");
    free(text);
}

// Catches a full disk that is not reported.
Test(tracesvg, a_failed_write_is_reported)
{
    struct pps_error err;
    const struct pps_tracesvg_look look = {.shown = ""};
    FILE *out = fopen("/dev/full", "w");
    struct pps_tracesvg *svg = open_picture(&names, false);
    send(svg, pieces, 4, whole, 10);
    cr_assert_eq(pps_tracesvg_draw(svg, &look, out, &err), PPS_E_MACHINE);
    pps_tracesvg_close(svg);
    fclose(out);
}

// Catches a limit far above all values, under which they are a flat stripe.
Test(tracesvg, far_limits_are_named_and_not_drawn)
{
    static const struct pps_level levels[] = {{0, 0, 0, 20}, {0, 0, 5, 40}};
    struct pps_trace_names counted = names;
    counted.counters = counters;
    struct pps_tracesvg *svg = open_picture(&counted, false);
    pps_tracesvg_begin(svg, "toy", whole);
    const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
    sink.limit(sink.self, &(struct pps_limit){0, 0, 90});
    for (int i = 0; i < 2; i++)
        sink.level(sink.self, &levels[i]);
    sink.piece(sink.self, &pieces[0]);
    pps_tracesvg_end(svg, 10);
    char *text = finish(svg, (struct pps_tracesvg_look){.width = 0});
    cr_expect_eq(count(text, "memory_gib: up to 40, limit 90"), 1);
    cr_expect_eq(count(text, "stroke=\"#d55e00\""), 0);
    cr_expect_eq(count(text, "height: rate"), 0,
                 "no task is slower than the rate of full height");
    free(text);
}

// Catches counters that are skipped, drawn in the wrong group, or not drawn to the scale of
// their limit, and a missing unit of time.
Test(tracesvg, counters_are_strips_below_their_group)
{
    static const struct pps_level levels[] = {{0, 0, 0, 20}, {0, 0, 5, 40}};
    struct pps_trace_names counted = names;
    counted.counters = counters;
    counted.time_unit = "us";
    struct pps_tracesvg *svg = open_picture(&counted, false);
    pps_tracesvg_begin(svg, "toy", whole);
    const struct pps_trace_sink sink = pps_tracesvg_sink(svg);
    sink.limit(sink.self, &(struct pps_limit){0, 0, 80});
    for (int i = 0; i < 2; i++)
        sink.level(sink.self, &levels[i]);
    for (int i = 0; i < 4; i++)
        sink.piece(sink.self, &pieces[i]);
    pps_tracesvg_end(svg, 10);
    char *text = finish(svg, (struct pps_tracesvg_look){.width = 0});
    cr_expect_eq(count(text, ">time (us)</text>"), 1);
    cr_expect_eq(count(text, "2 to 10 us, rate 1<"), 1);
    cr_expect_eq(count(text, "memory_gib<"), 1);
    cr_expect_eq(count(text, "memory_gib: up to 80, limit as a line"), 1);
    cr_expect_eq(count(text, "20 from 0 to 5"), 1);
    cr_expect_eq(count(text, "40 from 5 to 10"), 1);
    cr_expect_eq(count(text, "stroke=\"#d55e00\""), 1);
    free(text);
    // The values of a shorter timeline end with it.
    svg = open_picture(&counted, true);
    for (int p = 0; p < 2; p++) {
        pps_tracesvg_begin(svg, "toy", whole);
        const struct pps_trace_sink each = pps_tracesvg_sink(svg);
        each.piece(each.self,
                   &(struct pps_piece){0, 0, 0, 0, 0, 0, p == 0 ? 6 : 10, 1, false, 0});
        each.level(each.self, &levels[0]);
        pps_tracesvg_end(svg, p == 0 ? 6 : 10);
    }
    text = finish(svg, (struct pps_tracesvg_look){.width = 0});
    cr_expect_eq(count(text, "<title>20 from 0 to 6 us<"), 1, "%s", text);
    cr_expect_eq(count(text, "<title>20 from 0 to 10 us<"), 1);
    free(text);
}

// Catches two axes for two points, a missing difference, and rates that are drawn to two scales.
Test(tracesvg, two_points_share_an_axis)
{
    static const struct pps_piece fast[] = {{0, 0, 0, 0, 9, 0, 4, 2, false, 0}};
    struct pps_tracesvg *svg = open_picture(&names, false);
    send(svg, pieces, 4, whole, 10);
    send(svg, fast, 1, whole, 4);
    char *text = finish(svg, (struct pps_tracesvg_look){.width = 0});
    find_box(text, "forward 7", 1); // behind it is the pale box
    const double left = box.x, half = box.h, first = box.y;
    find_box(text, "forward 9", 0);
    cr_expect_eq(box.x, left);
    cr_expect_eq(box.w, 360, "4 of 10 units");
    cr_expect_eq(box.h, 2 * half);
    cr_expect_gt(box.y, first);
    cr_expect_eq(count(text, ">A: toy: a&lt;b &amp; c</text>"), 1);
    cr_expect_eq(count(text, ">B: toy: a&lt;b &amp; c</text>"), 1);
    cr_expect_eq(count(text, ">total_time 10</text>"), 1);
    cr_expect_eq(count(text, ">total_time 4, 60 % less than A</text>"), 1);
    cr_expect_eq(count(text, "stroke-dasharray"), 1, "the end of A in B");
    cr_expect_eq(count(text, ">time</text>"), 1);
    free(text);
}

// Returns the largest x + width of all boxes, and the largest estimate of where a text ends.
static double right_end(const char *text)
{
    double right = 0, x, y, w;
    for (const char *at = strstr(text, "<rect "); at != NULL; at = strstr(at + 1, "<rect "))
        if (sscanf(at, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\"", &x, &y, &w) == 3)
            right = fmax(right, x + w);
    for (const char *at = strstr(text, "<text "); at != NULL; at = strstr(at + 1, "<text ")) {
        const char *anchor = strstr(at, "text-anchor=\"") + 13, *words = strchr(at, '>') + 1;
        const double wide = 6 * (double)strcspn(words, "<");
        sscanf(at, "<text x=\"%lf\"", &x);
        right = fmax(right, *anchor == 's' ? x + wide : *anchor == 'm' ? x + wide / 2 : x);
    }
    return right;
}

// Catches a legend, a title or a mark that is cut at the right of a narrow picture, and a picture of
// another width.
Test(tracesvg, one_column_of_a_paper)
{
    static const char *const many[] = {"forward of activations",
                                       "backward of inputs",
                                       "backward of weights",
                                       "recomputed forward",
                                       "message to next",
                                       "message to previous",
                                       NULL};
    struct pps_trace_names wordy = names;
    struct pps_piece list[6];
    wordy.kinds = many;
    for (int i = 0; i < 6; i++)
        list[i] = (struct pps_piece){0, 0, i, i, i, i, i + 1, 1, i == 0, 0};
    for (int loads = 0; loads < 2; loads++)
        for (int end = 6; end < 100; end *= 4) {
            struct pps_tracesvg *svg = open_picture(&wordy, loads != 0);
            send(svg, list, 6, whole, 6);
            send(svg, list, 1 + (end > 6) * 5, whole, end);
            char *text = finish(svg, (struct pps_tracesvg_look){.width = 84});
            cr_expect_eq(count(text, " width=\"84mm\""), 1);
            double w = 0;
            sscanf(strstr(text, "viewBox=\"0 0 "), "viewBox=\"0 0 %lf", &w);
            cr_expect_float_eq(w, 374, 1);
            cr_expect_leq(right_end(text), w + 1, "%d %d: %g", loads, end, right_end(text));
            for (int kind = 0; kind < 6 && !loads; kind++)
                cr_expect(strstr(text, many[kind]) != NULL);
            free(text);
        }
}
