// SPDX-License-Identifier: Apache-2.0
// Makes the configuration of a run from its documents and options.
#include "planner/shared/plan_configuration.h"

#include "base/text/say.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_edits.h"

// Returns the strategy of the run's documents, which options may change; a new one if no document sets it.
static enum pps_status strategy_of(struct plan_run *run,
                                   cJSON **strategy,
                                   struct pps_error *err)
{
    *strategy = run->baseline;
    if (*strategy == NULL)
        *strategy = cJSON_AddObjectToObject(run->documents[0].json.root, "baseline");
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
    bool no_memory;
    char why[256];
    if (!configuration_read(&plan->configuration, strategy, &plan->items, &no_memory, &fault))
        return no_memory ? pps_fail_memory(err, "the configuration")
                         : plan_fail_document(&document->json, &fault, err);
    if (!configuration_check(&plan->configuration, why, sizeof why))
        text_buffer_add(&plan->cannot_run, "%s", why);
    return plan->cannot_run.failed ? pps_fail_memory(err, "the configuration") : PPS_OK;
}

// Returns whether options change what a document sets.
static bool has_edits(const struct pps_args *args)
{
    return args != NULL && (pps_arg(args, "at") != NULL || pps_arg(args, "layers") != NULL);
}

// A reader of a framework's file may have found why the training in it does not start.
static enum pps_status take_reason(struct plan_configuration *plan,
                                   const struct plan_document *document,
                                   struct pps_error *err)
{
    const struct pps_fault *reason = &document->cannot_run;
    if (reason->text[0] != '\0')
        text_buffer_add(&plan->cannot_run, "%s:%d:%d: %s", document->json.name, reason->line,
                        reason->column, reason->text);
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
    plan->removed = cJSON_CreateArray();
    if (status == PPS_OK && plan->removed == NULL)
        status = pps_fail_memory(err, "the strategy");
    if (status == PPS_OK && args != NULL)
        status = plan_edits_apply(strategy, plan->removed, args, err);
    if (status == PPS_OK && run->baseline_in != NULL && !has_edits(args))
        status = take_reason(plan, run->baseline_in, err);
    if (status == PPS_OK && plan->cannot_run.n == 0)
        status = read_strategy(plan, run, strategy, err);
    if (status != PPS_OK)
        plan_configuration_close(plan);
    return status;
}

void plan_configuration_close(struct plan_configuration *plan)
{
    configuration_free(&plan->configuration);
    cJSON_Delete(plan->removed);
    plan->removed = NULL;
    text_buffer_free(&plan->cannot_run);
}

// ---- the training of the user -------------------------------------------------------------------

static enum pps_status evaluate(struct plan_mine *mine,
                                struct poll *poll,
                                struct pps_error *err)
{
    const struct configuration *c = &mine->plan.configuration;
    switch (configuration_step_of(&mine->step, c, poll)) {
    case CONFIGURATION_DONE:
        mine->has = true;
        return PPS_OK;
    case CONFIGURATION_NO_ORDER:
        text_buffer_add(&mine->plan.cannot_run, "schedule %s has no order for it",
                        configuration_schedule(c));
        return PPS_OK;
    case CONFIGURATION_STOPPED:
        return pps_fail(err, PPS_E_STOPPED, "stopped");
    case CONFIGURATION_NO_MEMORY:
        break;
    }
    return pps_fail_memory(err, "the training step");
}

enum pps_status plan_mine_open(struct plan_mine *mine,
                               struct plan_run *run,
                               bool quiet,
                               struct poll *poll,
                               struct pps_error *err)
{
    *mine = (struct plan_mine){.has = false};
    if (run->baseline == NULL)
        return PPS_OK;
    enum pps_status status = plan_configuration_open(&mine->plan, run, NULL, err);
    if (status == PPS_OK && mine->plan.cannot_run.n == 0)
        status = evaluate(mine, poll, err);
    if (status != PPS_OK) {
        plan_mine_close(mine);
        return status;
    }
    if (!mine->has && !quiet)
        pps_say(stderr, "note      no baseline: the training in %s cannot run: %s",
                run->baseline_in->json.name, mine->plan.cannot_run.text);
    return PPS_OK;
}

void plan_mine_close(struct plan_mine *mine)
{
    configuration_step_free(&mine->step);
    plan_configuration_close(&mine->plan);
}

bool plan_mine_fits(const struct plan_mine *mine)
{
    return mine->step.peak <= mine->plan.configuration.cluster.memory_limit;
}

const char *plan_mine_recompute(const struct configuration *c)
{
    int64_t layers = 0, full = 0, select = 0;
    for (int32_t k = 0; k < c->n_parts; k++) {
        layers += configuration_part_layers(&c->parts[k]);
        full += c->parts[k].full[0] + c->parts[k].full[1];
        select += c->parts[k].select[0] + c->parts[k].select[1];
    }
    return full == 0 && select == 0 ? "none"
           : full == layers         ? "full"
           : select == layers       ? "select"
                                    : "mixed";
}
