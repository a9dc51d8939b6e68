// SPDX-License-Identifier: Apache-2.0
// ppsweep nd rank: the pipeline program of every candidate, and the candidates by the time of a step.
#include "tool.h"

#include "toolinput.h"
#include "toolio.h"
#include "toolpicks.h"

#include "kernels/common/units.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    THREADS_MAX = 256,
    NODES =
        20000, // of each program: some 0.1 s; four times as many found nothing shorter by 0.01 %
};

static const struct pps_opt options[] = {
    ND_INPUT_OPTIONS,
    {"candidates", 'c', "FILE",
     "strategies to rank: CSV or JSON with dp,tp,pp,ep[,cp,op,sp,mbs]"},
    {"search", 0, "N", "without them: the N quickest of a search (20)"},
    {"preset", 0, "NAME", "of that search: classic, fsdp or megatron (fsdp)"},
    {"strategy", 0, "WORDS", "of that search: dp tp pp ep cp fsdp =on or =off (all but cp)"},
    {"max-vpp", 0, "N", "try as many chunks a stage (3; orig: 1)"},
    {"top", 'k', "N", "show and write the best N; 0: all (0)"},
    {"output", 'o', "PATH", "write the table: a folder, or a file whose name ends in .csv"},
    {"baseline", 0, "DEGREES", "a strategy to compare with, as dp=8,tp=4,pp=2"},
    {"csv-lang", 0, "orig|en", "names of its columns: as published, or English (orig)"},
    {"threads", 'j', "N", "candidates at a time (all processors)"},
    // published names
    {"nd-path", 0, "FILE", NULL},
    {"files-dir", 0, "DIR", NULL},
    {"profile-data-dir", 0, "DIR", NULL},
    {"output-path", 0, "DIR", NULL},
    {"topn", 0, "N", NULL},
    {"dryrun", 0, "y|n", NULL},
    {"check", 0, "y|n", NULL},
    {"parallel-num", 0, "N", NULL},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "For every strategy: how many layers each stage gets and how many of them are recomputed, "
    "so\n"
    "that a step is as short as it can be within the memory, solved exactly. What a layer "
    "takes\n"
    "comes from profiles of the strategy or of the nearest one (same tp, cp, ep, mbs), or "
    "from\n"
    "the models; so does what it holds. Communication between replicas, the optimizer's step "
    "and\n"
    "the embedding are added.\n"
    "\n"
    "  ppsweep nd rank sweep_configs/models/deepseek-v3.json -n 1024 --gbs 3840\n"
    "  ppsweep nd rank MODEL.json CLUSTER.json -c nd_candidate_config.csv --parser-result "
    "p.csv\n";

// ---- solving ------------------------------------------------------------------------------------

struct ranking {
    const struct nd_input *input;
    const struct nd_picks *picks;
    struct nd_ranked *ranked; // [picks->n]
    struct nd_ranked *base;   // the baseline; NULL: none
    struct nd_rank_options options;
    _Atomic int64_t next; // to be taken
    atomic_bool failed;   // no memory
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The strategy with the size of micro-batches that is quickest with it, where it has none. As
// published there is but one.
static void rank_best(struct nd_ranked *best,
                      const struct ranking *ranking,
                      struct nd_strategy strategy,
                      int64_t i,
                      const struct nd_rank_source *source)
{
    const struct training *training = &ranking->input->job.training;
    const bool given = strategy.mbs > 0;
    const int n = given || ranking->input->compat == ND_ORIG ? 1 : training->n_mbs;
    for (int k = 0; k < n; k++) {
        struct nd_ranked next;
        strategy.mbs = given ? strategy.mbs : (int32_t)training->mbs[k];
        if (k > 0 && training->gbs % ((int64_t)strategy.dp * strategy.mbs) != 0)
            continue;
        nd_rank_one(&next, &strategy, i, source, &ranking->options);
        if (k > 0 && next.cost_ms >= best->cost_ms && next.outcome != ND_RANK_NO_MEMORY) {
            nd_ranked_free(&next);
            continue;
        }
        if (k > 0)
            nd_ranked_free(best);
        *best = next;
    }
}

// What one thread does: takes candidates until there are none.
static void *work(void *self)
{
    struct ranking *ranking = self;
    struct nd_maker maker;
    if (!nd_maker_open(&maker, ranking->input)) {
        ranking->failed = true;
        return NULL;
    }
    const struct nd_rank_source source = {nd_maker_prepare, &maker};
    for (;;) {
        const int64_t i = atomic_fetch_add(&ranking->next, 1);
        if (i >= ranking->picks->n || ranking->failed)
            break;
        rank_best(&ranking->ranked[i], ranking, ranking->picks->strategies[i], i, &source);
        if (ranking->ranked[i].outcome == ND_RANK_NO_MEMORY)
            ranking->failed = true;
    }
    nd_maker_close(&maker);
    return NULL;
}

static enum pps_status rank_base(const struct ranking *ranking,
                                 const struct nd_strategy *strategy,
                                 struct pps_error *err)
{
    struct nd_maker maker;
    if (!nd_maker_open(&maker, ranking->input))
        return pps_fail(err, PPS_E_MACHINE, "no memory for the baseline");
    const struct nd_rank_source source = {nd_maker_prepare, &maker};
    rank_best(ranking->base, ranking, *strategy, ranking->picks->n, &source);
    nd_maker_close(&maker);
    return ranking->base->outcome == ND_RANK_NO_MEMORY
               ? pps_fail(err, PPS_E_MACHINE, "no memory for the baseline")
               : PPS_OK;
}

static enum pps_status rank_all(struct ranking *ranking,
                                uint64_t threads,
                                struct pps_error *err)
{
    pthread_t others[THREADS_MAX];
    uint64_t n = 0;
    if (threads > (uint64_t)ranking->picks->n)
        threads = (uint64_t)ranking->picks->n;
    while (n + 1 < threads && pthread_create(&others[n], NULL, work, ranking) == 0)
        n++;
    work(ranking);
    for (uint64_t k = 0; k < n; k++)
        pthread_join(others[k], NULL);
    if (ranking->failed)
        return pps_fail(err, PPS_E_MACHINE, "no memory for the pipeline programs");
    nd_rank_sort(ranking->ranked, ranking->picks->n);
    return PPS_OK;
}

// ---- what is shown ------------------------------------------------------------------------------

static const char *outcome_text(const struct nd_ranked *ranked)
{
    return ranked->outcome == ND_RANK_PRICED ? nd_ratio_source_name(ranked->used.source)
                                             : ranked->why;
}

static void print_row(const char *place, const struct nd_ranked *ranked)
{
    const struct nd_strategy *s = &ranked->strategy;
    const struct nd_extra_ms *extra = &ranked->used.extra;
    printf("%4s %5d %4d %4d %4d %4d %5d %4d %-4s", place, s->dp, s->tp, s->cp, s->pp, s->ep,
           s->op, s->mbs, s->sp ? "on" : "off");
    if (ranked->outcome == ND_RANK_PRICED)
        printf("%3d %12.3f %12.3f %10.3f %9.3f  %s\n", ranked->used.program.chunks,
               ranked->cost_ms, ranked->program_ms, ranked->dp_ms, extra->optimizer,
               outcome_text(ranked));
    else
        printf("%3s %12s  %s\n", "-", "N/A", outcome_text(ranked));
}

static void print_table(const struct ranking *ranking, int64_t shown)
{
    printf("%4s %5s %4s %4s %4s %4s %5s %4s %-4s%3s %12s %12s %10s %9s  %s\n", "", "dp", "tp",
           "cp", "pp", "ep", "op", "mbs", "sp", "vp", "step ms", "pipeline ms", "dp ms",
           "optim ms", "ratios");
    for (int64_t k = 0; k < shown; k++) {
        char place[24];
        snprintf(place, sizeof place, "%" PRId64, k + 1);
        print_row(place, &ranking->ranked[k]);
    }
}

static void print_base(const struct ranking *ranking)
{
    const struct nd_ranked *base = ranking->base, *first = &ranking->ranked[0];
    if (base == NULL)
        return;
    print_row("base", base);
    if (base->outcome == ND_RANK_PRICED && first->outcome == ND_RANK_PRICED)
        printf("\nThe first takes %.3f of the baseline's step.\n",
               first->cost_ms / base->cost_ms);
}

static void print_short(const struct ranking *ranking, int64_t shown)
{
    struct textroom text = {0};
    nd_rank_short_header(&text);
    for (int64_t k = 0; k < shown; k++)
        nd_rank_short_line(&text, &ranking->ranked[k]);
    fputs(text.text != NULL ? text.text : "", stdout);
    textroom_free(&text);
}

static void say_tokens(const struct ranking *ranking)
{
    const struct nd_profiles *profiles = &ranking->input->profiles;
    bool unknown = false, without_unit = false;
    for (int64_t k = 0; k < profiles->n; k++) {
        unknown = unknown || profiles->rows[k].mbs == 0;
        without_unit = without_unit || isnan(profiles->rows[k].ratios.layer_ms);
    }
    if (without_unit && !ranking->input->quiet && ranking->input->compat == ND_CORRECTED)
        fprintf(stderr,
                "note      profiles without moe_bw take the models' time of a layer, which "
                "need not compare with measured ones\n");
    if (unknown && !ranking->input->quiet)
        fprintf(stderr,
                "note      profiles without a column mbs are taken for any micro-batch; "
                "costs compare only where tokens a micro-batch are the same\n");
}

static void say_gaps(const struct ranking *ranking)
{
    double gap = 0.0;
    int64_t n = 0;
    for (int64_t k = 0; k < ranking->picks->n; k++) {
        const struct nd_ranked *ranked = &ranking->ranked[k];
        const bool open = ranked->outcome == ND_RANK_PRICED && ranked->solution.gap > 0.0;
        n += open;
        gap = open && ranked->solution.gap > gap ? ranked->solution.gap : gap;
    }
    if (n > 0 && !ranking->input->quiet)
        fprintf(stderr,
                "note      %" PRId64
                " pipeline%s not proven to be the shortest: up to %.2g %% may "
                "be left (--nodes 0 proves)\n",
                n, n == 1 ? " is" : "s are", 100.0 * gap);
}

// ---- the file -----------------------------------------------------------------------------------

static void table_path(const char *output, char path[ND_PATH + 64])
{
    char now[32];
    const size_t n = strlen(output);
    const time_t seconds = time(NULL);
    struct tm local;
    if (n > 4 && strcmp(output + n - 4, ".csv") == 0) {
        snprintf(path, ND_PATH + 64, "%s", output);
        return;
    }
    localtime_r(&seconds, &local);
    strftime(now, sizeof now, "%Y%m%d%H%M%S", &local);
    snprintf(path, ND_PATH + 64, "%s/test_result_%s.csv", output, now);
}

// Before the work: a table that is in the way, or a folder's name that is a file's.
static enum pps_status check_output(const char *output, bool force, struct pps_error *err)
{
    char path[ND_PATH + 64];
    table_path(output, path);
    const enum pps_status status =
        strcmp(path, output) != 0 ? nd_io_check_folder(output, err) : PPS_OK;
    return status == PPS_OK ? pps_textfile_check(path, force, err) : status;
}

static enum pps_status write_table(const struct ranking *ranking,
                                   const char *output,
                                   enum nd_rank_language language,
                                   int64_t n,
                                   struct pps_error *err)
{
    char path[ND_PATH + 64];
    struct textroom text = {0};
    const struct nd_input *input = ranking->input;
    const struct nd_rank_table table = {
        .language = language,
        .compat = input->compat,
        .solver = input->solver,
        .limit_gib = units_to_gib(input->job.cluster.memory_limit),
    };
    table_path(output, path);
    enum pps_status status = PPS_OK;
    if (strcmp(path, output) != 0)
        status = nd_io_folder(output, err);
    nd_rank_header(&text, &table);
    for (int64_t k = 0; k < n; k++)
        nd_rank_line(&text, &table, k + 1, &ranking->ranked[k], "");
    if (status == PPS_OK)
        status = nd_io_write(path, &text, input->force, err);
    textroom_free(&text);
    if (status == PPS_OK)
        printf("\nwrote %s\n", path);
    return status;
}

// ---- the command --------------------------------------------------------------------------------

struct asked {
    uint64_t max_vpp, top, threads;
    const char *output; // NULL: none
    enum nd_rank_language language;
};

static enum pps_status read_asked(struct asked *asked,
                                  const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *language = pps_arg(args, "csv-lang");
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *asked = (struct asked){.max_vpp = 3, .threads = processors > 0 ? (uint64_t)processors : 1};
    asked->output = pps_arg(args, "output");
    if (asked->output == NULL)
        asked->output = pps_arg(args, "output-path");
    if (asked->output != NULL && strlen(asked->output) >= ND_PATH)
        return pps_fail(err, PPS_E_INPUT, "--output: the name is too long");
    if (language != NULL && strcmp(language, "orig") != 0 && strcmp(language, "en") != 0)
        return pps_fail(err, PPS_E_INPUT, "--csv-lang %s: write orig or en", language);
    asked->language =
        language != NULL && strcmp(language, "en") == 0 ? ND_LANGUAGE_EN : ND_LANGUAGE_ORIG;
    enum pps_status status = pps_arg_count(args, "max-vpp", 1, 64, &asked->max_vpp, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "topn", 0, 1U << 30, &asked->top, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "top", 0, 1U << 30, &asked->top, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "parallel-num", 1, THREADS_MAX, &asked->threads, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "threads", 1, THREADS_MAX, &asked->threads, err);
    asked->threads = asked->threads < THREADS_MAX ? asked->threads : THREADS_MAX;
    return status;
}

static enum pps_status show(const struct ranking *ranking,
                            const struct asked *asked,
                            struct pps_error *err)
{
    const int64_t all = ranking->picks->n;
    const int64_t n = asked->top > 0 && (int64_t)asked->top < all ? (int64_t)asked->top : all;
    if (ranking->input->compat == ND_ORIG)
        print_short(ranking, n);
    else
        print_table(ranking, n);
    if (n < all)
        printf("... %" PRId64 " more (--top 0)\n", all - n);
    print_base(ranking);
    enum pps_status status = PPS_OK;
    if (asked->output != NULL)
        status = write_table(ranking, asked->output, asked->language, n, err);
    if (status == PPS_OK && ranking->ranked[0].outcome != ND_RANK_PRICED)
        return pps_fail(err, PPS_E_INFEASIBLE, "no candidate could be priced: %s",
                        ranking->ranked[0].why);
    return status;
}

static enum pps_status run(struct nd_input *input,
                           const struct pps_args *args,
                           struct pps_error *err)
{
    struct asked asked;
    struct nd_picks picks = {0};
    struct ranking ranking = {.input = input, .picks = &picks};
    input->effort.max_nodes = NODES;
    enum pps_status status = read_asked(&asked, args, err);
    if (status == PPS_OK)
        status = nd_input_open(input, args, err);
    if (status == PPS_OK && asked.output != NULL)
        status = check_output(asked.output, input->force, err);
    if (status == PPS_OK)
        status = nd_picks_open(&picks, &input->job, args, err);
    if (status == PPS_OK) {
        ranking.options = (struct nd_rank_options){.max_vpp = (int32_t)asked.max_vpp,
                                                   .compat = input->compat,
                                                   .effort = &input->effort,
                                                   .now = seconds_now};
        status = nd_input_chunks(input, &ranking.options, err);
    }
    if (status == PPS_OK) {
        ranking.ranked = calloc((size_t)picks.n, sizeof *ranking.ranked);
        if (ranking.ranked == NULL)
            status = pps_fail(err, PPS_E_MACHINE, "no memory for the candidates");
    }
    struct nd_ranked base = {.outcome = ND_RANK_NO_MEMORY};
    struct nd_strategy strategy;
    const char *baseline = pps_arg(args, "baseline");
    if (status == PPS_OK && baseline != NULL)
        status = nd_job_whole_strategy(&input->job, "baseline", baseline, &strategy, err);
    if (status == PPS_OK)
        status = rank_all(&ranking, asked.threads, err);
    if (status == PPS_OK && baseline != NULL) {
        ranking.base = &base;
        status = rank_base(&ranking, &strategy, err);
    }
    if (status == PPS_OK) {
        say_tokens(&ranking);
        say_gaps(&ranking);
        status = show(&ranking, &asked, err);
    }
    if (ranking.base != NULL)
        nd_ranked_free(ranking.base);
    for (int64_t k = 0; k < picks.n && ranking.ranked != NULL; k++)
        nd_ranked_free(&ranking.ranked[k]);
    free(ranking.ranked);
    nd_picks_free(&picks);
    return status;
}

static enum pps_status rank_main(const struct pps_args *args, struct pps_error *err)
{
    struct nd_input input = {.quiet = false};
    const enum pps_status status = run(&input, args, err);
    nd_input_close(&input);
    return status;
}

const struct pps_command nd_rank_command = {
    .name = "nd rank",
    .summary = "solve the pipelines of strategies and rank them",
    .usage = "[options] MODEL [CLUSTER]",
    .details = details,
    .options = options,
    .min_words = 0,
    .max_words = 2,
    .main = rank_main,
};
