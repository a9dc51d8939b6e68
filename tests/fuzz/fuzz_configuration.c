// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any JSON as a run document. A document that is accepted as a configuration that can run has a step
// whose parts add up, and is written as a document that has the same step.
#include "base/document/json.h"
#include "kernels/common/description/run_document.h"
#include "kernels/configuration/document.h"
#include "tests/fuzz/support/require.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OPERATIONS = 20000 };

// Returns whether the document is a configuration that can run. The caller frees the configuration in any case.
static bool read_configuration(struct configuration *c, cJSON *root)
{
    struct rundoc parts;
    struct configuration_items items;
    struct pps_fault fault;
    bool no_memory;
    char why[256];
    *c = (struct configuration){.parts = NULL};
    training_default(&c->training);
    return rundoc_split(&parts, root, &fault) && cJSON_IsObject(parts.model) &&
           parts.cluster != NULL && modeldesc_read(&c->model, parts.model, &fault) &&
           cluster_read(&c->cluster, parts.cluster, &fault) &&
           (parts.training == NULL || training_read(&c->training, parts.training, &fault)) &&
           configuration_read(c, parts.baseline, &items, &no_memory, &fault) &&
           configuration_check(c, why, sizeof why) &&
           (double)configuration_micro_batches(c) * c->n_parts < MOST_OPERATIONS;
}

static void check_step(const struct configuration *c, const struct configuration_step *step)
{
    double sum = 0, memory = 0;
    for (int k = 0; k < CONFIGURATION_TIMES; k++)
        sum += step->times[k];
    require(fabs(sum - step->seconds) <= 1e-9 * step->seconds);
    for (int m = 0; m < CONFIGURATION_MEMORIES; m++)
        memory += step->devices[step->worst].memory[m];
    require(fabs(memory - step->peak) <= 1e-9 * fabs(step->peak));
    struct configuration again;
    struct configuration_step same;
    cJSON *document = configuration_document(c);
    require(document != NULL && read_configuration(&again, document));
    require(configuration_step_brief(&same, &again, NULL) == CONFIGURATION_DONE);
    require(same.seconds == step->seconds && same.peak == step->peak);
    configuration_step_free(&same);
    configuration_free(&again);
    cJSON_Delete(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pps_json json;
    struct pps_error err;
    struct configuration c;
    struct configuration_step step;
    if (pps_json_parse(&json, "fuzz", (const char *)data, size, &err) != PPS_OK)
        return 0;
    if (read_configuration(&c, json.root)) {
        if (configuration_step_of(&step, &c, NULL) == CONFIGURATION_DONE &&
            isfinite(step.seconds))
            check_step(&c, &step);
        configuration_step_free(&step);
    }
    configuration_free(&c);
    pps_json_free(&json);
    return 0;
}
