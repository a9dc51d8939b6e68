// SPDX-License-Identifier: Apache-2.0
// ppsweep nd rank: solves the pipeline program of every candidate and sorts candidates by step
// time.
#include "base/system/machine.h"
#include "base/text/human.h"
#include "planner/nd/commands/commands.h"

#include "base/text/characters.h"
#include "planner/nd/commands/ranking.h"
#include "planner/nd/input/baseline.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHUNKS = 64, CONFIGURATIONS = 10 };

static const struct pps_opt options[] = {
    ND_INPUT_OPTIONS("time limit per pipeline program; 0: none (0)",
                     "search steps per pipeline program; 0: until proven optimal (20000)"),
    {"candidates", 0, "FILE",
     "strategies to rank: CSV or JSON with dp,tp,pp,ep[,cp,op,sp,mbs]"},
    {"search", 0, "N", "without --candidates: rank the N fastest strategies of a search (20)"},
    {"preset", 0, "NAME", "preset of the search: classic, zero, fsdp or megatron (zero)"},
    {"strategy", 0, "WORDS",
     "degrees the search varies: dp tp pp ep cp fsdp =on or =off (all but cp)"},
    {"max-vpp", 0, "N", "try up to N chunks per stage (3; with --compat orig: 1)"},
    {"top", 'k', "N", "show and write the best N; 0: all (0)"},
    {"output", 'o', "PATH",
     "write the table and configurations to a folder, or the table to NAME.csv"},
    {"baseline", 0, "DEGREES",
     "compare with the best split of this strategy: dp=8,tp=4,pp=2, also vp=2"},
    {"csv-lang", 0, "orig|en", "column names in the file: as published, or English (orig)"},
    {"threads", 'j', "N", "worker threads (all CPUs this process may use)"},
    // published names
    {"nd-path", 0, "FILE", NULL},
    {"files-dir", 0, "DIR", NULL},
    {"profile-data-dir", 0, "DIR", NULL},
    {"output-path", 0, "DIR", NULL},
    {"topn", 0, "N", NULL},
    {"dryrun", 0, "y|n", NULL},
    {"check", 0, "y|n", NULL},
    {"parallel-num", 0, "N", NULL},
    {"mindformers-dir", 0, "DIR", NULL},
    {"mindspeed-path", 0, "DIR", NULL},
    {"torchtitan-path", 0, "DIR", NULL},
    {NULL, 0, NULL, NULL},
};

#define NO_TRAINING "this command starts no training; see nd dryrun and nd profile"

// Options of the published tool.
static const struct plan_no_effect no_effect[] = {
    {"dryrun", NO_TRAINING},          {"check", NO_TRAINING},
    {"mindformers-dir", NO_TRAINING}, {"mindspeed-path", NO_TRAINING},
    {"mindformers", NO_TRAINING},     {"mindspeed", NO_TRAINING},
    {"torchtitan-path", NO_TRAINING}, {NULL, NULL},
};

static const char details[] =
    "For each strategy, an exact solver assigns layers to stages and chooses the layers to\n"
    "recompute, so that the step time is minimal and every stage fits in memory. Layer times\n"
    "come from a profile of the strategy, else from the nearest profile (same tp, cp, ep, mbs),\n"
    "else from the analytic models. Memory comes from --memory-info, from --calibration, or from\n"
    "the models. The step time also includes the exchange between replicas, the optimizer and\n"
    "the embedding. Where only models are used, times and memory are those of ppsweep check. Row\n"
    "mine is the training in MODEL as it is.\n"
    "\n"
    "If MODEL is the configuration of a framework, or with -o DIR, every row is what its file says,\n"
    "read back: the layers that Megatron-LM recomputes are as many in every chunk. A row that\n"
    "cannot be written comes last, with the reason.\n"
    "\n"
    "Column gap: 0 means that no faster split into this number of chunks (vp) exists. A gap of\n"
    "5% means that the search ended early (--search-limit, -t) and that a split may be up to\n"
    "5 % faster. A star (*) means that another vp or micro-batch size, whose search ended early,\n"
    "may be faster.\n"
    "\n"
    "-o DIR also writes the best strategies and their layers as configurations: the first N of\n"
    "--top N, else the first 10. If MODEL is the configuration of a framework they are copies of\n"
    "it, otherwise launch scripts of Megatron-LM.\n"
    "\n"
    "  ppsweep nd rank sweep_configs/models/deepseek-v3.json -n 1024 --gbs 3840\n"
    "  ppsweep nd rank MODEL.json CLUSTER.json --candidates nd_candidate_config.csv --parser-result p.csv\n";

// ---- the command --------------------------------------------------------------------------------

struct request {
    uint64_t max_vpp, top, threads;
    const char *output; // NULL: none
    enum nd_rank_language language;
};

static enum pps_status read_request(struct request *request, const struct pps_args *args,
                                    struct pps_error *err)
{
    const char *language = pps_arg(args, "csv-lang");
    *request = (struct request){.max_vpp = ND_CHUNKS_USUAL};
    request->output = pps_arg(args, "output");
    if (request->output == NULL)
        request->output = pps_arg(args, "output-path");
    if (request->output != NULL && strlen(request->output) >= PLAN_PATH)
        return pps_fail(err, PPS_E_INPUT, "--output: the name is too long");
    if (language != NULL && strcmp(language, "orig") != 0 && strcmp(language, "en") != 0)
        return pps_fail(err, PPS_E_INPUT, "--csv-lang %s: write orig or en", language);
    request->language =
        language != NULL && strcmp(language, "en") == 0 ? ND_LANGUAGE_EN : ND_LANGUAGE_ORIG;
    enum pps_status status =
        pps_arg_count(args, "max-vpp", 1, MOST_CHUNKS, &request->max_vpp, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "topn", 0, 1U << 30, &request->top, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "top", 0, 1U << 30, &request->top, err);
    if (status == PPS_OK)
        status = plan_arg_threads(args, ND_RANK_THREADS_MAX, &request->threads, err);
    return status;
}

static bool writes_files(const struct request *request)
{
    return request->output != NULL && !pps_ends_with(request->output, ".csv");
}

// Rows of a framework's file are what it can say, whether it is written or not.
static bool makes_files(const struct nd_input *input, const struct request *request)
{
    return writes_files(request) ||
           (input->compat == ND_CORRECTED && plan_run_configuration(&input->job.run) != NULL);
}

// Without a configuration, launch scripts of Megatron-LM are written.
static void choose_dialect(struct nd_input *input, const struct request *request)
{
    if (writes_files(request) && plan_run_configuration(&input->job.run) == NULL)
        input->dialect = nd_dialect_of(FRAMEWORK_MEGATRON);
}

static enum pps_status show(const struct nd_ranking *ranking, const struct request *request,
                            struct pps_error *err)
{
    const int64_t all = ranking->picks->n;
    const int64_t n =
        request->top > 0 && (int64_t)request->top < all ? (int64_t)request->top : all;
    if (ranking->input->compat == ND_ORIG)
        nd_ranking_print_short(ranking, n);
    else
        nd_ranking_print(ranking, n);
    if (n < all)
        printf("... %s more (--top 0)\n", pps_count_text((double)(all - n)).text);
    nd_ranking_print_base(ranking);
    enum pps_status status = PPS_OK;
    if (request->output != NULL)
        status = nd_ranking_write(ranking, request->output, request->language, n, err);
    if (status == PPS_OK && writes_files(request))
        status = nd_ranking_write_configurations(
            ranking, request->output,
            request->top == 0 && n > CONFIGURATIONS ? CONFIGURATIONS : n, err);
    if (status == PPS_OK && ranking->ranked[0].outcome != ND_RANK_PRICED)
        return pps_fail(err, PPS_E_INFEASIBLE, "no candidate could be evaluated: %s",
                        ranking->ranked[0].why);
    return status;
}

// A baseline with vp is evaluated with that number of chunks per stage; without vp, with the best.
static enum pps_status read_baseline(struct nd_rank_options *trial,
                                     struct nd_strategy *strategy, struct nd_input *input,
                                     const char *text, struct pps_error *err)
{
    enum pps_status status =
        nd_strategy_read_whole(&input->job, "baseline", text, strategy, err);
    if (status != PPS_OK || input->compat == ND_ORIG)
        return status;
    if (!nd_strategy_sets(text, "mbs"))
        strategy->mbs = 0; // the fastest
    if (!nd_strategy_sets(text, "vp"))
        return PPS_OK;
    if (strategy->vp < 1 || strategy->vp > MOST_CHUNKS)
        return pps_fail(err, PPS_E_INPUT, "--baseline %s: vp must be from 1 to %d", text,
                        MOST_CHUNKS);
    if (strategy->vp > 1 && strategy->pp == 1)
        return pps_fail(err, PPS_E_INPUT, "--baseline %s: vp must be 1 with one stage (pp=1)",
                        text);
    trial->min_vpp = trial->max_vpp = strategy->vp;
    return nd_strategy_check_chunks(&input->job, "baseline", text, strategy, err);
}

// Finds the baseline: --baseline, else the training of a document as it is.
static enum pps_status find_base(struct nd_ranking *ranking, struct nd_input *input,
                                 struct nd_ranked *base, struct pps_error *err)
{
    const char *option = pps_arg(ranking->args, "baseline");
    const struct nd_rank_options tried = ranking->options;
    struct nd_strategy strategy;
    enum pps_status status = PPS_OK;
    if (option == NULL && input->compat == ND_ORIG)
        return PPS_OK;
    if (option == NULL) {
        status = plan_mine_open(&ranking->mine, &input->job.run, input->quiet, NULL, err);
        if (status != PPS_OK || !ranking->mine.has)
            return status;
        ranking->base = base;
        return nd_ranking_mine(ranking, err);
    }
    status = read_baseline(&ranking->options, &strategy, input, option, err);
    if (status != PPS_OK)
        return status;
    ranking->base = base;
    ranking->base_label = "base";
    ranking->base_fits = true;
    status = nd_ranking_base(ranking, &strategy, err);
    ranking->options = tried;
    return status;
}

// Says how many chunks per stage were tried, where there are several stages.
static void note_chunks(const struct nd_ranking *ranking, const struct nd_rank_options *tried)
{
    bool any = false;
    for (int64_t k = 0; k < ranking->picks->n; k++)
        any = any || (ranking->ranked[k].outcome == ND_RANK_PRICED &&
                      ranking->ranked[k].strategy.pp > 1);
    if (any && !ranking->input->quiet && tried->compat == ND_CORRECTED && tried->max_vpp > 1)
        fprintf(stderr, "note      vp: the best of %d to %d chunks per stage (--max-vpp)%s\n",
                tried->min_vpp > 1 ? tried->min_vpp : 1, tried->max_vpp,
                ranking->picks->searched && tried->training->n_mbs > 1
                    ? "; mbs: the fastest of ppsweep nd, where layers are spread evenly"
                    : "");
}

// Without any candidate the training of the user is shown alone.
static void show_mine(struct nd_ranking *ranking, struct nd_input *input)
{
    struct nd_ranked base = {.outcome = ND_RANK_NO_MEMORY};
    struct pps_error unused = {.code = PPS_OK};
    if (pps_arg(ranking->args, "baseline") != NULL)
        return;
    if (find_base(ranking, input, &base, &unused) == PPS_OK && ranking->base != NULL) {
        nd_ranking_print(ranking, 0);
        nd_ranking_print_base(ranking);
    }
    nd_ranked_free(&base);
    ranking->base = NULL;
}

static enum pps_status run(struct nd_input *input, const struct pps_args *args,
                           struct pps_error *err)
{
    struct request request;
    struct nd_picks picks = {0};
    struct nd_ranking ranking = {.input = input, .args = args, .picks = &picks};
    input->effort.max_nodes = ND_RANK_LIMIT;
    enum pps_status status = read_request(&request, args, err);
    if (status == PPS_OK)
        status = nd_input_open(input, args, err);
    if (status == PPS_OK && request.output != NULL)
        status = nd_ranking_check_output(request.output, input->gate, err);
    if (status == PPS_OK)
        choose_dialect(input, &request);
    if (status == PPS_OK)
        status = nd_picks_open(&picks, &input->job, args, err);
    if (status == PPS_E_INFEASIBLE)
        show_mine(&ranking, input);
    if (status == PPS_OK) {
        ranking.options = (struct nd_rank_options){.max_vpp = (int32_t)request.max_vpp,
                                                   .compat = input->compat,
                                                   .effort = &input->effort,
                                                   .training = &input->job.run.training,
                                                   .now = pps_wall_seconds};
        status =
            nd_input_chunks(input, &ranking.options, pps_arg(args, "max-vpp") != NULL, err);
    }
    if (status == PPS_OK) {
        ranking.ranked = calloc((size_t)picks.n, sizeof *ranking.ranked);
        if (ranking.ranked == NULL)
            status = pps_fail_memory(err, "the candidates");
    }
    struct nd_ranked base = {.outcome = ND_RANK_NO_MEMORY};
    if (status == PPS_OK)
        status = find_base(&ranking, input, &base, err);
    if (status == PPS_OK)
        status = nd_ranking_all(&ranking, request.threads, err);
    if (status == PPS_OK && makes_files(input, &request))
        status = nd_ranking_make_files(&ranking, err);
    if (status == PPS_OK) {
        nd_ranking_notes(&ranking);
        note_chunks(&ranking, &ranking.options);
        status = show(&ranking, &request, err);
    }
    if (ranking.base != NULL)
        nd_ranked_free(ranking.base);
    nd_ranking_free_files(&ranking);
    for (int64_t k = 0; k < picks.n && ranking.ranked != NULL; k++)
        nd_ranked_free(&ranking.ranked[k]);
    free(ranking.ranked);
    plan_mine_close(&ranking.mine);
    nd_picks_close(&picks);
    return status;
}

static enum pps_status rank_main(const struct pps_args *args, struct pps_error *err)
{
    struct nd_input input = {.quiet = false};
    plan_note_no_effect(args, no_effect);
    const enum pps_status status = run(&input, args, err);
    nd_input_close(&input);
    if (status == PPS_OK)
        plan_note_folder(args, "pipeline_output");
    return status;
}

const struct pps_command nd_rank_command = {
    .name = "nd rank",
    .summary = "split layers over stages for many strategies and rank them by step time",
    .usage = "[options] MODEL [CLUSTER]",
    .details = details,
    .options = options,
    .config = true,
    .same = plan_same_options,
    .max_words = 2,
    .main = rank_main,
};
