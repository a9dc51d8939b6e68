// SPDX-License-Identifier: Apache-2.0
// Prints the table of runs.
#include "planner/nd/runs/runs.h"

#include "base/text/say.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The log, relative to the current folder if it is below it.
static const char *short_path(const char *path, const char *here)
{
    const size_t n = strlen(here);
    return strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

static void print_row(const struct nd_run *run, int width, const char *here)
{
    char state[64], seconds[32] = "-";
    nd_run_describe(run, state, sizeof state);
    if (run->state != ND_RUN_WAITING && run->state != ND_RUN_IN_USE)
        snprintf(seconds, sizeof seconds, "%.1f", run->seconds);
    const bool started = run->state != ND_RUN_WAITING;
    pps_say(stdout, "%-*s  %-20s  %8s  %s%s%s", width, run->name, state, seconds,
            started ? short_path(run->log, here) : "", run->line.text[0] != '\0' ? "  " : "",
            run->line.text);
}

void nd_runs_print(const struct nd_runs *runs)
{
    char here[4096];
    int width = 4;
    if (getcwd(here, sizeof here) == NULL)
        here[0] = '\0';
    for (size_t k = 0; k < runs->n; k++)
        if ((int)strlen(runs->list[k].name) > width)
            width = (int)strlen(runs->list[k].name);
    printf("%-*s  %-20s  %8s  %s\n", width, "name", "status", "seconds", "log and last line");
    for (size_t k = 0; k < runs->n; k++)
        print_row(&runs->list[k], width, here);
}
