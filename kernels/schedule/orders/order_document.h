// SPDX-License-Identifier: Apache-2.0
// Reads and writes orders of operations as documents:
//
//   text     one line per device, with the operations of order_text.h between spaces; empty lines and
//            the rest of a line behind # are ignored
//   PyTorch  the CSV of torch.distributed.pipelining: one row per rank, `1F3` is the forward of
//            micro-batch 3 on stage 1 (pytorch_csv.h)
//   JSON     {"order": ["F0.0 F1.0 ...", ...]}: one text per device; other keys are ignored, so that
//            plans are orders too
//
// The number of devices, stages, micro-batches, slices and directions, and the devices of the stages,
// follow from the operations.
#pragma once

#include "base/document/json.h"
#include "base/text/text_buffer.h"
#include "kernels/common/executor/executor.h"
#include "ppsweep/fault.h"

enum order_form {
    ORDER_FORM_TEXT,
    ORDER_FORM_PYTORCH,
    ORDER_FORM_JSON,
};

// The document that an order comes from, to name places. text and lines belong to the caller.
struct order_source {
    enum order_form form;
    const char *text; // text, PyTorch
    size_t n;
    const struct cJSON *lines; // JSON: the value of "order"
};

struct order_document {
    struct order_source source;
    struct pipeline_shape shape;
    int32_t *device_of; // [direction * stages + stage]
    struct order *order;
    size_t *places; // [order_at]: byte in the text, or in the text of the device
    struct order_messages messages; // of PyTorch's CSV; `first` NULL: the order lists none
    size_t *message_places;         // [messages]: byte in the text
    bool hangs;                     // order_document_check_messages has refused the messages
    struct pps_json json;           // of order_document_read: the tree of a JSON text
};

// Returns the form that a text seems to have.
enum order_form order_form_of(const char *text, size_t n);

// Reads a text of any form. The text must stay valid as long as the document. Returns false at the
// first fault, which has line and column; there is nothing to free then. An empty fault->text means
// out of memory. Checks what the form of an order can show, but not whether the set of operations is
// complete (order_document_check).
bool order_document_read(struct order_document *document, const char *text, size_t n,
                         struct pps_fault *fault);

// Reads the tree of a JSON document, which must stay valid as long as the document. The fault names
// the item.
bool order_document_of_json(struct order_document *document, const struct cJSON *root,
                            struct pps_fault *fault);

void order_document_free(struct order_document *document); // a zeroed document is allowed

// Returns a pipeline of the order's shape and placement in which every operation takes a time of 1
// and messages are free; the caller frees it with pipeline_free. NULL: out of memory.
struct pipeline *order_document_pipeline(const struct order_document *document);

// Checks that every operation is there exactly once, on the device of its stage, and that the order
// does not deadlock. The fault names the rank and the position of the operation. An empty
// fault->text means out of memory.
bool order_document_check(const struct order_document *document, struct pps_fault *fault);

// Checks that the messages that the order lists do not deadlock if they are blocking: a message occupies both
// ends until both have come to it. The fault names the message that each device waits at, and its other end.
// Sets `hangs`. An empty fault->text means out of memory.
bool order_document_check_messages(struct order_document *document, struct pps_fault *fault);

// Appends, for an order that deadlocks, a line for each device that waits, and a line for each operation
// of a cycle, in which each waits for the next and the last for the first. Returns false if memory runs
// out.
bool order_document_explain(const struct order_document *document, struct text_buffer *out);

// Appends the order as a document. PyTorch: without sends and receives (pytorch_csv_write has them).
// false: the form cannot express the order; fault->text has the reason.
bool order_write(enum order_form form, const struct pipeline *pipeline,
                 const struct order *order, struct text_buffer *out, struct pps_fault *fault);
