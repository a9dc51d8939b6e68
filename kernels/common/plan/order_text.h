// SPDX-License-Identifier: Apache-2.0
// Reads and writes the order of a device as text: "F0.0 F1.0 BW0.0 [F2.0 BW1.0] B2.0r W2.0r". An
// operation is its type (F, B, W, BW or R), the micro-batch, a point and the stage; `:` and the slice
// follow the micro-batch of a pipeline with slices ("F0:1.3"), and r follows the stage in direction 1.
// Brackets hold a forward and a full backward that run as one unit.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/plan/order.h"

#include <stddef.h>

struct order_text_fault {
    size_t at;        // byte of the text
    const char *text; // what is wrong and what to write
};

// ---- one operation after the other ------------------------------------------------------------

enum { ORDER_TEXT_ITEMS = 1 << 27 }; // micro-batches times slices at most

struct order_text_source {
    const char *text;
    size_t n, at; // bytes; the next byte
};

struct order_text_operation {
    size_t at; // byte of the text
    int32_t micro_batch, slice, stage;
    uint8_t type, direction;
    bool paired; // with the next
};

// Reads the next operation, or the two of a pair. Returns their number, 0 at the end of the text, -1
// at a fault.
int order_text_next(struct order_text_source *source, struct order_text_operation op[2],
                    struct order_text_fault *fault);

// ---- whole orders -----------------------------------------------------------------------------

// Appends the operations of the text to the order of a device. Returns false at the first fault; the
// operations before it have been appended.
bool order_text_read(const char *text, size_t n, int32_t slices, struct order *order,
                     int32_t device, struct order_text_fault *fault);

// Returns the number of operations in a text, before it is checked: never less than it has.
int32_t order_text_count(const char *text, size_t n);

// Appends an operation to the text.
void order_text_write_operation(const struct operation *op, int32_t slices,
                                struct text_buffer *out);

// Appends the order of a device to the text.
void order_text_write(const struct order *order, int32_t device, int32_t slices,
                      struct text_buffer *out);
