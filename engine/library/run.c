// SPDX-License-Identifier: Apache-2.0
// Runs a whole experiment in one call: options become a job, the watch function gets its
// progress, and a time limit raises the stop flag.
#include "engine/library/library_private.h"

#include "base/system/machine.h"
#include "base/text/decimal.h"
#include "engine/experiment/work_groups.h"
#include "engine/job/job.h"
#include "kernels/registry.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECONDS_PER_REPORT 0.1

// A run with its timer: a thread that raises the run's own flag when the time is over or the
// caller's flag goes up.
struct run {
    const struct ppsweep_run_options *options;
    struct pps_job job;
    struct pps_job_result result;
    double start_s, reported_s;
    atomic_bool stop;
    bool has_timer, done;
    pthread_t timer;
    pthread_mutex_t lock; // of `done`
    pthread_cond_t ended;
};

// ---- progress ---------------------------------------------------------------------------------

static bool watch(void *self, enum pps_job_event event, const struct pps_job_result *r)
{
    struct run *run = self;
    const double now = pps_wall_seconds();
    const bool passed = event == PPS_JOB_PASSED;
    if (event != PPS_JOB_BEGINS && event != PPS_JOB_ENDS && !passed)
        return true;
    if (passed && now - run->reported_s < SECONDS_PER_REPORT)
        return true;
    run->reported_s = now;
    const struct ppsweep_progress progress = {
        .points = r->earlier_points + r->passed.points,
        .all_points = r->n_points,
        .rows = r->earlier_rows + r->passed.rows,
        .seconds = now - run->start_s,
    };
    run->options->watch(run->options->self, &progress);
    return true;
}

// ---- the time limit ---------------------------------------------------------------------------

static void *wait_for_limit(void *self)
{
    struct run *run = self;
    const double end_s = run->start_s + run->options->time_limit_s;
    const struct ppsweep_stop *stop = run->options->stop;
    pthread_mutex_lock(&run->lock);
    while (!run->done && !atomic_load(&run->stop)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&run->ended, &run->lock, &until);
        if (pps_wall_seconds() >= end_s || (stop != NULL && atomic_load(&stop->raised)))
            atomic_store(&run->stop, true);
    }
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

static enum pps_status start_timer(struct run *run, struct pps_error *err)
{
    if (!(run->options->time_limit_s > 0))
        return PPS_OK;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->ended, NULL);
    errno = pps_library_thread(&run->timer, wait_for_limit, run);
    run->has_timer = errno == 0;
    if (run->has_timer)
        return PPS_OK;
    pthread_mutex_destroy(&run->lock);
    pthread_cond_destroy(&run->ended);
    return pps_fail_errno(err, "cannot start", "the thread of the time limit");
}

static void end_timer(struct run *run)
{
    if (!run->has_timer)
        return;
    pthread_mutex_lock(&run->lock);
    run->done = true;
    pthread_cond_signal(&run->ended);
    pthread_mutex_unlock(&run->lock);
    pthread_join(run->timer, NULL);
    pthread_mutex_destroy(&run->lock);
    pthread_cond_destroy(&run->ended);
}

// ---- options and summary ----------------------------------------------------------------------

static void set_job(struct run *run)
{
    const struct ppsweep_run_options *options = run->options;
    run->job = (struct pps_job){
        .request = {.kernels = pps_kernels,
                    .path = options->path,
                    .text = options->experiment,
                    .metrics = options->metrics,
                    .objective = options->objective,
                    .digits = options->decimals == 0  ? PPS_DEFAULT_DIGITS
                              : options->decimals < 0 ? PPS_FULL_DIGITS
                                                      : options->decimals,
                    .limit = options->limit,
                    .exact = options->exact != 0,
                    .point_limit = options->point_limit,
                    .status = options->status != 0,
                    .typed = options->typed != 0},
        .threads = options->threads,
        .output = options->output,
        .codec = options->compress,
        .force = options->force != 0,
        .resume = options->resume != 0,
        .top = 1,
        .by = PPS_BY_NONE,
        .command = "",
        .resume_command = "a run with resume",
        .stop = options->time_limit_s > 0 ? &run->stop
                : options->stop != NULL   ? &options->stop->raised
                                          : NULL,
        .watch = options->watch != NULL ? watch : NULL,
        .self = run,
    };
}

static void set_best(struct ppsweep_summary *summary, const struct pps_job_result *r)
{
    const struct pps_best_by_group *best = &r->totals.best;
    const int objective = r->sweep.objective;
    if (r->sweep.experiment == NULL) // not resolved
        return;
    snprintf(summary->objective, sizeof summary->objective, "%s",
             r->experiment->kernel->columns[objective].name);
    if (best->n == 0 || best->bests[0].n == 0)
        return;
    const struct pps_best_row *row = best->bests[0].rows;
    summary->best = row->value;
    if (row->n < sizeof summary->best_row)
        memcpy(summary->best_row, row->text, row->n);
}

static void set_summary(struct ppsweep_summary *summary, const struct pps_job_result *r)
{
    const struct pps_totals *totals = &r->totals;
    *summary = (struct ppsweep_summary){
        .best = (double)NAN,
        .points = totals->points,
        .rows = totals->counts.rows,
        .failed = totals->counts.failed,
        .infeasible = totals->counts.infeasible,
        .file_bytes = r->data_bytes,
        .wall_s = totals->wall_s,
        .cpu_s = totals->cpu_s,
        .resumed = r->resumed,
        .repeated = r->repeated,
    };
    snprintf(summary->path, sizeof summary->path, "%s", r->path.path);
    for (int i = 0; i < PPS_MAX_REASONS; i++)
        summary->skipped += totals->counts.left_out[i].n;
    set_best(summary, r);
}

static int check_options(const struct ppsweep_run_options *options, struct ppsweep_error *error)
{
    if (options == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "options: must not be NULL");
    if (!pps_library_size(options->size, sizeof *options, "ppsweep_run_options", error))
        return PPSWEEP_E_CALL;
    if ((options->experiment == NULL) == (options->path == NULL))
        return pps_library_fail(error, PPSWEEP_E_CALL,
                                "expected an experiment or its path, one of them NULL");
    if (options->threads < 0)
        return pps_library_fail(error, PPSWEEP_E_CALL, "threads: must be 0 or more (got %d)",
                                options->threads);
    if (options->decimals < -1 || options->decimals > PPS_MAX_DIGITS)
        return pps_library_fail(error, PPSWEEP_E_CALL, "decimals: must be -1 to %d (got %d)",
                                PPS_MAX_DIGITS, options->decimals);
    if (isnan(options->time_limit_s) || options->time_limit_s < 0)
        return pps_library_fail(error, PPSWEEP_E_CALL, "time_limit_s: must be 0 or more");
    return PPSWEEP_OK;
}

int ppsweep_run(const struct ppsweep_run_options *options, struct ppsweep_summary *summary,
                struct ppsweep_error *error)
{
    struct run run = {.options = options, .start_s = pps_wall_seconds()};
    struct pps_error err;
    if (summary != NULL)
        *summary = (struct ppsweep_summary){.best = (double)NAN};
    const int code = check_options(options, error);
    if (code != PPSWEEP_OK)
        return code;
    atomic_init(&run.stop, false);
    set_job(&run);
    const long failures = pps_memory_failures();
    pps_memory_begin();
    enum pps_status status = start_timer(&run, &err);
    if (status == PPS_OK)
        status = pps_job_run(&run.job, &run.result, &err);
    if (pps_memory_failures() != failures && status != PPS_E_MACHINE)
        status = pps_fail_memory(&err, "the run");
    end_timer(&run);
    if (summary != NULL)
        set_summary(summary, &run.result);
    pps_job_free(&run.result);
    return status == PPS_OK ? PPSWEEP_OK : pps_library_error(error, &err);
}
