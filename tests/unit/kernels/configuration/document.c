// SPDX-License-Identifier: Apache-2.0
// A configuration written as a document and read again has the same step, to the last bit.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "base/document/json.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "tests/unit/support/kernels/drawn_configuration.h"
#include "tests/unit/support/rounds.h"

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
        struct configuration c = drawn_configuration(&r), again = {.parts = NULL};
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
        struct configuration c = drawn_configuration(&r);
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
