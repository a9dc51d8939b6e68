// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of a point, and writes its plan.
#include "kernels/dynapipe/output/plan_write.h"
#include "kernels/dynapipe/output/timeline.h"
#include "kernels/dynapipe/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A point that was evaluated.
struct evaluated {
    struct dynapipe_scratch scratch;
    struct dynapipe_figures figures;
    struct poll poll;
};

static enum pps_outcome evaluate(struct evaluated *at, const double *value,
                                 const struct pps_worker *worker)
{
    struct step_caution caution = {.round = 0};
    at->poll = poll_until(worker->stop);
    dynapipe_scratch_open(&at->scratch, value, worker);
    return dynapipe_evaluate(&at->scratch, &at->poll, &at->figures, &caution);
}

enum pps_outcome dynapipe_trace(const double *value, const struct pps_worker *worker,
                                const struct pps_trace_sink *sink)
{
    struct evaluated at;
    struct step_replica replica;
    const enum pps_outcome outcome = evaluate(&at, value, worker);
    if (outcome != PPS_DONE)
        return outcome;
    if (dynapipe_plan(&at.scratch, at.figures.slowest, at.scratch.replica, &replica,
                      &at.poll) != PLAN_FOUND)
        return PPS_STOPPED;
    const struct rule *rule = replica.answer.rule;
    const struct timeline timeline = {&at.scratch.point->setup.pipeline,
                                      &rule->ordered,
                                      &rule->lanes,
                                      rule->times,
                                      replica.answer.order,
                                      replica.answer.recompute};
    return timeline_send(&timeline, sink) ? PPS_DONE : PPS_NO_MEMORY;
}

// ---- artifacts ------------------------------------------------------------------------------------

const struct pps_artifact dynapipe_artifacts[] = {
    {"plan", "micro-batches, order, recomputation and instructions of every replica", ".json"},
    {NULL, NULL, NULL},
};

// All replicas of a point, each with its memory.
struct planned_replicas {
    int32_t n;
    struct step_replica *replicas;
    struct instructions *instructions;
    void **memory;
};

static void free_replicas(struct planned_replicas *all)
{
    for (int32_t k = 0; k < all->n && all->memory != NULL; k++)
        free(all->memory[k]);
    free(all->memory);
    free(all->replicas);
    free(all->instructions);
}

static struct instruction_room *take(const struct dynapipe_point *p, int32_t count,
                                     struct step_replica *replica, struct instructions *in,
                                     struct room *room)
{
    const struct plan_size size = plan_size_of(&p->setup.pipeline, count);
    instructions_take(in, size.devices, size.stages, size.widest, count, room);
    struct instruction_room *made = instruction_room_take(in, room);
    struct room rest = *room;
    step_replica_take(replica, &size, &rest);
    if (room->memory == NULL)
        room->used = rest.used;
    return made;
}

static bool plan_one(struct evaluated *at, struct planned_replicas *all, int32_t k)
{
    const struct dynapipe_point *p = at->scratch.point;
    const int32_t count = dynapipe_count(&at->scratch, k);
    struct room room = {NULL, 0};
    take(p, count, &all->replicas[k], &all->instructions[k], &room);
    all->memory[k] = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (all->memory[k] == NULL)
        return false;
    room = (struct room){all->memory[k], 0};
    struct instruction_room *made =
        take(p, count, &all->replicas[k], &all->instructions[k], &room);
    if (dynapipe_plan(&at->scratch, k, room, &all->replicas[k], &at->poll) != PLAN_FOUND)
        return false;
    const struct rule *rule = all->replicas[k].answer.rule;
    instructions_make(&all->instructions[k], &p->setup.pipeline, &rule->lanes, rule->times,
                      p->setup.tensors, !p->choice.as_published, made);
    return true;
}

static bool write_plan(struct evaluated *at, struct text_buffer *text)
{
    const struct dynapipe_point *p = at->scratch.point;
    const size_t n = (size_t)p->setup.replicas;
    struct planned_replicas all = {p->setup.replicas, calloc(n, sizeof *all.replicas),
                                   calloc(n, sizeof *all.instructions),
                                   calloc(n, sizeof *all.memory)};
    bool done = all.replicas != NULL && all.instructions != NULL && all.memory != NULL;
    for (int32_t k = 0; k < all.n && done; k++)
        done = plan_one(at, &all, k);
    const struct planned_step step = {.batch = p->batch != NULL ? p->batch->name : "drawn",
                                      .setup = &p->setup,
                                      .choice = &p->choice,
                                      .samples = p->batch != NULL ? &p->samples : NULL,
                                      .division = at->scratch.division,
                                      .replicas = all.replicas,
                                      .instructions = all.instructions,
                                      .n = all.n};
    if (done)
        plan_write(&step, text);
    free_replicas(&all);
    return done && !text->failed;
}

enum pps_outcome dynapipe_artifact(const double *value, int which,
                                   const struct pps_worker *worker,
                                   const struct pps_text_sink *sink, struct pps_fault *fault)
{
    struct evaluated at;
    struct text_buffer text = {0};
    enum pps_outcome outcome = evaluate(&at, value, worker);
    (void)which;
    if (outcome == PPS_INFEASIBLE)
        snprintf(fault->text, sizeof fault->text, "no plan fits: it needs %.10g MB",
                 at.figures.needs);
    if (outcome == PPS_DONE && strcmp(at.figures.method, method_names[METHOD_CYCLIC]) == 0) {
        snprintf(fault->text, sizeof fault->text,
                 "the times of the method cyclic are those of whole cycles, which no training "
                 "runs; use wait-free-cyclic");
        outcome = PPS_FAILED;
    }
    if (outcome != PPS_DONE)
        return outcome;
    const bool done = write_plan(&at, &text);
    if (done)
        sink->write(sink->self, text.text, text.n);
    text_buffer_free(&text);
    return done ? PPS_DONE : PPS_FAILED;
}
