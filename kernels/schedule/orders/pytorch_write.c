// SPDX-License-Identifier: Apache-2.0
// Writes an order as PyTorch's CSV.
#include "kernels/schedule/orders/pytorch_csv.h"

#include "base/document/fault.h"
#include "kernels/schedule/orders/pytorch_private.h"

#include <stdlib.h>

// ---- what cannot be written -------------------------------------------------------------------

static bool check_operation(const struct pipeline_shape *shape,
                            const struct order *order,
                            int32_t device,
                            int32_t position,
                            struct pps_fault *fault)
{
    const int64_t at = order_at(order, device, position);
    const struct operation *op = &order->operations[at];
    if (op->type == OPERATION_R)
        return pps_fault_set(fault, NULL, false,
                             "rank %d, position %d: PyTorch's CSV has no recomputed forwards; "
                             "write the order as text or JSON",
                             device, position);
    const bool known = op->type < OPERATION_R && op->stage >= 0 && op->item >= 0 &&
                       op->stage < shape->stages && op->item < shape->micro_batches &&
                       op->direction == 0;
    const bool unit =
        !order->paired[at] || (op->type == OPERATION_F && position + 1 < order->n[device] &&
                               op[1].type == OPERATION_BW);
    return (known && unit) ||
           pps_fault_set(fault, NULL, false,
                         "rank %d, position %d: the operation is not one of this pipeline",
                         device, position);
}

bool pytorch_csv_holds(const struct pipeline_shape *shape,
                       const struct order *order,
                       struct pps_fault *fault)
{
    *fault = (struct pps_fault){.line = 0};
    if (shape->directions > 1)
        return pps_fault_set(
            fault, NULL, false,
            "PyTorch's CSV cannot hold a bidirectional order, whose stages are on "
            "two ranks each; write it as text or JSON");
    if (shape->slices > 1)
        return pps_fault_set(fault, NULL, false,
                             "PyTorch's CSV has no slices of micro-batches; write the order as "
                             "text or JSON");
    for (int32_t d = 0; order != NULL && d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++)
            if (!check_operation(shape, order, d, i, fault))
                return false;
    return true;
}

// ---- cells --------------------------------------------------------------------------------------

static void write_action(struct text_buffer *out,
                         int32_t stage,
                         enum pytorch_type type,
                         int32_t micro_batch)
{
    text_buffer_add(out, "%d%s%d", stage, pytorch_names[type], micro_batch);
}

void pytorch_csv_write_operation(const struct operation *op, struct text_buffer *out)
{
    static const enum pytorch_type types[] = {PYTORCH_F, PYTORCH_I, PYTORCH_W, PYTORCH_B};
    write_action(out, op->stage, types[op->type], op->item);
}

// Appends the operation or the pair at the position. Returns the number of operations.
static int write_cell(const struct order *order,
                      int32_t device,
                      int32_t position,
                      struct text_buffer *row)
{
    const int64_t at = order_at(order, device, position);
    const bool paired = order->paired[at];
    text_buffer_add(row, "%s%s", row->n > 0 ? "," : "", paired ? "(" : "");
    pytorch_csv_write_operation(&order->operations[at], row);
    if (paired) {
        text_buffer_add(row, ";");
        pytorch_csv_write_operation(&order->operations[at + 1], row);
        text_buffer_add(row, ")OVERLAP_F_B");
    }
    return paired ? 2 : 1;
}

// ---- messages -----------------------------------------------------------------------------------

struct writer {
    const struct pipeline *pipeline;
    const struct order *order;
    // [stage * micro_batches + micro_batch], forward and backward: the input is on the rank.
    uint8_t *input[2];
    int32_t *position;        // [devices]: of the next operation
    struct text_buffer *rows; // [devices]
};

static uint8_t *input_of(const struct writer *w, bool backward, int32_t stage, int32_t item)
{
    return &w->input[backward][(int64_t)stage * w->pipeline->shape.micro_batches + item];
}

static bool is_ready(const struct writer *w, const struct operation *op)
{
    const bool backward = op->type != OPERATION_F;
    if (op->type == OPERATION_W || op->stage == (backward ? w->pipeline->shape.stages - 1 : 0))
        return true;
    return *input_of(w, backward, op->stage, op->item);
}

// Appends the message of an operation that has been appended to the row of a device.
static void send(struct writer *w, int32_t device, const struct operation *op)
{
    const bool backward = op->type != OPERATION_F;
    const int32_t to = op->stage + (backward ? -1 : 1);
    if (op->type == OPERATION_W || to < 0 || to >= w->pipeline->shape.stages)
        return;
    const int32_t receiver = pipeline_device(w->pipeline, 0, to);
    *input_of(w, backward, to, op->item) = 1;
    if (receiver == device)
        return;
    text_buffer_add(&w->rows[device], ",");
    write_action(&w->rows[device], op->stage, backward ? PYTORCH_SEND_B : PYTORCH_SEND_F,
                 op->item);
    text_buffer_add(&w->rows[receiver], w->rows[receiver].n > 0 ? "," : "");
    write_action(&w->rows[receiver], to, backward ? PYTORCH_RECV_B : PYTORCH_RECV_F, op->item);
}

// Appends the next operation of a device if its input is there; returns whether it was appended.
static bool visit(struct writer *w, int32_t device)
{
    const int32_t position = w->position[device];
    if (position == w->order->n[device])
        return false;
    const int64_t at = order_at(w->order, device, position);
    const struct operation *op = &w->order->operations[at];
    if (!is_ready(w, op) || (w->order->paired[at] && !is_ready(w, op + 1)))
        return false;
    const int parts = write_cell(w->order, device, position, &w->rows[device]);
    w->position[device] += parts;
    for (int k = 0; k < parts; k++)
        send(w, device, op + k);
    return true;
}

// Visits the ranks again and again, as PyTorch does.
static bool visit_all(struct writer *w, struct pps_fault *fault)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t d = 0; d < w->order->devices; d++)
            moved |= visit(w, d);
    }
    for (int32_t d = 0; d < w->order->devices; d++)
        if (w->position[d] < w->order->n[d])
            return pps_fault_set(fault, NULL, false,
                                 "the order deadlocks: rank %d waits for ever at position %d",
                                 d, w->position[d]);
    return true;
}

static bool write_messages(struct writer *w, struct pps_fault *fault)
{
    const size_t items =
        (size_t)w->pipeline->shape.stages * (size_t)w->pipeline->shape.micro_batches;
    const size_t devices = (size_t)w->order->devices;
    w->input[0] = calloc(items, 1);
    w->input[1] = calloc(items, 1);
    w->position = calloc(devices, sizeof *w->position);
    if (w->input[0] == NULL || w->input[1] == NULL || w->position == NULL) {
        *fault = (struct pps_fault){.line = 0};
        return false;
    }
    return visit_all(w, fault);
}

// ---- the file -----------------------------------------------------------------------------------

static bool write_operations(struct writer *w)
{
    for (int32_t d = 0; d < w->order->devices; d++)
        for (int32_t i = 0; i < w->order->n[d];)
            i += write_cell(w->order, d, i, &w->rows[d]);
    return true;
}

bool pytorch_csv_write(const struct pipeline *pipeline,
                       const struct order *order,
                       bool messages,
                       struct text_buffer *out,
                       struct pps_fault *fault)
{
    struct writer w = {.pipeline = pipeline, .order = order};
    *fault = (struct pps_fault){.line = 0};
    if (!pytorch_csv_holds(&pipeline->shape, order, fault))
        return false;
    const size_t devices = order->devices > 0 ? (size_t)order->devices : 0;
    w.rows = calloc(devices + 1, sizeof *w.rows);
    bool good = w.rows != NULL && (messages ? write_messages(&w, fault) : write_operations(&w));
    for (int32_t d = 0; d < order->devices && w.rows != NULL; d++) {
        good = good && !w.rows[d].failed;
        if (good) {
            text_buffer_add_bytes(out, w.rows[d].text, w.rows[d].n);
            text_buffer_add(out, "\n");
        }
        text_buffer_free(&w.rows[d]);
    }
    free(w.rows);
    free(w.input[0]);
    free(w.input[1]);
    free(w.position);
    return good && !out->failed;
}
