// SPDX-License-Identifier: Apache-2.0
// Tests families against worked examples, published bubble rates, and symmetries.
#include "kernels/schedule/catalogue/catalogue.h"

#include "kernels/common/plan/order_text.h"
#include "tests/unit/support/kernels/schedule_run.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct example {
    const char *family;
    int32_t p, m, v;
    double f, b, w, latency, pair;
    const char *lines[3]; // "F0.0 0-2 F1.0 2-4 ..." of the first devices
    double makespan;
};

// Writes the order of a device with its times.
static void write_timeline(const struct schedule_run *run, int32_t d, struct text_buffer *out)
{
    static const char *const names[] = {"F", "B", "W", "BW", "R"};
    for (int32_t i = 0; i < run->order->n[d]; i++) {
        const int64_t at = order_at(run->order, d, i);
        const struct operation *op = &run->order->operations[at];
        const bool first = run->order->paired[at], second = i > 0 && run->order->paired[at - 1];
        text_buffer_add(out, "%s%s%s%d.%d%s", i > 0 ? " " : "", first ? "[" : "",
                        names[op->type], op->item, op->stage, op->direction ? "r" : "");
        if (!first)
            text_buffer_add(out, "%s %g-%g", second ? "]" : "", run->starts[at], run->ends[at]);
    }
}

static void check_example(const struct example *e)
{
    const struct family *family = family_named(e->family);
    const struct family_options options = {.group = 0};
    struct pipeline *pipeline = schedule_pipeline(family, e->p, e->m, e->v, 1);
    schedule_set_times(pipeline, e->f, e->b, e->w, e->latency);
    for (int32_t d = 0; d < e->p && e->pair > 0; d++)
        pipeline->pair[d] = e->pair;
    struct schedule_run run = schedule_run_of(family, pipeline, &options);
    for (int32_t d = 0; d < 3 && e->lines[d] != NULL; d++) {
        struct text_buffer got = {.text = NULL};
        write_timeline(&run, d, &got);
        cr_expect_str_eq(got.text, e->lines[d], "%s, device %d\nfound:  %s\nwanted: %s",
                         e->family, d, got.text, e->lines[d]);
        text_buffer_free(&got);
    }
    cr_expect_eq(run.metrics.makespan, e->makespan, "%s: %g", e->family, run.metrics.makespan);
    schedule_run_free(&run);
    pipeline_free(pipeline);
}

Test(family_examples, timelines)
{
    static const struct example examples[] = {
        {"one_f_one_b",
         2,
         3,
         1,
         2,
         3,
         1,
         1,
         0,
         {"F0.0 0-2 F1.0 2-4 BW0.0 10-14 F2.0 14-16 BW1.0 16-20 BW2.0 24-28",
          "F0.1 3-5 BW0.1 5-9 F1.1 9-11 BW1.1 11-15 F2.1 17-19 BW2.1 19-23"},
         28},
        {"gpipe",
         2,
         3,
         1,
         2,
         3,
         1,
         1,
         0,
         {"F0.0 0-2 F1.0 2-4 F2.0 4-6 BW0.0 14-18 BW1.0 18-22 BW2.0 22-26",
          "F0.1 3-5 F1.1 5-7 F2.1 7-9 BW0.1 9-13 BW1.1 13-17 BW2.1 17-21"},
         26},
        {"zb_h1",
         3,
         4,
         1,
         2,
         2,
         1,
         0,
         0,
         {"F0.0 0-2 F1.0 2-4 F2.0 4-6 B0.0 10-12 W0.0 12-13 F3.0 13-15 B1.0 15-17 W1.0 17-18 "
          "B2.0 19-21 W2.0 21-22 B3.0 23-25 W3.0 25-26",
          "F0.1 2-4 F1.1 4-6 B0.1 8-10 F2.1 10-12 B1.1 12-14 W0.1 14-15 F3.1 15-17 B2.1 17-19 "
          "W1.1 19-20 B3.1 21-23 W2.1 23-24 W3.1 24-25",
          "F0.2 4-6 B0.2 6-8 F1.2 8-10 B1.2 10-12 F2.2 12-14 B2.2 14-16 W0.2 16-17 F3.2 17-19 "
          "B3.2 19-21 W1.2 21-22 W2.2 22-23 W3.2 23-24"},
         26},
        {"zb_h2",
         2,
         4,
         1,
         2,
         2,
         2,
         0,
         0,
         {"F0.0 0-2 F1.0 2-4 F2.0 4-6 B0.0 6-8 W0.0 8-10 F3.0 10-12 B1.0 12-14 W1.0 14-16 "
          "B2.0 16-18 W2.0 18-20 B3.0 20-22 W3.0 22-24",
          "F0.1 2-4 B0.1 4-6 F1.1 6-8 B1.1 8-10 F2.1 10-12 B2.1 12-14 W0.1 14-16 F3.1 16-18 "
          "B3.1 18-20 W1.1 20-22 W2.1 22-24 W3.1 24-26"},
         26},
        {"interleaved",
         2,
         4,
         2,
         1,
         1,
         1,
         0,
         0,
         {"F0.0 0-1 F1.0 1-2 F0.2 2-3 F1.2 3-4 F2.0 4-5 BW0.2 6-8 F3.0 8-9 BW1.2 9-11 F2.2 "
          "11-12 "
          "BW0.0 12-14 F3.2 14-15 BW1.0 15-17 BW2.2 18-20 BW3.2 21-23 BW2.0 23-25 BW3.0 25-27",
          "F0.1 1-2 F1.1 2-3 F0.3 3-4 BW0.3 4-6 F1.3 6-7 BW1.3 7-9 F2.1 9-10 BW0.1 10-12 "
          "F3.1 12-13 BW1.1 13-15 F2.3 15-16 BW2.3 16-18 F3.3 18-19 BW3.3 19-21 BW2.1 21-23 "
          "BW3.1 23-25"},
         27},
        {"chimera",
         4,
         4,
         1,
         1,
         0.5,
         0.5,
         0,
         0,
         {"F0.0 0-1 F1.0 1-2 F2.3r 3-4 BW2.3r 4-5 F3.3r 5-6 BW3.3r 6-7 BW0.0 7-8 BW1.0 9-10",
          "F0.1 1-2 F2.2r 2-3 F1.1 3-4 F3.2r 4-5 BW2.2r 5-6 BW0.1 6-7 BW3.2r 7-8 BW1.1 8-9"},
         10},
        {"dualpipev",
         2,
         4,
         2,
         1,
         1,
         1,
         0,
         3,
         {"F0.0 0-1 F1.0 1-2 F2.0 2-3 F0.3 3-4 B0.3 4-5 W0.3 5-6 F1.3 6-7 [F3.0 BW1.3] 7-10 "
          "[F2.3 BW0.0] 11-14 BW2.3 14-16 [F3.3 BW1.0] 17-20 BW3.3 20-22 B2.0 22-23 W2.0 23-24 "
          "B3.0 24-25 W3.0 25-26",
          "F0.1 1-2 F0.2 2-3 F1.1 3-4 F1.2 4-5 F2.1 5-6 BW0.2 6-8 [F2.2 BW0.1] 8-11 "
          "[F3.1 BW1.2] 11-14 [F3.2 BW1.1] 14-17 BW2.2 17-19 BW2.1 19-21 B3.2 22-23 B3.1 23-24 "
          "W3.2 24-25 W3.1 25-26"},
         26},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_example(&examples[i]);
}

// Bubble rates that the authors of the zero-bubble families published (ICLR 2024).
Test(family_examples, published_bubble_rates)
{
    static const struct {
        int32_t p, m;
        double f, b, w, c, rates[3];
    } models[] = {
        {8, 24, 18.522, 18.086, 9.337, 0.601, {0.2431, 0.1585, 0.1083}},
        {8, 24, 29.718, 29.444, 19.927, 0.527, {0.2347, 0.1323, 0.0698}},
        {16, 48, 11.347, 11.248, 8.132, 0.377, {0.2552, 0.1397, 0.0672}},
        {32, 96, 10.419, 10.207, 7.715, 0.408, {0.2646, 0.1421, 0.0641}},
    };
    static const char *const names[] = {"one_f_one_b", "zb_h1", "zb_h2"};
    const struct family_options options = {.group = 0};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int k = 0; k < 3; k++) {
            const struct family *family = family_named(names[k]);
            struct pipeline *pipeline =
                schedule_pipeline(family, models[i].p, models[i].m, 1, 1);
            schedule_set_times(pipeline, models[i].f, models[i].b, models[i].w, models[i].c);
            struct schedule_run run = schedule_run_of(family, pipeline, &options);
            cr_expect_float_eq(run.metrics.bubble_ratio_span, models[i].rates[k], 0.5e-4,
                               "%s, model %zu: %.6f", names[k], i,
                               run.metrics.bubble_ratio_span);
            schedule_run_free(&run);
            pipeline_free(pipeline);
        }
}

// Catches a direction whose times or routes differ from those of its mirror image.
Test(family_examples, bidirectional_orders_mirror)
{
    static const char *const names[] = {"dualpipe", "chimera"};
    const struct family_options options = {.group = 0};
    for (int k = 0; k < 2; k++)
        for (int32_t p = 2; p <= 8; p += 2) {
            const struct family *family = family_named(names[k]);
            struct pipeline *pipeline = schedule_pipeline(family, p, 4 * p, 1, 1);
            schedule_set_times(pipeline, 3, 4, 2, 1);
            struct schedule_run run = schedule_run_of(family, pipeline, &options);
            for (int32_t d = 0; d < p; d++) {
                cr_assert_eq(run.order->n[d], run.order->n[p - 1 - d]);
                for (int32_t i = 0; i < run.order->n[d]; i++) {
                    const int64_t a = order_at(run.order, d, i),
                                  b = order_at(run.order, p - 1 - d, i);
                    cr_assert_eq(run.starts[a], run.starts[b], "%s, P=%d", names[k], p);
                    cr_assert_eq(run.order->operations[a].type, run.order->operations[b].type);
                    cr_assert_neq(run.order->operations[a].direction,
                                  run.order->operations[b].direction);
                }
            }
            schedule_run_free(&run);
            pipeline_free(pipeline);
        }
}

// Every family runs, on every shape that it accepts, in the memory that it took; one with Q slices is
// not shorter than the work of a device.
Test(family_examples, every_shape_that_fits_runs)
{
    struct random random = {11};
    const struct family_options options = {.budget = 100};
    for (int k = 0; families[k] != NULL; k++) {
        int fits = 0;
        for (int round = 0; round < 40 + n_cases(20); round++) {
            const struct family *family = families[k];
            const int32_t p = round < 3 ? 1 + round / 2 : 1 + (int32_t)random_below(&random, 8),
                          m = round < 2 ? 1 : 1 + (int32_t)random_below(&random, 24),
                          v = 1 + (int32_t)random_below(&random, 4),
                          slices = 1 + (int32_t)random_below(&random, 3) * (round % 4 == 3);
            struct pipeline *pipeline = schedule_pipeline(family, p, m, v, slices);
            schedule_set_times(
                pipeline, (double)random_below(&random, 9), (double)random_below(&random, 9),
                (double)random_below(&random, 9), (double)random_below(&random, 5));
            if (family->misfit(&pipeline->shape, &options) == NULL) {
                struct schedule_run run = schedule_run_of(family, pipeline, &options);
                cr_expect_geq(run.metrics.makespan * (1 + 1e-9), run.metrics.busy_most);
                schedule_run_free(&run);
                fits++;
            }
            pipeline_free(pipeline);
        }
        cr_expect_geq(fits, 1, "%s", families[k]->name);
    }
}
