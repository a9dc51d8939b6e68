// SPDX-License-Identifier: Apache-2.0
// ppsweep schedule judge: compares static orders, PULL and policies on fluctuating times.
#include "base/text/human.h"
#include "extras/commands.h"

#include "base/text/say.h"
#include "base/text/status.h"
#include "engine/command/signals.h"
#include "extras/judge/contest.h"
#include "extras/judge/protocol.h"
#include "extras/judge/published.h"
#include "planner/schedule/show.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- variants ----------------------------------------------------------------------------------

#define JUDGE_VARIANT_OPTIONS                                                                  \
    {"protocol", 0, NULL,                                                                      \
     "the grid of docs/schedule-learning.md: lists of -p, levels, outliers"},                  \
        {"compat", 0, "NAME", "orig: the published experiment, greedy against PPO (none)"},    \
        PUBLISHED_OPTIONS

static enum pps_status refuse(const struct pps_args *args, const char *const *options,
                              const char *why, struct pps_error *err)
{
    for (int i = 0; options[i] != NULL; i++)
        if (pps_arg(args, options[i]) != NULL)
            return pps_fail(err, PPS_E_INPUT, "--%s %s", options[i], why);
    return PPS_OK;
}

static enum pps_status run_published(const struct pps_args *args, struct pps_error *err)
{
    static const char *const unused[] = {
        "protocol",  "chunks", "times",    "latency", "limit",  "outliers", "noise",
        "threshold", "lag",    "baseline", "speed",   "output", "force",    NULL};
    enum pps_status status = refuse(args, unused, "is not an option of --compat orig", err);
    if (status == PPS_OK && pps_arg_words(args) > 0)
        status = pps_fail(err, PPS_E_INPUT, "%s: --compat orig compares its own two schedulers",
                          pps_arg_word(args, 0));
    return status == PPS_OK ? published_main(args, err) : status;
}

static enum pps_status run_protocol(const struct pps_args *args, struct pps_error *err)
{
    static const char *const unused[] = {
        "micro-batches", "chunks",   "times", "latency", "limit", "noise", "threshold",
        "lag",           "baseline", "speed", "output",  "force", NULL};
    const enum pps_status status = refuse(args, unused, "is not an option of --protocol", err);
    return status == PPS_OK ? protocol_main(args, err) : status;
}

// Runs a variant if the options select one. *ran: false: they do not. Options that the variant does not use
// are refused.
static enum pps_status judge_variant(const struct pps_args *args, bool *ran,
                                     struct pps_error *err)
{
    static const char *const published[] = {"episodes", "size", "base", "base-comm", NULL};
    bool orig = false;
    enum pps_status status = plan_arg_compat(args, &orig, err);
    *ran = orig || pps_arg(args, "protocol") != NULL;
    if (status == PPS_OK && !orig)
        status = refuse(args, published, "needs --compat orig", err);
    if (status != PPS_OK || !*ran)
        return status;
    return orig ? run_published(args, err) : run_protocol(args, err);
}

// Without the options and words that select a pipeline or what is printed of it, the contest runs.
static bool is_contest(const struct pps_args *args)
{
    static const char *const others[] = {"devices",  "micro-batches", "chunks", "limit",
                                         "outliers", "baseline",      "speed",  "output"};
    bool is = pps_arg_words(args) == 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is = is && pps_arg(args, others[i]) == NULL;
    return is;
}

// ---- arguments ----------------------------------------------------------------------------------

enum { THREADS_MAX = 64 };

static const struct pps_opt options[] = {
    {"devices", 'n', "P", "devices of the pipeline (8)"},
    {"micro-batches", 'm', "M", "micro-batches of a step (32)"},
    {"chunks", 0, "V", "chunks (stages) per device: 1, or 2 in placement V (1)"},
    {"times", 0, "F,B,W",
     "times of forward, backward of the input, backward of the weights (12,13,7)"},
    {"latency", 0, "TIME", "time of a message between two devices (1)"},
    {"limit", 0, "LIST", "memory of each device, in forwards of a micro-batch (P,2P-1)"},
    {"levels", 0, "LIST",
     "standard deviations of times by their nominal times (0,0.1,0.2,0.3; one table: to 0.5)"},
    {"outliers", 0, "LIST", "probabilities that a message takes 20 times as long (0)"},
    {"replicates", 0, "N", "steps with other times, at least 2 (1000; one table: 32)"},
    {"noise", 0, "NAME", "normal, lognormal or gamma (normal)"},
    {"threshold", 0, "X",
     "of pull: a W runs early if the wait is at least X times its time (0.5)"},
    {"lag", 0, "N", "of pull, w_floats: W's that may be late when an F or B is ready (0)"},
    {"baseline", 0, "NAME",
     "the schedule or policy that others are compared with (the best order)"},
    {"seed", 0, "N", "number of the test: its random numbers have seed 2^31 + N (0)"},
    {"speed", 0, NULL, "print decisions/s to stderr"},
    {"threads", 'j', "N", "worker threads (all CPUs this process may use)"},
    JUDGE_VARIANT_OPTIONS,
    {"output", 'o', "CSV", "write the table to a file, with intervals of the quantiles"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "Compares zero bubble schedules, 1F1B and policies that decide while the step runs, at equal\n"
    "limits of memory. POLICY is pull, which moves W into waits for messages; w_floats, which\n"
    "does so without an estimate of the wait; robust, the static order with the least mean over\n"
    "256 replicates of training; or a JSON file. Without POLICY: pull, and the policies that come\n"
    "with the program.\n"
    "\n"
    "Without POLICY and options of a pipeline, the command prints one table for 4, 8 and 16\n"
    "devices, levels 0 to 0.5 and 32 replicates: ZB-H1, ZB-H2, ZB-V, V-Half and V-Min at equal\n"
    "memory, each as it is, under pull and under the policies that come with the program; and\n"
    "below it what takes least, and what learning saves. It takes 20 seconds on one core.\n"
    "\n"
    "All of them meet the same times (paired replicates), which no training has used. The table\n"
    "has the mean time of a step and half of its 95 % interval, the paired difference to the\n"
    "baseline, the part of replicates in which the step takes less time than under the baseline,\n"
    "quantiles, and the distance to the mean of lower bounds that know all times in advance.\n"
    "A learned policy that gains nothing over its static order in at most 128 other replicates (validation)\n"
    "falls back to it, and the table says so.\n"
    "Better and worse are significant at 5 % after Holm's correction for all tests of the table.\n"
    "The output is the same for any number of threads.\n"
    "\n"
    "--protocol compares static orders and rules over a grid of pipelines (-n 4,8,16), levels\n"
    "and outliers (0,0.02). --compat orig repeats a published experiment (-n 4 -m 6, 10\n"
    "replicates, seed 42) and explains its result. docs/schedule-learning.md has the results.\n"
    "\n"
    "  ppsweep schedule judge\n"
    "  ppsweep schedule judge -n 8\n"
    "  ppsweep schedule judge pull w_floats -n 16 -m 64 --outliers 0,0.02 -o judged.csv\n"
    "  gnuplot -e \"csv='judged.csv'; out='judged.png'\" plot_scripts/judge.gp\n";

// ---- options ------------------------------------------------------------------------------------

// Options whose value is that of a parameter.
static const struct schedule_option single[] = {
    {"devices", P_P},
    {"micro-batches", P_M},
    {"chunks", P_V},
    {"latency", P_LATENCY},
    {"replicates", P_REPLICATES},
    {"noise", P_NOISE},
    {"threshold", P_THRESHOLD},
    {"lag", P_LAG},
    {"seed", P_SEED},
};

// Reads values separated by commas, each a value of the parameter.
static enum pps_status read_list(struct judge_list *list, const struct pps_args *args,
                                 const char *option, int param, struct pps_error *err)
{
    const char *rest = pps_arg(args, option);
    if (rest == NULL)
        return PPS_OK;
    for (list->n = 0;; rest++) {
        const size_t n = strcspn(rest, ",");
        if (list->n == JUDGE_LIST_MAX)
            return pps_fail(err, PPS_E_INPUT, "--%s: more than %d values", option,
                            JUDGE_LIST_MAX);
        const enum pps_status status = schedule_read_value(
            &list->value[list->n++], option, rest, n, &schedule_params[param], err);
        rest += n;
        if (status != PPS_OK || *rest == '\0')
            return status;
    }
}

static void set_defaults(struct judge_job *job, bool contest)
{
    static const struct {
        int param;
        double value;
    } own[] = {{P_P, 8}, {P_M, 32},      {P_F, 12},  {P_B, 13},
               {P_W, 7}, {P_LATENCY, 1}, {P_SEED, 0}};
    for (int p = 0; p < N_PARAMS; p++)
        job->value[p] = schedule_params[p].fallback;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        job->value[own[i].param] = own[i].value;
    if (contest)
        job->value[P_REPLICATES] = CONTEST_REPLICATES;
    job->levels = (struct judge_list){{0, 0.1, 0.2, 0.3, 0.4, 0.5}, contest ? 6 : 4};
    job->outliers = (struct judge_list){{0}, 1};
}

static enum pps_status read_options(struct judge_job *job, const struct pps_args *args,
                                    struct pps_error *err)
{
    static const int times[] = {P_F, P_B, P_W};
    set_defaults(job, is_contest(args));
    enum pps_status status =
        schedule_read_single(job->value, single, sizeof single / sizeof *single, args, err);
    if (status == PPS_OK)
        status = schedule_read_three(job->value, args, "times", times, "12,13,7", err);
    job->limits = (struct judge_list){{job->value[P_P], 2 * job->value[P_P] - 1},
                                      job->value[P_P] > 1 ? 2 : 1};
    if (status == PPS_OK)
        status = read_list(&job->limits, args, "limit", P_LIMIT, err);
    if (status == PPS_OK)
        status = read_list(&job->levels, args, "levels", P_LEVEL, err);
    if (status == PPS_OK)
        status = read_list(&job->outliers, args, "outliers", P_OUTLIER_P, err);
    if (status == PPS_OK)
        status = plan_arg_threads(args, THREADS_MAX, &job->threads, err);
    if (status == PPS_OK && job->value[P_SEED] >= 0x1p30)
        status = pps_fail(err, PPS_E_INPUT, "--seed %.0f: expected a number below 2^30",
                          job->value[P_SEED]);
    if (status == PPS_OK && job->value[P_V] > 2)
        status = pps_fail(err, PPS_E_INPUT, "--chunks %.0f: expected 1 or 2", job->value[P_V]);
    return status;
}

// ---- the command --------------------------------------------------------------------------------

static enum pps_status report(const struct judge_job *job, const struct pps_args *args,
                              struct pps_error *err)
{
    const struct judge *judge = &job->judge;
    const double *value = job->value;
    struct text_buffer text = {.text = NULL};
    schedule_show_times(value, NULL);
    printf("%s replicates of every row, test seed %llu\n", pps_count_text(judge->n).text,
           (unsigned long long)judge->seed);
    judge_show(judge);
    if (pps_arg(args, "speed") != NULL)
        judge_show_speed(judge);
    if (pps_arg(args, "output") == NULL)
        return PPS_OK;
    judge_csv(judge, &text);
    const enum pps_status status =
        plan_write_text(pps_arg(args, "output"), &text, pps_arg_gate(args), err);
    if (status == PPS_OK)
        pps_say(stdout, "wrote     %s", pps_arg(args, "output"));
    return status;
}

static enum pps_status judge_all(struct judge_job *job, const struct pps_args *args,
                                 struct pps_error *err)
{
    struct judge *judge = &job->judge;
    judge->widest = job->policies.widest;
    judge->training = (uint64_t)job->value[P_SEED];
    judge->validation = JUDGE_VALIDATION_SEED + judge->training;
    judge->seed = JUDGE_FIRST_SEED + judge->training;
    judge->n = (uint32_t)job->value[P_REPLICATES];
    judge->intervals = pps_arg(args, "output") != NULL;
    judge->stop = pps_signals_install();
    const bool contest = is_contest(args);
    enum pps_status status =
        contest ? contest_set(job, err) : judge_cells_set(job, pps_arg(args, "baseline"), err);
    if (status == PPS_OK)
        status = judge_run(judge, (int)job->threads, err);
    if (status == PPS_OK && contest)
        contest_show(job);
    if (contest)
        return status;
    return status == PPS_OK ? report(job, args, err) : status;
}

static enum pps_status judge_main(const struct pps_args *args, struct pps_error *err)
{
    bool ran = false;
    enum pps_status status = judge_variant(args, &ran, err);
    if (status != PPS_OK || ran)
        return status;
    struct judge_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return pps_fail_memory(err, "the command");
    status = read_options(job, args, err);
    if (status == PPS_OK)
        status = judge_policies_read(&job->policies, job->value, args, err);
    if (status == PPS_OK && pps_arg(args, "output") != NULL)
        status = plan_check_file(pps_arg(args, "output"), pps_arg_gate(args), err);
    if (status == PPS_OK)
        status = judge_all(job, args, err);
    judge_job_free(job);
    free(job);
    return status;
}

const struct pps_command schedule_judge_command = {
    .name = "schedule judge",
    .summary = "compare static orders and online policies on fluctuating times",
    .usage = "[options] [POLICY...]",
    .details = details,
    .options = options,
    .config = true,
    .max_words = -1,
    .main = judge_main,
};
