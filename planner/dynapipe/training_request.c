// SPDX-License-Identifier: Apache-2.0
// Reads a training file, which sets what dynaplan plans for.
#include "planner/dynapipe/request_private.h"

#include "base/text/say.h"
#include "planner/shared/plan_trace.h"

// Refuses options that the file sets.
static enum pps_status check_options(const struct pps_args *args, struct pps_error *err)
{
    static const char *const names[] = {"model",      "costs", "devices", "layers-per-stage",
                                        "assignment", "dp",    "tp",      "zero"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (pps_arg(args, names[k]) != NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "--%s: %s sets it; leave out the option, or the file", names[k],
                            pps_arg_word(args, 0));
    if (pps_arg_words(args) > 2 && pps_arg(args, "cluster") != NULL)
        return pps_fail(err, PPS_E_INPUT, "give the cluster as --cluster or after the file");
    return PPS_OK;
}

// Reads the configuration. After an error there is nothing to close.
static enum pps_status read_configuration(struct dynaplan_request *r,
                                          const struct pps_args *args, struct pps_error *err)
{
    const char *path = pps_arg_word(args, 0), *cluster = pps_arg_words(args) > 2
                                                             ? pps_arg_word(args, 1)
                                                             : pps_arg(args, "cluster");
    enum pps_status status = plan_run_open_files(&r->run, path, cluster, NULL, err);
    if (status != PPS_OK)
        return status;
    if (r->run.baseline == NULL)
        status =
            pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                        "describes no strategy; ppsweep check --at --plan makes a plan of it");
    if (status == PPS_OK)
        status = plan_configuration_open(&r->configuration, &r->run, NULL, err);
    if (status != PPS_OK) {
        plan_run_close(&r->run);
        return status;
    }
    r->has_training = true;
    if (cluster == NULL && !r->run.names_hardware)
        pps_say(stderr, "note      %s: priced on %s (assumed; name a cluster after the file)",
                path, r->run.cluster.hardware.name);
    return PPS_OK;
}

// Opens the setup of the training's own steps, unless it runs another order.
static enum pps_status open_mine(struct dynaplan_request *r, struct pps_error *err)
{
    const struct configuration *c = &r->configuration.configuration;
    r->rows = c->strategy.mbs;
    const int32_t all = configuration_micro_batches(c),
                  runs = all / configuration_run_micro_batches(c);
    r->has_mine = runs == 1 && c->family == NULL &&
                  (c->strategy.vp == 1 || (c->strategy.pp > 1 && !c->training.low_mem_vpp &&
                                           all % c->strategy.pp == 0));
    if (runs > 1)
        pps_say(
            stderr,
            "note      a step of the file is %d runs of the pipeline, one after the other; dynaplan "
            "has no row mine for them",
            runs);
    else if (!r->has_mine)
        pps_say(
            stderr,
            "note      the order of the file (%s) is none of dynaplan, which knows 1F1B and "
            "interleaved 1F1B of whole groups of micro-batches; there is no row mine",
            configuration_family(c)->name);
    if (c->model.n_kinds > 0 || (c->model.experts > 0 && c->model.dense_layers > 0))
        pps_say(
            stderr,
            "note      samples are divided by an average of the kinds of layers; plans have the times of every stage");
    training_stages_setup(&r->training, true, &r->mine);
    r->mine.links = &r->links;
    r->mine.limit = r->setup.limit;
    return dynaplan_open_state(&r->mine, err);
}

enum pps_status dynaplan_open_training(struct dynaplan_request *r, const struct pps_args *args,
                                       struct pps_error *err)
{
    enum pps_status status = check_options(args, err);
    if (status == PPS_OK)
        status = read_configuration(r, args, err);
    if (status != PPS_OK)
        return status;
    const struct plan_configuration *plan = &r->configuration;
    const char *path = pps_arg_word(args, 0),
               *misfit = plan->cannot_run.n > 0 ? plan->cannot_run.text
                                                : training_stages_misfit(&plan->configuration);
    if (misfit != NULL)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "the training cannot run%s: %s",
                           plan->cannot_run.n > 0 ? "" : " in dynaplan", misfit);
    if (!training_stages_open(&r->training, &plan->configuration))
        return pps_fail_memory(err, "the stages");
    training_stages_setup(&r->training, false, &r->setup);
    r->setup.links = &r->links;
    r->network = r->training.network;
    const struct configuration *c = &plan->configuration;
    plan_trace_name(r->name, sizeof r->name, &c->model, &c->cluster, &c->strategy,
                    c->strategy.vp);
    status = dynaplan_read_memory(r, args, err);
    if (status == PPS_OK)
        status = dynaplan_open_state(&r->setup, err);
    return status == PPS_OK ? open_mine(r, err) : status;
}
