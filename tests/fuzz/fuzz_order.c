// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an order of operations: text, PyTorch's CSV, JSON. An accepted order is the
// same order after it is written and read again in every form that can hold it; an order that runs can
// also be written with sends and receives. A refused order has a place and a reason of one line.
#include "tests/fuzz/support/require.h"

#include "kernels/schedule/orders/order_document.h"
#include "kernels/schedule/orders/pytorch_csv.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require_same(const struct order_document *document, const struct text_buffer *text)
{
    struct order_document again;
    struct pps_fault fault;
    require(order_document_read(&again, text->text, text->n, &fault));
    require(memcmp(&again.shape, &document->shape, sizeof again.shape) == 0);
    require(order_equal(again.order, document->order));
    order_document_free(&again);
}

static void write_all(const struct order_document *document, bool runs)
{
    struct pipeline *pipeline = order_document_pipeline(document);
    for (int form = ORDER_FORM_TEXT; form <= ORDER_FORM_JSON + 1; form++) {
        struct text_buffer text = {.text = NULL};
        struct pps_fault fault;
        const bool messages = form > ORDER_FORM_JSON;
        const bool written =
            messages
                ? pytorch_csv_write(pipeline, document->order, true, &text, &fault)
                : order_write((enum order_form)form, pipeline, document->order, &text, &fault);
        if (written && (!messages || runs)) // messages of an incomplete order have no other end
            require_same(document, &text);
        require(written || fault.text[0] != '\0');
        require(written || form == ORDER_FORM_PYTORCH || messages);
        require(written || !runs || document->source.form != ORDER_FORM_PYTORCH);
        text_buffer_free(&text);
    }
    pipeline_free(pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct order_document document;
    struct pps_fault fault;
    char *text =
        malloc(n > 0 ? n : 1); // an exact copy: AddressSanitizer finds reads beyond its end
    require(text != NULL);
    if (n > 0)
        memcpy(text, data, n);
    if (order_document_read(&document, text, n, &fault)) {
        const bool runs = order_document_check(&document, &fault);
        require(runs || fault.text[0] != '\0');
        if (!runs && document.source.form != ORDER_FORM_JSON)
            require_fault(&fault);
        write_all(&document, runs);
        order_document_free(&document);
    } else {
        require_fault(&fault);
    }
    free(text);
    return 0;
}
