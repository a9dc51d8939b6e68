// SPDX-License-Identifier: Apache-2.0
// Prints the progress of reading.
#include "engine/cli/report/read_progress.h"

#include "base/system/machine.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/command/signals.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_LOOK_S 0.5 // short commands print nothing

static void show_json(double part, uint64_t rows, double elapsed)
{
    if (part > 0)
        fprintf(stderr, "{\"part\":%.4f,\"rows\":%llu,\"elapsed_s\":%.3f,\"left_s\":%.3f}\n",
                part, (unsigned long long)rows, elapsed, elapsed / part * (1 - part));
    else
        fprintf(stderr, "{\"rows\":%llu,\"elapsed_s\":%.3f}\n", (unsigned long long)rows,
                elapsed);
}

static void show_line(bool is_line, double part, uint64_t rows, double elapsed)
{
    char done[48], speed[48], left[48] = "", percent[32] = "";
    pps_human_count((double)rows, done, sizeof done);
    pps_human_count((double)rows / elapsed, speed, sizeof speed);
    if (part > 0) {
        char seconds[32];
        pps_human_seconds(elapsed / part * (1 - part), seconds, sizeof seconds);
        snprintf(percent, sizeof percent, "%5.1f %%  ", 100 * part);
        snprintf(left, sizeof left, ", %s left", seconds);
    }
    fprintf(stderr, "%s%sread %s rows, %s rows/s%s%s", is_line ? "\r\033[K" : "", percent, done,
            speed, left, is_line ? "" : "\n");
    fflush(stderr);
}

void pps_read_progress_end(struct pps_read_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}

static void show(void *self, double part, uint64_t rows)
{
    struct pps_read_progress *p = self;
    const double now = pps_wall_seconds(), elapsed = now - p->start_s;
    const double known = isnan(part) ? 0 : part;
    if (part >= 1)
        pps_read_progress_end(p); // a report may follow
    if (elapsed < FIRST_LOOK_S || part >= 1 ||
        !pps_progress_due(p->kind, now - p->shown_s, known - p->shown_part))
        return;
    if (p->kind == PPS_PROGRESS_JSON)
        show_json(known, rows, elapsed);
    else
        show_line(p->kind == PPS_PROGRESS_LINE, known, rows, elapsed);
    p->shown_s = now;
    p->shown_part = known;
    p->drawn = p->kind == PPS_PROGRESS_LINE;
}

static void say_chosen(void *self, const struct pps_block_counts *counts)
{
    const struct pps_read_progress *p = self;
    if (!p->quiet && p->kind != PPS_PROGRESS_JSON)
        pps_say(stderr,
                "ppsweep: %s of %s blocks of the result are read; the filters exclude the "
                "others",
                pps_count_text((double)counts->chosen).text,
                pps_count_text((double)counts->all).text);
}

enum pps_status pps_read_progress_begin(struct pps_read_progress *progress,
                                        const struct pps_args *args,
                                        struct pps_read_watch *watch,
                                        bool streams_rows,
                                        struct pps_error *err)
{
    const double now = pps_wall_seconds();
    *progress = (struct pps_read_progress){.start_s = now, .shown_s = now};
    *watch = (struct pps_read_watch){.stop = pps_signals_install(),
                                     .self = progress,
                                     .read = show,
                                     .chosen = say_chosen};
    progress->quiet = pps_arg(args, "quiet") != NULL;
    const enum pps_status status =
        pps_progress_parse(pps_arg(args, "progress"), &progress->kind, err);
    const bool mixed = streams_rows && pps_arg(args, "progress") == NULL &&
                       pps_arg(args, "output") == NULL && isatty(STDOUT_FILENO);
    if (mixed || progress->quiet)
        progress->kind = PPS_PROGRESS_NEVER;
    return status;
}
