// SPDX-License-Identifier: Apache-2.0
// Tests that the orders of all families survive being written and read in every form.
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/orders/order_document.h"
#include "kernels/schedule/orders/pytorch_csv.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct family_options options = {.seed = 42, .budget = 200};

// Builds the order of a family; false: it has none for this pipeline.
static bool build(const struct family *family, struct pipeline *p, struct order *order)
{
    struct family_result result = {.value = 0};
    struct room count = {NULL, 0};
    (void)family_take(family, &p->shape, &options, &count);
    char *memory = aligned_alloc(ROOM_ALIGNMENT, count.used + ROOM_ALIGNMENT);
    struct room room = {memory, 0};
    void *own = family_take(family, &p->shape, &options, &room);
    const enum family_status status =
        family_build(family, &(struct family_task){p, &options, own, NULL, order, &result});
    free(memory);
    return status == FAMILY_DONE;
}

static void check_text(const char *name, const struct pipeline *p, const struct order *order,
                       const struct text_buffer *text)
{
    struct order_document document;
    struct pps_fault fault;
    cr_assert(order_document_read(&document, text->text, text->n, &fault), "%s: %s\n%s", name,
              fault.text, text->text);
    cr_assert_arr_eq(&document.shape, &p->shape, sizeof p->shape, "%s", name);
    cr_assert_arr_eq(document.device_of, p->device_of,
                     sizeof(int32_t) * (size_t)(p->shape.stages * p->shape.directions), "%s",
                     name);
    cr_assert(order_equal(document.order, order), "%s", name);
    cr_assert(order_document_check(&document, &fault), "%s: %s", name, fault.text);
    order_document_free(&document);
}

static void check_forms(const char *name, const struct pipeline *p, const struct order *order)
{
    const bool plain = p->shape.directions == 1 && p->shape.slices == 1;
    for (int form = ORDER_FORM_TEXT; form <= ORDER_FORM_JSON + 1; form++) {
        struct text_buffer text = {.text = NULL};
        struct pps_fault fault;
        const bool messages = form > ORDER_FORM_JSON;
        const bool written = messages
                                 ? pytorch_csv_write(p, order, true, &text, &fault)
                                 : order_write((enum order_form)form, p, order, &text, &fault);
        cr_assert_eq(written, plain || form == ORDER_FORM_TEXT || form == ORDER_FORM_JSON,
                     "%s: %s", name, fault.text);
        if (written)
            check_text(name, p, order, &text);
        text_buffer_free(&text);
    }
}

// Returns whether the family has an order for the shape.
static bool check_shape(const struct family *family, const struct pipeline_shape *shape)
{
    const struct pipeline_stage stage = {.f = 3, .b = 4, .w = 2, .r = 3, .kept_until_w = 1};
    if (family->misfit != NULL && family->misfit(shape, &options) != NULL)
        return false;
    struct pipeline *p = pipeline_new(shape);
    pipeline_place(p, family->placement);
    pipeline_set_uniform(p, &stage);
    struct order *order = order_new(shape->devices, order_room(p, false));
    const bool built = build(family, p, order);
    if (built)
        check_forms(family->name, p, order);
    order_free(order);
    pipeline_free(p);
    return built;
}

// Would catch a family that numbers micro-batches, stages or directions in a way of its own.
Test(orders_families, round_trips)
{
    for (int k = 0; families[k] != NULL; k++) {
        const struct family *family = families[k];
        int built = 0;
        if (family == &family_best) // has the orders of the others
            continue;
        for (int32_t devices = 1; devices <= 4; devices++)
            for (int32_t m = 1; m <= 9; m += 1 + m / 4)
                for (int32_t v = 1; v <= 4; v *= 2) {
                    const int32_t chunks = family->chunks != NULL ? family->chunks(v) : 1;
                    struct pipeline_shape shape = {.devices = devices,
                                                   .stages = devices * chunks,
                                                   .micro_batches = m,
                                                   .directions = family->directions};
                    // searches take long for large pipelines
                    if (family->kind == FAMILY_SEARCH && 3 * devices * m > 18)
                        continue;
                    for (shape.slices = 1; shape.slices <= 2; shape.slices++)
                        built += check_shape(family, &shape);
                }
        cr_assert_gt(built, 0, "%s", family->name);
    }
}
