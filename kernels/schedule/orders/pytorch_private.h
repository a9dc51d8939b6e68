// SPDX-License-Identifier: Apache-2.0
// The actions of PyTorch's CSV.
#pragma once

#include "kernels/schedule/orders/found_private.h"

enum pytorch_type {
    PYTORCH_F,
    PYTORCH_I,
    PYTORCH_W,
    PYTORCH_B,
    PYTORCH_SEND_F,
    PYTORCH_RECV_F,
    PYTORCH_SEND_B,
    PYTORCH_RECV_B,
    PYTORCH_UNSHARD,
    PYTORCH_RESHARD,
    PYTORCH_REDUCE_GRAD,
    PYTORCH_TYPES,
};

extern const char *const pytorch_names[PYTORCH_TYPES];

struct pytorch_action {
    size_t at; // byte of the text
    enum pytorch_type type;
    int32_t stage, micro_batch;
};

// Reads the cell between two bytes of the text, without blanks around it. Returns the number of
// actions: 0 for a blank cell, 2 for a pair, -1 for a fault, with its byte and text.
int pytorch_cell_read(const char *text, size_t from, size_t to, struct pytorch_action action[2],
                      struct order_text_fault *fault);

// A send or receive, and how many operations of the order stand before it.
struct pytorch_message {
    struct pytorch_action action;
    int32_t device;
    size_t before; // operations of all devices in the order of the file
};

// Checks the messages of a file: each send has one receive, between two devices, after the operation
// that makes the message and before the operation that needs it. `document` holds the order.
bool pytorch_messages_check(const struct pytorch_message *messages, size_t n,
                            const struct found *found, const struct order_document *document,
                            struct pps_fault *fault);

// Stores the messages, which have passed the check, in the document. Returns false if memory runs out.
bool pytorch_messages_keep(const struct pytorch_message *messages, size_t n,
                           const struct found *found, struct order_document *document,
                           struct pps_fault *fault);
