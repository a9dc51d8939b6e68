// SPDX-License-Identifier: Apache-2.0
// Holds the documents of an experiment: layers of models, and training configurations.
#pragma once

#include "kernels/balance/documents/plan_layers_read.h"
#include "kernels/balance/model/layers.h"
#include "kernels/balance/model/sequence.h"
#include "kernels/balance/table.h"

enum { SLOT_LAYERS, SLOT_TRAINING, SLOT_MANUAL, SLOT_PLAN, N_SLOTS };

// The right strategies of a document for some layers: all of the same number of stages, by their chunks.
struct balance_starts {
    struct balance_strategy *strategies; // [n]
    int32_t n;
};

struct balance_shared {
    struct balance_layers *layers; // [n_layers]
    int n_layers;
    struct balance_training *trainings; // [n_trainings]
    int n_trainings;
    struct balance_planned *plans; // [n_plans]
    int n_plans;
    struct balance_starts *starts; // [manual * layers of all documents + layers]
    int n_manuals;
};

// Returns the layers of a point: of the document of layers, or of the plan if there is none.
const struct balance_layers *balance_layers_at(const struct balance_shared *shared,
                                               const double *value);

// Returns the strategies of the user for a point; *n is their number. NULL: none.
const struct balance_strategy *balance_starts_at(const struct balance_shared *shared,
                                                 const double *value, int32_t *n);

// Of pps_kernel.
bool balance_open(const struct pps_document *documents, int n, void **shared,
                  struct pps_fault *fault);
void balance_close(void *shared);
void balance_values(const void *shared, int slot, int i, double *values);
int balance_doubts(const struct pps_document *documents, int n, const void *shared,
                   struct pps_fault *doubts, int most);
