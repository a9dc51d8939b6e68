// SPDX-License-Identifier: Apache-2.0
// Reads the documents of an experiment.
#include "kernels/balance/documents.h"

#include "kernels/balance/documents/layers_read.h"
#include "kernels/balance/documents/training_read.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

static const int layers_sets[] = {P_BODY_LAYERS};

const struct pps_slot balance_slots[N_SLOTS] = {
    [SLOT_LAYERS] = {.name = "layers",
                     .summary = "times and memory of head, body and tail of a model",
                     .required = true,
                     .param = P_LAYERS,
                     .sets = layers_sets,
                     .n_sets = 1},
    [SLOT_TRAINING] = {.name = "training",
                       .summary = "a training configuration: what seq > 1 needs to know",
                       .param = P_TRAINING},
};

static bool read_layers(const struct pps_document *document,
                        struct balance_layers *layers,
                        struct pps_fault *fault)
{
    const cJSON *unknown;
    if (!balance_layers_read(document->root, layers, &unknown, fault))
        return false;
    const char *misfit = balance_layers_misfit(layers);
    if (misfit == NULL && layers->layers > BALANCE_LAYERS_MAX)
        misfit = "there are more than 10000 body layers";
    if (misfit != NULL)
        snprintf(fault->text, sizeof fault->text, "%s", misfit);
    return misfit == NULL;
}

static bool read_training(const struct pps_document *document,
                          struct balance_training *training,
                          struct pps_fault *fault)
{
    bool is_usual;
    return balance_training_read(document->root, training, &is_usual, fault);
}

void balance_close(void *of)
{
    struct balance_shared *shared = of;
    if (shared == NULL)
        return;
    free(shared->layers);
    free(shared->trainings);
    free(shared);
}

bool balance_open(const struct pps_document *documents,
                  int n,
                  void **out,
                  struct pps_fault *fault)
{
    struct balance_shared *shared = calloc(1, sizeof *shared);
    *fault = (struct pps_fault){.document = 0};
    if (shared == NULL)
        return false;
    shared->layers = calloc((size_t)n + 1, sizeof *shared->layers);
    shared->trainings = calloc((size_t)n + 1, sizeof *shared->trainings);
    bool ok = shared->layers != NULL && shared->trainings != NULL;
    for (int i = 0; i < n && ok; i++) {
        ok = documents[i].slot == SLOT_LAYERS
                 ? read_layers(&documents[i], &shared->layers[shared->n_layers++], fault)
                 : read_training(&documents[i], &shared->trainings[shared->n_trainings++],
                                 fault);
        fault->document = i;
    }
    if (!ok) {
        balance_close(shared);
        return false;
    }
    *out = shared;
    return true;
}

void balance_values(const void *of, int slot, int i, double *values)
{
    const struct balance_shared *shared = of;
    if (slot == SLOT_LAYERS)
        values[0] = shared->layers[i].layers;
}
