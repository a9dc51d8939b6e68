// SPDX-License-Identifier: Apache-2.0
// Tests that families have the orders of PyTorch's classes, operation for operation.
#include "kernels/schedule/family_names.h"

#include "kernels/common/plan/order_text.h"
#include "tests/unit/support/documents.h"
#include "tests/unit/support/kernels/schedule_run.h"

#include <cjson/cJSON.h>
#include <string.h>

static int32_t number(const cJSON *row, const char *key)
{
    return (int32_t)pps_json_member(row, key)->valuedouble;
}

// Returns the family of a class; NULL: there is none.
static const struct family *family_of(const char *class)
{
    const struct pps_alias *alias = schedule_family_aliases;
    while (alias->name != NULL && strcmp(alias->name, class) != 0)
        alias++;
    return alias->name != NULL ? schedule_family_at(alias->value) : NULL;
}

static void check_order(const char *class, const struct family *family,
                        struct pipeline *pipeline, const cJSON *lines)
{
    struct schedule_run run =
        schedule_run_of(family, pipeline, &(struct family_options){.group = 0});
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        struct text_buffer text = {.text = NULL};
        order_text_write(run.order, d, 1, &text);
        cr_expect_str_eq(text.text, cJSON_GetArrayItem(lines, d)->valuestring,
                         "%s, %d micro-batches, device %d", class,
                         pipeline->shape.micro_batches, d);
        text_buffer_free(&text);
    }
    schedule_run_free(&run);
}

Test(classes, orders_of_pytorch)
{
    struct pps_json json = document_in("tests/golden/pytorch/orders.json");
    const cJSON *cases = pps_json_member(json.root, "cases");
    cr_assert_eq(cJSON_GetArraySize(cases), 26);
    for (const cJSON *row = cases->child; row != NULL; row = row->next) {
        const char *class = pps_json_member(row, "class")->valuestring;
        const cJSON *order = pps_json_member(row, "order");
        const struct family *family = family_of(class);
        cr_assert_not_null(family, "%s", class);
        cr_assert_eq(family_named(class) != NULL, strncmp(family->name, "pytorch", 7) == 0);
        struct pipeline *pipeline =
            schedule_pipeline(family, number(row, "p"), number(row, "m"), number(row, "v"), 1);
        if (order != NULL && !cJSON_IsNull(order))
            check_order(class, family, pipeline, order);
        else
            cr_expect_not_null(
                family->misfit(&pipeline->shape, &(struct family_options){.group = 0}),
                "%s, %d micro-batches", class, pipeline->shape.micro_batches);
        pipeline_free(pipeline);
    }
    pps_json_free(&json);
}
