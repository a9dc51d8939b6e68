// SPDX-License-Identifier: Apache-2.0
// Progress lines.
#include "progress.h"

#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && (term == NULL || strcmp(term, "dumb") != 0);
}

enum pps_status pps_progress_parse(const char *text,
                                   enum pps_progress_kind *kind,
                                   struct pps_error *err)
{
    static const char *const words[] = {"never", "line", "log", "json"};
    if (text == NULL || strcmp(text, "auto") == 0) {
        *kind = terminal() ? PPS_PROGRESS_LINE : PPS_PROGRESS_LOG;
        return PPS_OK;
    }
    for (int i = 0; i < 4; i++) {
        *kind = (enum pps_progress_kind)i;
        if (strcmp(text, words[i]) == 0)
            return PPS_OK;
    }
    return pps_fail(err, PPS_E_INPUT, "--progress %s: want auto, line, log, json or never",
                    text);
}

void pps_progress_begin(struct pps_progress *progress,
                        enum pps_progress_kind kind,
                        uint64_t n_points)
{
    const double now = pps_wall_seconds();
    *progress = (struct pps_progress){.kind = kind,
                                      .n_points = n_points,
                                      .start_s = now,
                                      .shown_s = now};
}

static bool due(const struct pps_progress *progress, double now, double part)
{
    const double since = now - progress->shown_s;
    switch (progress->kind) {
    case PPS_PROGRESS_LINE:
        return since >= 1.0 / 6;
    case PPS_PROGRESS_LOG:
    case PPS_PROGRESS_JSON:
        return since >= 60 || (since >= 5 && part - progress->shown_part >= 0.05);
    case PPS_PROGRESS_NEVER:
        break;
    }
    return false;
}

static double part_of(const struct pps_progress *progress, uint64_t points)
{
    return (double)(progress->earlier_points + points) / (double)progress->n_points;
}

static void show(const struct pps_progress *progress,
                 double now,
                 uint64_t new_points,
                 uint64_t new_rows)
{
    const double elapsed = now - progress->start_s;
    const double part = part_of(progress, new_points);
    const uint64_t points = progress->earlier_points + new_points;
    const uint64_t rows = progress->earlier_rows + new_rows;
    const double rate = (double)new_points / fmax(elapsed, 1e-9);
    const double left = ((double)progress->n_points - (double)points) / fmax(rate, 1e-9);
    if (progress->kind == PPS_PROGRESS_JSON) {
        fprintf(stderr,
                "{\"points\":%llu,\"of\":%llu,\"rows\":%llu,\"elapsed_s\":%.3f,"
                "\"left_s\":%.3f}\n",
                (unsigned long long)points, (unsigned long long)progress->n_points,
                (unsigned long long)rows, elapsed, left);
        return;
    }
    char done[48], total[48], speed[48], eta[32];
    pps_human_count((double)points, done, sizeof done);
    pps_human_count((double)progress->n_points, total, sizeof total);
    pps_human_count(rate, speed, sizeof speed);
    pps_human_seconds(left, eta, sizeof eta);
    const bool line = progress->kind == PPS_PROGRESS_LINE;
    fprintf(stderr, "%s%5.1f %%  %s of %s points, %s a second, %s left%s",
            line ? "\r\033[K" : "", 100 * part, done, total, speed, eta, line ? "" : "\n");
    fflush(stderr);
}

void pps_progress_update(struct pps_progress *progress, uint64_t points, uint64_t rows)
{
    const double now = pps_wall_seconds();
    const double part = part_of(progress, points);
    if (!due(progress, now, part))
        return;
    show(progress, now, points, rows);
    progress->shown_s = now;
    progress->shown_part = part;
    progress->drawn = progress->kind == PPS_PROGRESS_LINE;
}

void pps_progress_end(struct pps_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
