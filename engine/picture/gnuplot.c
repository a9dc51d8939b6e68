// SPDX-License-Identifier: Apache-2.0
// Runs gnuplot.
#include "engine/picture/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS 50 // between two looks at the stop flag

static enum pps_status start(struct pps_process *process, const struct pps_process_start *what,
                             struct pps_error *err)
{
    const enum pps_status status = pps_process_start(process, what, err);
    if (status == PPS_OK || errno != ENOENT)
        return status;
    return pps_fail(err, PPS_E_MACHINE, "gnuplot is not installed: apt install gnuplot-nox");
}

static bool is_set(const atomic_bool *stop)
{
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

// Waits until gnuplot ends, and ends it if the stop flag is set.
static void await_end(struct pps_process *process, const atomic_bool *stop,
                      struct pps_process_end *end)
{
    struct pollfd link = {.fd = process->link, .events = POLLIN};
    while (stop != NULL && !is_set(stop) && poll(&link, 1, WAIT_MS) <= 0)
        continue;
    if (is_set(stop))
        pps_process_stop(process);
    pps_process_wait(process, end);
}

static enum pps_status launch(struct pps_process *process, const char *folder, const char *log,
                              char *const *args, struct pps_error *err)
{
    const int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0)
        return pps_fail_errno(err, "cannot create", log);
    const struct pps_process_start what = {.args = args, .folder = folder, .output = output};
    const enum pps_status status = start(process, &what, err);
    close(output);
    return status;
}

// Returns the exit status, or 128 plus the signal that ended gnuplot.
static int await_code(struct pps_process *process, const atomic_bool *stop)
{
    struct pps_process_end end;
    await_end(process, stop, &end);
    return end.signal != 0 ? 128 + end.signal : end.exit_status;
}

enum { REFUSED = 3 }; // exit status of a script that cannot draw what the user asks for

// Reports a failure of gnuplot with the last non-empty line that it printed.
static enum pps_status explain(const char *path, int code, struct pps_error *err)
{
    char line[512], last[512] = "no output";
    FILE *log = fopen(path, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")] != '\0')
            memcpy(last, line, sizeof last);
    }
    if (log != NULL)
        fclose(log);
    if (code == REFUSED)
        return pps_fail(err, PPS_E_INPUT, "%s", last);
    return pps_fail(err, PPS_E_MACHINE, "gnuplot failed with status %d: %s", code, last);
}

enum pps_status pps_gnuplot_check(struct pps_error *err)
{
    char name[] = "gnuplot", option[] = "--version";
    char *const args[] = {name, option, NULL};
    struct pps_process process;
    const enum pps_status status = launch(&process, "/", "/dev/null", args, err);
    const int code = status == PPS_OK ? await_code(&process, NULL) : 0;
    if (code != 0)
        return pps_fail(err, PPS_E_MACHINE, "gnuplot does not work: it exits with status %d",
                        code);
    return status;
}

enum pps_status pps_gnuplot_start(struct pps_gnuplot *gnuplot, const char *folder,
                                  size_t number, char *const *args, struct pps_error *err)
{
    snprintf(gnuplot->log, sizeof gnuplot->log, "%s/gnuplot-%zu.log", folder, number);
    return launch(&gnuplot->process, folder, gnuplot->log, args, err);
}

enum pps_status pps_gnuplot_wait(struct pps_gnuplot *gnuplot, const atomic_bool *stop,
                                 struct pps_error *err)
{
    const int code = await_code(&gnuplot->process, stop);
    if (is_set(stop))
        return pps_fail(err, PPS_E_STOPPED, "stopped while drawing");
    return code != 0 ? explain(gnuplot->log, code, err) : PPS_OK;
}
