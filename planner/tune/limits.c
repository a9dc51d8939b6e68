// SPDX-License-Identifier: Apache-2.0
// Limits the memory that a search may use: first what fits with the probability that was asked for, then all.
#include "planner/tune/tuning.h"

#include "base/math/units.h"
#include "planner/nd/profiling/fit_probability.h"

#include <math.h>
#include <string.h>

static void set_limit(struct tuning *t, double limit)
{
    t->limit = limit;
    t->input.job.run.cluster.memory_limit = limit;
    t->now.cluster.memory_limit = limit;
}

void tune_open_limits(struct tuning *t)
{
    const struct plan_run *run = &t->input.job.run;
    t->memory = run->cluster.memory_limit;
    t->safe = nd_fit_limit(nd_memory_group(&run->training), t->fit, t->memory);
    set_limit(t, t->safe);
}

// Searches in all of the memory, from the fastest training so far.
static enum pps_status search(struct tuning *t, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (tune_has_mine(t) && t->mine.step.seconds < t->now_seconds)
        status = tune_take(t, -1, t->mine.step.seconds, &t->mine.plan.configuration, err);
    return status == PPS_OK ? tune_run_links(t, err) : status;
}

enum pps_status tune_search_risky(struct tuning *t, struct pps_error *err)
{
    const int answer = t->now_answer;
    const double seconds = t->now_seconds;
    struct tune_result results[TUNE_LINKS];
    struct configuration safe = {.parts = NULL};
    const bool has = t->now.parts != NULL;
    enum pps_status status = PPS_OK;
    if (t->safe < t->memory && !tune_ended(t)) {
        memcpy(results, t->results, sizeof results);
        if (has && !configuration_copy(&safe, &t->now))
            return pps_fail_memory(err, "the training");
        set_limit(t, t->memory);
        status = search(t, err);
        memcpy(t->results, results, sizeof results);
        if (status == PPS_OK && has)
            status = tune_take(t, answer, seconds, &safe, err);
        configuration_free(&safe);
    }
    set_limit(t, t->memory);
    return status;
}

enum pps_status tune_price_memory(struct tuning *t, struct pps_error *err)
{
    const struct tune_answer *best = &t->answers[0];
    struct tuning more = *t; // with answers of its own
    more.answers = NULL;
    more.n = more.room = 0;
    more.now = (struct configuration){.parts = NULL};
    more.progress = PPS_PROGRESS_NEVER;
    more.keep[TUNE_STRATEGY] = more.keep[TUNE_SCHEDULE] = true;
    more.memory += UNITS_GIB;
    more.safe = nd_fit_limit(nd_memory_group(&t->input.job.run.training), t->fit, more.memory);
    set_limit(&more, best->safe ? more.safe : more.memory);
    enum pps_status status =
        tune_take(&more, -1, best->seconds, &best->written.mine.plan.configuration, err);
    if (status == PPS_OK)
        status = tune_run_links(&more, err);
    t->more_memory = tune_ended(t) ? 0 : more.now_seconds;
    tune_free_answers(&more);
    configuration_free(&more.now);
    return status;
}
