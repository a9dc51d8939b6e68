// SPDX-License-Identifier: Apache-2.0
// Evaluates a program by a task graph, built once, or by a closed form if one exists.
#include "kernels/common/split/evaluator.h"

#include "kernels/common/pipeline/one_f_one_b.h"
#include "kernels/common/pipeline/timeline.h"
#include "kernels/common/split/chunk.h"
#include "kernels/common/split/published_price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct graph {
    struct orders_shape shape;
    struct timeline *timeline;
    int32_t n;    // tasks
    double *ends; // [n]
};

struct nd_evaluator {
    const struct nd_program *program;
    struct poll *poll; // or NULL
    bool closed;       // 1F1B without transfers: the closed form holds, no graph is needed
    int32_t residue;
    double latest, period;        // of the last objective: start of the last task; period
    struct graph laid_out, whole; // whole only where it is another; made when needed
    double *durations;            // [class]
    double *starts;               // [tasks of laid_out]
    int32_t *path;                // the same
    int32_t (*marks)[2];          // [stages]: first forwards of the last two parts
    double *paths;                // [2 stages + stages^2]: of struct nd_marks
    double *room;
};

// ---- making -------------------------------------------------------------------------------------

static bool make_graph(struct nd_evaluator *e,
                       struct graph *graph,
                       const struct orders_shape *shape)
{
    if (graph->timeline != NULL)
        return true;
    graph->shape = *shape;
    if (timeline_of_shape(shape, e->poll, &graph->timeline) != TIMELINE_DONE)
        return false;
    graph->n = timeline_n_tasks(graph->timeline);
    graph->ends = malloc((size_t)graph->n * sizeof *graph->ends);
    return graph->ends != NULL;
}

static void free_graph(struct graph *graph)
{
    timeline_free(graph->timeline);
    free(graph->ends);
}

void nd_evaluator_free(struct nd_evaluator *e)
{
    if (e == NULL)
        return;
    free_graph(&e->laid_out);
    free_graph(&e->whole);
    free(e->durations);
    free(e->starts);
    free(e->path);
    free(e->marks);
    free(e->paths);
    free(e->room);
    free(e);
}

// Where the first forwards of the last two parts are in the order of every stage. Returns false if
// memory runs out or the poll ended the loop.
static bool find_marks(struct nd_evaluator *e)
{
    const struct orders_shape *shape = &e->laid_out.shape;
    const int32_t length = orders_length(shape), last = shape->micro_batches - shape->stages;
    struct orders_task *tasks = malloc((size_t)length * sizeof *tasks);
    if (tasks == NULL)
        return false;
    bool stopped = false;
    for (int32_t i = 0; i < shape->stages && !stopped; i++) {
        stopped = !orders_of_stage_polled(shape, i, tasks, e->poll);
        for (int32_t k = 0; k < length && !stopped; k++) {
            if (tasks[k].kind != ORDERS_FORWARD || tasks[k].chunk != 0)
                continue;
            if (tasks[k].micro_batch == last - shape->stages)
                e->marks[i][0] = i * length + k;
            if (tasks[k].micro_batch == last)
                e->marks[i][1] = i * length + k;
        }
    }
    free(tasks);
    return !stopped;
}

static bool make_marks(struct nd_evaluator *e)
{
    const size_t n = (size_t)e->program->stages;
    e->marks = malloc(n * sizeof *e->marks);
    e->paths = malloc((2 + n) * n * sizeof *e->paths);
    e->room = malloc((n + 2) * (n + 2) * sizeof *e->room);
    return e->marks != NULL && e->paths != NULL && e->room != NULL && find_marks(e);
}

// Allocates and builds the parts of the task graph, at the first use of the graph.
static bool make_laid_out(struct nd_evaluator *e)
{
    const struct orders_shape shape = nd_program_laid_out(e->program);
    if (e->path != NULL)
        return true;
    if (!make_graph(e, &e->laid_out, &shape))
        return false;
    const size_t n = (size_t)e->laid_out.n;
    e->starts = malloc(n * sizeof *e->starts);
    e->path = malloc(n * sizeof *e->path);
    return e->starts != NULL && e->path != NULL && (e->residue == 0 || make_marks(e));
}

struct nd_evaluator *nd_evaluator_new(const struct nd_program *program, struct poll *poll)
{
    struct nd_evaluator *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->program = program;
    e->poll = poll;
    e->residue = nd_program_residue(program);
    e->closed = program->chunks == 1 && program->splits == 1 && program->hop == 0;
    e->durations =
        malloc(2 * (size_t)program->chunks * (size_t)program->stages * sizeof *e->durations);
    if (e->durations != NULL && (e->closed || make_laid_out(e)))
        return e;
    nd_evaluator_free(e);
    return NULL;
}

// ---- the closed form ----------------------------------------------------------------------------

static double largest_sum(const double *forward, const double *backward, int32_t n)
{
    double most = 0;
    for (int32_t k = 0; k < n; k++)
        most = fmax(most, forward[k] + backward[k]);
    return most;
}

// In 1F1B the shortest period is P times the slowest stage, and the end does not change with it.
static double closed_objective(struct nd_evaluator *e,
                               const double *forward,
                               const double *backward)
{
    const int32_t stages = e->program->stages;
    const int32_t m = e->program->micro_batches - e->residue * stages;
    const double end = onefb_makespan(stages, m, forward, backward);
    e->latest = end - backward[0];
    e->period = e->residue > 0 ? stages * largest_sum(forward, backward, stages) : 0;
    return end + e->residue * e->period;
}

// ---- graphs -------------------------------------------------------------------------------------

static void set_durations(struct nd_evaluator *e, const double *forward, const double *backward)
{
    const int32_t n = e->program->chunks * e->program->stages, splits = e->program->splits;
    for (int32_t k = 0; k < n; k++) {
        e->durations[k] = forward[k] / splits;
        e->durations[n + k] = backward[k] / splits;
    }
}

static double run(struct nd_evaluator *e, struct graph *graph, double *starts)
{
    const double delays[] = {0, e->program->hop};
    return timeline_run(graph->timeline, e->durations, e->program->hop > 0 ? delays : NULL,
                        starts, graph->ends);
}

// The last backward of stage 0 is the last task. Returns NAN if the poll ended the evaluation.
static double stable_objective(struct nd_evaluator *e, double end, double *period)
{
    const int32_t n = e->program->stages;
    const int32_t last = orders_length(&e->laid_out.shape) - 1;
    double *arrive = e->paths, *leave = arrive + n, *between = leave + n;
    const struct nd_marks marks = {n, end, arrive, leave, between};
    for (int32_t i = 0; i < n; i++)
        arrive[i] = e->starts[e->marks[i][1]];
    for (int32_t i = 0; i < n; i++) {
        double *starts = e->laid_out.ends; // no longer needed
        if (!timeline_from(e->laid_out.timeline, e->durations, NULL, e->marks[i][0], starts))
            return (double)NAN;
        for (int32_t j = 0; j < n; j++)
            between[i * n + j] = starts[e->marks[j][1]];
        leave[i] = starts[last] + e->durations[n * e->program->chunks];
    }
    return nd_stable(&marks, e->residue, period, e->room);
}

static double graph_objective(struct nd_evaluator *e,
                              const double *forward,
                              const double *backward)
{
    set_durations(e, forward, backward);
    const double end = run(e, &e->laid_out, e->starts);
    double objective = end;
    e->period = 0;
    if (e->residue > 0 && !isnan(end))
        objective = stable_objective(e, end, &e->period);
    e->latest = objective - e->residue * e->period - backward[0] / e->program->splits;
    return objective;
}

// Whether the last objective is within the published bounds of starts and periods.
static bool is_within(const struct nd_evaluator *e)
{
    return e->program->compat != ND_ORIG ||
           (e->latest <= ND_ORIG_START && e->period <= ND_ORIG_START);
}

double nd_evaluator_objective(struct nd_evaluator *e,
                              const double *forward,
                              const double *backward)
{
    if (e->program->compat == ND_ORIG && e->program->splits > 1)
        return HUGE_VAL; // as published a split waits for its own end
    return e->closed ? closed_objective(e, forward, backward)
                     : graph_objective(e, forward, backward);
}

double nd_evaluator_by_graph(struct nd_evaluator *e,
                             const double *forward,
                             const double *backward)
{
    return make_laid_out(e) ? graph_objective(e, forward, backward) : (double)NAN;
}

double nd_evaluator_makespan(struct nd_evaluator *e,
                             const double *forward,
                             const double *backward)
{
    const struct orders_shape shape = nd_program_shape(e->program);
    if (e->closed)
        return onefb_makespan(e->program->stages, e->program->micro_batches, forward, backward);
    set_durations(e, forward, backward);
    if (e->residue == 0)
        return run(e, &e->laid_out, NULL);
    return make_graph(e, &e->whole, &shape) ? run(e, &e->whole, NULL) : (double)NAN;
}

enum nd_outcome nd_evaluator_path(struct nd_evaluator *e,
                                  const double *forward,
                                  const double *backward,
                                  double *forwards,
                                  double *backwards,
                                  double *constant)
{
    const int32_t chunks = e->program->chunks, stages = e->program->stages;
    const double delays[] = {0, e->program->hop};
    if (!make_laid_out(e))
        return ND_NO_MEMORY;
    const int32_t length = orders_length(&e->laid_out.shape);
    set_durations(e, forward, backward);
    if (isnan(run(e, &e->laid_out, e->starts)))
        return ND_NO_MEMORY;
    const int32_t n =
        timeline_critical(e->laid_out.timeline, e->program->hop > 0 ? delays : NULL, e->starts,
                          e->laid_out.ends, e->path, e->laid_out.n);
    if (n < 0)
        return ND_NO_MEMORY; // the poll ended the search of the path
    memset(forwards, 0, (size_t)(chunks * stages) * sizeof *forwards);
    memset(backwards, 0, (size_t)(chunks * stages) * sizeof *backwards);
    *constant = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t class = timeline_class_of(e->laid_out.timeline, e->path[k]);
        double *counts = class < chunks * stages ? forwards : backwards;
        counts[class % (chunks * stages)] += 1.0 / e->program->splits;
        if (k > 0 && e->path[k] / length != e->path[k - 1] / length)
            *constant += e->program->hop;
    }
    return ND_DONE;
}

// ---- one choice ---------------------------------------------------------------------------------

enum nd_outcome nd_evaluate_within(const struct nd_program *program,
                                   const struct nd_choice *choice,
                                   struct poll *poll,
                                   struct nd_value *value)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    double *durations = malloc(2 * n * sizeof *durations);
    struct nd_evaluator *e =
        nd_evaluator_new(program, program->compat == ND_ORIG ? NULL : poll);
    *value = (struct nd_value){(double)NAN, (double)NAN};
    if (durations != NULL && e != NULL) {
        nd_durations(program, choice, durations, durations + n);
        value->objective = nd_evaluator_objective(e, durations, durations + n);
        if (!is_within(e))
            value->objective = HUGE_VAL;
        e->poll = poll;
        value->makespan = nd_evaluator_makespan(e, durations, durations + n);
    }
    nd_evaluator_free(e);
    free(durations);
    return isnan(value->makespan) && !poll_has_ended(poll) ? ND_NO_MEMORY : ND_DONE;
}

enum nd_outcome nd_evaluate(const struct nd_program *program,
                            const struct nd_choice *choice,
                            struct nd_value *value)
{
    return nd_evaluate_within(program, choice, NULL, value);
}
