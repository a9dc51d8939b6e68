// SPDX-License-Identifier: Apache-2.0
// Finds the family, and its options, whose orders a class of torch.distributed.pipelining has.
#ifndef PPS_SCHEDULE_PYTORCH_CLASS_H
#define PPS_SCHEDULE_PYTORCH_CLASS_H

#include "kernels/schedule/catalogue/catalogue.h"

// What to do with a class whose orders no family has.
#define PYTORCH_AS_ORDER                                                                       \
    "; write its order with PyTorch (_dump_csv), and give the file as an order of your own"

struct pytorch_class {
    const struct family *family; // NULL: none, for the reason
    int32_t group;               // options of the family; group 0: its default
    bool descending;
    const char *reason; // one of a fixed set of texts; NULL with a family
};

// Returns whether a name is one of a schedule's class, with or without a family.
bool pytorch_class_is_known(const char *name);

// Returns what a known class does with P devices and M micro-batches.
struct pytorch_class pytorch_class_of(const char *name, int32_t devices, int32_t micro_batches);

#endif
