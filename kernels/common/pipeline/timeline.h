// SPDX-License-Identifier: Apache-2.0
// Times the tasks of a pipeline if each task starts as early as possible. A task graph is compiled
// once into a topological sequence, and then timed for any durations; the makespan is the longest
// path.
//
// Tasks are numbered lane after lane, in the order of their lane; a lane runs one task at a time.
// The class of a task determines its duration. A task depends on any number of other tasks; the
// edge class of a dependency determines the delay after the other task. The caller defines the kinds
// of task and the meaning of a lane (a stage, a channel).
#ifndef PPS_COMMON_PIPELINE_TIMELINE_H
#define PPS_COMMON_PIPELINE_TIMELINE_H

#include "kernels/common/pipeline/orders.h"
#include "kernels/common/pipeline/poll.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timeline_need {
    int32_t task; // the task that must have ended
    int32_t wait; // edge class: index of a delay; class 0 has no delay
};

// The input of timeline_compile, which copies it.
struct timeline_tasks {
    int32_t n_lanes;
    const int32_t *lane_start;         // [n_lanes + 1]: first task of a lane
    const int32_t *task_class;         // [tasks]
    const int32_t *need_start;         // [tasks + 1]: first need of a task
    const struct timeline_need *needs; // in addition to the previous task of the lane
};

struct timeline;

enum timeline_status {
    TIMELINE_DONE,
    TIMELINE_DEADLOCK,
    TIMELINE_NO_MEMORY,
    TIMELINE_STOPPED, // by the poll
};

// A deadlock cycle: each task waits for the next, the last task for the first. Holds at most the
// first TIMELINE_CYCLE_MAX tasks.
enum { TIMELINE_CYCLE_MAX = 64 };

struct timeline_cycle {
    int32_t n; // length of the whole cycle
    int32_t tasks[TIMELINE_CYCLE_MAX];
};

// The caller frees *timeline with timeline_free; cycle (may be NULL) is filled on TIMELINE_DEADLOCK.
// The poll (may be NULL) can end the compilation, and later each timing of the timeline: it must
// outlive the timeline.
enum timeline_status timeline_compile(const struct timeline_tasks *tasks,
                                      struct poll *poll,
                                      struct timeline **timeline,
                                      struct timeline_cycle *cycle);
void timeline_free(struct timeline *timeline);

int32_t timeline_n_tasks(const struct timeline *timeline);
int32_t timeline_class_of(const struct timeline *timeline, int32_t task);

// Computes starts (may be NULL) and ends of all tasks, [tasks] each, and returns the makespan.
// delays: of edge classes from 1 on, delays[0] unused; NULL: all are 0. Returns NAN, with some
// tasks not timed, if the poll ended the loop.
double timeline_run(const struct timeline *timeline,
                    const double *durations, // [class]
                    const double *delays,
                    double *starts,
                    double *ends);

// Computes for all tasks the least time from the start of task `source` to their start: the longest
// path from `source`; -HUGE_VAL without a path. Returns false, with some tasks not timed, if the poll
// ended the loop.
bool timeline_from(const struct timeline *timeline,
                   const double *durations,
                   const double *delays,
                   int32_t source,
                   double *starts);

// Finds the critical path of a run, up to the task that ends last: each task starts when the one
// before has ended and the delay is over, the first task at 0. Returns the length of the path; of a
// path longer than `room` only the last tasks are stored. Returns -1 if the poll ended the loop.
int32_t timeline_critical(const struct timeline *timeline,
                          const double *delays,
                          const double *starts,
                          const double *ends,
                          int32_t *path,
                          int32_t room);

// ---- pipelines of forwards and backwards --------------------------------------------------------

// Lane i is stage i; the class of a task is (kind V + chunk) P + stage, with enum orders_kind; edge
// class 1 is a transfer between stages. A forward depends on the forward of the previous chunk of
// the model, the first backward of a micro-batch on its last forward, any other backward on the
// backward of the next chunk; always of the same split.
enum { TIMELINE_HOP = 1 };

static inline int32_t timeline_class(const struct orders_shape *shape,
                                     enum orders_kind kind,
                                     int32_t chunk,
                                     int32_t stage)
{
    return ((int32_t)kind * shape->chunks + chunk) * shape->stages + stage;
}

// Compiles the graph of any orders, [stage][orders_length], for a placement of chunks.
enum timeline_status timeline_of_orders(const struct orders_shape *shape,
                                        enum orders_placement placement,
                                        const struct orders_task *tasks,
                                        struct timeline **timeline,
                                        struct timeline_cycle *cycle);

// Compiles the graph of the orders that orders_of_stage generates; these have no deadlock. poll:
// as for timeline_compile.
enum timeline_status timeline_of_shape(const struct orders_shape *shape,
                                       struct poll *poll,
                                       struct timeline **timeline);

// Writes "forward of micro-batch 3 on stage 0 waits for backward of ...", back to the first task.
void timeline_cycle_text(const struct orders_shape *shape,
                         const struct orders_task *tasks,
                         const struct timeline_cycle *cycle,
                         char *text,
                         size_t size);

#endif
