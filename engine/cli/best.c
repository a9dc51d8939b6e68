// SPDX-License-Identifier: Apache-2.0
// ppsweep best: searches the best point of an experiment, between and beyond its listed values.
#include "base/resume/record_log.h"
#include "base/system/machine.h"
#include "base/text/decimal.h"
#include "base/text/human.h"
#include "base/write/gate.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/cli/options/picture_options.h"
#include "engine/cli/report/best_report.h"
#include "engine/cli/verbs.h"
#include "engine/command/signals.h"
#include "engine/job/existing_result.h"
#include "engine/job/job.h"
#include "engine/job/known_rows_read.h"
#include "engine/job/result_path.h"
#include "engine/optimise/best_search.h"
#include "engine/optimise/evaluation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct pps_opt options[] = {
    {"over", 0, "NAMES", "parameters to search: A,B=1..3 (weights and continuous axes)"},
    {"objective", 0, "COLUMN", "result to improve (main result of the kernel)"},
    {"goal", 0, "lower|higher", "which values are better (default of the column, else lower)"},
    {"evaluations", 0, "N", "points to evaluate besides the grid; k, M allowed (4000)"},
    {"grid", 0, "N", "first evaluate the experiment's grid if it has at most N points (10k)"},
    PPS_REQUEST_OPTIONS,
    {"output", 'o', "PATH", "NAME.csv.gz, .csv or .parquet (outputs/data/)"},
    {"force", 0, NULL, "overwrite the result, and drop an interrupted search"},
    {"resume", 0, NULL, "continue an interrupted search, if there is one"},
    {"time-limit", 0, "TIME", "stop after TIME, as in 90s, 5m, 1h30m; --resume continues"},
    {"compress", 0, "CODEC", "zlib:1 to zlib:9, isal:0 to isal:3, or none (zlib:1)"},
    {"quiet", 'q', NULL, "print errors only"},
    {"json", 0, NULL, "print the summary as JSON on stdout"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "The search varies the parameters of --over, each between the lowest and the highest value of\n"
    "its axis, or NAME=LOW..HIGH. Weights that a kernel sets together (the priorities of\n"
    "contention) are searched as weights that add up to 1. Every combination of the other\n"
    "parameters is tried by itself; those that change the amount of work (n of contention)\n"
    "divide the search into groups, each with a best point of its own.\n"
    "\n"
    "The search evaluates the grid of the experiment, then runs pattern searches from its best\n"
    "points, tries finer steps around the best points so far, runs pattern searches from the\n"
    "best places, then CMA-ES with restarts until all evaluations are used. It needs no\n"
    "derivatives. It finds good points, and proves nothing: a better point may exist. Equal\n"
    "commands give equal bytes, for any number of threads; --seed chooses other random numbers.\n"
    "\n"
    "All evaluated points become a result that top, plot, trace and verify read.\n"
    "A stopped search keeps its evaluations in NAME.search.part.\n"
    "\n"
    "  ppsweep best -c sweep_configs/02-paper.json\n"
    "  ppsweep best -c sweep_configs/02-paper.json -s n=16 --over p_fwd_prop,bwd_len=1.5..3\n";

struct best {
    const struct pps_args *args;
    struct pps_request request;
    struct pps_request_words words;
    struct pps_experiment *experiment;
    struct pps_search_space space;
    struct pps_evaluation evaluation;
    struct pps_best_search search;
    struct pps_resultpath path;
    char journal[1100], identity[2048];
    atomic_bool *stop;
    struct pps_known_rows *known; // of a complete result
    bool quiet, force, resume;    // resume: there is a journal or a result to continue
    double shown_s;
};

// ---- best result --------------------------------------------------------------------------------

struct pps_best_result_ask {
    const struct pps_evaluation *evaluation;
    const char *path;    // of the result
    const char *codec;   // as in struct pps_job
    bool force;          // replace the result
    bool resume;         // continue the writing of an earlier run of this search
    const char *command; // for the manifest
    atomic_bool *stop;
};

// Runs a job whose experiment lists all points; no row is computed again, except those of points that
// failed. Returns what pps_job_run returns.
static enum pps_status best_result_write(const struct pps_best_result_ask *ask,
                                         struct pps_error *err)
{
    const struct pps_evaluation *ev = ask->evaluation;
    char *text = pps_evaluation_experiment(ev, 0, ev->n);
    struct pps_known_rows *rows = pps_evaluation_rows(ev, ev->space->experiment);
    struct pps_job job = {.request = *ev->request,
                          .threads = ev->threads,
                          .output = ask->path,
                          .codec = ask->codec,
                          .force = ask->force,
                          .resume = ask->resume,
                          .top = 1,
                          .known = rows,
                          .command = ask->command,
                          .stop = ask->stop};
    struct pps_job_result result = {.job = NULL};
    job.request.path = NULL;
    job.request.text = text;
    job.request.overrides = NULL;
    job.request.n_overrides = 0;
    job.request.sample = NULL;
    job.request.again = true;
    enum pps_status status = text == NULL || rows == NULL ? pps_fail_memory(err, "the result")
                                                          : pps_job_run(&job, &result, err);
    pps_job_free(&result);
    pps_known_rows_close(rows);
    free(text);
    return status;
}

// ---- options --------------------------------------------------------------------------------------

static enum pps_status refuse_options(const struct pps_args *args, struct pps_error *err)
{
    static const char *const others[] = {"points", "limit", "sample"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pps_arg(args, others[i]) != NULL)
            return pps_fail(err, PPS_E_INPUT, "best chooses the points itself; remove --%s",
                            others[i]);
    return PPS_OK;
}

static enum pps_status read_options(struct best *b, struct pps_error *err)
{
    const struct pps_args *args = b->args;
    b->search.evaluations = PPS_BEST_EVALUATIONS;
    b->search.most_grid = PPS_BEST_GRID;
    enum pps_status status = refuse_options(args, err);
    if (status == PPS_OK)
        status = pps_request_read(args, &b->words, &b->request, err);
    if (status == PPS_OK)
        status = pps_request_threads(args, &b->evaluation.threads, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "evaluations", 0, 1000000, &b->search.evaluations, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "grid", 0, 1000000, &b->search.most_grid, err);
    b->request.continuous = true;
    b->search.seed = b->request.seed;
    if (pps_arg(args, "digits") == NULL)
        b->request.digits = PPS_FULL_DIGITS;
    return status;
}

// Finds the objective and what is better.
static enum pps_status choose_objective(struct best *b, int *objective, struct pps_error *err)
{
    const struct pps_kernel *kernel = b->experiment->kernel;
    const char *name = pps_arg(b->args, "objective");
    *objective = name == NULL ? pps_column_ranks(kernel, b->experiment->wanted)
                              : pps_column_find(kernel, name, strlen(name));
    if (*objective < 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--objective %s: %s has no such result; ppsweep kernels %s lists them",
                        name, kernel->name, kernel->name);
    if (kernel->columns[*objective].kind == PPS_COLUMN_TEXT)
        return pps_fail(err, PPS_E_INPUT, "--objective %s: it has words, not numbers", name);
    enum pps_goal goal = kernel->columns[*objective].goal;
    const enum pps_status status = pps_goal_option(b->args, &goal, err);
    b->evaluation.higher = goal == PPS_HIGHER;
    return status;
}

// Describes the search in one line, by which a journal is recognised.
static void identify(struct best *b, int objective)
{
    const char *over = pps_arg(b->args, "over");
    snprintf(b->identity, sizeof b->identity,
             "%s %s evaluations %" PRIu64 " grid %" PRIu64 " seed %" PRIu64
             " over %s by %s %s experiment %016" PRIx64,
             PPS_VERSION, b->experiment->kernel->name, b->search.evaluations,
             b->search.most_grid, b->search.seed, over != NULL ? over : "-",
             b->experiment->kernel->columns[objective].name,
             b->evaluation.higher ? "higher" : "lower", b->experiment->digest);
}

static enum pps_status choose_path(struct best *b, struct pps_error *err)
{
    char usual[300];
    const char *output = pps_arg(b->args, "output");
    snprintf(usual, sizeof usual, "%s/%s-best-%08x.csv.gz", PPS_DATA_FOLDER,
             b->experiment->name, (unsigned)(pps_search_hash(b->identity) >> 32));
    if (output != NULL && strcmp(output, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "best needs a result file, not -o -");
    const enum pps_status status =
        pps_resultpath_choose(output != NULL ? output : usual, pps_arg(b->args, "compress"),
                              b->experiment, (struct pps_shard){.count = 0}, &b->path, err);
    snprintf(b->journal, sizeof b->journal, "%s.search.part", b->path.path);
    return status;
}

// A search of hours is never replaced without --force.
static enum pps_status check_output(const struct best *b, struct pps_error *err)
{
    struct pps_gate gate = *pps_arg_gate(b->args);
    gate.maker.name = NULL;
    return pps_gate_check(&gate, b->path.path, err);
}

// Opens the rows of a complete result, if it is one of this experiment. If the search arrives at the same
// points, the result stays as it is.
static bool has_result(struct best *b)
{
    struct pps_error unused;
    bool checked;
    return pps_known_rows_open(&b->known, b->path.path, b->experiment, b->space.objective,
                               &checked, &unused) == PPS_OK;
}

// Refuses a result, or an interrupted one, that the search would replace. If a journal is continued, both are
// of an earlier run of the search that had begun to write.
static enum pps_status check_result(struct best *b, struct pps_error *err)
{
    const bool asked = b->resume, part = pps_existing_file(b->path.path, ".part");
    b->resume = asked && pps_existing_file(b->path.path, ".search.part");
    if (b->resume)
        return PPS_OK;
    if (!b->force && part)
        return pps_fail(err, PPS_E_INPUT,
                        "%s.part is of an interrupted run; choose another name, or --force "
                        "replaces it",
                        b->path.path);
    b->resume = asked && !b->force && pps_existing_file(b->path.path, "") && has_result(b);
    return b->resume ? PPS_OK : check_output(b, err);
}

// ---- the search -----------------------------------------------------------------------------------

// Shows on a terminal how far the search is.
static void watch(void *self, const struct pps_best_search *search)
{
    struct best *b = self;
    const double now_s = pps_wall_seconds();
    if (b->quiet || !isatty(STDERR_FILENO) || now_s - b->shown_s < 0.2)
        return;
    fprintf(stderr, "\r\x1b[K%s points evaluated",
            pps_count_text((double)search->evaluation->n).text);
    fflush(stderr);
    b->shown_s = now_s;
}

static enum pps_status prepare(struct best *b, struct pps_error *err)
{
    int objective = 0;
    b->request.objective = pps_arg(b->args, "objective");
    enum pps_status status = pps_experiment_load(&b->experiment, &b->request, err);
    if (status == PPS_OK)
        status = choose_objective(b, &objective, err);
    if (status == PPS_OK)
        status = pps_search_space_open(&b->space, b->experiment, pps_arg(b->args, "over"),
                                       objective, err);
    if (status != PPS_OK)
        return status;
    identify(b, objective);
    b->evaluation.space = &b->space;
    b->evaluation.request = &b->request;
    b->evaluation.stop = b->stop;
    b->search.evaluation = &b->evaluation;
    b->search.space = &b->space;
    b->search.watch = watch;
    b->search.self = b;
    status = choose_path(b, err);
    if (status == PPS_OK)
        status = check_result(b, err);
    b->evaluation.known = b->known;
    return status == PPS_OK ? pps_resultpath_folder(&b->path, err) : status;
}

// After a stop or a failure: where the evaluations are, and how to go on.
static enum pps_status keep(struct best *b, enum pps_status status, struct pps_error *err)
{
    char command[2048];
    struct pps_error unused;
    const enum pps_status kept =
        pps_record_log_sync(&b->evaluation.journal, status == PPS_E_STOPPED ? err : &unused);
    pps_arg_line_resume(b->args, command, sizeof command);
    if (status == PPS_E_STOPPED)
        return kept != PPS_OK
                   ? kept
                   : pps_fail(err, PPS_E_STOPPED,
                              "stopped after %s evaluations, kept in %s; to continue: %s",
                              pps_count_text((double)b->evaluation.n).text, b->journal,
                              command);
    const size_t n = strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n, "; to continue: %s", command);
    return status;
}

static enum pps_status search_and_write(struct best *b, struct pps_error *err)
{
    enum pps_status status = pps_best_search_run(&b->search, err);
    if (!b->quiet && isatty(STDERR_FILENO))
        fputs("\r\x1b[K", stderr);
    const struct pps_best_result_ask ask = {.evaluation = &b->evaluation,
                                            .path = b->path.path,
                                            .codec = pps_arg(b->args, "compress"),
                                            .force = b->force,
                                            .resume = b->resume,
                                            .command = pps_arg_line(b->args),
                                            .stop = b->stop};
    if (status == PPS_OK && b->evaluation.n > 0)
        status = best_result_write(&ask, err);
    if (status == PPS_E_INPUT && b->known != NULL) { // the complete result is of another search
        struct pps_error unused;
        (void)!pps_record_log_remove(&b->evaluation.journal, &unused);
    }
    return status == PPS_OK ? pps_record_log_remove(&b->evaluation.journal, err) : status;
}

static enum pps_status search(struct best *b, struct pps_error *err)
{
    if (!b->quiet)
        pps_documents_warn(b->experiment->inputs, stderr);
    pps_signals_end_at_once(NULL); // there are files to close
    enum pps_status status =
        pps_evaluation_open(&b->evaluation, b->journal, b->identity, b->resume, b->force, err);
    if (status != PPS_OK)
        return status;
    status = search_and_write(b, err);
    return status == PPS_E_STOPPED || status == PPS_E_MACHINE ? keep(b, status, err) : status;
}

static enum pps_status report(const struct best *b, struct pps_error *err)
{
    bool any = false;
    for (uint32_t g = 0; g < b->space.groups.n; g++)
        any = any || b->search.groups[g].best != SIZE_MAX;
    if (!any)
        return pps_fail(
            err, PPS_E_INFEASIBLE,
            "no feasible point among %s evaluations (%s more are refused by rules or ranges)",
            pps_count_text((double)b->evaluation.n).text,
            pps_count_text((double)b->evaluation.refused).text);
    if (!b->quiet)
        pps_best_report_print(&b->search, b->path.path);
    if (pps_arg(b->args, "json") != NULL)
        pps_best_report_json(&b->search, b->path.path, stdout);
    return PPS_OK;
}

static enum pps_status best_main(const struct pps_args *args, struct pps_error *err)
{
    struct best b = {.args = args,
                     .quiet = pps_arg(args, "quiet") != NULL,
                     .force = pps_arg(args, "force") != NULL,
                     .resume = pps_arg(args, "resume") != NULL};
    double limit_s = 0;
    pps_signals_end_at_once("ppsweep: stopped before the first point; no file was changed\n");
    b.stop = pps_signals_install();
    enum pps_status status = pps_arg_duration(args, "time-limit", &limit_s, err);
    if (limit_s > 0)
        pps_signals_alarm(limit_s);
    if (status == PPS_OK)
        status = read_options(&b, err);
    if (status == PPS_OK)
        status = prepare(&b, err);
    if (status == PPS_OK)
        status = search(&b, err);
    if (status == PPS_OK)
        status = report(&b, err);
    pps_best_search_free(&b.search);
    pps_evaluation_close(&b.evaluation);
    pps_known_rows_close(b.known);
    pps_search_space_close(&b.space);
    pps_experiment_free(b.experiment);
    pps_request_free(&b.words);
    return status;
}

const struct pps_command pps_command_best = {
    .name = "best",
    .summary = "search the best point of an experiment, between and beyond its listed values",
    .usage = "-c EXPERIMENT.json [options]",
    .details = details,
    .options = options,
    .aliases = pps_request_aliases,
    .kernels = true,
    .kernel_options = true,
    .main = best_main,
};
