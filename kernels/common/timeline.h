// SPDX-License-Identifier: Apache-2.0
// Timelines: when the tasks of a pipeline run if each starts as early as it can. A graph of tasks
// is compiled once (who waits for whom; a sequence in which all can be timed) and then timed for
// any durations; the makespan is its longest path.
//
// Tasks are numbered lane after lane, in the order of their lane; a lane does one at a time. A
// task has a class, which alone decides how long it lasts, and needs any number of other tasks,
// after each of which an edge class says how long it has to wait. What kinds of task there are,
// and what a lane is (a stage, a channel), is up to the caller.
#ifndef PPS_TIMELINE_H
#define PPS_TIMELINE_H

#include "orders.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timeline_need {
    int32_t task; // that must have ended
    int32_t wait; // edge class: index of a delay; 0 lasts no time at all
};

// What a graph is compiled from; copied.
struct timeline_tasks {
    int32_t n_lanes;
    const int32_t *lane_start;         // [n_lanes + 1]: first task of a lane
    const int32_t *task_class;         // [tasks]
    const int32_t *need_start;         // [tasks + 1]: first need of a task
    const struct timeline_need *needs; // besides the task before it on its lane
};

struct timeline;

enum timeline_status {
    TIMELINE_DONE,
    TIMELINE_DEADLOCK,
    TIMELINE_NO_MEMORY,
};

// Tasks that wait for each other in a ring, the first for the second and so on, the last for the
// first. At most the first TIMELINE_CYCLE_MAX of them.
enum { TIMELINE_CYCLE_MAX = 64 };

struct timeline_cycle {
    int32_t n; // of the whole ring
    int32_t tasks[TIMELINE_CYCLE_MAX];
};

// *timeline belongs to the caller, to be freed; cycle (may be NULL) is filled on TIMELINE_DEADLOCK.
enum timeline_status timeline_compile(const struct timeline_tasks *tasks,
                                      struct timeline **timeline,
                                      struct timeline_cycle *cycle);
void timeline_free(struct timeline *timeline);

int32_t timeline_n_tasks(const struct timeline *timeline);
int32_t timeline_class_of(const struct timeline *timeline, int32_t task);

// Starts (may be NULL) and ends of all tasks, [tasks] each. delays: of edge classes from 1 on,
// delays[0] unused; NULL: all are 0. Returns the makespan.
double timeline_run(const struct timeline *timeline,
                    const double *durations, // [class]
                    const double *delays,
                    double *starts,
                    double *ends);

// How far the starts of all tasks are behind the start of one at least: the longest path from it;
// -HUGE_VAL where there is none.
void timeline_from(const struct timeline *timeline,
                   const double *durations,
                   const double *delays,
                   int32_t source,
                   double *starts);

// The longest path of a run, from its first task to the one that ends last: each starts when the
// one before has ended (and the wait is over), the first at 0. Returns its length; of a longer one
// than `room` only the last tasks are stored.
int32_t timeline_critical(const struct timeline *timeline,
                          const double *delays,
                          const double *starts,
                          const double *ends,
                          int32_t *path,
                          int32_t room);

// ---- pipelines of forwards and backwards --------------------------------------------------------

// Lane i is stage i, class (kind V + chunk) P + stage of enum orders_kind; edge class 1 leads from
// one stage to another. A forward needs the one before it in the model, the first backward of a
// micro-batch its last forward, any other the backward of the part behind it; of the same split.
enum { TIMELINE_HOP = 1 };

static inline int32_t timeline_class(const struct orders_shape *shape,
                                     enum orders_kind kind,
                                     int32_t chunk,
                                     int32_t stage)
{
    return ((int32_t)kind * shape->chunks + chunk) * shape->stages + stage;
}

// The graph of any orders, [stage][orders_length]; for chunks placed as said.
enum timeline_status timeline_of_orders(const struct orders_shape *shape,
                                        enum orders_placement placement,
                                        const struct orders_task *tasks,
                                        struct timeline **timeline,
                                        struct timeline_cycle *cycle);

// The same of the orders that orders_of_stage makes, which have no deadlock.
enum timeline_status timeline_of_shape(const struct orders_shape *shape,
                                       struct timeline **timeline);

// "forward of micro-batch 3 on stage 0 waits for backward of ...", back to the first.
void timeline_cycle_text(const struct orders_shape *shape,
                         const struct orders_task *tasks,
                         const struct timeline_cycle *cycle,
                         char *text,
                         size_t size);

#endif
