// SPDX-License-Identifier: Apache-2.0
// ppsweep tune: finds better trainings than that of a file, and writes files to launch them.
#include "planner/tune/tune.h"

#include "base/system/machine.h"
#include "engine/command/signals.h"
#include "planner/nd/launch/rewritten.h"
#include "planner/shared/options.h"
#include "planner/tune/tuning.h"

#include <math.h>
#include <stdio.h>

// Search steps of each pipeline program, as for nd rank.
enum { SEARCH_LIMIT = 20000 };

static const struct pps_opt options[] = {
    PLAN_RUN_OPTIONS,
    {"output", 'o', "DIR", "write a folder for each answer, with its file, plan and timeline"},
    {"keep", 0, "LIST", "links to leave out: recompute, split, strategy, schedule"},
    {"fit", 0, "P", "probability of fitting in memory that the first answer has (0.9)"},
    {"tp-max", 0, "N", "largest tensor-parallel degree (the devices of a fast domain)"},
    {"time", 't', "SECONDS", "stop after SECONDS and print the best training so far"},
    {"threads", 'j', "N", "worker threads (all CPUs this process may use)"},
    {"json", 0, NULL, "print one JSON object"},
    {"progress", 0, "WORD", "auto, line, log, json or never (auto)"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {"quiet", 'q', NULL, "do not print notes"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "FILE is a training as ppsweep check reads it. The command searches better ones in four links,\n"
    "each of which starts from the best training of the links before:\n"
    "  recompute  which layers are computed again in the backward pass\n"
    "  split      the layers of each stage, and which of them are recomputed\n"
    "  strategy   degrees, chunks per stage and micro-batch size, each with its best split\n"
    "  schedule   the order of the pipeline, as far as the framework can run it\n"
    "Every answer is written as a file of the framework, read back, and ranked by the step time of\n"
    "what was read: ppsweep check prints the same for it. The training of the user competes, too:\n"
    "nothing slower is shown. FILE may also be a model (a name, a config.json); then the answers are\n"
    "launch scripts of Megatron-LM.\n"
    "\n"
    "The search ends after a fixed number of evaluations, so that it finds the same on every machine.\n"
    "-t or Ctrl-C end it early with the best so far, and exit status 5.\n"
    "\n"
    "  ppsweep tune my-training.sh h100 -o better\n"
    "  ppsweep tune my-training.sh h100 --keep strategy,schedule\n"
    "  ppsweep tune llama3-70b h100 -n 256\n";

// ---- options ------------------------------------------------------------------------------------

static enum pps_status read_keep(struct tuning *t, struct pps_error *err)
{
    const char *text = pps_arg(t->args, "keep"), *word;
    size_t n;
    while (text != NULL && (word = plan_next_word(&text, &n)) != NULL) {
        int link = 0;
        while (link < TUNE_LINKS && !plan_is_word(word, n, tune_link_names[link]))
            link++;
        if (link == TUNE_LINKS)
            return pps_fail(err, PPS_E_INPUT,
                            "--keep %.*s: expected recompute, split, strategy or schedule",
                            (int)n, word);
        t->keep[link] = true;
    }
    return PPS_OK;
}

static enum pps_status read_options(struct tuning *t, struct pps_error *err)
{
    double seconds = 0;
    t->folder = pps_arg(t->args, "output");
    enum pps_status status = read_keep(t, err);
    if (status == PPS_OK)
        status = plan_arg_threads(t->args, 256, &t->threads, err);
    t->fit = ND_FIT_USUAL;
    if (status == PPS_OK)
        status = pps_arg_number(t->args, "fit", 0, 0.999, &t->fit, err);
    if (status == PPS_OK)
        status = pps_arg_number(t->args, "time", 0, 1e9, &seconds, err);
    t->poll =
        (struct poll){.over = poll_flag,
                      .self = seconds > 0 ? pps_signals_alarm(seconds) : pps_signals_install()};
    if (status == PPS_OK && pps_arg(t->args, "quiet") == NULL)
        status = pps_progress_parse(pps_arg(t->args, "progress"), &t->progress, err);
    return status;
}

// ---- the space ----------------------------------------------------------------------------------

static void raise(int32_t *bound, int32_t value)
{
    *bound = value > *bound ? value : *bound;
}

static void add_size(struct training *training, int64_t mbs)
{
    for (int k = 0; k < training->n_mbs; k++)
        if (training->mbs[k] == mbs)
            return;
    if (training->n_mbs < TRAINING_MBS_MAX && training->gbs % mbs == 0)
        training->mbs[training->n_mbs++] = mbs;
}

// Adds sizes of micro-batches to the usual ones, unless a document of the user lists them.
static void add_sizes(const struct tuning *t, struct training *training)
{
    if (pps_arg(t->args, "training") == NULL) {
        add_size(training, 8);
        add_size(training, 16);
    }
    if (t->mine.has)
        add_size(training, t->mine.plan.configuration.strategy.mbs);
}

// What the framework can run: the training of the user is always within the bounds.
static enum pps_status open_space(struct tuning *t, struct pps_error *err)
{
    struct nd_job *job = &t->input.job;
    const struct nd_strategy *own = t->mine.has ? &t->mine.plan.configuration.strategy : NULL;
    job->vary.cp = own != NULL && own->cp > 1;
    add_sizes(t, &job->run.training);
    const enum pps_status status = nd_job_space(job, t->args, err);
    struct nd_filters *filters = &job->filters;
    if (status != PPS_OK)
        return status;
    nd_filters_drop(filters, nd_filter_name(ND_EP_FSDP));
    if (own != NULL) {
        raise(&filters->tp_max, own->tp);
        raise(&filters->pp_max, own->pp);
        raise(&filters->ep_max, own->ep);
    }
    return PPS_OK;
}

static enum pps_status open_input(struct tuning *t, struct pps_error *err)
{
    struct nd_input *input = &t->input;
    input->effort.max_nodes = SEARCH_LIMIT;
    enum pps_status status = nd_input_open(input, t->args, err);
    if (status != PPS_OK)
        return status;
    input->effort.max_seconds = 0;
    input->effort.stop = t->poll.self;
    input->allow_select = true;
    if (plan_run_configuration(&input->job.run) == NULL)
        input->dialect = nd_dialect_of(FRAMEWORK_MEGATRON);
    status = nd_rewritten_modules(&input->job.run.training.recompute_modules, t->args,
                                  &input->job.run, err);
    t->group = nd_left_out_group(&input->job.run.cluster.hardware, &input->job.run.training,
                                 &input->job.run.model);
    return status;
}

// The training of the user is where the search starts.
static enum pps_status open_mine(struct tuning *t, struct pps_error *err)
{
    enum pps_status status =
        plan_mine_open(&t->mine, &t->input.job.run, t->input.quiet, &t->poll, err);
    t->now_seconds = HUGE_VAL;
    t->now_answer = -1;
    tune_open_limits(t);
    if (status != PPS_OK || !t->mine.has)
        return status;
    const double seconds = t->mine.step.peak <= t->safe ? t->mine.step.seconds : HUGE_VAL;
    return tune_take(t, -1, seconds, &t->mine.plan.configuration, err);
}

// ---- the search ---------------------------------------------------------------------------------

static enum pps_status search(struct tuning *t, struct pps_error *err)
{
    // The first line of a terminal is due at once.
    t->shown = t->progress == PPS_PROGRESS_LINE ? 0 : pps_wall_seconds();
    enum pps_status status = tune_run_links(t, err);
    if (status == PPS_OK)
        status = tune_search_risky(t, err);
    tune_progress_end(t);
    tune_sort(t);
    for (int k = 0; k < t->n && status == PPS_OK; k++)
        status = tune_open_answer(t, &t->answers[k], err);
    return status == PPS_OK ? tune_price_answers(t, err) : status;
}

static enum pps_status finish(struct tuning *t, struct pps_error *err)
{
    const bool json = pps_arg(t->args, "json") != NULL;
    enum pps_status status = PPS_OK;
    if (!json)
        tune_print(t);
    fflush(stdout);
    status = tune_write_folders(t, err);
    if (status == PPS_OK && json)
        status = tune_print_json(t, err);
    if (status != PPS_OK)
        return status;
    if (tune_ended(t))
        return pps_fail(err, PPS_E_STOPPED, "the search ended early");
    if (t->n == 0 && !tune_has_mine(t))
        return pps_fail(err, PPS_E_INFEASIBLE, "no training that was tried fits in memory%s%s",
                        t->refused > 0 ? ": " : "", t->why);
    return PPS_OK;
}

static enum pps_status run(struct tuning *t, struct pps_error *err)
{
    enum pps_status status = read_options(t, err);
    if (status == PPS_OK)
        status = open_input(t, err);
    if (status != PPS_OK)
        return status;
    status = tune_check_folder(t, err);
    if (status == PPS_OK)
        status = open_mine(t, err);
    if (status == PPS_OK)
        status = open_space(t, err);
    if (status == PPS_OK)
        status = search(t, err);
    return status == PPS_OK ? finish(t, err) : status;
}

static enum pps_status tune_main(const struct pps_args *args, struct pps_error *err)
{
    struct tuning tuning = {.args = args, .progress = PPS_PROGRESS_NEVER};
    const enum pps_status status = run(&tuning, err);
    tune_free_answers(&tuning);
    configuration_free(&tuning.now);
    plan_mine_close(&tuning.mine);
    nd_input_close(&tuning.input);
    return status;
}

const struct pps_command tune_command = {
    .name = "tune",
    .summary = "find better trainings than that of a file, and write files to launch them",
    .usage = "[options] [MODEL] FILE [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .same = plan_same_options,
    .min_words = 1,
    .max_words = 3,
    .main = tune_main,
};

const struct pps_command *const tune_tools[] = {&tune_command, NULL};
