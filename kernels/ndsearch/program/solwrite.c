// SPDX-License-Identifier: Apache-2.0
// Solutions written: the values of all variables that a choice has in the exported program.
#include "kernels/common/timeline.h"
#include "mpslayout.h"
#include "solfile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct values {
    const struct nd_program *program;
    struct nd_mps_layout layout;
    double *of;            // [variable]
    double *durations;     // [class]: forwards of all chunks, then backwards; of a whole task
    double *starts, *ends; // [task of all lanes]
    struct orders_task *tasks; // of all stages
};

static bool allot(struct values *values)
{
    const struct nd_mps_layout *layout = &values->layout;
    const size_t tasks = 2 * (size_t)layout->tasks;
    values->of = calloc((size_t)layout->n_variables, sizeof *values->of);
    values->durations = calloc(2 * (size_t)layout->chunks, sizeof *values->durations);
    values->starts = calloc(tasks, sizeof *values->starts);
    values->ends = calloc(tasks, sizeof *values->ends);
    values->tasks = calloc(tasks, sizeof *values->tasks);
    return values->of != NULL && values->durations != NULL && values->starts != NULL &&
           values->ends != NULL && values->tasks != NULL;
}

static void let_go(struct values *values)
{
    free(values->of);
    free(values->durations);
    free(values->starts);
    free(values->ends);
    free(values->tasks);
}

// ---- variables of chunks ------------------------------------------------------------------------

static void take_chunks(struct values *values, const struct nd_choice *choice)
{
    const int32_t n = values->layout.chunks;
    double *of = values->of;
    for (int32_t c = 0; c < n; c++) {
        bool part = false;
        for (int type = 0; type < 2; type++) {
            of[(ND_MPS_LAYERS + type) * n + c] = choice->layers[type][c];
            of[(ND_MPS_SOME + type) * n + c] = choice->layers[type][c] > 0;
            of[(ND_MPS_FULL + type) * n + c] = choice->full[type][c];
            of[(ND_MPS_PART + type) * n + c] = choice->part[type][c];
            part = part || choice->part[type][c] > 0;
        }
        of[ND_MPS_SWITCH * n + c] = part;
    }
    nd_durations(values->program, choice, values->durations, values->durations + n);
    for (int32_t c = 0; c < n; c++) {
        of[ND_MPS_FORWARD_TIME * n + c] = values->durations[c];
        of[ND_MPS_BACKWARD_TIME * n + c] = values->durations[n + c];
    }
    nd_kept(values->program, choice, of + ND_MPS_KEPT * n);
}

// ---- start times --------------------------------------------------------------------------------

static bool time_tasks(struct values *values)
{
    const struct orders_shape *shape = &values->layout.shape;
    const int32_t n = orders_length(shape);
    const double delays[] = {0.0, shape->stages > 1 ? values->program->hop : 0.0};
    struct timeline *timeline;
    for (int32_t i = 0; i < shape->stages; i++)
        orders_of_stage(shape, i, values->tasks + (size_t)i * (size_t)n);
    for (int32_t c = 0; c < 2 * values->layout.chunks; c++)
        values->durations[c] /= shape->splits;
    if (timeline_of_orders(shape, ORDERS_LOOP, values->tasks, &timeline, NULL) != TIMELINE_DONE)
        return false;
    timeline_run(timeline, values->durations, delays, values->starts, values->ends);
    timeline_free(timeline);
    return true;
}

static void take_starts(struct values *values)
{
    const struct nd_mps_layout *layout = &values->layout;
    const int32_t n = orders_length(&layout->shape);
    for (int32_t i = 0; i < layout->shape.stages; i++)
        for (int32_t k = 0; k < n; k++) {
            const struct orders_task *task = &values->tasks[(size_t)i * (size_t)n + (size_t)k];
            const int kind = task->kind == ORDERS_FORWARD ? ND_MPS_FORWARD : ND_MPS_BACKWARD;
            values->of[nd_mps_of_task(layout, kind, task->chunk, i, task->micro_batch,
                                      task->split)] =
                values->starts[(size_t)i * (size_t)n + (size_t)k];
        }
}

static void take_stable(struct values *values)
{
    const struct nd_mps_layout *layout = &values->layout;
    if (layout->parts < 2)
        return;
    const int32_t last = nd_mps_part_start(layout, layout->parts - 1);
    const int32_t before = nd_mps_part_start(layout, layout->parts - 2);
    double *stable = &values->of[nd_mps_stable(layout)];
    for (int32_t i = 0; i < layout->shape.stages; i++)
        *stable = fmax(*stable,
                       values->of[nd_mps_of_task(layout, ND_MPS_FORWARD, 0, i, last, 0)] -
                           values->of[nd_mps_of_task(layout, ND_MPS_FORWARD, 0, i, before, 0)]);
}

bool nd_sol_write(struct textroom *text,
                  const struct nd_program *program,
                  const struct nd_choice *choice,
                  char *why,
                  size_t why_size)
{
    struct values values = {.program = program};
    char name[ND_MPS_NAME_CAP];
    if (!nd_mps_layout_of(&values.layout, program)) {
        snprintf(why, why_size, "the program has more than 20 million variables");
        return false;
    }
    bool done = allot(&values);
    if (done) {
        take_chunks(&values, choice);
        done = time_tasks(&values);
    }
    if (done) {
        take_starts(&values);
        take_stable(&values);
        for (int32_t i = 0; i < values.layout.n_variables; i++) {
            textroom_add(text, "%s ", nd_mps_name(&values.layout, i, name));
            textroom_add_number(text, values.of[i]);
            textroom_add(text, "\n");
        }
    }
    let_go(&values);
    done = done && !text->failed;
    if (!done)
        snprintf(why, why_size, "no memory for the solution");
    return done;
}
