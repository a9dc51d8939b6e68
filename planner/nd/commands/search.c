// SPDX-License-Identifier: Apache-2.0
// ppsweep nd: finds the parallel strategies that can train a model on a cluster, and the strategies
// that are worth profiling.
#include "planner/nd/commands/commands.h"

#include "engine/command/signals.h"
#include "planner/nd/commands/dry_runs.h"
#include "planner/nd/commands/launch.h"
#include "planner/nd/commands/search_baseline.h"
#include "planner/nd/commands/search_files.h"
#include "planner/nd/commands/search_replay.h"
#include "planner/nd/commands/search_report.h"
#include "planner/nd/input/baseline.h"
#include "planner/nd/input/search_options.h"
#include "planner/shared/options.h"

#include "base/text/number.h"
#include "base/text/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- options ------------------------------------------------------------------------------------

static const struct pps_opt options[] = {
    PLAN_RUN_OPTIONS,
    {"preset", 0, "NAME", "search space and filters: classic, zero, fsdp or megatron (zero)"},
    {"strategy", 0, "WORDS", "degrees to vary: dp tp pp ep cp fsdp =on or =off (all but cp)"},
    {"filters", 0, "NAMES", "use these filters, in this order; legality rules always apply"},
    {"add-filter", 0, "NAME", "add a filter at the end of the list; may be repeated"},
    {"drop-filter", 0, "NAME", "remove a filter from the list; may be repeated"},
    {"rule", 0, "NAME=off", "turn a legality rule off or on; may be repeated"},
    {"tp-max", 0, "N",
     "largest tp, for filter tp_max (the devices of a node; with --preset 64, megatron 8)"},
    {"ep-max", 0, "N", "largest ep, for filter ep_max (64)"},
    {"pp-max", 0, "N", "largest pp, for filter pp_max (32)"},
    {"vp-max", 0, "N",
     "largest vp (chunks per stage), for filter vp_max (3; as published: none)"},
    {"large", 0, "N", "number of devices from which filter sp_large requires sp (1000)"},
    {"list-filters", 0, NULL, "list the filters and exit"},
    {"top", 'k', "N", "number of candidates to show (10)"},
    {"all", 0, NULL, "show candidates that differ only in op, vp or mbs on separate lines"},
    {"all-points", 0, NULL,
     "rank every point, not only the fastest of each (dp, tp, cp, pp, ep, op)"},
    {"why", 0, "DEGREES",
     "explain a strategy: filters that reject it, memory by stage: dp=8,tp=4,pp=2"},
    {"baseline", 0, "DEGREES", "compare with this strategy: dp=8,tp=4,pp=2 (from the file)"},
    {"launch", 0, "FRAMEWORK", "print launch arguments of a strategy: megatron or torchtitan"},
    {"row", 0, "K", "with --launch, use row K of the table (1)"},
    {"at", 0, "DEGREES", "with --launch, use this strategy: dp=8,tp=4,pp=2"},
    {"dry-runs", 0, NULL,
     "print the dry runs that measure memory as CSV, or write them (-o), and exit"},
    {"v-schedule", 0, NULL, "dry runs with two chunks per device in opposite directions"},
    {"dryrun-data", 0, "FILE",
     "read dry-run peaks: a table of dp,tp,pp,ep,peak_mb, or a folder of logs"},
    {"test-ep", 0, "A,B", "the two expert-parallel degrees of the dry runs (8,16)"},
    {"profile-style", 0, "NAME", "list configurations to profile: graph, megatron or fsdp"},
    {"rank-num", 0, "N", "number of devices for profiling (64)"},
    {"profile-max", 0, "N", "maximum number of configurations to profile (20)"},
    {"output", 'o', "DIR", "write nd_candidate_config.csv and profile_yaml/ to this folder"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {"compat", 0, "none|orig", "orig: space, rules and memory as published, with their errors"},
    {"quiet", 'q', NULL, "do not print the counts"},
    {"verbose", 'v', NULL,
     "list filters that remove nothing, and keys of a config.json that do not affect the shape"},
    // published names
    {"yaml-path", 0, "FILE", NULL},
    {"shell-path", 0, "FILE", NULL},
    {"toml-path", 0, "FILE", NULL},
    {"nnodes", 0, "N", NULL},
    {"npus-per-node", 0, "N", NULL},
    {"max-expert-parallel", 0, "N", NULL},
    {"dryrun-data-dir", 0, "FILE", NULL},
    {"output-path", 0, "DIR", NULL},
    {"mindformers-dir", 0, "DIR", NULL},
    {"mindspeed-path", 0, "DIR", NULL},
    {"torchtitan-path", 0, "DIR", NULL},
    {"register-path", 0, "DIR", NULL},
    {"dataset", 0, "DIR", NULL},
    {"small-dataset", 0, "DIR", NULL},
    {"env-json", 0, "FILE", NULL},
    {"profile-data-dir", 0, "DIR", NULL},
    {"parser-result", 0, "FILE", NULL},
    {"alg-phase", 0, "N", NULL},
    {"solver-name", 0, "NAME", NULL},
    {"parallel-num", 0, "N", NULL},
    {"dryrun-lim", 0, "N", NULL},
    {"select-recompute", 0, "BOOL", NULL},
    {"dryrun", 0, "BOOL", NULL},
    {"check", 0, "BOOL", NULL},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "MODEL describes a model (a Hugging Face config.json works too), CLUSTER the devices. One file\n"
    "can contain both under \"model\" and \"cluster\", also \"training\" and \"strategy\". The file name\n"
    "extension selects the format: JSON, YAML, TOML, or lines of key = value with optional\n"
    "[section] lines.\n"
    "\n"
    "Every strategy in the search space passes through the filters in order. The remaining\n"
    "strategies are checked against device memory: without recompute, with selective recompute,\n"
    "then with full recompute. Step times are estimates.\n"
    "\n"
    "Tensor ranks stay within a node or a domain of fast links (--tp-max). Context parallelism is\n"
    "searched from 32 768 tokens per sequence (--strategy cp=on or cp=off). The published spaces\n"
    "(--preset) have limits of their own. The estimate charges no cost for chunks per stage, so\n"
    "--vp-max limits them. Candidates that differ only in op, vp or mbs share one line, which shows\n"
    "the fastest of them.\n"
    "\n"
    "MFU counts the FLOPs that the model needs (causal attention, no recomputation), relative to\n"
    "the 16-bit peak of all devices, with 8-bit products too. HFU counts all executed FLOPs:\n"
    "it includes recomputed layers and the scores that flash attention computes twice.\n"
    "\n"
    "  ppsweep nd sweep_configs/models/deepseek-v3.json -n 1024 --gbs 3840\n"
    "  ppsweep nd MODEL.json CLUSTER.json --why dp=8,tp=16,pp=4,ep=32\n"
    "  ppsweep nd MODEL.json CLUSTER.json --profile-style megatron --rank-num 16 -o outputs/nd\n";

#define NO_TRAINING "this command starts no training; see nd dryrun and nd profile"
#define ONE_SOLVER  "the solver is built in"

// Options of the published tool.
static const struct plan_no_effect no_effect[] = {
    {"mindformers-dir", NO_TRAINING},
    {"mindspeed-path", NO_TRAINING},
    {"torchtitan-path", NO_TRAINING},
    {"register-path", NO_TRAINING},
    {"dataset", NO_TRAINING},
    {"small-dataset", NO_TRAINING},
    {"env-json", NO_TRAINING},
    {"parallel-num", NO_TRAINING},
    {"dryrun-lim", NO_TRAINING},
    {"dryrun", NO_TRAINING},
    {"check", NO_TRAINING},
    {"profile-data-dir", "profiles are used by nd rank and nd pipeline"},
    {"parser-result", "profiles are used by nd rank and nd pipeline"},
    {"alg-phase", "nd searches, nd rank ranks"},
    {"solver-name", ONE_SOLVER},
    {"select-recompute", "the search tries all kinds of recompute"},
    {NULL, NULL},
};

// Silent with --compat orig, whose memory figures do not depend on the sequence length.
static void note_sequence_length(const struct nd_job *job, const struct pps_args *args)
{
    if (!job->run.model.seq_given && pps_arg(args, "seq-length") == NULL &&
        pps_arg(args, "quiet") == NULL && !job->space.orig)
        fprintf(stderr, "note      the model sets no seq_length: using %lld (--seq-length N)\n",
                (long long)job->run.model.seq_length);
}

static void note_context_parallel(const struct nd_job *job, const struct pps_args *args)
{
    bool only_one = false;
    for (int k = 0; k < job->filters.n; k++)
        only_one = only_one || job->filters.list[k] == ND_CP_ONE;
    if (pps_arg(args, "quiet") != NULL || job->space.orig)
        return;
    if (job->vary.cp && only_one)
        fprintf(stderr, "note      cp=on has no effect: filter cp_one rejects cp > 1 "
                        "(--drop-filter cp_one)\n");
    else if (!job->vary.cp && nd_is_long(&job->run.model))
        fprintf(
            stderr,
            "note      the search uses cp=1 only; for long sequences try --strategy cp=on\n");
}

enum { KEYS_MAX = 256 };

static void note_ignored_keys(const struct nd_job *job, const struct pps_args *args)
{
    const char *keys[KEYS_MAX];
    const struct plan_document *file = plan_run_configuration(&job->run);
    if (file != NULL && file->n_ignored > 0 && pps_arg(args, "verbose") != NULL)
        pps_say(stderr, "note      ignored: %s", file->ignored);
    const int n = pps_arg(args, "verbose") != NULL && job->run.model_item != NULL
                      ? modeldesc_ignored(job->run.model_item, keys, KEYS_MAX)
                      : 0;
    for (int k = 0; k < n && k < KEYS_MAX; k++) {
        char key[64];
        number_text_quote(key, sizeof key, keys[k], strlen(keys[k]));
        fprintf(stderr, "%s%s", k > 0 ? ", " : "note      ignored: ", key);
    }
    if (n > KEYS_MAX)
        fprintf(stderr, " and %d more", n - KEYS_MAX);
    if (n > 0)
        fprintf(stderr, "\n");
}

// ---- the search ---------------------------------------------------------------------------------

// The state of a search; the search holds pointers into it.
struct setup {
    struct nd_open_search open;
    struct nd_epfit_result fits;
    struct nd_search_result result;
    struct nd_lines lines;
    struct nd_files files;
};

static enum pps_status set_up(struct setup *setup, const struct nd_job *job,
                              const struct pps_args *args, struct pps_error *err)
{
    uint64_t top = 10;
    struct nd_search *search = &setup->open.search;
    enum pps_status status = pps_arg_count(args, "top", 0, 1000000, &top, err);
    if (status == PPS_OK)
        status = nd_files_read(job, args, &setup->files, err);
    if (status == PPS_OK)
        status = nd_dryrun_fits(job, args, &setup->fits, err);
    if (status == PPS_OK)
        status = nd_search_open(&setup->open, job, (size_t)top, err);
    search->fits = setup->fits.n_groups > 0 ? &setup->fits : NULL;
    search->all_points = pps_arg(args, "all-points") != NULL;
    return status;
}

static void tear_down(struct setup *setup)
{
    nd_epfit_free(&setup->fits);
    nd_search_free(&setup->result);
    free(setup->lines.all);
    nd_search_close(&setup->open);
}

static enum pps_status search(struct setup *setup, struct nd_job *job,
                              const struct pps_args *args, struct pps_error *err)
{
    const bool quiet = pps_arg(args, "quiet") != NULL;
    struct nd_counts counts;
    struct nd_base base;
    struct poll poll = {.over = poll_flag, .self = pps_signals_install()};
    bool launch = false;
    enum pps_status status = nd_launch_requested(args, &launch, err);
    if (status == PPS_OK)
        status = nd_baseline_find(&setup->open.search, job, args, &poll, &base, err);
    if (status != PPS_OK)
        return status;
    if (!nd_search_run(&setup->open.search, &setup->result))
        return pps_fail_memory(err, "the candidates");
    if (!job->space.orig)
        status = nd_replay(&setup->result, job, &poll, err);
    if (status != PPS_OK)
        return status;
    if (!job->space.orig &&
        !nd_lines_of(&setup->lines, &setup->result, pps_arg(args, "all") == NULL))
        return pps_fail_memory(err, "the table");
    if (launch && (setup->result.n > 0 || pps_arg(args, "at") != NULL))
        return nd_launch_print(job, &setup->open.search, &setup->result, args, err);
    if (!quiet || setup->result.n == 0)
        nd_count(&job->space, &job->filters, &counts);
    if (!quiet)
        nd_report_counts(job, &setup->open.search, &counts, &setup->result,
                         job->space.orig || pps_arg(args, "verbose") != NULL);
    if (setup->result.n == 0)
        nd_report_base(&base, job->space.orig, true);
    if (setup->result.n == 0)
        return nd_report_empty(job, &setup->open.search, &counts, &setup->result, err);
    nd_report_table(&setup->open.search, &setup->result, job->space.orig ? NULL : &setup->lines,
                    &base);
    if (!quiet && !job->space.orig)
        nd_report_close(&setup->result, &setup->lines);
    if (!quiet)
        nd_report_space(job);
    if (!quiet)
        nd_report_trust(job);
    if (!quiet && !job->space.orig)
        nd_report_fit(job, &setup->lines);
    return nd_files_write(&setup->files, job, &setup->open.search, &setup->result, &setup->fits,
                          err);
}

static enum pps_status explain(const struct setup *setup, const struct nd_job *job,
                               const struct pps_args *args, struct pps_error *err)
{
    struct nd_strategy strategy;
    const enum pps_status status =
        nd_strategy_read(job, "why", pps_arg(args, "why"), &strategy, err);
    if (status == PPS_OK)
        nd_report_why(job, &setup->open.search, &strategy);
    return status;
}

static enum pps_status run(struct nd_job *job, const struct pps_args *args,
                           struct pps_error *err)
{
    struct setup setup = {.lines = {.all = NULL}};
    enum pps_status status = nd_job_space(job, args, err);
    if (status == PPS_OK && pps_arg(args, "dry-runs") != NULL)
        return nd_dryrun_print(job, args, err);
    if (status == PPS_OK)
        status = set_up(&setup, job, args, err);
    if (status == PPS_OK) {
        note_ignored_keys(job, args);
        if (pps_arg(args, "quiet") == NULL)
            plan_run_print_not_modelled(&job->run);
        note_sequence_length(job, args);
        note_context_parallel(job, args);
    }
    if (status == PPS_OK)
        status = pps_arg(args, "why") != NULL ? explain(&setup, job, args, err)
                                              : search(&setup, job, args, err);
    tear_down(&setup);
    return status;
}

static enum pps_status nd_main(const struct pps_args *args, struct pps_error *err)
{
    struct nd_job job;
    if (pps_arg(args, "list-filters") != NULL) {
        nd_report_filters();
        return PPS_OK;
    }
    plan_note_no_effect(args, no_effect);
    enum pps_status status = nd_job_open(&job, args, err);
    if (status != PPS_OK)
        return status;
    status = run(&job, args, err);
    nd_job_close(&job);
    if (status == PPS_OK)
        plan_note_folder(args, "output/nd_output");
    return status;
}

const struct pps_command nd_command = {
    .name = "nd",
    .summary = "find parallel strategies for a model on a cluster",
    .usage = "[options] MODEL [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .same = plan_same_options,
    .max_words = 2,
    .main = nd_main,
};

// The published name of the first stage.
const struct pps_command nd_search_command = {
    .name = "nd search",
    .summary = "same as nd",
    .usage = "[options] MODEL [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .same = plan_same_options,
    .max_words = 2,
    .main = nd_main,
};
