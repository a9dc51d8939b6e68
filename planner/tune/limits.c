// SPDX-License-Identifier: Apache-2.0
// Limits the memory that a search may use: first what fits with the probability that was asked for, then all.
#include "planner/tune/tuning.h"

#include "planner/nd/profiling/fit_probability.h"

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
