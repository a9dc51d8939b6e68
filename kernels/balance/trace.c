// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of a point, and writes its strategy and its plan.
#include "kernels/balance/output/lists_text.h"
#include "kernels/balance/output/strategy_plan.h"
#include "kernels/balance/output/timeline.h"
#include "kernels/balance/point.h"

#include <math.h>
#include <stdio.h>

// A point that was evaluated.
struct evaluated {
    struct balance_point point;
    struct balance_scratch scratch;
    struct balance_figures figures;
};

static enum pps_outcome evaluate(struct evaluated *at, const double *value,
                                 const struct pps_worker *worker)
{
    struct room room = {worker->scratch, 0};
    struct poll poll = poll_until(worker->stop);
    balance_point_set(&at->point, value, worker->shared);
    balance_scratch_take(&at->scratch, &at->point, &room);
    return balance_evaluate(&at->scratch, &at->point, &poll, &at->figures);
}

enum pps_outcome balance_trace(const double *value, const struct pps_worker *worker,
                               const struct pps_trace_sink *sink)
{
    struct evaluated at;
    const enum pps_outcome outcome = evaluate(&at, value, worker);
    if (outcome != PPS_DONE)
        return outcome;
    return balance_send_timeline(balance_search_replay(at.scratch.search), &at.point.layers,
                                 &at.point.task.shape, &at.figures.chosen->strategy,
                                 at.point.task.limit_mb, sink)
               ? PPS_DONE
               : PPS_NO_MEMORY;
}

// ---- artifacts ----------------------------------------------------------------------------------

enum { ARTIFACT_STRATEGY, ARTIFACT_PLAN };

const struct pps_artifact balance_artifacts[] = {
    [ARTIFACT_STRATEGY] = {"strategy", "layers and recomputation of every chunk as YAML",
                           ".yaml"},
    [ARTIFACT_PLAN] = {"plan", "times, memory and order as a plan; times are taken as ms",
                       ".json"},
    {NULL, NULL, NULL},
};

static bool write_plan(const struct evaluated *at, struct text_buffer *text)
{
    const struct balance_answer *answer = &at->scratch.answer;
    const struct balance_plan plan = {.layers = &at->point.layers,
                                      .shape = &at->point.task.shape,
                                      .strategy = &at->figures.chosen->strategy,
                                      .replay = balance_search_replay(at->scratch.search),
                                      .limit_mb = at->point.task.limit_mb,
                                      .seconds = 1e-3,
                                      .by = "balance",
                                      .makespan = at->figures.result.makespan,
                                      .bound = answer->bound > 0 ? answer->bound : (double)NAN};
    return balance_plan_write(&plan, text);
}

enum pps_outcome balance_artifact(const double *value, int which,
                                  const struct pps_worker *worker,
                                  const struct pps_text_sink *sink, struct pps_fault *fault)
{
    struct evaluated at;
    struct text_buffer text = {0};
    const enum pps_outcome outcome = evaluate(&at, value, worker);
    if (outcome == PPS_INFEASIBLE)
        snprintf(fault->text, sizeof fault->text, "no strategy fits: it needs %.10g MiB",
                 at.scratch.answer.lack.least_limit_mb);
    if (outcome != PPS_DONE)
        return outcome;
    bool done = true;
    if (which == ARTIFACT_PLAN)
        done = write_plan(&at, &text);
    else
        balance_fragment_text(&at.point.layers, &at.figures.chosen->strategy, &text);
    done = done && !text.failed;
    if (done)
        sink->write(sink->self, text.text, text.n);
    text_buffer_free(&text);
    return done ? PPS_DONE : PPS_NO_MEMORY;
}
