// SPDX-License-Identifier: Apache-2.0
// ppsweep check: what a training costs as it is, whether it fits, and what could be changed at once.
#include "planner/check/check.h"

#include "engine/command/signals.h"
#include "planner/check/check_files.h"
#include "planner/nd/launch/rewritten.h"
#include "planner/shared/options.h"

#include <stdio.h>

static const struct pps_opt options[] = {
    PLAN_RUN_OPTIONS,
    PLAN_CONFIGURATION_OPTIONS,
    CHECK_FILES_OPTIONS,
    {"json", 0, NULL, "print one JSON object"},
    {"quiet", 'q', NULL, "do not print notes"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is a configuration of Megatron-LM, MindSpeed, MindFormers, torchtitan, verl, DeepSpeed,\n"
    "LLaMA-Factory, Accelerate or the Hugging Face Trainer: a script, a list of arguments, YAML, TOML or\n"
    "JSON. It may also be a model (a name, a config.json) with --at. MODEL describes the shape, where\n"
    "FILE does not. CLUSTER names the devices. The file's number of devices and batch have priority\n"
    "over those of CLUSTER; -n, --gbs and -t have priority over the file.\n"
    "\n"
    "The command evaluates the training as it is written: its layers per stage, what it recomputes and\n"
    "its schedule. It prints the time of a step by part, the memory of every stage, and what could be\n"
    "changed at once. The exit status is 0 if the training fits in memory, and 3 if it does not or\n"
    "cannot run.\n"
    "\n"
    "  ppsweep check my-training.sh h100\n"
    "  ppsweep check my-training.sh h100 --recompute none --json\n"
    "  ppsweep check llama3-70b h100 -n 64 --at tp=8,pp=4\n"
    "  ppsweep check config.json train.sh h100 -n 16\n";

static enum pps_status fail_step(enum configuration_status status,
                                 const struct checked *checked, struct pps_error *err)
{
    switch (status) {
    case CONFIGURATION_STOPPED:
        return pps_fail(err, PPS_E_STOPPED, "stopped");
    case CONFIGURATION_NO_ORDER:
        return pps_fail(err, PPS_E_INFEASIBLE, "schedule %s has no order for these times",
                        configuration_schedule(&checked->plan.configuration));
    case CONFIGURATION_NO_MEMORY:
        return pps_fail_memory(err, "the training step");
    case CONFIGURATION_DONE:
        break;
    }
    return PPS_OK;
}

static enum pps_status evaluate(struct checked *checked, struct pps_error *err)
{
    const struct configuration *c = &checked->plan.configuration;
    struct poll poll = {.over = poll_flag, .self = pps_signals_install()};
    if (checked->plan.cannot_run.n > 0)
        return pps_fail(err, PPS_E_INFEASIBLE, "the training cannot run: %s",
                        checked->plan.cannot_run.text);
    checked->group = nd_left_out_group(&c->cluster.hardware, &c->training, &c->model);
    enum configuration_status status = configuration_step_of(&checked->step, c, &poll);
    if (status == CONFIGURATION_DONE)
        status = checked_find_changes(checked, &poll);
    return fail_step(status, checked, err);
}

static enum pps_status print_json(const struct checked *checked, struct pps_error *err)
{
    struct text_buffer out = {.text = NULL};
    checked_json(checked, &out);
    const bool failed = out.failed;
    if (!failed)
        fwrite(out.text, 1, out.n, stdout);
    text_buffer_free(&out);
    return failed ? pps_fail_memory(err, "the report") : PPS_OK;
}

static enum pps_status report(struct checked *checked, const struct pps_args *args,
                              struct pps_error *err)
{
    enum pps_status status = check_files_check(args, err);
    if (status == PPS_OK)
        status = evaluate(checked, err);
    if (status != PPS_OK)
        return status;
    if (pps_arg(args, "json") != NULL)
        status = print_json(checked, err);
    else
        checked_print(checked, args);
    if (status == PPS_OK)
        status = check_files_write(checked, args, err);
    if (status != PPS_OK || checked_fits(checked))
        return status;
    return pps_fail(err, PPS_E_INFEASIBLE, "the training does not fit in memory");
}

// A model alone is no training.
static enum pps_status require_strategy(const struct plan_run *run, const struct pps_args *args,
                                        struct pps_error *err)
{
    if (run->baseline != NULL || pps_arg(args, "at") != NULL)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "%s sets no strategy; add one, for example --at tp=8,pp=4",
                    run->documents[0].json.name);
}

static enum pps_status check_main(const struct pps_args *args, struct pps_error *err)
{
    struct checked checked = {.n_changes = 0};
    enum pps_status status = plan_run_open(&checked.run, args, NULL, err);
    if (status != PPS_OK)
        return status;
    status = require_strategy(&checked.run, args, err);
    if (status == PPS_OK && plan_run_configuration(&checked.run) != NULL)
        status = nd_rewritten_modules(&checked.run.training.recompute_modules, args,
                                      &checked.run, err);
    if (status == PPS_OK)
        status = plan_configuration_open(&checked.plan, &checked.run, args, err);
    if (status == PPS_OK) {
        status = report(&checked, args, err);
        configuration_step_free(&checked.step);
        plan_configuration_close(&checked.plan);
    }
    plan_run_close(&checked.run);
    return status;
}

const struct pps_command check_command = {
    .name = "check",
    .summary = "what a training costs as it is: time, memory, and what to change",
    .usage = "[options] [MODEL] FILE [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .same = plan_same_options,
    .min_words = 1,
    .max_words = 3,
    .main = check_main,
};

const struct pps_command *const check_tools[] = {&check_command, &compare_command,
                                                 &models_command, &clusters_command, NULL};
