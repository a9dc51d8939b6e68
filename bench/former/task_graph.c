// SPDX-License-Identifier: Apache-2.0
// Compiles the task graph of 1F1B into a topological sequence, and times the sequence.
#include "bench/former/task_graph.h"

#include <stdlib.h>
#include <string.h>

struct need {
    int32_t task; // the task that must have ended
    int32_t wait; // 1: a transfer between stages comes between
};

// One step of the sequence: a task and its dependencies, which come in earlier steps.
struct step {
    int32_t mark; // the task; ~task: the first task of its lane
    int32_t task_class;
    int32_t need; // index of the first need; the needs end at `need` of the next step
};

struct task_graph {
    int32_t n, n_needs;
    struct step *steps; // [n + 1]
    struct need *needs; // in the sequence of steps
    int32_t *step_of;   // [n]: step of a task; WAITING: not placed
};

enum { WAITING = -1 };

// Tasks in the order of their lane, lane after lane.
struct tasks {
    int32_t lanes, length; // of a lane
    int32_t *where;        // task of (backward, stage, micro-batch)
    int32_t *task_class;   // backward * lanes + stage
    int32_t *need_start;
    struct need *needs;
};

void task_graph_free(struct task_graph *graph)
{
    if (graph == NULL)
        return;
    free(graph->steps);
    free(graph->needs);
    free(graph->step_of);
    free(graph);
}

// ---- tasks --------------------------------------------------------------------------------------

static int32_t *where(const struct tasks *t, int32_t kind, int32_t stage, int32_t micro_batch)
{
    return &t->where[(kind * t->lanes + stage) * (t->length / 2) + micro_batch];
}

static void add_need(struct tasks *t, int32_t *n, int32_t task, int32_t wait)
{
    t->needs[(*n)++] = (struct need){task, wait};
}

static void fill(struct tasks *t, const struct operation *order)
{
    const int32_t n = t->lanes * t->length, last = t->lanes - 1;
    int32_t n_needs = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t kind = order[k].type != OPERATION_F, stage = k / t->length;
        *where(t, kind, stage, order[k].item) = k;
        t->task_class[k] = kind * t->lanes + stage;
    }
    for (int32_t k = 0; k < n; k++) {
        const int32_t stage = k / t->length, item = order[k].item;
        t->need_start[k] = n_needs;
        if (order[k].type == OPERATION_F && stage > 0)
            add_need(t, &n_needs, *where(t, 0, stage - 1, item), 1);
        else if (order[k].type != OPERATION_F && stage == last)
            add_need(t, &n_needs, *where(t, 0, last, item), 0);
        else if (order[k].type != OPERATION_F)
            add_need(t, &n_needs, *where(t, 1, stage + 1, item), 1);
    }
    t->need_start[n] = n_needs;
}

// ---- compiling ----------------------------------------------------------------------------------

static bool is_ready(const struct task_graph *graph, const struct tasks *t, int32_t task)
{
    for (int32_t k = t->need_start[task]; k < t->need_start[task + 1]; k++)
        if (graph->step_of[t->needs[k].task] == WAITING)
            return false;
    return true;
}

static void place(struct task_graph *graph, const struct tasks *t, int32_t task)
{
    graph->steps[graph->n] = (struct step){.mark = task % t->length == 0 ? ~task : task,
                                           .task_class = t->task_class[task],
                                           .need = graph->n_needs};
    graph->step_of[task] = graph->n++;
    for (int32_t k = t->need_start[task]; k < t->need_start[task + 1]; k++)
        graph->needs[graph->n_needs++] = t->needs[k];
}

// Advances along each lane as far as possible, repeatedly.
static void place_all(struct task_graph *graph, const struct tasks *t, int32_t *next)
{
    for (int32_t lane = 0; lane < t->lanes; lane++)
        next[lane] = lane * t->length;
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t lane = 0; lane < t->lanes; lane++)
            for (int32_t *task = &next[lane];
                 *task < (lane + 1) * t->length && is_ready(graph, t, *task); (*task)++) {
                place(graph, t, *task);
                moved = true;
            }
    }
    graph->steps[graph->n].need = graph->n_needs;
}

struct task_graph *task_graph_of_shape(const struct orders_shape *shape)
{
    const int32_t lanes = shape->stages, length = orders_length(shape);
    const size_t n = (size_t)lanes * (size_t)length;
    struct operation *order = malloc(n * sizeof *order);
    struct tasks t = {lanes,
                      length,
                      malloc(n * sizeof(int32_t)),
                      malloc(n * sizeof(int32_t)),
                      malloc((n + 1) * sizeof(int32_t)),
                      malloc(n * sizeof *t.needs)};
    struct task_graph *graph = calloc(1, sizeof *graph);
    int32_t *next = malloc((size_t)lanes * sizeof *next);
    graph->steps = calloc(n + 1, sizeof *graph->steps);
    graph->needs = calloc(n + 1, sizeof *graph->needs);
    graph->step_of = calloc(n + 1, sizeof *graph->step_of);
    for (int32_t i = 0; i < lanes; i++)
        orders_of_stage(shape, i, &order[i * length]);
    fill(&t, order);
    free(order);
    free(t.where);
    for (size_t k = 0; k < n; k++)
        graph->step_of[k] = WAITING;
    place_all(graph, &t, next);
    free(t.task_class);
    free(t.need_start);
    free(t.needs);
    free(next);
    return graph;
}

// ---- timing -------------------------------------------------------------------------------------

double task_graph_run(const struct task_graph *graph, const double *durations,
                      const double *delays, double *ends)
{
    double makespan = 0;
    for (int32_t k = 0; k < graph->n; k++) {
        const struct step *step = &graph->steps[k];
        const int32_t task = step->mark < 0 ? ~step->mark : step->mark;
        double start = step->mark >= 0 ? ends[task - 1] : 0;
        for (int32_t j = step->need; j < step[1].need; j++) {
            const struct need *need = &graph->needs[j];
            const double ready =
                ends[need->task] + (delays != NULL && need->wait > 0 ? delays[need->wait] : 0);
            start = ready > start ? ready : start;
        }
        ends[task] = start + durations[step->task_class];
        makespan = ends[task] > makespan ? ends[task] : makespan;
    }
    return makespan;
}
