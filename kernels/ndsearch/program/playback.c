// SPDX-License-Identifier: Apache-2.0
// The task graph of a choice, timed once.
#include "playback.h"

#include "chunk.h"
#include "kernels/common/memline.h"
#include "kernels/common/timeline.h"

#include <stdlib.h>

void nd_playback_free(struct nd_playback *playback)
{
    free(playback->tasks);
    free(playback->fixed_mb);
    *playback = (struct nd_playback){.tasks = NULL};
}

// Room for what is needed on the way.
struct work {
    struct orders_task *tasks; // [stages][length]
    double *durations;         // [class]
    double *ends, *starts;     // [stages * length]
    double *after;             // [length]
    double *kept;              // [chunks]
};

static void free_work(struct work *w)
{
    free(w->tasks);
    free(w->durations);
    free(w->ends);
    free(w->kept);
}

static bool allocate(const struct nd_program *p, struct nd_playback *playback, struct work *w)
{
    const size_t stages = (size_t)p->stages, chunks = (size_t)p->chunks;
    const size_t length = (size_t)orders_length(&playback->shape), n = stages * length;
    w->tasks = malloc(n * sizeof *w->tasks);
    w->durations = malloc(2 * stages * chunks * sizeof *w->durations);
    w->ends = malloc((2 * n + length) * sizeof *w->ends);
    w->kept = malloc(chunks * sizeof *w->kept);
    playback->tasks = malloc(n * sizeof *playback->tasks);
    playback->fixed_mb = malloc(2 * stages * sizeof *playback->fixed_mb);
    if (w->tasks == NULL || w->durations == NULL || w->ends == NULL || w->kept == NULL ||
        playback->tasks == NULL || playback->fixed_mb == NULL)
        return false;
    w->starts = w->ends + n;
    w->after = w->starts + n;
    playback->limit_mb = playback->fixed_mb + stages;
    playback->n = (int32_t)n;
    return true;
}

static void play_stage(const struct nd_program *p,
                       const struct nd_choice *choice,
                       int32_t stage,
                       struct work *w,
                       struct nd_playback *playback)
{
    const int32_t length = orders_length(&playback->shape), first = stage * length;
    double fixed = nd_program_static(p, stage);
    playback->limit_mb[stage] = fixed + nd_program_budget(p, stage);
    for (int32_t v = 0; v < p->chunks; v++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, v * p->stages + stage);
        w->kept[v] = nd_chunk_kept(p, &chunk);
        fixed += nd_chunk_layers_mb(p, &chunk);
    }
    playback->fixed_mb[stage] = fixed;
    memline_curve(&playback->shape, &w->tasks[first], w->kept, w->after);
    for (int32_t k = 0; k < length; k++) {
        const struct orders_task *task = &w->tasks[first + k];
        const struct nd_chunk_plan chunk =
            nd_choice_chunk(choice, task->chunk * p->stages + stage);
        playback->tasks[first + k] = (struct nd_played){
            .task = *task,
            .stage = stage,
            .start = w->starts[first + k],
            .end = w->ends[first + k],
            .held_mb = fixed + w->after[k],
            .recomputes = task->kind == ORDERS_BACKWARD &&
                          chunk.full[0] + chunk.full[1] + chunk.part[0] + chunk.part[1] > 0,
        };
    }
}

static bool time_tasks(const struct nd_program *p,
                       const struct nd_choice *choice,
                       struct work *w,
                       struct nd_playback *playback)
{
    const int32_t chunks = p->stages * p->chunks, length = orders_length(&playback->shape);
    const double delays[] = {0, p->hop};
    struct timeline *timeline;
    for (int32_t i = 0; i < p->stages; i++)
        orders_of_stage(&playback->shape, i, &w->tasks[i * length]);
    if (timeline_of_orders(&playback->shape, ORDERS_LOOP, w->tasks, &timeline, NULL) !=
        TIMELINE_DONE)
        return false;
    nd_durations(p, choice, w->durations, w->durations + chunks);
    for (int32_t k = 0; k < 2 * chunks; k++)
        w->durations[k] /= p->splits;
    playback->makespan = timeline_run(timeline, w->durations, delays, w->starts, w->ends);
    timeline_free(timeline);
    return true;
}

enum nd_outcome nd_play(const struct nd_program *program,
                        const struct nd_choice *choice,
                        struct nd_playback *playback)
{
    struct work w = {.tasks = NULL};
    *playback = (struct nd_playback){.shape = nd_program_shape(program)};
    const bool done =
        allocate(program, playback, &w) && time_tasks(program, choice, &w, playback);
    for (int32_t i = 0; done && i < program->stages; i++)
        play_stage(program, choice, i, &w, playback);
    free_work(&w);
    return done ? ND_DONE : ND_NO_MEMORY;
}

enum nd_outcome nd_bubble(const struct nd_program *program,
                          const struct nd_choice *choice,
                          struct bubble *bubble)
{
    const int32_t n = program->stages * program->chunks;
    struct nd_program still = *program;
    struct bubble_work work = {.stages = program->stages,
                               .chunks = program->chunks,
                               .micro_batches = program->micro_batches};
    struct nd_value with, without;
    still.hop = 0;
    if (nd_evaluate(program, choice, &with) != ND_DONE ||
        nd_evaluate(&still, choice, &without) != ND_DONE)
        return ND_NO_MEMORY;
    for (int32_t k = 0; k < n; k++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, k);
        const double both = nd_chunk_forward(program, &chunk, k == n - 1) +
                            nd_chunk_backward(program, &chunk, k == n - 1);
        work.done += program->micro_batches * both;
        work.useful += program->micro_batches * (both - nd_chunk_growth(program, &chunk));
    }
    work.makespan = with.makespan;
    work.makespan_no_hops = without.makespan;
    *bubble = bubble_split(&work);
    return ND_DONE;
}
