// SPDX-License-Identifier: Apache-2.0
// Tests that golden orders survive being written and read in every form.
#include "kernels/schedule/orders/order_document.h"
#include "kernels/schedule/orders/pytorch_csv.h"

#include "tests/unit/support/kernels/schedule_golden.h"

#include <criterion/criterion.h>
#include <string.h>

static void check_same(const struct schedule_golden *g, const struct order_document *document)
{
    const struct pipeline_shape *a = &g->pipeline->shape, *b = &document->shape;
    cr_assert(a->devices == b->devices && a->stages == b->stages && a->slices == b->slices &&
                  a->micro_batches == b->micro_batches && a->directions == b->directions,
              "%s: shape", g->name);
    cr_assert_arr_eq(document->device_of, g->pipeline->device_of,
                     sizeof(int32_t) * (size_t)(a->stages * a->directions), "%s: placement",
                     g->name);
    schedule_golden_same_order(g, document->order);
    cr_assert(order_equal(document->order, g->order), "%s", g->name);
}

static void check_text(const struct schedule_golden *g, enum order_form form,
                       const struct text_buffer *text)
{
    struct order_document document;
    struct pps_fault fault;
    cr_assert_eq(order_form_of(text->text, text->n), form, "%s", g->name);
    cr_assert(order_document_read(&document, text->text, text->n, &fault), "%s: %d:%d: %s",
              g->name, fault.line, fault.column, fault.text);
    check_same(g, &document);
    cr_assert(order_document_check(&document, &fault), "%s: %s", g->name, fault.text);
    order_document_free(&document);
}

static void check(const struct schedule_golden *g)
{
    struct pps_fault fault;
    for (int form = ORDER_FORM_TEXT; form <= ORDER_FORM_JSON; form++) {
        struct text_buffer text = {.text = NULL};
        const bool written =
            order_write((enum order_form)form, g->pipeline, g->order, &text, &fault);
        cr_assert_eq(written, form != ORDER_FORM_PYTORCH || g->pipeline->shape.directions == 1,
                     "%s: %s", g->name, fault.text);
        if (written)
            check_text(g, (enum order_form)form, &text);
        text_buffer_free(&text);
    }
    if (g->pipeline->shape.directions == 1) {
        struct text_buffer text = {.text = NULL};
        cr_assert(pytorch_csv_write(g->pipeline, g->order, true, &text, &fault), "%s: %s",
                  g->name, fault.text);
        check_text(g, ORDER_FORM_PYTORCH, &text);
        text_buffer_free(&text);
    }
}

Test(orders_golden, round_trips)
{
    cr_assert_eq(schedule_golden_each(NULL, check), 30);
}
