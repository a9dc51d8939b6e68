// SPDX-License-Identifier: Apache-2.0
// Whole runs as a function. Every test fails if the function prints or exits: a program that
// embeds it has no use for either.
#include "tests/unit/support/engine/toy_kernel.h"
#include "tests/unit/support/files.h"

#include "engine/job/job.h"

#include <fcntl.h>
#include <sys/stat.h>

#define EXPERIMENT(x_)                                                                         \
    "{\"kernel\": \"toy\", \"inputs\": {\"box\": {\"size\": 2, \"weight\": 3}}, \"x\": " x_ "}"
#define SHORT EXPERIMENT("[1, 2, 13]")
#define LONG  EXPERIMENT("\"1..50\", \"factor\": {\"start\": 0.1, \"stop\": 10, \"step\": 0.1}")

TestSuite(job, .init = enter, .fini = leave);

// ---- jobs -------------------------------------------------------------------------------------

// Every point seems to cost a second, so that blocks are small.
static double high_cost(const double *point, const void *shared)
{
    (void)point, (void)shared;
    return 1e9;
}

static struct pps_kernel costly;
static const struct pps_kernel *const kernels[] = {&costly, NULL};

static struct pps_job job_of(const char *text, const char *output)
{
    costly = toy;
    costly.cost = high_cost;
    return (struct pps_job){
        .request = {.kernels = kernels, .text = text, .digits = PPS_DEFAULT_DIGITS},
        .threads = 2,
        .output = output,
        .top = 1,
    };
}

// Calls pps_job_run with stdout and stderr sent to a file, which must stay empty.
static enum pps_status call(const struct pps_job *job, struct pps_job_result *result,
                            struct pps_error *err)
{
    const int file = open("printed", O_WRONLY | O_CREAT | O_APPEND, 0600);
    int streams[2];
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        streams[i] = dup(i + 1);
        cr_assert_geq(dup2(file, i + 1), 0);
    }
    const enum pps_status status = pps_job_run(job, result, err);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(streams[i], i + 1);
        close(streams[i]);
    }
    close(file);
    has_text("printed", "");
    return status;
}

static struct pps_job_result run(const struct pps_job *job, enum pps_status expected)
{
    struct pps_job_result result = {.job = NULL};
    struct pps_error err = {.text = ""};
    cr_assert_eq(call(job, &result, &err), expected, "%s", err.text);
    return result;
}

static void run_to(const char *text, const char *output)
{
    const struct pps_job job = job_of(text, output);
    struct pps_job_result result = run(&job, PPS_OK);
    pps_job_free(&result);
}

static void refused(const struct pps_job *job, const char *text)
{
    struct pps_job_result result = {.job = NULL};
    struct pps_error err = {.text = ""};
    cr_assert_eq(call(job, &result, &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, text) != NULL, "%s", err.text);
    pps_job_free(&result);
}

// Events of a job, a letter each, without repeated ones; stops at the n-th PPS_JOB_PASSED.
struct events {
    char letters[16];
    int passed, stop_at;
    uint64_t points;
};

static bool note_event(void *self, enum pps_job_event event, const struct pps_job_result *r)
{
    struct events *events = self;
    const size_t n = strlen(events->letters);
    const char letter = "FRBPE"[event];
    if (n == 0 || events->letters[n - 1] != letter)
        events->letters[n] = letter;
    if (event != PPS_JOB_PASSED)
        return true;
    cr_assert_gt(r->passed.points, events->points);
    events->points = r->passed.points;
    return ++events->passed != events->stop_at;
}

// ---- tests ------------------------------------------------------------------------------------

// Catches a job that needs anything of the command line, and totals that differ from the file.
Test(job, writes_result)
{
    struct events events = {.letters = ""};
    struct pps_job job = job_of(SHORT, "r.csv");
    job.watch = note_event;
    job.self = &events;
    struct pps_job_result result = run(&job, PPS_OK);
    size_t n;
    const struct pps_best_row *best = pps_best_by_group_rows(&result.totals.best, &n);
    has_text("r.csv", "x,time,answer,need\n1,6.00,yes,6\n2,3.00,yes,12\n13,,,\n");
    cr_assert(is_there("r.csv.idx") && is_there("r.csv.json") && !is_there("r.csv.part"));
    cr_assert_eq(result.totals.counts.rows, 3);
    cr_assert_eq(result.totals.counts.failed, 1);
    cr_assert_eq(result.n_points, 3);
    cr_assert(n == 1 && result.totals.complete && !result.repeated && !result.resumed);
    cr_assert_str_eq(best[0].text, "2,3.00,yes,12");
    cr_assert_str_eq(events.letters, "RBPE");
    pps_job_free(&result);
}

// Catches a watch callback that cannot stop the run, and a resumed run with other bytes.
Test(job, stops_and_resumes)
{
    struct events events = {.stop_at = 1};
    struct pps_job job = job_of(LONG, "r.csv.gz");
    struct pps_job_result result = {.job = NULL};
    struct pps_error err = {.text = ""};
    job.watch = note_event;
    job.self = &events;
    job.resume_command = "again()";
    cr_assert_eq(call(&job, &result, &err), PPS_E_STOPPED);
    cr_assert(strstr(err.text, "r.csv.gz.part; to continue: again()") != NULL, "%s", err.text);
    cr_assert(is_there("r.csv.gz.part") && !is_there("r.csv.gz"));
    cr_assert(!result.totals.complete && result.totals.points < 5000);
    pps_job_free(&result);

    refused(&job, "r.csv.gz.part");
    job.resume = true;
    events = (struct events){.letters = ""};
    result = run(&job, PPS_OK);
    cr_assert(result.resumed && result.totals.complete);
    cr_assert_gt(result.earlier_points, 0);
    cr_assert_eq(result.earlier_points + events.points, 5000);
    cr_assert_eq(result.totals.points, 5000);
    cr_assert_str_eq(events.letters, "RBPE");
    pps_job_free(&result);

    run_to(LONG, "whole.csv.gz");
    same_files("r.csv.gz", "whole.csv.gz");
    same_files("r.csv.gz.idx", "whole.csv.gz.idx");
}

// Catches a job that ignores the flag of its caller while it reads or before it begins.
Test(job, obeys_stop_flag)
{
    atomic_bool stop = true;
    struct pps_job job = job_of(LONG, "r.csv");
    job.stop = &stop;
    struct pps_job_result result = run(&job, PPS_E_STOPPED);
    cr_assert_eq(result.totals.points, 0);
    cr_assert(is_there("r.csv.part"));
    pps_job_free(&result);
    stop = false;
    job.resume = true;
    result = run(&job, PPS_OK);
    cr_assert_eq(result.totals.points, 5000);
    pps_job_free(&result);
}

// A point that takes much longer than the test: it ends only with the stop flag.
static void run_for_ever(const struct pps_batch *batch, const struct pps_worker *worker)
{
    while (!atomic_load(worker->stop))
        continue;
    memset(batch->outcome, PPS_STOPPED, batch->n_points);
}

// Catches a time limit that waits for the end of a block, and a limit that outlives its run.
Test(job, obeys_time_limit)
{
    struct pps_job job = job_of(LONG, "r.csv");
    costly.run = run_for_ever;
    job.time_limit_s = 0.01;
    struct pps_job_result result = run(&job, PPS_E_STOPPED);
    cr_assert_eq(result.totals.points, 0);
    pps_job_free(&result);
    atomic_bool stop = false;
    job = job_of(SHORT, "short.csv");
    job.stop = &stop;
    job.time_limit_s = 3600;
    result = run(&job, PPS_OK);
    cr_assert(!stop);
    pps_job_free(&result);
}

// Catches a complete result that is computed again, and totals that the file does not show.
Test(job, repeats_complete_result)
{
    struct events events = {.letters = ""};
    struct pps_job job = job_of(SHORT, "r.csv");
    struct stat before, after;
    run_to(SHORT, "r.csv");
    cr_assert_eq(stat("r.csv", &before), 0);
    job.watch = note_event;
    job.self = &events;
    job.threads = 1;
    struct pps_job_result result = run(&job, PPS_OK);
    size_t n;
    const struct pps_best_row *best = pps_best_by_group_rows(&result.totals.best, &n);
    cr_assert_eq(stat("r.csv", &after), 0);
    cr_assert_eq(before.st_ino, after.st_ino, "the file was written again");
    cr_assert(result.repeated && result.totals.complete && !result.no_totals);
    cr_assert_eq(result.threads, 2, "of the run that made the result");
    cr_assert_eq(result.totals.counts.failed, 1);
    cr_assert(n == 1 && strcmp(best[0].text, "2,3.00,yes,12") == 0);
    cr_assert_str_eq(events.letters, "F");
    pps_job_free(&result);

    job.force = true;
    events = (struct events){.letters = ""};
    result = run(&job, PPS_OK);
    cr_assert_eq(result.threads, 1);
    cr_assert_str_eq(events.letters, "RBPE");
    pps_job_free(&result);
}

// Catches a job that overwrites the result of another experiment.
Test(job, refuses_other_experiment)
{
    struct pps_job job = job_of(LONG, "r.csv");
    run_to(SHORT, "r.csv");
    refused(&job, "r.csv");
    job.resume = true;
    refused(&job, "r.csv is the complete result of another run");
    has_text("r.csv", "x,time,answer,need\n1,6.00,yes,6\n2,3.00,yes,12\n13,,,\n");
    job.force = true;
    struct pps_job_result result = run(&job, PPS_OK);
    cr_assert_eq(result.totals.points, 5000);
    pps_job_free(&result);
}

// Catches rows that go to stdout although the caller has another stream.
Test(job, writes_to_stream)
{
    struct pps_job job = job_of(SHORT, "-");
    refused(&job, "-");
    job.rows = fopen("rows", "w");
    struct pps_job_result result = run(&job, PPS_OK);
    fclose(job.rows);
    has_text("rows", "x,time,answer,need\n1,6.00,yes,6\n2,3.00,yes,12\n13,,,\n");
    pps_job_free(&result);
}

// Catches names that are resolved only by the command line.
Test(job, keeps_only_best_rows)
{
    struct pps_job job = job_of(EXPERIMENT("[1, 2, 3, 4]"), "r.csv");
    job.only_best = true;
    job.by = "none";
    job.request.objective = "need";
    struct pps_job_result result = run(&job, PPS_OK);
    cr_assert_eq(result.totals.counts.rows, 1);
    cr_assert_eq(result.totals.judged, 4);
    pps_job_free(&result);
    job.force = true;
    job.by = "y";
    refused(&job, "--by y");
    job.by = NULL;
    job.request.objective = "nedd";
    refused(&job, "did you mean need?");
}

// Catches a run that loads the experiment a second time, or leaves files when only loaded.
Test(job, loads_first)
{
    struct pps_job job = job_of(SHORT, "deep.csv");
    struct pps_job_result result = {.job = NULL};
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_job_load(&job, &result, &err), PPS_OK, "%s", err.text);
    const struct pps_experiment *loaded = result.experiment;
    cr_assert_eq(loaded->n_points, 3);
    cr_assert_str_eq(result.path.path, "deep.csv");
    cr_assert(!is_there("deep.csv.part"));
    cr_assert_eq(call(&job, &result, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(result.experiment, loaded);
    pps_job_free(&result);
    pps_job_free(&result); // twice is fine
    cr_assert_eq(toy_n_open(), 0);
}
