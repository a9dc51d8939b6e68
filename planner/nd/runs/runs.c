// SPDX-License-Identifier: Apache-2.0
// Starts runs while places are free, and waits for their ends, time limits and the stop flag.
#include "planner/nd/runs/runs.h"

#include "base/system/disk.h"
#include "base/system/machine.h"
#include "base/text/human.h"
#include "base/text/say.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 50, SHELL_SIGNAL = 128, LAST_SIGNAL = 64 };
static const double PATIENCE_S = 5; // with a run of another process, after its grace period

// A call of nd_runs_run.
struct work {
    struct nd_runs *runs;
    bool *used; // places
    struct pollfd *ready;
    size_t n_due, n_ended, n_running;
    double start;
};

// ---- which --------------------------------------------------------------------------------------

static bool is_due(const struct nd_runs *runs, const struct nd_run *run)
{
    switch (run->state) {
    case ND_RUN_DONE:
        return false;
    case ND_RUN_TIMED_OUT:
        return runs->retry_failed || runs->limit_s == 0 || runs->limit_s > run->limit_s;
    case ND_RUN_FAILED:
    case ND_RUN_KILLED:
    case ND_RUN_NO_MEMORY:
        return runs->retry_failed;
    case ND_RUN_WAITING:
    case ND_RUN_RUNNING:
    case ND_RUN_STOPPED:
    case ND_RUN_IN_USE:
    case ND_RUN_STATES:
        break;
    }
    return true;
}

static void choose(struct work *work)
{
    struct nd_runs *runs = work->runs;
    for (size_t k = 0; k < runs->n; k++) {
        struct nd_run *run = &runs->list[k];
        if (!runs->force)
            nd_run_read(run, &runs->recipe);
        if (!runs->force && !is_due(runs, run))
            continue;
        run->state = ND_RUN_WAITING;
        run->earlier = false;
        run->exit_status = run->signal = 0;
        run->seconds = 0;
        run->line.text[0] = '\0';
        work->n_due++;
    }
    if (work->n_due < runs->n)
        fprintf(stderr, "%zu of %zu runs finished earlier\n", runs->n - work->n_due, runs->n);
}

struct nd_place nd_runs_place(const struct nd_runs *runs, const struct nd_run *run, int slot)
{
    const bool simulated = run->order.rank >= 0;
    return (struct nd_place){.log = run->folder,
                             .devices = slot >= 0 ? runs->slots.devices[slot] : "",
                             .port = slot >= 0 && !simulated ? runs->port + slot : 0};
}

// ---- start --------------------------------------------------------------------------------------

// Writes the state with the command; *command belongs to the caller.
static enum pps_status write_state(const struct nd_runs *runs, const struct nd_run *run,
                                   struct text_buffer *command, struct pps_error *err)
{
    const struct nd_place place = nd_runs_place(runs, run, run->slot);
    nd_recipe_command(command, &runs->recipe, &run->order, &place);
    if (command->failed)
        return pps_fail_memory(err, "the command");
    return nd_run_write(run, &runs->recipe, command->text, err);
}

static enum pps_status start_shell(struct work *work, struct nd_run *run, int log,
                                   struct pps_error *err)
{
    char shell[] = "/bin/sh", option[] = "-c";
    struct text_buffer command = {.text = NULL};
    enum pps_status status = write_state(work->runs, run, &command, err);
    char *const args[] = {shell, option, command.text, NULL};
    const struct pps_process_start start = {.args = args,
                                            .output = log,
                                            .grace_s = work->runs->grace_s};
    if (status == PPS_OK)
        status = pps_process_start(&run->process, &start, err);
    text_buffer_free(&command);
    return status;
}

static void say_started(const struct nd_runs *runs, const struct nd_run *run)
{
    const char *devices = runs->slots.devices[run->slot];
    if (devices[0] != '\0')
        pps_say(stderr, "%s: started on devices %s", run->name, devices);
    else
        pps_say(stderr, "%s: started", run->name);
}

// Starts a run, unless another process has its log.
static enum pps_status start(struct work *work, struct nd_run *run, int slot,
                             struct pps_error *err)
{
    int log = -1;
    enum pps_status status = nd_run_open_log(run, work->runs->output, &log, err);
    if (status == PPS_OK && log >= 0) {
        run->state = ND_RUN_RUNNING;
        run->slot = slot;
        run->limit_s = work->runs->limit_s;
        run->started = time(NULL);
        run->ended = 0;
        run->start = pps_wall_seconds();
        status = start_shell(work, run, log, err);
        if (status != PPS_OK)
            run->state = ND_RUN_STOPPED;
    }
    if (log >= 0)
        close(log);
    if (status != PPS_OK || run->state != ND_RUN_RUNNING)
        return status;
    work->used[slot] = true;
    work->n_running++;
    say_started(work->runs, run);
    return PPS_OK;
}

static int free_place(const struct work *work)
{
    for (uint64_t s = 0; s < work->runs->slots.n; s++)
        if (!work->used[s])
            return (int)s;
    return -1;
}

// After the end of a killed ppsweep its guards need the grace period to end its runs.
static void give_up(struct work *work, struct nd_run *run)
{
    if (pps_wall_seconds() - work->start < work->runs->grace_s + PATIENCE_S)
        return;
    run->state = ND_RUN_IN_USE;
    work->n_ended++;
    pps_say(stderr, "%s: in use: another process writes %s", run->name, run->log);
}

static enum pps_status start_some(struct work *work, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    struct nd_runs *runs = work->runs;
    for (size_t k = 0; k < runs->n && status == PPS_OK; k++) {
        struct nd_run *run = &runs->list[k];
        const int slot = free_place(work);
        if (slot < 0)
            break;
        if (run->state != ND_RUN_WAITING)
            continue;
        status = start(work, run, slot, err);
        if (status == PPS_OK && run->state == ND_RUN_WAITING)
            give_up(work, run);
    }
    return status;
}

// ---- end ----------------------------------------------------------------------------------------

static enum nd_run_state state_of(struct nd_run *run, struct pps_process_end end)
{
    if (run->late)
        return ND_RUN_TIMED_OUT;
    if (run->stopping)
        return ND_RUN_STOPPED;
    // The shell's form of a signal.
    if (end.signal == 0 && end.exit_status > SHELL_SIGNAL &&
        end.exit_status <= SHELL_SIGNAL + LAST_SIGNAL)
        end = (struct pps_process_end){.signal = end.exit_status - SHELL_SIGNAL};
    run->exit_status = end.exit_status;
    run->signal = end.signal;
    return end.signal != 0 ? ND_RUN_KILLED : end.exit_status != 0 ? ND_RUN_FAILED : ND_RUN_DONE;
}

static void read_logs(struct nd_run *run)
{
    run->line = (struct nd_last_line){.plain = run->state == ND_RUN_DONE};
    nd_last_line_read(&run->line, run->log);
    const bool failed = run->state == ND_RUN_FAILED || run->state == ND_RUN_KILLED;
    if (failed && run->order.rank < 0 && run->line.kind < ND_LINE_NO_MEMORY)
        nd_last_line_read_folder(&run->line, run->folder, run->started);
    if (failed && run->line.kind == ND_LINE_NO_MEMORY)
        run->state = ND_RUN_NO_MEMORY;
}

static void say_ended(const struct work *work, const struct nd_run *run)
{
    char state[64], seconds[48];
    nd_run_describe(run, state, sizeof state);
    pps_human_seconds(run->seconds, seconds, sizeof seconds);
    if (run->state == ND_RUN_DONE || run->line.text[0] == '\0')
        pps_say(stderr, "%s: %s after %s (%zu of %zu)", run->name, state, seconds,
                work->n_ended, work->n_due);
    else
        pps_say(stderr, "%s: %s after %s (%zu of %zu): %s", run->name, state, seconds,
                work->n_ended, work->n_due, run->line.text);
}

static enum pps_status finish(struct work *work, struct nd_run *run, struct pps_process_end end,
                              struct pps_error *err)
{
    struct text_buffer command = {.text = NULL};
    run->ended = time(NULL);
    run->seconds = pps_wall_seconds() - run->start;
    run->state = state_of(run, end);
    read_logs(run);
    work->used[run->slot] = false;
    work->n_running--;
    work->n_ended++;
    say_ended(work, run);
    const enum pps_status status = write_state(work->runs, run, &command, err);
    text_buffer_free(&command);
    return status;
}

// Takes the runs that have ended, and stops those beyond their time limit.
static enum pps_status look_at_running(struct work *work, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    struct nd_runs *runs = work->runs;
    for (size_t k = 0; k < runs->n && status == PPS_OK; k++) {
        struct pps_process_end end;
        struct nd_run *run = &runs->list[k];
        if (run->state != ND_RUN_RUNNING)
            continue;
        if (pps_process_ended(&run->process, &end)) {
            status = finish(work, run, end, err);
        } else if (run->limit_s > 0 && !run->late && !run->stopping &&
                   pps_wall_seconds() - run->start > run->limit_s) {
            run->late = true;
            pps_process_stop(&run->process);
        }
    }
    return status;
}

static void stop_all(struct work *work)
{
    for (size_t k = 0; k < work->runs->n; k++) {
        struct nd_run *run = &work->runs->list[k];
        if (run->state != ND_RUN_RUNNING || run->stopping)
            continue;
        run->stopping = true;
        pps_process_stop(&run->process);
    }
}

// After a failure of the machine: ends everything and keeps the first error.
static void abandon(struct work *work)
{
    struct pps_process_end end;
    stop_all(work);
    for (size_t k = 0; k < work->runs->n; k++) {
        struct nd_run *run = &work->runs->list[k];
        if (run->state != ND_RUN_RUNNING)
            continue;
        if (run->process.link >= 0)
            pps_process_wait(&run->process, &end);
        run->state = ND_RUN_STOPPED;
    }
}

// ---- loop ---------------------------------------------------------------------------------------

// Waits for an end, at most POLL_MS: a signal may reach another thread.
static void pause_until_event(struct work *work)
{
    nfds_t n = 0;
    for (size_t k = 0; k < work->runs->n; k++)
        if (work->runs->list[k].state == ND_RUN_RUNNING)
            work->ready[n++] =
                (struct pollfd){.fd = work->runs->list[k].process.link, .events = POLLIN};
    (void)poll(work->ready, n, POLL_MS);
}

static enum pps_status loop(struct work *work, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    bool told = false;
    while (status == PPS_OK) {
        const bool stop = atomic_load(work->runs->stop);
        if (stop)
            stop_all(work);
        else
            status = start_some(work, err);
        if (stop && work->n_running > 0 && !told) {
            fprintf(stderr, "stopping %zu run%s\n", work->n_running,
                    work->n_running == 1 ? "" : "s");
            told = true;
        }
        if (work->n_running == 0 && (stop || work->n_ended >= work->n_due))
            break;
        pause_until_event(work);
        if (status == PPS_OK)
            status = look_at_running(work, err);
    }
    return status;
}

static enum pps_status make_folders(const struct nd_runs *runs, struct pps_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/status", runs->output);
    return pps_disk_make_folder(path, err);
}

enum pps_status nd_runs_run(struct nd_runs *runs, struct pps_error *err)
{
    struct work work = {.runs = runs, .start = pps_wall_seconds()};
    work.used = calloc(runs->slots.n, sizeof *work.used);
    work.ready = calloc(runs->slots.n, sizeof *work.ready);
    enum pps_status status = work.used != NULL && work.ready != NULL
                                 ? make_folders(runs, err)
                                 : pps_fail_memory(err, "the runs");
    if (status == PPS_OK) {
        choose(&work);
        status = loop(&work, err);
        if (status != PPS_OK)
            abandon(&work);
    }
    free(work.used);
    free(work.ready);
    return status;
}
