// SPDX-License-Identifier: Apache-2.0
// Splits in the order of a configuration: never slower than the starts, within memory, and as good as every other split
// of small models.
#include "planner/nd/rank/ordered_split.h"

#include "base/math/units.h"
#include "kernels/schedule/catalogue/catalogue.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static struct configuration training_of(int32_t layers, const char *family, double gib)
{
    struct configuration c = {.recompute_group = 1};
    struct pps_fault fault;
    char text[256];
    snprintf(text, sizeof text,
             "{\"hidden_size\": 2048, \"num_hidden_layers\": %d, \"num_attention_heads\": 16, "
             "\"intermediate_size\": 8192, \"vocab_size\": 128000, \"seq_length\": 4096}",
             layers);
    cJSON *model = cJSON_Parse(text);
    cJSON *cluster = cJSON_Parse("{\"hardware\": \"H100\", \"world_size\": 2}");
    training_default(&c.training);
    cr_assert(modeldesc_read(&c.model, model, &fault), "%s", fault.text);
    cr_assert(cluster_read(&c.cluster, cluster, &fault), "%s", fault.text);
    cJSON_Delete(model);
    cJSON_Delete(cluster);
    c.cluster.memory_limit = gib * UNITS_GIB;
    c.training.gbs = 8;
    c.strategy = (struct nd_strategy){.dp = 1,
                                      .tp = 1,
                                      .cp = 1,
                                      .pp = 2,
                                      .ep = 1,
                                      .op = 1,
                                      .vp = 2,
                                      .mbs = 1};
    c.family = family_named(family);
    cr_assert_not_null(c.family, "%s", family);
    cr_assert(configuration_spread(&c));
    return c;
}

static double seconds_of(const struct configuration *c)
{
    struct configuration_step step;
    cr_assert_eq(configuration_step_brief(&step, c, NULL), CONFIGURATION_DONE);
    const double seconds =
        step.peak <= c->cluster.memory_limit ? step.seconds : (double)INFINITY;
    configuration_step_free(&step);
    return seconds;
}

// Tries all splits that make `again` layers of every part again.
static double fastest(struct configuration *c, int32_t layers, int32_t again)
{
    double best = (double)INFINITY;
    for (int32_t a = 1; a <= layers - 3; a++)
        for (int32_t b = 1; a + b <= layers - 2; b++)
            for (int32_t d = 1; a + b + d <= layers - 1; d++) {
                const int32_t x[4] = {a, b, d, layers - a - b - d};
                int32_t full[4];
                for (int k = 0; k < 4; k++)
                    full[k] = again < x[k] ? again : x[k];
                configuration_set_layers(c, x, full, NULL);
                best = fmin(best, seconds_of(c));
            }
    return best;
}

static void expect_best(const char *family, double gib, int32_t again)
{
    enum { LAYERS = 12 };
    struct configuration mine = training_of(LAYERS, family, gib), best;
    const struct nd_ordered ordered = {.mine = &mine,
                                       .dialect = ND_SAYS_EACH,
                                       .allow_full = true};
    struct configuration_step step;
    bool found;
    cr_assert_eq(nd_ordered_solve(&ordered, &best, &step, &found), CONFIGURATION_DONE);
    cr_assert(found, "%s", family);
    cr_assert(step.peak <= mine.cluster.memory_limit);
    cr_assert_eq(step.seconds, seconds_of(&best));
    const double least = fastest(&mine, LAYERS, again);
    cr_assert(step.seconds <= least * 1.01, "%s: %.6g s, best %.6g s", family, step.seconds,
              least);
    for (int k = 0; k < 4; k++)
        cr_expect_eq(best.parts[k].full[CONFIGURATION_USUAL], again, "%s, part %d", family, k);
    configuration_step_free(&step);
    configuration_free(&best);
    configuration_free(&mine);
}

// Catches a search that ends early, in the placements of a loop and of a V.
Test(nd_ordered_split, is_near_the_best_of_all)
{
    expect_best("zbv", 80, 0);
    expect_best("interleaved", 80, 0);
}

// Returns how many layers of a part are made again; -1: no split fits.
static int32_t again_within(double gib, bool allow_full)
{
    struct configuration mine = training_of(12, "zbv", gib), best;
    const struct nd_ordered ordered = {.mine = &mine,
                                       .dialect = ND_SAYS_EACH,
                                       .allow_full = allow_full};
    struct configuration_step step;
    int32_t again = -1;
    bool found;
    cr_assert_eq(nd_ordered_solve(&ordered, &best, &step, &found), CONFIGURATION_DONE);
    for (int k = 0; found && k < 4; k++) {
        const struct configuration_part *part = &best.parts[k];
        const int32_t full = part->full[CONFIGURATION_USUAL];
        again = full > again ? full : again;
    }
    for (int k = 0; found && k < 4; k++) {
        const struct configuration_part *part = &best.parts[k];
        const int32_t layers = part->layers[CONFIGURATION_USUAL];
        cr_expect_eq(part->full[CONFIGURATION_USUAL], again < layers ? again : layers);
    }
    configuration_step_free(&step);
    configuration_free(&best);
    configuration_free(&mine);
    return again;
}

// Catches recomputation that is not needed, or its lack.
Test(nd_ordered_split, makes_as_few_layers_again_as_needed)
{
    double gib = 18;
    while (again_within(gib, false) == 0)
        gib -= 0.125;
    cr_expect_eq(again_within(gib + 0.125, true), 0);
    cr_expect_gt(again_within(gib, true), 0, "%g GiB", gib);
    cr_expect_eq(again_within(4, true), -1);
}
