// SPDX-License-Identifier: Apache-2.0
// Checks the set of operations of a document, and tells faults of its execution with their places.
#include "kernels/schedule/orders/order_document.h"

#include "base/document/fault.h"
#include "kernels/schedule/orders/found_private.h"
#include "kernels/schedule/orders/pytorch_csv.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKED_TOLD = 4, CYCLE_TOLD = 8 };

static void write_operation(const struct order_document *document,
                            const struct operation *op,
                            struct text_buffer *out)
{
    if (document->source.form == ORDER_FORM_PYTORCH && op->type != OPERATION_R)
        pytorch_csv_write_operation(op, out);
    else
        order_text_write_operation(op, document->shape.slices, out);
}

// Writes "F0.0 (rank 1, position 3)", or "F0.0 (rank 1, missing)".
static void write_place(const struct order_document *document,
                        const struct executor_place *place,
                        struct text_buffer *out)
{
    write_operation(document, &place->operation, out);
    if (place->position < 0)
        text_buffer_add(out, " (rank %d, missing)", place->device);
    else
        text_buffer_add(out, " (rank %d, position %d)", place->device, place->position);
}

static void write_wrong(const struct order_document *document,
                        const struct executor_fault *why,
                        struct text_buffer *out)
{
    static const char *const texts[] = {
        [EXECUTOR_MISSING] = " is missing; add it to this rank",
        [EXECUTOR_DOUBLE] = " appears twice; remove one of the two",
        [EXECUTOR_FOREIGN] =
            " does not belong to this rank; remove it or move it to the rank of "
            "its stage",
        [EXECUTOR_BOTH] =
            " has both a whole backward (BW) and one in two parts (B, W); remove one "
            "of the two",
        [EXECUTOR_NOT_PAIR] = " is paired, but no BW follows; a pair is an F and then a BW"};
    const struct executor_place *place = &why->place;
    text_buffer_add(out, "rank %d, position %d: ", place->device,
                    place->position >= 0 ? place->position : document->order->n[place->device]);
    write_operation(document, &place->operation, out);
    text_buffer_add(out, "%s", texts[why->wrong]);
}

static void write_deadlock(const struct order_document *document,
                           const struct executor_fault *why,
                           struct text_buffer *out)
{
    text_buffer_add(out, "the order deadlocks: ");
    for (int32_t i = 0; i < why->n_blocked && i < why->room; i++) {
        text_buffer_add(out, i > 0 ? ", " : "");
        write_place(document, &why->blocked[i].head, out);
        text_buffer_add(out, " waits for ");
        write_place(document, &why->blocked[i].waits_for, out);
    }
    if (why->n_blocked > why->room)
        text_buffer_add(out, ", and %d more ranks wait", why->n_blocked - why->room);
    text_buffer_add(out, why->n_cycle > 0 ? "; cycle: " : "");
    for (int32_t i = 0; i < why->n_cycle && i < CYCLE_TOLD; i++) {
        text_buffer_add(out, i > 0 ? " < " : "");
        write_operation(document, &why->cycle[i].operation, out);
    }
    text_buffer_add(out, why->n_cycle > CYCLE_TOLD ? " < ..." : "");
}

// Returns the place in the document of an operation; of a missing one the end of its device.
static size_t byte_of(const struct order_document *document, const struct executor_place *place)
{
    const struct order *order = document->order;
    const int32_t last = order->n[place->device] - 1;
    const int32_t position = place->position < 0 ? last : place->position;
    return document->places[order_at(order, place->device, position)];
}

bool order_document_blame(const struct order_document *document,
                          enum executor_status status,
                          const struct executor_fault *why,
                          struct pps_fault *fault)
{
    struct text_buffer text = {.text = NULL};
    const struct order_source *const source = &document->source;
    const struct executor_place *place = &why->place;
    if (status == EXECUTOR_DEADLOCK) {
        write_deadlock(document, why, &text);
        place = why->room > 0 && why->n_blocked > 0 ? &why->blocked[0].head : &why->cycle[0];
    } else {
        write_wrong(document, why, &text);
    }
    const size_t at = byte_of(document, place);
    order_source_place(source, place->device, at, fault);
    if (source->form == ORDER_FORM_PYTORCH && place->position >= 0)
        text_buffer_add(&text, " (row %d, cell %d)", fault->line,
                        order_source_cell(source, at));
    if (text.failed)
        order_source_no_memory(fault);
    else
        pps_fault_set(fault, fault->item, false, "%s", text.text);
    text_buffer_free(&text);
    return false;
}

static bool run(const struct order_document *document,
                const struct pipeline *pipeline,
                struct executor *executor,
                struct pps_fault *fault)
{
    struct executor_blocked blocked[BLOCKED_TOLD];
    struct executor_fault why = {.room = BLOCKED_TOLD, .blocked = blocked};
    const enum executor_status status =
        executor_run(executor, pipeline, document->order, NULL, NULL);
    if (status == EXECUTOR_DONE)
        return true;
    executor_diagnose(executor, &why);
    return order_document_blame(document, status, &why, fault);
}

bool order_document_check(const struct order_document *document, struct pps_fault *fault)
{
    struct room count = {NULL, 0};
    *fault = (struct pps_fault){.line = 0};
    (void)executor_take(&document->shape, document->order->room, &count);
    struct pipeline *pipeline = order_document_pipeline(document);
    struct room room = {
        count.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, count.used), 0};
    const bool good = pipeline != NULL && room.memory != NULL &&
                      run(document, pipeline,
                          executor_take(&document->shape, document->order->room, &room), fault);
    free(room.memory);
    pipeline_free(pipeline);
    return good;
}
