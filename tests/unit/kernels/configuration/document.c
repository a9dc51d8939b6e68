// SPDX-License-Identifier: Apache-2.0
// A configuration written as a document and read again has the same step, to the last bit.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/document/json.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "tests/unit/support/kernels/nd_points.h"
#include "tests/unit/support/rounds.h"

// Moves layers between parts and makes some of them again.
static void draw_parts(struct random *r, struct configuration *c)
{
    int32_t *lists = calloc(3 * (size_t)c->n_parts, sizeof *lists), *full = lists + c->n_parts,
            *select = full + c->n_parts;
    cr_assert_not_null(lists);
    for (int32_t k = 0; k < c->n_parts; k++)
        lists[k] = configuration_part_layers(&c->parts[k]);
    for (int32_t k = 0; k < c->n_parts; k++) {
        const int32_t moved = (int32_t)random_below(r, lists[k] + 1);
        lists[k] -= moved;
        lists[random_below(r, c->n_parts)] += moved;
    }
    for (int32_t k = 0; k < c->n_parts; k++) {
        full[k] = (int32_t)random_below(r, lists[k] + 1);
        select[k] = (int32_t)random_below(r, lists[k] - full[k] + 1);
    }
    configuration_set_layers(c, lists, full, select);
    free(lists);
}

// Draws a configuration that has an order, with uneven layers and mixed recomputation.
static struct configuration drawn(struct random *r)
{
    struct nd_setting s;
    struct nd_point p;
    struct configuration c;
    char why[256];
    for (;;) {
        random_setting(r, &s, 1);
        p = random_nd_point(r, &s.model);
        p.strategy.op = p.strategy.op < 1 ? p.strategy.dp * p.strategy.cp : p.strategy.op;
        c = (struct configuration){.model = s.model,
                                   .cluster = s.cluster,
                                   .training = s.training,
                                   .strategy = p.strategy,
                                   .recompute_group = 1 + (int32_t)random_below(r, 2)};
        c.model.seq_length = p.seq_length;
        c.training.gbs = p.gbs;
        c.cluster.world_size =
            (int64_t)p.strategy.dp * p.strategy.tp * p.strategy.cp * p.strategy.pp;
        configuration_set_schedule(&c);
        if (random_coin(r) && p.strategy.pp > 1)
            c.family = family_named(p.strategy.vp > 1 ? "bfs_loop" : "gpipe");
        cr_assert(configuration_spread(&c));
        if (configuration_micro_batches(&c) >= 1 && configuration_micro_batches(&c) < 512 &&
            configuration_has_order(&c, why, sizeof why))
            break;
        configuration_free(&c);
    }
    draw_parts(r, &c);
    return c;
}

static void read_document(struct configuration *c, const cJSON *document)
{
    struct configuration_items items;
    struct pps_fault fault;
    bool no_memory;
    training_default(&c->training);
    cr_assert(modeldesc_read(&c->model, pps_json_member(document, "model"), &fault), "%s",
              fault.text);
    cr_assert(cluster_read(&c->cluster, pps_json_member(document, "cluster"), &fault), "%s",
              fault.text);
    cr_assert(training_read(&c->training, pps_json_member(document, "training"), &fault), "%s",
              fault.text);
    cr_assert(configuration_read(c, pps_json_member(document, "baseline"), &items, &no_memory,
                                 &fault),
              "%s", fault.text);
}

// Catches every part of a configuration that the document drops or changes.
Test(configuration_document, reads_back)
{
    struct random r = {first_point() + 31};
    for (int round = 0; round < n_rounds(500); round++) {
        struct configuration c = drawn(&r), again = {.parts = NULL};
        struct configuration_step before, after;
        cJSON *document = configuration_document(&c);
        cr_assert_not_null(document);
        char *text = pps_json_print(document);
        read_document(&again, document);
        cr_assert_eq(configuration_step_brief(&before, &c, NULL), CONFIGURATION_DONE);
        cr_assert_eq(configuration_step_brief(&after, &again, NULL), CONFIGURATION_DONE);
        cr_assert(before.seconds == after.seconds && before.peak == after.peak &&
                      before.mfu == after.mfu,
                  "%.17g %.17g s, %.17g %.17g bytes\n%s", before.seconds, after.seconds,
                  before.peak, after.peak, text);
        cJSON_free(text);
        cJSON_Delete(document);
        configuration_step_free(&before);
        configuration_step_free(&after);
        configuration_free(&c);
        configuration_free(&again);
    }
}

// Catches a plan that drops its configuration, or is not read again.
Test(configuration_document, plan_carries_it)
{
    struct random r = {first_point() + 32};
    for (int round = 0; round < n_rounds(50); round++) {
        struct configuration c = drawn(&r);
        struct configuration_step step;
        struct text_buffer text = {.text = NULL}, again = {.text = NULL};
        struct pps_json json;
        struct pps_error err;
        struct pps_fault fault;
        cr_assert_eq(configuration_step_of(&step, &c, NULL), CONFIGURATION_DONE);
        struct plan *plan = configuration_plan(&c, &step);
        cr_assert_not_null(plan);
        plan_json_write(plan, &text);
        cr_assert_eq(pps_json_parse(&json, "plan", text.text, text.n, &err), PPS_OK, "%s",
                     err.text);
        struct plan *read = plan_json_read(json.root, &fault);
        cr_assert_not_null(read, "%s", fault.text);
        plan_json_write(read, &again);
        cr_expect_str_eq(again.text, text.text);
        plan_free(plan);
        plan_free(read);
        pps_json_free(&json);
        text_buffer_free(&text);
        text_buffer_free(&again);
        configuration_step_free(&step);
        configuration_free(&c);
    }
}
