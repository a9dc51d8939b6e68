// SPDX-License-Identifier: Apache-2.0
// Makes the configuration of a run from its documents and options.
#include "planner/shared/plan_configuration.h"

#include "planner/shared/files.h"
#include "planner/shared/plan_edits.h"

// Returns the strategy of the run's documents, which options may change; a new one if no document sets it.
static enum pps_status strategy_of(struct plan_run *run,
                                   cJSON **strategy,
                                   struct pps_error *err)
{
    cJSON *root =
        run->baseline_in != NULL ? run->baseline_in->json.root : run->documents[0].json.root;
    *strategy = cJSON_GetObjectItemCaseSensitive(root, "baseline");
    if (*strategy == NULL)
        *strategy = cJSON_AddObjectToObject(root, "baseline");
    return *strategy != NULL ? PPS_OK : pps_fail_memory(err, "the strategy");
}

static enum pps_status read_strategy(struct plan_configuration *plan,
                                     struct plan_run *run,
                                     const cJSON *strategy,
                                     struct pps_error *err)
{
    const struct plan_document *document =
        run->baseline_in != NULL ? run->baseline_in : &run->documents[0];
    struct pps_fault fault = {.item = NULL};
    struct pps_error reason;
    bool no_memory;
    char why[256];
    if (!configuration_read(&plan->configuration, strategy, &plan->items, &no_memory, &fault)) {
        if (no_memory)
            return pps_fail_memory(err, "the configuration");
        plan_fail_document(&document->json, &fault, &reason);
        text_buffer_add(&plan->cannot_run, "%s", reason.text);
    } else if (!configuration_check(&plan->configuration, why, sizeof why)) {
        text_buffer_add(&plan->cannot_run, "%s", why);
    }
    return plan->cannot_run.failed ? pps_fail_memory(err, "the configuration") : PPS_OK;
}

enum pps_status plan_configuration_open(struct plan_configuration *plan,
                                        struct plan_run *run,
                                        const struct pps_args *args,
                                        struct pps_error *err)
{
    cJSON *strategy;
    *plan = (struct plan_configuration){.configuration = {.model = run->model,
                                                          .cluster = run->cluster,
                                                          .training = run->training}};
    enum pps_status status = strategy_of(run, &strategy, err);
    if (status == PPS_OK)
        status = plan_edits_apply(strategy, args, err);
    if (status == PPS_OK)
        status = read_strategy(plan, run, strategy, err);
    if (status != PPS_OK)
        plan_configuration_close(plan);
    return status;
}

void plan_configuration_close(struct plan_configuration *plan)
{
    configuration_free(&plan->configuration);
    text_buffer_free(&plan->cannot_run);
}
