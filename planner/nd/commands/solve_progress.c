// SPDX-License-Identifier: Apache-2.0
// Writes progress while a solver works.
#include "planner/nd/commands/solve_progress.h"

#include "base/system/machine.h"
#include "base/text/human.h"

#include <math.h>
#include <stdio.h>

#define FIRST_LOOK_S 0.5 // short commands print nothing

static void show_json(const struct nd_solve_progress *p, double elapsed)
{
    fprintf(stderr, "{\"elapsed_s\":%.3f", elapsed);
    if (p->news.best < HUGE_VAL)
        fprintf(stderr, ",\"best\":%.9g", p->news.best);
    fprintf(stderr, "}\n");
}

static void show(const struct nd_solve_progress *p, double elapsed)
{
    const bool is_line = p->kind == PPS_PROGRESS_LINE;
    fprintf(stderr, "%s%.1f s", is_line ? "\r\033[K" : "", elapsed);
    if (p->max_seconds > 0)
        fprintf(stderr, " of %.4g (-t)", p->max_seconds);
    if (p->news.best < HUGE_VAL)
        fprintf(stderr, ", best so far %s layer forwards",
                pps_digits_text(p->news.best, 9).text);
    if (p->news.best < HUGE_VAL && !isnan(p->layer_ms))
        fprintf(stderr, " (pipeline %s)", pps_time_text(p->news.best * p->layer_ms / 1e3).text);
    fprintf(stderr, "%s", is_line ? "" : "\n");
}

// Ends the solver where it has found nothing better for too long.
static void lose_patience(struct nd_solve_progress *p, double now)
{
    if (p->news.best < p->best) {
        p->best = p->news.best;
        p->improved = now;
    }
    p->news.over = p->patience > 0 && p->best < HUGE_VAL && now - p->improved > p->patience;
}

static void look(struct nd_news *news)
{
    struct nd_solve_progress *p = news->self;
    const double now = pps_wall_seconds(), elapsed = now - p->started;
    const double part = p->max_seconds > 0 ? elapsed / p->max_seconds : 0;
    lose_patience(p, now);
    if (p->kind == PPS_PROGRESS_NEVER || elapsed < FIRST_LOOK_S ||
        !pps_progress_due(p->kind, now - p->shown, part))
        return;
    if (p->kind == PPS_PROGRESS_JSON)
        show_json(p, elapsed);
    else
        show(p, elapsed);
    fflush(stderr);
    p->shown = now;
    p->drawn = p->kind == PPS_PROGRESS_LINE;
}

void nd_solve_progress_start(struct nd_solve_progress *p, struct nd_effort *effort)
{
    p->best = effort->below > 0 ? effort->below : HUGE_VAL;
    p->news = (struct nd_news){.best = p->best, .look = look, .self = p};
    p->started = p->shown = p->improved = pps_wall_seconds();
    effort->news = p->kind != PPS_PROGRESS_NEVER || p->patience > 0 ? &p->news : NULL;
}

void nd_solve_progress_end(struct nd_solve_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
