// SPDX-License-Identifier: Apache-2.0
// Prices the training of an experiment.
#include "kernels/contention/documents.h"

#include "base/document/json.h"
#include "kernels/configuration/convert.h"
#include "kernels/configuration/price.h"
#include "kernels/configuration/run.h"
#include "kernels/contention/table.h"

#include <stdio.h>
#include <stdlib.h>

#define MS 1e3 // of a second

static const int training_sets[] = {
    PARAM_N,       PARAM_GPUS,     PARAM_SYNC_FREQ,    PARAM_FWD_LEN,
    PARAM_BWD_LEN, PARAM_PROP_LEN, PARAM_SYNC_BASE_LEN};

enum { SETS = sizeof training_sets / sizeof *training_sets };

const struct pps_slot contention_slots[CONTENTION_SLOTS] = {
    [CONTENTION_SLOT_TRAINING] = {"training",
                                  .summary =
                                      "a training file: its price sets the lengths, in ms",
                                  .param = -1, .sets = training_sets, .n_sets = SETS,
                                  .convert = configuration_convert_run},
    [CONTENTION_SLOT_CLUSTER] = {"cluster",
                                 .summary = "the devices that price the training (H100)",
                                 .param = -1},
};

struct contention_shared {
    double values[SETS];
};

// Sets the lengths: means over the stages of what a micro-batch takes there, and the exchange of a step, which the last
// micro-batch starts.
static void price(const struct configuration *c, double values[SETS])
{
    struct configuration_figures figures;
    const double stages = c->strategy.pp, n = configuration_micro_batches(c);
    double forward = 0, backward = 0;
    configuration_figures_of(&figures, c);
    for (int32_t k = 0; k < c->n_parts; k++) {
        struct configuration_part_price part;
        configuration_price_part(&part, &figures, c, k);
        forward += part.forward / stages;
        backward += part.backward / stages;
    }
    const struct nd_exchanges exchanges = configuration_exchanges(&figures, c);
    const double list[SETS] = {n,
                               stages,
                               n,
                               forward * MS,
                               backward * MS,
                               configuration_price_message(&figures, c) * MS,
                               (n * exchanges.each + exchanges.once) * MS / n};
    for (int k = 0; k < SETS; k++)
        values[k] = list[k];
}

static bool read_training(const struct pps_document *training,
                          const struct pps_document *cluster,
                          double values[SETS],
                          struct pps_fault *fault)
{
    struct configuration c = {.parts = NULL};
    const struct cJSON *own = pps_json_member(training->root, "configuration"),
                       *root = own != NULL ? own : training->root;
    const struct rundoc parts = {.model = pps_json_member(root, "model"),
                                 .cluster = pps_json_member(root, "cluster"),
                                 .training = pps_json_member(root, "training"),
                                 .baseline = pps_json_member(root, "baseline")};
    const bool read =
        configuration_read_run(&c, &parts, cluster != NULL ? cluster->root : NULL, fault);
    if (read)
        price(&c, values);
    configuration_free(&c);
    return read;
}

bool contention_open(const struct pps_document *documents,
                     int n,
                     void **out,
                     struct pps_fault *fault)
{
    const struct pps_document *of[CONTENTION_SLOTS] = {NULL, NULL};
    struct contention_shared *shared = calloc(1, sizeof *shared);
    *fault = (struct pps_fault){.document = 0};
    for (int d = 0; d < n; d++)
        of[documents[d].slot] = &documents[d];
    const struct pps_document *training = of[CONTENTION_SLOT_TRAINING];
    if (training != NULL)
        fault->document = (int)(training - documents);
    *out = shared;
    if (shared != NULL &&
        (training == NULL ||
         read_training(training, of[CONTENTION_SLOT_CLUSTER], shared->values, fault)))
        return true;
    free(shared);
    return false;
}

void contention_close(void *shared)
{
    free(shared);
}

void contention_values(const void *of, int slot, int i, double *values)
{
    const struct contention_shared *shared = of;
    (void)i;
    for (int k = 0; slot == CONTENTION_SLOT_TRAINING && k < SETS; k++)
        values[k] = shared->values[k];
}
