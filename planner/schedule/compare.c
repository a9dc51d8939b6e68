// SPDX-License-Identifier: Apache-2.0
// Evaluates several schedules of one pipeline and sorts them.
#include "planner/schedule/compare.h"

#include "base/system/machine.h"
#include "base/system/threads.h"
#include "kernels/schedule/catalogue/catalogue.h"

#include <stdio.h>
#include <stdlib.h>

// ---- progress -----------------------------------------------------------------------------------

#define FIRST_LOOK_S 0.5 // short commands print nothing

static void show_progress(const struct schedule_comparison *comparison, int done,
                          double elapsed)
{
    const bool is_line = comparison->progress == PPS_PROGRESS_LINE;
    if (comparison->progress == PPS_PROGRESS_JSON)
        fprintf(stderr, "{\"schedules\":%d,\"of\":%d,\"elapsed_s\":%.3f}\n", done,
                comparison->n, elapsed);
    else
        fprintf(stderr, "%s%d of %d schedules, %.1f s%s", is_line ? "\r\033[K" : "", done,
                comparison->n, elapsed, is_line ? "" : "\n");
    fflush(stderr);
}

// Called by every thread while it evaluates, and after each schedule.
static void look(struct schedule_comparison *comparison)
{
    if (comparison->progress == PPS_PROGRESS_NEVER ||
        atomic_flag_test_and_set(&comparison->showing))
        return;
    const double now = pps_wall_seconds();
    const int done = atomic_load(&comparison->done);
    if (now - comparison->start_s >= FIRST_LOOK_S &&
        pps_progress_due(comparison->progress, now - comparison->shown_s,
                         done / (double)comparison->n)) {
        show_progress(comparison, done, now - comparison->start_s);
        comparison->shown_s = now;
        comparison->drawn = comparison->progress == PPS_PROGRESS_LINE;
    }
    atomic_flag_clear(&comparison->showing);
}

static void end_progress(struct schedule_comparison *comparison)
{
    if (comparison->drawn)
        fputs("\r\033[K", stderr);
    comparison->drawn = false;
}

// ---- one candidate ------------------------------------------------------------------------------

static bool is_stopped(void *self)
{
    struct schedule_comparison *comparison = self;
    look(comparison);
    return atomic_load_explicit(comparison->stop, memory_order_relaxed);
}

static enum schedule_outcome outcome_of(enum pps_outcome status)
{
    switch (status) {
    case PPS_DONE:
        return CANDIDATE_FITS;
    case PPS_INFEASIBLE:
        return CANDIDATE_OVER_LIMIT;
    case PPS_STOPPED:
        return CANDIDATE_STOPPED;
    case PPS_FAILED:
    case PPS_NO_MEMORY:
        break;
    }
    return CANDIDATE_FAILED;
}

// Runs the replicates of a candidate that fits.
static enum schedule_outcome replicate(struct schedule_candidate *candidate, struct poll *poll)
{
    const struct schedule_scratch *scratch = &candidate->scratch;
    const size_t n =
        replicates_are_equal(&candidate->point) ? 1 : candidate->point.n_replicates;
    struct replicates replicates;
    struct room room = {NULL, 0};
    replicates_take(&replicates, &candidate->point, &room);
    char *memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    candidate->makespan = calloc(2 * n, sizeof *candidate->makespan);
    enum schedule_outcome outcome = CANDIDATE_NO_MEMORY;
    if (memory != NULL && candidate->makespan != NULL) {
        room = (struct room){memory, 0};
        replicates_take(&replicates, &candidate->point, &room);
        candidate->why = replicates_open(&replicates, &candidate->point, &scratch->pipeline,
                                         &scratch->order, scratch->executor, scratch->peak);
        outcome = candidate->why != NULL ? CANDIDATE_IMPOSSIBLE
                  : replicates_measure(&replicates, false, candidate->makespan, poll,
                                       &candidate->replicates)
                      ? CANDIDATE_FITS
                      : CANDIDATE_STOPPED;
    }
    free(memory);
    return outcome;
}

static bool fluctuates(const struct schedule_point *point)
{
    return point->rule != RULE_STATIC || !replicates_are_equal(point);
}

static enum schedule_outcome evaluate(struct schedule_candidate *candidate,
                                      struct schedule_comparison *comparison)
{
    struct room room = {NULL, 0};
    struct poll poll = {.over = is_stopped, .self = comparison};
    if (candidate->why != NULL)
        return CANDIDATE_IMPOSSIBLE;
    schedule_scratch_take(&candidate->scratch, &candidate->point, &room);
    room.memory = candidate->memory =
        room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    room.used = 0;
    if (candidate->memory == NULL)
        return CANDIDATE_NO_MEMORY;
    schedule_scratch_take(&candidate->scratch, &candidate->point, &room);
    schedule_set_pipeline(&candidate->scratch, &candidate->point);
    const enum schedule_outcome outcome = outcome_of(
        schedule_evaluate(&candidate->scratch, &candidate->point, &poll, &candidate->figures));
    return outcome == CANDIDATE_FITS && fluctuates(&candidate->point)
               ? replicate(candidate, &poll)
               : outcome;
}

// ---- all ----------------------------------------------------------------------------------------

static bool is_portfolio(const struct schedule_candidate *candidate)
{
    return candidate->point.family == &family_best;
}

// The searches, which take longest, are last in the list: they start first. The portfolio waits for their orders.
static void work(void *self, int thread)
{
    (void)thread;
    struct schedule_comparison *comparison = self;
    for (;;) {
        const int i = comparison->n - 1 - atomic_fetch_add(&comparison->next, 1);
        if (i < 0)
            return;
        struct schedule_candidate *candidate = &comparison->list[i];
        if (is_portfolio(candidate))
            continue;
        candidate->outcome = evaluate(candidate, comparison);
        atomic_fetch_add(&comparison->done, 1);
        look(comparison);
    }
}

double schedule_objective(const struct schedule_comparison *comparison,
                          const struct schedule_candidate *candidate)
{
    if (candidate->makespan != NULL)
        return candidate->replicates.mean;
    return comparison->objective == FAMILY_SPAN ? candidate->figures.metrics.span
                                                : candidate->figures.metrics.makespan;
}

// Of equal values the candidate with less memory is better.
static bool is_before(const struct schedule_comparison *comparison,
                      const struct schedule_candidate *a, const struct schedule_candidate *b)
{
    if (a->outcome != b->outcome)
        return a->outcome < b->outcome;
    if (a->outcome == CANDIDATE_OVER_LIMIT)
        return a->figures.least_limit < b->figures.least_limit;
    if (a->outcome != CANDIDATE_FITS)
        return false;
    const double x = schedule_objective(comparison, a), y = schedule_objective(comparison, b);
    return x != y ? x < y : a->figures.metrics.peak_most < b->figures.metrics.peak_most;
}

// Keeps the order of candidates that are equal.
static void sort(struct schedule_comparison *comparison)
{
    struct schedule_candidate *list = comparison->list;
    for (int i = 1; i < comparison->n; i++)
        for (int k = i; k > 0 && is_before(comparison, &list[k], &list[k - 1]); k--) {
            const struct schedule_candidate swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
}

// Evaluates the portfolio with the orders that the searches have found.
static enum pps_status run_portfolio(struct schedule_comparison *comparison,
                                     struct pps_error *err)
{
    comparison->known = calloc((size_t)comparison->n, sizeof *comparison->known);
    if (comparison->known == NULL)
        return pps_fail_memory(err, "the orders of the searches");
    int n = 0;
    for (int i = 0; i < comparison->n; i++) {
        const struct schedule_candidate *c = &comparison->list[i];
        const struct family *family = c->point.family;
        if (family != NULL && family->kind == FAMILY_SEARCH && !is_portfolio(c) &&
            c->outcome == CANDIDATE_FITS)
            comparison->known[n++] = (struct family_known){family, c->point.shape,
                                                           &c->scratch.order, c->figures.found};
    }
    for (int i = 0; i < comparison->n; i++) {
        struct schedule_candidate *candidate = &comparison->list[i];
        if (!is_portfolio(candidate))
            continue;
        candidate->point.options.known = comparison->known;
        candidate->point.options.n_known = n;
        candidate->outcome = evaluate(candidate, comparison);
        atomic_fetch_add(&comparison->done, 1);
    }
    return PPS_OK;
}

enum pps_status schedule_compare(struct schedule_comparison *comparison, int threads,
                                 struct pps_error *err)
{
    atomic_init(&comparison->next, 0);
    atomic_init(&comparison->done, 0);
    atomic_flag_clear(&comparison->showing);
    comparison->start_s = comparison->shown_s = pps_wall_seconds();
    enum pps_status status =
        pps_parallel(threads < comparison->n ? threads : comparison->n, work, comparison, err);
    if (status == PPS_OK)
        status = run_portfolio(comparison, err);
    end_progress(comparison);
    if (status != PPS_OK)
        return status;
    for (int i = 0; i < comparison->n; i++) {
        if (comparison->list[i].outcome == CANDIDATE_NO_MEMORY)
            return pps_fail_memory(err, "schedule %s", comparison->list[i].label);
        if (comparison->list[i].outcome == CANDIDATE_STOPPED)
            return pps_fail(err, PPS_E_STOPPED, "stopped; nothing was written");
    }
    sort(comparison);
    return PPS_OK;
}

void schedule_comparison_free(struct schedule_comparison *comparison)
{
    for (int i = 0; i < comparison->n; i++) {
        free(comparison->list[i].memory);
        free(comparison->list[i].makespan);
    }
    free(comparison->list);
    free(comparison->known);
}
