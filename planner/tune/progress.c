// SPDX-License-Identifier: Apache-2.0
// Shows on stderr what the search does, and the best training so far.
#include "planner/tune/tuning.h"

#include "base/system/machine.h"
#include "base/text/human.h"

#include <math.h>
#include <stdio.h>

void tune_progress_show(struct tuning *t, enum tune_link link)
{
    const double now = pps_wall_seconds();
    const int tried = t->results[link].tried;
    const bool has_best = t->now_seconds < HUGE_VAL;
    if (!pps_progress_due(t->progress, now - t->shown, 0))
        return;
    t->shown = now;
    if (t->progress == PPS_PROGRESS_JSON) {
        fprintf(stderr, "{\"link\":\"%s\",\"tried\":%d", tune_link_names[link], tried);
        if (has_best)
            fprintf(stderr, ",\"best_seconds\":%.9g", t->now_seconds);
        fprintf(stderr, "}\n");
    } else {
        t->line_shown = t->progress == PPS_PROGRESS_LINE;
        fprintf(stderr, "%s%s: %d tried", t->line_shown ? "\r\033[K" : "",
                tune_link_names[link], tried);
        if (has_best)
            fprintf(stderr, ", best so far %s", pps_time_text(t->now_seconds).text);
        fprintf(stderr, "%s", t->line_shown ? "" : "\n");
    }
    fflush(stderr);
}

void tune_progress_end(struct tuning *t)
{
    if (t->line_shown)
        fputs("\r\033[K", stderr);
    t->line_shown = false;
}
