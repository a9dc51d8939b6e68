// SPDX-License-Identifier: Apache-2.0
// Pictures of strategies: what they contain, where it is, and that their size is bounded.
#include "planner/balance/report/picture.h"
#include "base/text/human.h"
#include "engine/svg/svg.h"

#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/balance_golden.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_gate closed; // replaces nothing

static struct balance_picture picture_of(struct balance_golden_replayed *r, const char *heading,
                                         double limit)
{
    return (struct balance_picture){heading,      &r->layers, &r->shape,
                                    &r->strategy, r->replay,  limit};
}

static char *drawn(const struct balance_picture *pictures, int n)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert(balance_picture_draw(pictures, n, out));
    fclose(out);
    return text;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

// Returns a number after `key="` in the text.
static double attribute(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at == NULL ? NAN : atof(at + strlen(key));
}

Test(picture, two_panels_of_a_strategy)
{
    struct balance_golden_replayed r =
        balance_golden_replayed("simulate_03_doc_pictures.json", 0);
    const struct balance_picture picture = picture_of(&r, "A < B", 56000);
    char *text = drawn(&picture, 1);
    cr_assert(strncmp(text, "<svg ", 5) == 0 && strstr(text, "</svg>\n") != NULL);
    cr_assert_not_null(strstr(text, "A &lt; B"));
    cr_assert_not_null(strstr(text, "Pipeline Flow Timeline"));
    cr_assert_not_null(strstr(text, "Block Memory Timeline"));
    cr_assert_not_null(
        strstr(text, ">real bubble: 0.7576, ideal bubble: 0.3125, imba bubble: 0.4451<"));
    cr_assert_not_null(strstr(text, ">peak memory: 98 883.00, 94 638.00, "));
    cr_assert_not_null(strstr(text, "exceeds the limit by 42 883.00 MiB on stage 0"));
    // 16 stages x 16 micro-batches x 3 chunks, forward and backward
    cr_assert(count(text, "<title>forward of micro-batch") == 768);
    cr_assert(count(text, "<title>backward of micro-batch") == 768);
    cr_assert(count(text, "<title>stage-") == 16);
    cr_assert(count(text, ">stage 1") == 7 && count(text, ">stage-") == 16 + 2);
    cr_assert(count(text, "stroke-dasharray") == 2);
    cr_assert_not_null(strstr(text, ">limit 56 000 MiB<"));
    // Chunk 0 of a forward has the plain colour; so has the last chunk, the first one, of a backward.
    cr_assert(count(text, "fill=\"#59a3cd\"") == 256 + 1);
    cr_assert(count(text, "fill=\"#e49659\"") == 256 + 1);
    // The stages with the highest and the lowest peak are marked, the others are pale.
    cr_assert_not_null(strstr(text, ">stage-0: highest<"));
    cr_assert(count(text, ": lowest<") == 1 && count(text, ">other stages<") == 1);
    free(text);
    balance_golden_done(&r);
}

// A line of peaks that does not fit is continued below, and no number is cut.
Test(picture, peaks_are_wrapped)
{
    struct balance_golden_replayed r = balance_golden_replayed("simulate_04_175b.json", 0);
    const struct balance_picture picture = picture_of(&r, "", (double)INFINITY);
    char *text = drawn(&picture, 1);
    const char *line = strstr(text, ">peak memory: ");
    int32_t n = 0;
    cr_assert_not_null(line);
    for (const char *c = line + 1; n < r.shape.stages && c != NULL; n++) {
        const struct pps_count_text wanted = pps_decimals_text(r.result.peak_mb[n], 2);
        c = strstr(c, wanted.text);
        cr_assert_not_null(c, "%s", wanted.text);
    }
    cr_assert(strchr(line + 1, '<') - line < 190);
    cr_assert(count(text, "stroke-dasharray") == 0 && strstr(text, "limit") == NULL);
    free(text);
    balance_golden_done(&r);
}

// Both halves have the time axis of the slower strategy.
Test(picture, comparisons_have_equal_axes)
{
    struct balance_golden_replayed a = balance_golden_replayed("simulate_04_175b.json", 0),
                                   b = balance_golden_replayed("simulate_04_175b.json", 2);
    const struct balance_picture pictures[] = {picture_of(&a, "Automatic", 56000),
                                               picture_of(&b, "Manual", 56000)};
    char *text = drawn(pictures, 2), tick[40];
    cr_assert(attribute(text, "width=\"") == 2400);
    cr_assert(fabs(a.result.makespan - b.result.makespan) > 100);
    const double end = fmax(a.result.makespan, b.result.makespan);
    const double step = pps_svg_round_step(end / 8);
    snprintf(tick, sizeof tick, ">%s<", pps_decimals_text(step * floor(end / step), 0).text);
    cr_assert(count(text, tick) == 4, "%s", tick); // two panels each
    const char *manual = strstr(text, ">Manual<");
    cr_assert(manual != NULL && strstr(text, ">Automatic<") < manual);
    cr_assert(count(manual, "<title>stage-") == b.shape.stages);
    free(text);
    balance_golden_done(&a);
    balance_golden_done(&b);
}

// The number of shapes does not grow with the number of micro-batches, and the memory line still shows its peak.
Test(picture, long_steps_have_bounded_pictures)
{
    struct balance_golden_replayed r = balance_golden_replayed("simulate_04_175b.json", 0);
    free(r.memory);
    r.shape.micro_batches = 2048;
    r.replay = balance_golden_replay(&r.shape, &r.memory);
    const struct balance_picture picture = picture_of(&r, "long", 56000);
    char *text = drawn(&picture, 1);
    cr_assert(strlen(text) < 5000000, "%zu", strlen(text));
    cr_assert(count(text, "<rect") > 10000 && count(text, "<rect") < 40000, "%d",
              count(text, "<rect"));
    free(text);
    balance_golden_done(&r);
}

Test(picture, files_appear_under_their_names)
{
    struct balance_golden_replayed r = balance_golden_replayed("simulate_04_175b.json", 0);
    const struct balance_picture picture = picture_of(&r, "x", 56000);
    struct pps_error err;
    enter();
    cr_assert(balance_picture_write(&picture, 1, "result.svg", &closed, &err) == PPS_OK);
    cr_assert(is_there("result.svg"));
    cr_assert(balance_picture_write(&picture, 1, "result.svg", &closed, &err) == PPS_E_INPUT);
    cr_assert(balance_picture_write(&picture, 1, "result.svg", &pps_gate_open, &err) == PPS_OK);
    leave();
    balance_golden_done(&r);
}

Test(picture, headings)
{
    char text[256];
    struct balance_layers layers = {.name = "demo", .layers = 96};
    struct balance_shape shape = {16, 3, 32, 1, BALANCE_LESS_MEMORY, 0};
    balance_picture_heading("found", &layers, &shape, 56000, 1442.351, text, sizeof text);
    cr_assert_str_eq(text, "demo: found, 96 layers, 16 stages of 3 chunks (less memory), 32 "
                           "micro-batches, limit 56 000 MiB, step time 1 442.35");
    shape = (struct balance_shape){4, 1, 8, 2, BALANCE_BIG_MEMORY, 0};
    balance_picture_heading("", &layers, &shape, (double)INFINITY, 10, text, sizeof text);
    cr_assert_str_eq(text,
                     "demo: 96 layers, 4 stages, 8 micro-batches in 2 pieces, step time 10");
    snprintf(layers.devices, sizeof layers.devices, "64 H100");
    balance_picture_heading("", &layers, &shape, (double)INFINITY, 10, text, sizeof text);
    cr_assert(strncmp(text, "demo on 64 H100: 96 layers,", 27) == 0, "%s", text);
}
