// SPDX-License-Identifier: Apache-2.0
// Writes an order as PyTorch's CSV.
#include "kernels/schedule/orders/pytorch_csv.h"

#include "base/document/fault.h"
#include "kernels/common/plan/order_messages.h"
#include "kernels/schedule/orders/pytorch_private.h"

// ---- what cannot be written -------------------------------------------------------------------

static bool check_operation(const struct pipeline_shape *shape, const struct order *order,
                            int32_t device, int32_t position, struct pps_fault *fault)
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

bool pytorch_csv_holds(const struct pipeline_shape *shape, const struct order *order,
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

static void write_action(struct text_buffer *out, int32_t stage, enum pytorch_type type,
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
static int write_cell(const struct order *order, int32_t device, int32_t position,
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

// ---- the file -----------------------------------------------------------------------------------

// Appends a send, or a receive, which names the stage of its own device.
static void write_message(const struct order_message *m, struct text_buffer *row)
{
    const int32_t stage = m->send ? m->stage : m->stage + (m->backward ? -1 : 1);
    text_buffer_add(row, "%s", row->n > 0 ? "," : "");
    write_action(row, stage,
                 m->backward ? m->send ? PYTORCH_SEND_B : PYTORCH_RECV_B
                 : m->send   ? PYTORCH_SEND_F
                             : PYTORCH_RECV_F,
                 m->item);
}

// messages: without lists: none.
static void write_row(const struct order *order, const struct order_messages *messages,
                      int32_t d, struct text_buffer *row)
{
    int32_t next = messages->first != NULL ? messages->first[d] : 0;
    const int32_t end = messages->first != NULL ? messages->first[d + 1] : 0;
    for (int32_t i = 0; i < order->n[d] || next < end;) {
        for (; next < end && messages->list[next].before == i; next++)
            write_message(&messages->list[next], row);
        if (i < order->n[d])
            i += write_cell(order, d, i, row);
    }
}

static bool write_rows(const struct order *order, const struct order_messages *messages,
                       struct text_buffer *out)
{
    struct text_buffer row = {.text = NULL};
    for (int32_t d = 0; d < order->devices; d++) {
        text_buffer_clear(&row);
        write_row(order, messages, d, &row);
        text_buffer_add_bytes(out, row.text, row.n);
        text_buffer_add(out, "\n");
        out->failed = out->failed || row.failed;
    }
    text_buffer_free(&row);
    return !out->failed;
}

bool pytorch_csv_write(const struct pipeline *pipeline, const struct order *order,
                       bool messages, struct text_buffer *out, struct pps_fault *fault)
{
    struct order_messages placed = {.first = NULL};
    struct order_stuck stuck = {-1, 0};
    *fault = (struct pps_fault){.line = 0};
    if (!pytorch_csv_holds(&pipeline->shape, order, fault))
        return false;
    bool good = !messages || order_messages_place(pipeline, order, &placed, &stuck);
    if (stuck.device >= 0)
        pps_fault_set(fault, NULL, false,
                      "the order deadlocks: rank %d waits for ever at position %d",
                      stuck.device, stuck.position);
    good = good && write_rows(order, &placed, out);
    order_messages_free(&placed);
    return good;
}
