// SPDX-License-Identifier: Apache-2.0
// Checks the set of operations of a document, and tells faults of its execution with their places.
#include "kernels/schedule/orders/order_document.h"

#include "base/document/fault.h"
#include "kernels/schedule/orders/found_private.h"
#include "kernels/schedule/orders/pytorch_csv.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKED_TOLD = 4, CYCLE_TOLD = 8 };

static void write_operation(const struct order_document *document, const struct operation *op,
                            struct text_buffer *out)
{
    if (document->source.form == ORDER_FORM_PYTORCH && op->type != OPERATION_R)
        pytorch_csv_write_operation(op, out);
    else
        order_text_write_operation(op, document->shape.slices, out);
}

// Writes "F0.0 (rank 1, position 3)", or "F0.0 (rank 1, missing)".
static void write_place(const struct order_document *document,
                        const struct executor_place *place, struct text_buffer *out)
{
    write_operation(document, &place->operation, out);
    if (place->position < 0)
        text_buffer_add(out, " (rank %d, missing)", place->device);
    else
        text_buffer_add(out, " (rank %d, position %d)", place->device, place->position);
}

static void write_wrong(const struct order_document *document, const struct executor_fault *why,
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

static void write_blocked(const struct order_document *document,
                          const struct executor_blocked *blocked, struct text_buffer *out)
{
    write_place(document, &blocked->head, out);
    text_buffer_add(out, " waits for ");
    write_place(document, &blocked->waits_for, out);
}

static void write_deadlock(const struct order_document *document,
                           const struct executor_fault *why, struct text_buffer *out)
{
    const int32_t known = why->n_blocked < why->room ? why->n_blocked : why->room,
                  told = known < BLOCKED_TOLD ? known : BLOCKED_TOLD;
    text_buffer_add(out, "the order deadlocks");
    for (int32_t i = 0; i < told; i++) {
        text_buffer_add(out, i > 0 ? ", " : ": ");
        write_blocked(document, &why->blocked[i], out);
    }
    if (why->n_blocked > told)
        text_buffer_add(out, ", and %d more ranks wait", why->n_blocked - told);
    text_buffer_add(out, why->n_cycle > 0 ? "; cycle: " : "");
    for (int32_t i = 0; i < why->n_cycle && i < CYCLE_TOLD; i++) {
        text_buffer_add(out, i > 0 ? " -> " : "");
        write_operation(document, &why->cycle[i].operation, out);
    }
    text_buffer_add(out, why->n_cycle > CYCLE_TOLD ? " -> ..." : "");
}

// Returns the place in the document of an operation; of a missing one the end of its device.
static size_t byte_of(const struct order_document *document, const struct executor_place *place)
{
    const struct order *order = document->order;
    const int32_t last = order->n[place->device] - 1;
    const int32_t position = place->position < 0 ? last : place->position;
    return document->places[order_at(order, place->device, position)];
}

// Fills the fault for an executor's fault in this order, with place and remedy. Returns false.
static bool order_document_blame(const struct order_document *document,
                                 enum executor_status status, const struct executor_fault *why,
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

// ---- execution ----------------------------------------------------------------------------------

// An execution that failed, and why. A zeroed struct is empty.
struct trial {
    enum executor_status status;
    struct executor_fault why; // with room for all devices
};

static void trial_free(struct trial *trial)
{
    free(trial->why.blocked);
}

static void run(const struct order_document *document, const struct pipeline *pipeline,
                struct executor *executor, struct trial *trial)
{
    trial->status = executor_run(executor, pipeline, document->order, NULL, NULL);
    if (trial->status != EXECUTOR_DONE)
        executor_diagnose(executor, &trial->why);
}

// Executes the order. Returns false if memory runs out. The caller frees the trial in every case.
static bool execute(const struct order_document *document, struct trial *trial)
{
    struct room count = {NULL, 0};
    const size_t devices = (size_t)document->shape.devices;
    (void)executor_take(&document->shape, document->order->room, &count);
    struct pipeline *pipeline = order_document_pipeline(document);
    struct room room = {
        count.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, count.used), 0};
    *trial = (struct trial){.why = {.room = document->shape.devices}};
    trial->why.blocked = malloc(devices * sizeof *trial->why.blocked);
    const bool good = pipeline != NULL && room.memory != NULL && trial->why.blocked != NULL;
    if (good)
        run(document, pipeline, executor_take(&document->shape, document->order->room, &room),
            trial);
    free(room.memory);
    pipeline_free(pipeline);
    return good;
}

bool order_document_check(const struct order_document *document, struct pps_fault *fault)
{
    struct trial trial;
    bool good = execute(document, &trial);
    *fault = (struct pps_fault){.line = 0};
    if (good && trial.status != EXECUTOR_DONE)
        good = order_document_blame(document, trial.status, &trial.why, fault);
    trial_free(&trial);
    return good;
}

static void explain(const struct order_document *document, const struct executor_fault *why,
                    struct text_buffer *out)
{
    for (int32_t i = 0; i < why->n_blocked; i++) {
        text_buffer_add(out, "rank %d: ", why->blocked[i].head.device);
        write_blocked(document, &why->blocked[i], out);
        text_buffer_add(out, "\n");
    }
    for (int32_t i = 0; i < why->n_cycle; i++) {
        text_buffer_add(out, "cycle: ");
        write_place(document, &why->cycle[i], out);
        text_buffer_add(out, "\n");
    }
}

bool order_document_explain(const struct order_document *document, struct text_buffer *out)
{
    struct trial trial;
    const bool good = execute(document, &trial);
    if (good && trial.status == EXECUTOR_DEADLOCK)
        explain(document, &trial.why, out);
    trial_free(&trial);
    return good && !out->failed;
}
