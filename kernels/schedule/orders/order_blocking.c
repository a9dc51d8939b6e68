// SPDX-License-Identifier: Apache-2.0
// Checks that the messages of a document do not deadlock if they are blocking.
#include "kernels/schedule/orders/order_document.h"

#include "base/document/fault.h"
#include "kernels/schedule/orders/found_private.h"
#include "kernels/schedule/orders/pytorch_csv.h"
#include "kernels/schedule/orders/pytorch_private.h"

#include <stdlib.h>

enum { HEADS_TOLD = 4 };

// Writes "0SEND_F1 (row 1, cell 4)". Each end names the stage of its own device.
static void write_message(const struct order_document *document, int32_t device, int32_t i,
                          struct text_buffer *out)
{
    const struct order_message *m = &document->messages.list[i];
    const enum pytorch_type type = m->backward ? m->send ? PYTORCH_SEND_B : PYTORCH_RECV_B
                                   : m->send   ? PYTORCH_SEND_F
                                               : PYTORCH_RECV_F;
    const int32_t stage = m->send ? m->stage : m->stage + (m->backward ? -1 : 1);
    text_buffer_add(out, "%d%s%d (row %d, cell %d)", stage, pytorch_names[type], m->item,
                    device + 1,
                    order_source_cell(&document->source, document->message_places[i]));
}

static int32_t device_of(const struct order_document *document, int32_t message)
{
    int32_t d = 0;
    while (document->messages.first[d + 1] <= message)
        d++;
    return d;
}

static void write_head(const struct order_document *document, const struct executor_head *head,
                       struct text_buffer *out)
{
    if (head->message < 0) {
        const struct order *order = document->order;
        const int64_t at = order_at(order, head->device, head->position);
        pytorch_csv_write_operation(&order->operations[at], out);
        text_buffer_add(out, " (row %d, cell %d) waits for its input", head->device + 1,
                        order_source_cell(&document->source, document->places[at]));
        return;
    }
    write_message(document, head->device, head->message, out);
    text_buffer_add(out, " waits for ");
    write_message(document, device_of(document, head->other), head->other, out);
}

// Fills the fault with the heads of all devices that wait. Returns false.
static bool blame(const struct order_document *document, const struct executor_head *heads,
                  int32_t n, struct pps_fault *fault)
{
    struct text_buffer text = {.text = NULL};
    const struct executor_head *first = &heads[0];
    text_buffer_add(&text,
                    "the messages deadlock if they are blocking, as those of NCCL are: ");
    for (int32_t i = 0; i < n && i < HEADS_TOLD; i++) {
        text_buffer_add(&text, i > 0 ? ", " : "");
        write_head(document, &heads[i], &text);
    }
    if (n > HEADS_TOLD)
        text_buffer_add(&text, ", and %d more ranks wait", n - HEADS_TOLD);
    text_buffer_add(&text, "; list the messages between two ranks in the same order on both");
    order_source_place(
        &document->source, first->device,
        first->message >= 0
            ? document->message_places[first->message]
            : document->places[order_at(document->order, first->device, first->position)],
        fault);
    if (text.failed)
        order_source_no_memory(fault);
    else
        pps_fault_set(fault, fault->item, false, "%s", text.text);
    text_buffer_free(&text);
    return false;
}

bool order_document_check_messages(struct order_document *document, struct pps_fault *fault)
{
    struct room count = {NULL, 0};
    *fault = (struct pps_fault){.line = 0};
    if (document->messages.first == NULL)
        return true;
    (void)executor_take(&document->shape, document->order->room, &count);
    struct room room = {
        count.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, count.used), 0};
    struct pipeline *pipeline = order_document_pipeline(document);
    struct executor_head *heads = calloc((size_t)document->shape.devices, sizeof *heads);
    bool good = room.memory != NULL && pipeline != NULL && heads != NULL;
    if (good) {
        struct executor *executor =
            executor_take(&document->shape, document->order->room, &room);
        document->hangs = executor_run_blocking(executor, pipeline, document->order,
                                                &document->messages, NULL) != EXECUTOR_DONE;
        good = !document->hangs ||
               blame(document, heads,
                     executor_blocked_heads(executor, &document->messages, heads), fault);
    }
    free(heads);
    pipeline_free(pipeline);
    free(room.memory);
    return good;
}
