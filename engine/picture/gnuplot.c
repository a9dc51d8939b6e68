// SPDX-License-Identifier: Apache-2.0
// Runs gnuplot.
#include "engine/picture/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static enum pps_status cannot_start(int why, struct pps_error *err)
{
    if (why == ENOENT)
        return pps_fail(err, PPS_E_MACHINE,
                        "gnuplot is not installed: apt install gnuplot-nox");
    errno = why;
    return pps_fail_errno(err, "start", "gnuplot");
}

static int prepare(posix_spawn_file_actions_t *actions, const char *folder, const char *log)
{
    int why = posix_spawn_file_actions_addchdir_np(actions, folder);
    if (why == 0)
        why = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (why == 0)
        why = posix_spawn_file_actions_addopen(actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC,
                                               0600);
    if (why == 0)
        why = posix_spawn_file_actions_adddup2(actions, 1, 2);
    return why;
}

// Starts gnuplot and waits. *code is its exit status, or 128 plus the signal that ended it.
static enum pps_status spawn(const char *folder,
                             const char *log,
                             char *const *args,
                             int *code,
                             struct pps_error *err)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int why = posix_spawn_file_actions_init(&actions);
    if (why != 0)
        return cannot_start(why, err);
    why = prepare(&actions, folder, log);
    if (why == 0)
        why = posix_spawnp(&pid, "gnuplot", &actions, NULL, args, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (why != 0)
        return cannot_start(why, err);
    int state;
    while (waitpid(pid, &state, 0) < 0)
        if (errno != EINTR)
            return pps_fail_errno(err, "wait for", "gnuplot");
    *code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return PPS_OK;
}

// Reports a failure of gnuplot with the last non-empty line that it printed.
static enum pps_status explain(const char *folder, int code, struct pps_error *err)
{
    char path[4096], line[512], last[512] = "no output";
    snprintf(path, sizeof path, "%s/gnuplot.log", folder);
    FILE *log = fopen(path, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")] != '\0')
            memcpy(last, line, sizeof last);
    }
    if (log != NULL)
        fclose(log);
    return pps_fail(err, PPS_E_MACHINE, "gnuplot failed with status %d: %s", code, last);
}

enum pps_status pps_gnuplot_check(struct pps_error *err)
{
    char name[] = "gnuplot", option[] = "--version";
    char *const args[] = {name, option, NULL};
    int code = 0;
    const enum pps_status status = spawn("/", "/dev/null", args, &code, err);
    if (status == PPS_OK && code != 0)
        return pps_fail(err, PPS_E_MACHINE, "gnuplot does not work: it exits with status %d",
                        code);
    return status;
}

enum pps_status pps_gnuplot_run(const char *folder, char *const *args, struct pps_error *err)
{
    int code = 0;
    const enum pps_status status = spawn(folder, "gnuplot.log", args, &code, err);
    return status == PPS_OK && code != 0 ? explain(folder, code, err) : status;
}
