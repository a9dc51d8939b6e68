// SPDX-License-Identifier: Apache-2.0
// ppsweep schedule: compares the schedules of a pipeline.

#include "base/text/say.h"
#include "engine/command/signals.h"
#include "kernels/schedule/family_names.h"
#include "planner/schedule/compare.h"
#include "planner/schedule/output.h"
#include "planner/schedule/request.h"
#include "planner/schedule/show.h"
#include "planner/schedule/units.h"
#include "planner/shared/options.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64 };

static const struct pps_opt options[] = {
    {"devices", 'n', "P", "devices of the pipeline (4)"},
    {"micro-batches", 'm', "M", "micro-batches of a step (8)"},
    {"chunks", 0, "V", "chunks (stages) per device (1: as each family needs)"},
    SCHEDULE_PIPELINE_OPTIONS,
    {"family", 'f', "NAME",
     "a family, its class in PyTorch, all, best, or order: that of --order (all)"},
    {"order", 0, "FILE", "also compare the order of FILE"},
    {"baseline", 0, "FAMILY", "compare with this family (1f1b; of a training its own order)"},
    {"objective", 0, "NAME", "minimise makespan or span (makespan)"},
    {"group", 0, "N", "micro-batches of a group: " FAMILIES_WITH_GROUP " (P)"},
    {"slices", 0, "Q", "parts of a micro-batch along the sequence: seq_1f1b (1)"},
    {"descending", 0, NULL, FAMILIES_WITH_DESCENDING ": backwards from the last micro-batch"},
    {"budget", 0, "N", "evaluations of a search (40000)"},
    {"seed", 0, "N", "seed of searches and of fluctuating times (42)"},
    {"level", 0, "L", "times fluctuate: their standard deviation by their nominal times (0)"},
    {"message-level", 0, "L", "the same for messages (as --level)"},
    {"outliers", 0, "P", "probability that a message takes 20 times as long (0)"},
    {"noise", 0, "NAME", "normal, lognormal or gamma (normal)"},
    {"replicates", 0, "N", "steps with other times, at least 2 (1000)"},
    {"rule", 0, "NAME", "static: the order; pull, w_floats: move W during the step (static)"},
    {"compat", 0, "NAME", "orig: " FAMILIES_WITH_PUBLISHED " as published (none)"},
    {"output", 'o', "DIR",
     "write the table, the best order, its plan and its timeline to a folder"},
    {"to", 0, "FORM", "form of the order in DIR: text, pytorch or json (text)"},
    {"messages", 0, NULL, "--to pytorch: with sends and receives"},
    {"trace", 0, "FILE", "write the timeline of the best: NAME.json, .svg, .png or .csv"},
    {"threads", 'j', "N", "worker threads (all CPUs this process may use)"},
    {"progress", 0, "HOW", "auto, line, log, json or never (auto)"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "For a pipeline of P devices and M micro-batches, the command builds every schedule that is\n"
    "possible, executes it, and prints the best first: time of a step (makespan), largest time\n"
    "of a device (span), idle part (bubble), peak memory and a lower bound of the objective. A\n"
    "star marks an order that is proven optimal.\n"
    "\n"
    "Times and memory are those of a micro-batch on a whole device. A device with several chunks\n"
    "runs parts of them, so that all schedules do the same work.\n"
    "\n"
    "With --level or --outliers, every schedule runs in N replicates with the same fluctuating\n"
    "times, and the table has the mean makespan with half of its 95 % interval, the paired\n"
    "difference to the baseline, and quantiles; the least mean is first. Orders, timelines and\n"
    "plans that the command writes are those of the nominal times.\n"
    "\n"
    "PLAN is a JSON file with the times and memory of every stage, in s and bytes. A schedule with\n"
    "other stages divides the work of each device equally among its stages; head and tail of the\n"
    "model, if PLAN knows them, are part of the first and the last stage. FILE is a training: a\n"
    "configuration of Megatron-LM, MindSpeed, MindFormers or torchtitan, priced on CLUSTER as by\n"
    "ppsweep check; its own order is the row mine, with which the others are compared.\n"
    "\n"
    "-o writes the best order of all that are named: of the family, of --order, or of all.\n"
    "\n"
    "  ppsweep schedule -n 8 -m 32 --times 12,13,7 --latency 1 --limit 8\n"
    "  ppsweep schedule -n 8 -m 32 --times 12,13,7 --latency 1 --limit 8 --level 0.2\n"
    "  ppsweep schedule -n 4 -m 8 --family zb_h1 -o zb --to pytorch --trace zb.svg\n"
    "  ppsweep schedule my-training.sh h100\n";

// ---- candidates ---------------------------------------------------------------------------------

static const char *why_not(const double value[N_PARAMS], const struct schedule_shared *shared)
{
    const int reason = schedule_check(value, shared);
    return reason == 0 ? NULL : schedule_reasons[reason];
}

// A family with a fixed number of chunks takes that number, whatever --chunks is.
static struct schedule_candidate candidate_of(const double value[N_PARAMS],
                                              const struct schedule_shared *shared, int family)
{
    double own[N_PARAMS];
    memcpy(own, value, sizeof own);
    own[P_FAMILY] = family;
    const struct family *of = schedule_family_at(family);
    if (of == NULL || of->chunks(1) == of->chunks(SCHEDULE_CHUNKS_MAX))
        own[P_V] = 1;
    return (struct schedule_candidate){.label = schedule_family_names[family],
                                       .point = schedule_point_of(own, shared),
                                       .why = why_not(own, shared)};
}

struct job {
    double value[N_PARAMS];
    struct schedule_comparison comparison;
    struct schedule_inputs inputs;
    const struct pps_args *args;
    const char *family, *baseline;
    int family_index, baseline_index;
    struct schedule_output output;
    uint64_t threads;
};

static bool is_wanted(const struct job *job, int family)
{
    if (strcmp(schedule_family_names[family], "one_f_one_b") == 0)
        return false; // 1f1b
    if (strcmp(job->family, "all") == 0)
        return family < FAMILY_NAME_ORDER;
    return family == job->family_index || family == job->baseline_index;
}

static bool has_order(const struct job *job)
{
    const struct schedule_inputs *inputs = &job->inputs;
    return inputs->shared.n_orders > 0 || (inputs->plan != NULL && inputs->plan->order != NULL);
}

// Returns whether the plan is that of a training, with its order: the one to compare with.
static bool is_training(const struct job *job)
{
    const struct plan *plan = job->inputs.plan;
    return plan != NULL && plan->configuration != NULL && plan->order != NULL &&
           job->inputs.shared.n_orders == 0;
}

static enum pps_status list_candidates(struct job *job, struct pps_error *err)
{
    struct schedule_comparison *comparison = &job->comparison;
    comparison->list = calloc(FAMILY_NAMES + 1, sizeof *comparison->list);
    if (comparison->list == NULL)
        return pps_fail_memory(err, "the schedules");
    for (int i = 0; i < FAMILY_NAMES; i++)
        if (i != FAMILY_NAME_ORDER && is_wanted(job, i))
            comparison->list[comparison->n++] =
                candidate_of(job->value, &job->inputs.shared, i);
    if (!has_order(job))
        return PPS_OK;
    struct schedule_candidate *order = &comparison->list[comparison->n++];
    *order = candidate_of(job->value, &job->inputs.shared, FAMILY_NAME_ORDER);
    order->label = job->inputs.order_path != NULL ? job->inputs.order_path
                   : is_training(job)             ? "mine"
                                                  : "order of the plan";
    return PPS_OK;
}

// Returns whether the order of a candidate may be written, and not only compared: those of the families and of
// the file that are named.
static bool is_named(const struct job *job, const struct schedule_candidate *candidate)
{
    const struct family *family = candidate->point.family;
    return strcmp(job->family, "all") == 0 || family == schedule_family_at(job->family_index) ||
           (family == NULL && job->inputs.order_path != NULL);
}

// Says which orders the form of the output cannot hold before anything is searched.
static enum pps_status check_form(struct job *job, struct pps_error *err)
{
    struct schedule_comparison *comparison = &job->comparison;
    const struct schedule_candidate *left_out = NULL;
    struct text_buffer names = {.text = NULL};
    struct pps_fault fault;
    bool any = false;
    for (int i = 0; i < comparison->n; i++) {
        struct schedule_candidate *c = &comparison->list[i];
        c->point.options.one_direction = job->output.form == ORDER_FORM_PYTORCH;
        if (c->why != NULL || !is_named(job, c))
            continue;
        if (schedule_output_holds(&job->output, c, &fault)) {
            any = true;
            continue;
        }
        text_buffer_add(&names, "%s%s", left_out != NULL ? ", " : "", c->label);
        left_out = c;
    }
    enum pps_status status = PPS_OK;
    if (names.failed)
        status = pps_fail_memory(err, "the schedules");
    else if (left_out != NULL && !any)
        status = schedule_fail_form(&job->output, left_out, err);
    else if (left_out != NULL)
        pps_say(stderr,
                "ppsweep: --to pytorch cannot hold the orders of %s; the best of the others is "
                "written",
                names.text);
    text_buffer_free(&names);
    return status;
}

// ---- options ------------------------------------------------------------------------------------

// Reads a name of one_f_one_b as 1f1b, which the table has.
static enum pps_status read_family(const char *option, const char *name, int *index,
                                   struct pps_error *err)
{
    return schedule_read_family(option, strcmp(name, "one_f_one_b") == 0 ? "1f1b" : name, index,
                                err);
}

// The family order needs an order.
static enum pps_status check_order(const struct job *job, struct pps_error *err)
{
    const char *option = job->family_index == FAMILY_NAME_ORDER     ? "family"
                         : job->baseline_index == FAMILY_NAME_ORDER ? "baseline"
                                                                    : NULL;
    if (option == NULL || has_order(job))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--%s order: add --order FILE, or a plan with an order",
                    option);
}

static enum pps_status read_families(struct job *job, const struct pps_args *args,
                                     struct pps_error *err)
{
    job->family = pps_arg(args, "family");
    job->baseline = pps_arg(args, "baseline");
    job->family_index = job->baseline_index = -1;
    enum pps_status status = PPS_OK;
    if (job->family == NULL)
        job->family = "all";
    if (strcmp(job->family, "all") != 0)
        status = read_family("family", job->family, &job->family_index, err);
    if (status == PPS_OK)
        status = read_family("baseline",
                             job->baseline != NULL ? job->baseline
                             : is_training(job)    ? "order"
                                                   : "1f1b",
                             &job->baseline_index, err);
    return status == PPS_OK ? check_order(job, err) : status;
}

static enum pps_status read_inputs(struct job *job, const struct pps_args *args,
                                   struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (pps_arg_words(args) > 0)
        status =
            schedule_inputs_plan(&job->inputs, pps_arg_word(args, 0),
                                 pps_arg_words(args) > 1 ? pps_arg_word(args, 1) : NULL, err);
    if (status == PPS_OK && pps_arg(args, "order") != NULL)
        status = schedule_inputs_order(&job->inputs, pps_arg(args, "order"), err);
    return status;
}

// A family that is named must be possible, and use the options.
static enum pps_status check_family(const struct job *job, struct pps_error *err)
{
    if (job->family_index < 0)
        return PPS_OK;
    const struct schedule_candidate candidate =
        candidate_of(job->value, &job->inputs.shared, job->family_index);
    if (candidate.why == NULL)
        return schedule_check_unused(job->value, job->family, &candidate.point,
                                     schedule_family_at(job->baseline_index), job->args, err);
    return pps_fail(err, PPS_E_INPUT, "--family %s: %s (p %d, m %d, v %d)", job->family,
                    candidate.why, candidate.point.shape.devices,
                    candidate.point.shape.micro_batches,
                    candidate.point.shape.stages / candidate.point.shape.devices);
}

// ---- the command --------------------------------------------------------------------------------

// Finds the candidate of a family; NULL: the order of a document.
static const struct schedule_candidate *find(const struct schedule_comparison *comparison,
                                             const struct family *family)
{
    for (int i = 0; i < comparison->n; i++)
        if (comparison->list[i].point.family == family)
            return &comparison->list[i];
    return NULL;
}

// Nothing fits: the least limit that is enough.
static enum pps_status fail_all(const struct job *job, struct pps_error *err)
{
    const struct schedule_candidate *first = &job->comparison.list[0];
    if (first->outcome == CANDIDATE_OVER_LIMIT && job->value[P_LIMIT] < 0)
        return pps_fail(
            err, PPS_E_INFEASIBLE,
            "no schedule fits in the memory of the plan; %s needs the least limit: %s",
            first->label,
            schedule_memory_text(first->point.plan, first->figures.least_limit).text);
    if (first->outcome == CANDIDATE_OVER_LIMIT)
        return pps_fail(err, PPS_E_INFEASIBLE,
                        "no schedule fits: --limit %.10g; %s needs the least limit: %.10g",
                        job->value[P_LIMIT], first->label, first->figures.least_limit);
    if (first->outcome == CANDIDATE_IMPOSSIBLE)
        return pps_fail(err, PPS_E_INPUT, "no schedule is possible: %s: %s", first->label,
                        first->why);
    return pps_fail(err, PPS_E_INFEASIBLE,
                    "no schedule is possible: %s has no order for these times and this limit",
                    first->label);
}

// Returns the best candidate whose order may be written; NULL: none fits.
static const struct schedule_candidate *chosen(const struct job *job)
{
    const struct schedule_comparison *comparison = &job->comparison;
    struct pps_fault fault;
    for (int i = 0; i < comparison->n; i++) {
        const struct schedule_candidate *c = &comparison->list[i];
        if (c->outcome == CANDIDATE_FITS && is_named(job, c) &&
            schedule_output_holds(&job->output, c, &fault))
            return c;
    }
    return NULL;
}

// Messages that hang if they are blocking: refused where they are, otherwise a warning.
static enum pps_status check_messages(struct job *job, struct pps_error *err)
{
    if (!job->inputs.order.hangs)
        return PPS_OK;
    const enum pps_status status = schedule_inputs_messages(&job->inputs, err);
    if (status != PPS_E_INPUT || job->value[P_CHANNELS] == PIPELINE_BLOCKING)
        return status;
    pps_say(stderr, "warning   %s:%d:%d: %s", err->file, err->line, err->column, err->text);
    *err = (struct pps_error){.code = PPS_OK};
    return PPS_OK;
}

static enum pps_status compare(struct job *job, struct pps_error *err)
{
    struct schedule_comparison *comparison = &job->comparison;
    comparison->objective = (enum family_objective)job->value[P_OBJECTIVE];
    comparison->stop = pps_signals_install();
    enum pps_status status = list_candidates(job, err);
    if (status == PPS_OK)
        status = check_form(job, err);
    if (status == PPS_OK)
        status = schedule_compare(comparison, (int)job->threads, err);
    if (status != PPS_OK)
        return status;
    const struct schedule_candidate *base =
        find(comparison, schedule_family_at(job->baseline_index));
    schedule_show_pipeline(job->value, job->inputs.plan);
    schedule_show(comparison, base);
    if (comparison->list[0].outcome != CANDIDATE_FITS)
        return fail_all(job, err);
    return schedule_write_output(&job->output, comparison, base, chosen(job), err);
}

static enum pps_status schedule_main(const struct pps_args *args, struct pps_error *err)
{
    struct job job = {.args = args};
    enum pps_status status = read_inputs(&job, args, err);
    if (status == PPS_OK)
        status = schedule_read_values(job.value, &job.inputs, args, err);
    if (status == PPS_OK)
        status = plan_arg_threads(args, THREADS_MAX, &job.threads, err);
    if (status == PPS_OK)
        status = pps_progress_parse(pps_arg(args, "progress"), &job.comparison.progress, err);
    if (status == PPS_OK)
        status = read_families(&job, args, err);
    if (status == PPS_OK)
        status = check_messages(&job, err);
    if (status == PPS_OK)
        status = check_family(&job, err);
    if (status == PPS_OK)
        status = schedule_read_output(&job.output, args, err);
    if (status == PPS_OK)
        status = compare(&job, err);
    schedule_comparison_free(&job.comparison);
    schedule_inputs_free(&job.inputs);
    return status;
}

const struct pps_command schedule_command = {
    .name = "schedule",
    .summary = "compare the schedules of a pipeline: time, bubble, memory",
    .usage = "[options] [PLAN|FILE [CLUSTER]]",
    .details = details,
    .options = options,
    .config = true,
    .max_words = 2,
    .main = schedule_main,
};
