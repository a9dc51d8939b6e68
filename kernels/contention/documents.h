// SPDX-License-Identifier: Apache-2.0
// Reads the training of an experiment, whose price sets the lengths.
#ifndef PPS_CONTENTION_DOCUMENTS_H
#define PPS_CONTENTION_DOCUMENTS_H

#include "ppsweep/kernel.h"

enum { CONTENTION_SLOT_TRAINING, CONTENTION_SLOT_CLUSTER, CONTENTION_SLOTS };

extern const struct pps_slot contention_slots[CONTENTION_SLOTS];

// Of pps_kernel.
bool contention_open(const struct pps_document *documents,
                     int n,
                     void **shared,
                     struct pps_fault *fault);
void contention_close(void *shared);
void contention_values(const void *shared, int slot, int i, double *values);

#endif
