// SPDX-License-Identifier: Apache-2.0
// Plays passes: takes orders from their generator, times from the task graph, and memory along each
// order.
#include "kernels/common/pipeline/passes.h"

#include "kernels/common/pipeline/memory_line.h"
#include "kernels/common/pipeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool passes_open(struct passes *passes, const struct orders_shape *shape)
{
    const size_t stages = (size_t)shape->stages, parts = stages * (size_t)shape->chunks;
    const size_t n = stages * (size_t)orders_length(shape);
    *passes = (struct passes){.shape = *shape, .n = (int32_t)n};
    passes->forward = calloc(3 * parts + 2 * stages, sizeof *passes->forward);
    passes->recomputes = calloc(parts, sizeof *passes->recomputes);
    passes->list = calloc(n, sizeof *passes->list);
    if (passes->forward == NULL || passes->recomputes == NULL || passes->list == NULL) {
        passes_free(passes);
        return false;
    }
    passes->backward = passes->forward + parts;
    passes->kept = passes->backward + parts;
    passes->fixed = passes->kept + parts;
    passes->limit = passes->fixed + stages;
    for (size_t i = 0; i < stages; i++)
        passes->limit[i] = HUGE_VAL;
    return true;
}

void passes_free(struct passes *passes)
{
    free(passes->forward);
    free(passes->recomputes);
    free(passes->list);
    memset(passes, 0, sizeof *passes);
}

// Temporary arrays of passes_play.
struct work {
    struct orders_task *tasks; // of one stage
    double *after, *kept;      // of one stage: [task], [chunk]
    double *starts, *ends;     // of all
};

static void play_stage(struct passes *passes, int32_t i, struct work *w)
{
    const struct orders_shape *shape = &passes->shape;
    const int32_t each = orders_length(shape);
    for (int32_t v = 0; v < shape->chunks; v++)
        w->kept[v] = passes->kept[v * shape->stages + i];
    orders_of_stage(shape, i, w->tasks);
    memline_curve(shape, w->tasks, w->kept, w->after);
    for (int32_t k = 0; k < each; k++) {
        const int32_t t = i * each + k;
        passes->list[t] = (struct pass){.stage = i,
                                        .task = w->tasks[k],
                                        .start = w->starts[t],
                                        .end = w->ends[t],
                                        .held = passes->fixed[i] + w->after[k]};
    }
}

// Durations form one array: forwards of all chunks, then backwards, indexed by timeline_class.
static bool play(struct passes *passes, struct work *w)
{
    const double delays[] = {0, passes->hop};
    struct timeline *timeline;
    if (timeline_of_shape(&passes->shape, NULL, &timeline) != TIMELINE_DONE)
        return false;
    passes->makespan = timeline_run(timeline, passes->forward, delays, w->starts, w->ends);
    timeline_free(timeline);
    for (int32_t i = 0; i < passes->shape.stages; i++)
        play_stage(passes, i, w);
    return true;
}

bool passes_play(struct passes *passes)
{
    const size_t each = (size_t)orders_length(&passes->shape), n = (size_t)passes->n;
    const size_t chunks = (size_t)passes->shape.chunks;
    struct work w = {.tasks = malloc(each * sizeof *w.tasks),
                     .starts = malloc((2 * n + each + chunks) * sizeof *w.starts)};
    bool done = false;
    if (w.tasks != NULL && w.starts != NULL) {
        w.ends = w.starts + n;
        w.after = w.ends + n;
        w.kept = w.after + each;
        done = play(passes, &w);
    }
    free(w.tasks);
    free(w.starts);
    return done;
}

static int by_start(const void *left, const void *right)
{
    const struct pass *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

void passes_sort(struct passes *passes)
{
    qsort(passes->list, (size_t)passes->n, sizeof *passes->list, by_start);
}
