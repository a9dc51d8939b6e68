// SPDX-License-Identifier: Apache-2.0
// Collects the operations that a reader finds, and makes them an order: its shape, its placement and
// its arrays.
#pragma once

#include "kernels/common/plan/order_text.h"
#include "kernels/schedule/orders/order_document.h"

// The operations of all devices, one device after the other. A zeroed struct is empty.
struct found {
    struct order_text_operation *list;
    size_t n, room;
    size_t *ends; // [devices]: index behind the last operation of the device
    size_t devices, devices_room;
};

// Return false if memory runs out, with an empty fault->text.
bool found_add(struct found *found, const struct order_text_operation *operation,
               struct pps_fault *fault);
bool found_end_device(struct found *found, struct pps_fault *fault);
void found_free(struct found *found);

// Fills shape, device_of, order and places of the document, whose source is set.
bool found_finish(const struct found *found, struct order_document *document,
                  struct pps_fault *fault);

// Fills the fault for a byte of the text, or of the text of a device. Returns false.
bool order_source_fault(const struct order_source *source, int32_t device, size_t at,
                        struct pps_fault *fault, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Sets the place of the fault only: line and column, or the item.
void order_source_place(const struct order_source *source, int32_t device, size_t at,
                        struct pps_fault *fault);

// Returns the number of a cell of a CSV in its row, from 1.
int order_source_cell(const struct order_source *source, size_t at);

// Fills an empty fault, which means out of memory. Returns false.
bool order_source_no_memory(struct pps_fault *fault);

// Reads PyTorch's CSV (pytorch_read.c). The source of the document is set.
bool pytorch_read(struct order_document *document, struct pps_fault *fault);
