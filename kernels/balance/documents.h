// SPDX-License-Identifier: Apache-2.0
// Holds the documents of an experiment: layers of models, and training configurations.
#ifndef PPS_BALANCE_DOCUMENTS_H
#define PPS_BALANCE_DOCUMENTS_H

#include "kernels/balance/model/layers.h"
#include "kernels/balance/model/sequence.h"
#include "kernels/balance/table.h"

enum { SLOT_LAYERS, SLOT_TRAINING, N_SLOTS };

struct balance_shared {
    struct balance_layers *layers; // [n_layers]
    int n_layers;
    struct balance_training *trainings; // [n_trainings]
    int n_trainings;
};

// Of pps_kernel.
bool balance_open(const struct pps_document *documents,
                  int n,
                  void **shared,
                  struct pps_fault *fault);
void balance_close(void *shared);
void balance_values(const void *shared, int slot, int i, double *values);

#endif
