// SPDX-License-Identifier: Apache-2.0
// Writes solutions: the values of all variables of the exported program for a choice.
#include "kernels/common/split/playback.h"
#include "planner/exchange/mps_variables.h"
#include "planner/exchange/solution_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct values {
    const struct nd_program *program;
    struct nd_mps_layout layout;
    double *of; // [variable]
};

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
    nd_durations(values->program, choice, of + ND_MPS_FORWARD_TIME * n,
                 of + ND_MPS_BACKWARD_TIME * n);
    nd_kept(values->program, choice, of + ND_MPS_KEPT * n);
}

// ---- start times --------------------------------------------------------------------------------

static bool take_starts(struct values *values, const struct nd_choice *choice)
{
    const struct nd_mps_layout *layout = &values->layout;
    struct passes passes;
    const bool played = nd_play(values->program, choice, &layout->shape, &passes) == ND_DONE;
    for (int32_t k = 0; played && k < passes.n; k++) {
        const struct pass *pass = &passes.list[k];
        const struct operation *op = &pass->operation;
        const int kind = op->type == OPERATION_F ? ND_MPS_FORWARD : ND_MPS_BACKWARD;
        values->of[nd_mps_of_task(layout, kind, orders_chunk(&layout->shape, op), pass->stage,
                                  orders_micro_batch(&layout->shape, op),
                                  orders_split(&layout->shape, op))] = pass->start;
    }
    passes_free(&passes);
    return played;
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

bool nd_sol_write(struct text_buffer *text, const struct nd_program *program,
                  const struct nd_choice *choice, char *why, size_t why_size)
{
    struct values values = {.program = program};
    char name[ND_MPS_NAME_CAP];
    if (!nd_mps_layout_of(&values.layout, program)) {
        snprintf(why, why_size, "the program has more than 20 million variables");
        return false;
    }
    values.of = calloc((size_t)values.layout.n_variables, sizeof *values.of);
    bool done = values.of != NULL;
    if (done) {
        take_chunks(&values, choice);
        done = take_starts(&values, choice);
    }
    if (done) {
        take_stable(&values);
        for (int32_t i = 0; i < values.layout.n_variables; i++) {
            text_buffer_add(text, "%s ", nd_mps_name(&values.layout, i, name));
            text_buffer_add_number(text, values.of[i]);
            text_buffer_add(text, "\n");
        }
    }
    free(values.of);
    done = done && !text->failed;
    if (!done)
        snprintf(why, why_size, "out of memory for the solution");
    return done;
}
