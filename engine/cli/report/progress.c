// SPDX-License-Identifier: Apache-2.0
// Prints progress lines.
#include "engine/cli/report/progress.h"

#include "base/document/json.h"
#include "base/system/machine.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/command/signals.h"
#include "engine/forecast/costly_points.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_LOOK_S 0.1
// A point is named if the kernel expects it to take this many times the mean, and this long.
#define COSTLY_TIMES 10
#define COSTLY_NS    1e7

void pps_progress_begin(struct pps_progress *progress, enum pps_progress_kind kind,
                        uint64_t n_points)
{
    const double now = pps_wall_seconds();
    *progress = (struct pps_progress){.kind = kind,
                                      .n_points = n_points,
                                      .start_s = now,
                                      .shown_s = now};
}

static double part_of(const struct pps_progress *progress, uint64_t points)
{
    return (double)(progress->earlier_points + points) / (double)progress->n_points;
}

// Measures the workload at the first call only: short runs never get here.
static void keep_pace(struct pps_progress *progress, double elapsed,
                      const struct pps_passed *passed)
{
    if (!progress->begun) {
        if (progress->experiment != NULL)
            pps_workload_measure(&progress->workload, progress->experiment);
        pps_pace_begin(&progress->pace, &progress->workload, progress->earlier_points,
                       progress->n_points);
    }
    progress->begun = true;
    pps_pace_step(&progress->pace, elapsed, passed);
}

static void show_json(const struct pps_progress *progress, double elapsed,
                      const struct pps_passed *passed)
{
    const char *rows = progress->only_best ? "evaluated" : "rows";
    fprintf(
        stderr,
        "{\"points\":%llu,\"of\":%llu,\"%s\":%llu,\"computed\":%llu,\"elapsed_s\":%.3f,\"left_s\":%.3f}\n",
        (unsigned long long)(progress->earlier_points + passed->points),
        (unsigned long long)progress->n_points, rows,
        (unsigned long long)(progress->earlier_rows + passed->rows),
        (unsigned long long)passed->computed, elapsed, pps_pace_left(&progress->pace));
}

static void show_line(const struct pps_progress *progress, double elapsed,
                      const struct pps_passed *passed)
{
    const uint64_t points = progress->earlier_points + passed->points;
    char done[48], total[48], speed[48], computed[48], eta[32];
    pps_human_count((double)points, done, sizeof done);
    pps_human_count((double)progress->n_points, total, sizeof total);
    pps_human_count((double)passed->points / elapsed, speed, sizeof speed);
    pps_human_count((double)passed->computed / elapsed, computed, sizeof computed);
    pps_human_seconds(pps_pace_left(&progress->pace), eta, sizeof eta);
    const bool line = progress->kind == PPS_PROGRESS_LINE;
    const bool all = passed->computed == passed->points;
    fprintf(stderr, "%s%5.1f %%  %s of %s points, %s points/s%s%s%s, %s left%s",
            line ? "\r\033[K" : "", 100 * part_of(progress, passed->points), done, total, speed,
            all ? "" : " (", all ? "" : computed, all ? "" : " computed)", eta,
            line ? "" : "\n");
    fflush(stderr);
}

static void tell_costly_point(const struct pps_progress *progress, const char *point,
                              double times)
{
    if (progress->kind != PPS_PROGRESS_JSON) {
        pps_say(stderr, "costly    %s: about %.0f times the mean point", point, times);
        return;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "costly", point);
    cJSON_AddNumberToObject(object, "times_mean", floor(times));
    pps_json_put_line(stderr, object);
}

// ---- the first word -----------------------------------------------------------------------------

#define FIRST_WORD_S 1

static void say_first_word(void *self)
{
    const struct pps_progress *progress = self;
    struct pps_costly costly;
    pps_costly_find(&costly, progress->experiment);
    if (costly.n > 0)
        pps_say(stderr, "working   no row after %d s; the costliest point: %s", FIRST_WORD_S,
                costly.points[0].text);
}

// Says nothing without a terminal, or if no thread can be started.
static void begin_first_word(struct pps_progress *progress)
{
    struct pps_error unsaid;
    if (progress->kind == PPS_PROGRESS_LINE)
        (void)!pps_time_limit_begin(&progress->first_word, FIRST_WORD_S, say_first_word,
                                    progress, &unsaid);
}

void pps_progress_costly(struct pps_progress *progress)
{
    struct pps_costly costly;
    if (progress->kind == PPS_PROGRESS_NEVER || progress->experiment == NULL)
        return;
    pps_costly_find(&costly, progress->experiment);
    for (int i = 0; i < costly.n && costly.points[i].cost >= COSTLY_NS; i++) {
        const double times = costly.points[i].cost / costly.mean;
        if (times >= COSTLY_TIMES)
            tell_costly_point(progress, costly.points[i].text, times);
    }
    begin_first_word(progress);
}

void pps_progress_update(struct pps_progress *progress, const struct pps_passed *passed)
{
    const double now = pps_wall_seconds(), elapsed = now - progress->start_s;
    const double part = part_of(progress, passed->points);
    pps_time_limit_end(&progress->first_word);
    if (progress->kind == PPS_PROGRESS_NEVER || elapsed < FIRST_LOOK_S)
        return;
    keep_pace(progress, elapsed, passed);
    if (!pps_progress_due(progress->kind, now - progress->shown_s, part - progress->shown_part))
        return;
    if (progress->kind == PPS_PROGRESS_JSON)
        show_json(progress, elapsed, passed);
    else
        show_line(progress, elapsed, passed);
    progress->shown_s = now;
    progress->shown_part = part;
    progress->drawn = progress->kind == PPS_PROGRESS_LINE;
}

void pps_progress_end(struct pps_progress *progress)
{
    pps_time_limit_end(&progress->first_word);
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}

// ---- read progress ------------------------------------------------------------------------------

#define FIRST_READ_S 0.5 // short commands print nothing

static void show_read_json(double part, uint64_t rows, double elapsed)
{
    if (part > 0)
        fprintf(stderr, "{\"part\":%.4f,\"rows\":%llu,\"elapsed_s\":%.3f,\"left_s\":%.3f}\n",
                part, (unsigned long long)rows, elapsed, elapsed / part * (1 - part));
    else
        fprintf(stderr, "{\"rows\":%llu,\"elapsed_s\":%.3f}\n", (unsigned long long)rows,
                elapsed);
}

static void show_read_line(bool is_line, double part, uint64_t rows, double elapsed)
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
    if (elapsed < FIRST_READ_S || part >= 1 ||
        !pps_progress_due(p->kind, now - p->shown_s, known - p->shown_part))
        return;
    if (p->kind == PPS_PROGRESS_JSON)
        show_read_json(known, rows, elapsed);
    else
        show_read_line(p->kind == PPS_PROGRESS_LINE, known, rows, elapsed);
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
                                        struct pps_read_watch *watch, bool streams_rows,
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
