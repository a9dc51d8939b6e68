// SPDX-License-Identifier: Apache-2.0
// Compiles a graph into a topological sequence of steps, and times the sequence.
#include "kernels/common/pipeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One step of the sequence: a task and its dependencies, which come in earlier steps. A pipeline may
// have 2^28 tasks, and each byte per task takes time to fill and to free.
struct step {
    int32_t mark; // the task; ~task: the first task of its lane
    int32_t task_class;
    int32_t need; // index of the first need; the needs end at `need` of the next step
};

struct timeline {
    struct poll *poll; // or NULL
    int32_t n, n_needs;
    struct step *steps;          // [n + 1]
    struct timeline_need *needs; // in the sequence of steps
    int32_t *step_of;            // [n]: step of a task
};

static int32_t task_of(const struct step *step)
{
    return step->mark < 0 ? ~step->mark : step->mark;
}

int32_t timeline_n_tasks(const struct timeline *timeline)
{
    return timeline->n;
}

int32_t timeline_class_of(const struct timeline *timeline, int32_t task)
{
    return timeline->steps[timeline->step_of[task]].task_class;
}

void timeline_free(struct timeline *timeline)
{
    if (timeline == NULL)
        return;
    free(timeline->steps);
    free(timeline->needs);
    free(timeline->step_of);
    free(timeline);
}

static struct timeline *allocate(const struct timeline_tasks *tasks)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline == NULL)
        return NULL;
    timeline->n = tasks->lane_start[tasks->n_lanes];
    timeline->n_needs = tasks->need_start[timeline->n];
    timeline->steps = calloc((size_t)timeline->n + 1, sizeof *timeline->steps);
    timeline->needs = calloc((size_t)timeline->n_needs + 1, sizeof *timeline->needs);
    timeline->step_of = calloc((size_t)timeline->n + 1, sizeof *timeline->step_of);
    if (timeline->steps == NULL || timeline->needs == NULL || timeline->step_of == NULL) {
        timeline_free(timeline);
        return NULL;
    }
    return timeline;
}

// ---- compiling ----------------------------------------------------------------------------------

// During compilation step_of[task] is the step of a placed task, or one of these values.
enum { WAITING = -1 };

struct compiler {
    const struct timeline_tasks *tasks;
    struct timeline *timeline;
    bool stopped;     // by the poll
    int32_t *next;    // [lane]: the next task to place
    int32_t n_steps;  // placed so far
    int32_t n_placed; // needs placed so far
};

static bool is_ready(const struct compiler *c, int32_t task)
{
    for (int32_t k = c->tasks->need_start[task]; k < c->tasks->need_start[task + 1]; k++)
        if (c->timeline->step_of[c->tasks->needs[k].task] == WAITING)
            return false;
    return true;
}

static void place(struct compiler *c, int32_t lane, int32_t task)
{
    struct timeline *t = c->timeline;
    const bool first = task == c->tasks->lane_start[lane];
    t->steps[c->n_steps] = (struct step){.mark = first ? ~task : task,
                                         .task_class = c->tasks->task_class[task],
                                         .need = c->n_placed};
    t->step_of[task] = c->n_steps++;
    for (int32_t k = c->tasks->need_start[task]; k < c->tasks->need_start[task + 1]; k++)
        t->needs[c->n_placed++] = c->tasks->needs[k];
}

// Advances along each lane as far as possible, repeatedly; returns whether all tasks were placed. Ends
// early, with `stopped`, by the poll.
static bool place_all(struct compiler *c)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t lane = 0; lane < c->tasks->n_lanes; lane++)
            for (int32_t *task = &c->next[lane];
                 *task < c->tasks->lane_start[lane + 1] && is_ready(c, *task); (*task)++) {
                c->stopped = poll_over(c->timeline->poll);
                if (c->stopped)
                    return false;
                place(c, lane, *task);
                moved = true;
            }
    }
    c->timeline->steps[c->n_steps].need = c->n_placed;
    return c->n_steps == c->timeline->n;
}

// Returns a task that blocks the unplaced `task`: the previous task of its lane, or a dependency.
static int32_t holder(const struct compiler *c, int32_t task)
{
    for (int32_t lane = 0; lane < c->tasks->n_lanes; lane++)
        if (task > c->next[lane] && task < c->tasks->lane_start[lane + 1])
            return task - 1;
    for (int32_t k = c->tasks->need_start[task]; k < c->tasks->need_start[task + 1]; k++)
        if (c->timeline->step_of[c->tasks->needs[k].task] == WAITING)
            return c->tasks->needs[k].task;
    return -1;
}

// Follows blocking tasks n times from any blocked task: the task reached is on a cycle.
static void find_cycle(const struct compiler *c, struct timeline_cycle *cycle)
{
    int32_t task = 0;
    for (int32_t lane = 0; lane < c->tasks->n_lanes; lane++)
        if (c->next[lane] < c->tasks->lane_start[lane + 1])
            task = c->next[lane];
    for (int32_t k = 0; k < c->timeline->n; k++)
        task = holder(c, task);
    const int32_t first = task;
    cycle->n = 0;
    do {
        if (cycle->n < TIMELINE_CYCLE_MAX)
            cycle->tasks[cycle->n] = task;
        cycle->n++;
        task = holder(c, task);
    } while (task != first);
}

enum timeline_status timeline_compile(const struct timeline_tasks *tasks,
                                      struct poll *poll,
                                      struct timeline **timeline,
                                      struct timeline_cycle *cycle)
{
    struct compiler c = {.tasks = tasks, .timeline = allocate(tasks)};
    enum timeline_status status = TIMELINE_NO_MEMORY;
    c.next = malloc(((size_t)tasks->n_lanes + 1) * sizeof *c.next);
    *timeline = NULL;
    if (c.timeline == NULL || c.next == NULL)
        goto end;
    c.timeline->poll = poll;
    memcpy(c.next, tasks->lane_start, ((size_t)tasks->n_lanes + 1) * sizeof *c.next);
    for (int32_t k = 0; k < c.timeline->n && !c.stopped; k++) {
        c.timeline->step_of[k] = WAITING;
        c.stopped = poll_over(poll);
    }
    status = TIMELINE_DONE;
    if (c.stopped || !place_all(&c)) {
        status = c.stopped ? TIMELINE_STOPPED : TIMELINE_DEADLOCK;
        if (!c.stopped && cycle != NULL)
            find_cycle(&c, cycle);
    }
end:
    free(c.next);
    if (status == TIMELINE_DONE)
        *timeline = c.timeline;
    else
        timeline_free(c.timeline);
    return status;
}

// ---- timing -------------------------------------------------------------------------------------

// Computes the steps from ... to - 1; returns the latest end, or `makespan` if that is later.
static double run_steps(const struct timeline *timeline,
                        int32_t from,
                        int32_t to,
                        const double *durations,
                        const double *delays,
                        double *starts,
                        double *ends,
                        double makespan)
{
    for (int32_t k = from; k < to; k++) {
        const struct step *step = &timeline->steps[k];
        const int32_t task = task_of(step);
        double start = step->mark >= 0 ? ends[task - 1] : 0;
        for (int32_t j = step->need; j < step[1].need; j++) {
            const struct timeline_need *need = &timeline->needs[j];
            const double wait = delays != NULL && need->wait > 0 ? delays[need->wait] : 0;
            const double ready = ends[need->task] + wait;
            start = ready > start ? ready : start;
        }
        const double end = start + durations[step->task_class];
        if (starts != NULL)
            starts[task] = start;
        ends[task] = end;
        makespan = end > makespan ? end : makespan;
    }
    return makespan;
}

double timeline_run(const struct timeline *timeline,
                    const double *durations,
                    const double *delays,
                    double *starts,
                    double *ends)
{
    double makespan = 0;
    for (int32_t from = 0; from < timeline->n; from += POLL_STEPS) {
        const int32_t left = timeline->n - from, n = left < POLL_STEPS ? left : POLL_STEPS;
        if (poll_over_after(timeline->poll, (uint64_t)n))
            return (double)NAN;
        makespan =
            run_steps(timeline, from, from + n, durations, delays, starts, ends, makespan);
    }
    return makespan;
}

static double duration_of(const struct timeline *timeline,
                          const double *durations,
                          int32_t task)
{
    return durations[timeline_class_of(timeline, task)];
}

bool timeline_from(const struct timeline *timeline,
                   const double *durations,
                   const double *delays,
                   int32_t source,
                   double *starts)
{
    const int32_t reached = timeline->step_of[source];
    for (int32_t k = 0; k < timeline->n; k++) {
        const struct step *step = &timeline->steps[k];
        const int32_t task = task_of(step);
        if (poll_over(timeline->poll))
            return false;
        double start = k == reached ? 0 : -HUGE_VAL;
        if (k >= reached && step->mark >= 0)
            start = fmax(start, starts[task - 1] + duration_of(timeline, durations, task - 1));
        for (int32_t j = step->need; k >= reached && j < step[1].need; j++) {
            const struct timeline_need *need = &timeline->needs[j];
            const double wait = delays != NULL && need->wait > 0 ? delays[need->wait] : 0;
            start = fmax(start, starts[need->task] +
                                    duration_of(timeline, durations, need->task) + wait);
        }
        starts[task] = start;
    }
    return true;
}

// Returns the task whose end, plus the delay, is the start of task `k`; -1: the task starts at 0.
static int32_t waits_for(const struct timeline *timeline,
                         const double *delays,
                         const double *starts,
                         const double *ends,
                         int32_t k)
{
    const struct step *step = &timeline->steps[timeline->step_of[k]];
    for (int32_t j = step->need; j < step[1].need; j++) {
        const struct timeline_need *need = &timeline->needs[j];
        const double wait = delays != NULL && need->wait > 0 ? delays[need->wait] : 0;
        if (ends[need->task] + wait == starts[k])
            return need->task;
    }
    return step->mark >= 0 && ends[k - 1] == starts[k] ? k - 1 : -1;
}

// Returns the task that ends last, or -1 if the poll ended the loop.
static int32_t last_to_end(const struct timeline *timeline, const double *ends)
{
    int32_t last = 0;
    for (int32_t k = 1; k < timeline->n; k++) {
        if (poll_over(timeline->poll))
            return -1;
        if (ends[k] > ends[last])
            last = k;
    }
    return last;
}

int32_t timeline_critical(const struct timeline *timeline,
                          const double *delays,
                          const double *starts,
                          const double *ends,
                          int32_t *path,
                          int32_t room)
{
    if (timeline->n == 0)
        return 0;
    int32_t length = 0, task = last_to_end(timeline, ends);
    if (task < 0)
        return -1;
    // Tasks of zero duration cannot form a cycle here, as a task comes after its dependencies in the
    // sequence of steps.
    for (; task >= 0; length++) {
        if (poll_over(timeline->poll))
            return -1;
        if (length < room)
            path[length] = task;
        task = waits_for(timeline, delays, starts, ends, task);
    }
    for (int32_t i = 0, j = (length < room ? length : room) - 1; i < j; i++, j--) {
        const int32_t swap = path[i];
        path[i] = path[j];
        path[j] = swap;
    }
    return length;
}
