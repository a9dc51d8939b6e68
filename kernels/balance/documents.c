// SPDX-License-Identifier: Apache-2.0
// Reads the documents of an experiment.
#include "kernels/balance/documents.h"

#include "kernels/balance/documents/layers_read.h"

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

bool balance_open(const struct pps_document *documents,
                  int n,
                  void **out,
                  struct pps_fault *fault)
{
    struct balance_shared *shared =
        calloc(1, sizeof *shared + (size_t)n * sizeof *shared->layers);
    *fault = (struct pps_fault){.document = 0};
    if (shared == NULL)
        return false;
    for (; shared->n < n; shared->n++) {
        const bool read = read_layers(&documents[shared->n], &shared->layers[shared->n], fault);
        fault->document = shared->n;
        if (!read) {
            free(shared);
            return false;
        }
    }
    *out = shared;
    return true;
}

void balance_close(void *shared)
{
    free(shared);
}

void balance_values(const void *of, int slot, int i, double *values)
{
    const struct balance_shared *shared = of;
    (void)slot;
    values[0] = shared->layers[i].layers;
}
