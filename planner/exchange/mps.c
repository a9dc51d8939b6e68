// SPDX-License-Identifier: Apache-2.0
// Exports a program: objective, rows and bounds.
#include "planner/exchange/mps.h"

#include "kernels/common/split/chunk.h"
#include "planner/exchange/mps_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const GROUPS[ND_ROW_GROUPS] = {
    [ND_ROW_FORWARD_TIME] = "forward_time_",
    [ND_ROW_BACKWARD_TIME] = "backward_time_",
    [ND_ROW_KEPT] = "kept_",
    [ND_ROW_SOME] = "some_",
    [ND_ROW_NONE] = "none_",
    [ND_ROW_RECOMPUTED] = "recomputed_",
    [ND_ROW_SELECTIVE] = "selective_",
    [ND_ROW_FULL] = "full_",
    [ND_ROW_ALL_TYPE] = "all_type",
    [ND_ROW_MIXED] = "mixed",
    [ND_ROW_LEADING] = "leading_",
    [ND_ROW_TRAILING] = "trailing_",
    [ND_ROW_LANE] = "lane_",
    [ND_ROW_FORTH] = "forth_",
    [ND_ROW_BACK] = "back_",
    [ND_ROW_TURN] = "turn_",
    [ND_ROW_MEMORY] = "memory_",
    [ND_ROW_STABLE] = "stable_",
    [ND_ROW_OBJECTIVE] = "objective",
};

static void add_objective(struct nd_mps_writing *writing)
{
    const struct nd_mps_layout *layout = &writing->layout;
    const int32_t last = layout->shape.micro_batches - 1;
    nd_mps_begin(&writing->rows, ND_ROW_OBJECTIVE, 'N', 0.0);
    nd_mps_put(&writing->rows, nd_mps_of_task(layout, ND_MPS_BACKWARD, 0, 0, last, 0), 1.0);
    nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_BACKWARD_TIME, 0, 0),
               1.0 / writing->program->splits);
    nd_mps_put(&writing->rows, nd_mps_stable(layout), layout->residue);
}

// The most a variable may be; HUGE_VAL: no bound.
static double upper_bound(const struct nd_mps_writing *writing, int32_t variable)
{
    const struct nd_program *program = writing->program;
    const bool orig = program->compat == ND_ORIG;
    const int32_t kind = variable / writing->layout.chunks;
    if (kind >= ND_MPS_OF_CHUNK)
        return orig ? ND_ORIG_START : HUGE_VAL;
    if (kind == ND_MPS_KEPT)
        return orig ? ND_ORIG_KEPT : HUGE_VAL;
    if (kind == ND_MPS_FORWARD_TIME)
        return orig ? ND_ORIG_LAYERS : HUGE_VAL;
    if (kind == ND_MPS_BACKWARD_TIME)
        return orig ? ND_ORIG_BACKWARD : HUGE_VAL;
    if (kind == ND_MPS_SWITCH || kind == ND_MPS_SOME || kind == ND_MPS_SOME + 1)
        return 1.0;
    if ((kind == ND_MPS_PART || kind == ND_MPS_PART + 1) && !program->allow_select)
        return 0.0;
    if ((kind == ND_MPS_FULL || kind == ND_MPS_FULL + 1) && !program->allow_full)
        return 0.0;
    return nd_mps_layers_max(program);
}

static void write_bounds(struct text_buffer *text, const struct nd_mps_writing *writing)
{
    char name[ND_MPS_NAME_CAP];
    text_buffer_add(text, "BOUNDS\n");
    for (int32_t c = 0; c < writing->layout.n_variables; c++) {
        const double most = upper_bound(writing, c);
        if (isinf(most))
            continue;
        text_buffer_add(text, " UP BND %s ", nd_mps_name(&writing->layout, c, name));
        text_buffer_add_number(text, most);
        text_buffer_add(text, "\n");
    }
}

bool nd_mps_write(struct text_buffer *text,
                  const struct nd_program *program,
                  const char *name,
                  struct nd_mps_size *size,
                  char *why,
                  size_t why_size)
{
    struct nd_mps_writing writing = {.program = program, .rows = {.groups = GROUPS}};
    if (!nd_mps_layout_of(&writing.layout, program)) {
        snprintf(why, why_size,
                 "the program has more than 20 million variables; too large for "
                 "a file");
        return false;
    }
    writing.tasks =
        malloc((size_t)orders_length(&writing.layout.shape) * sizeof *writing.tasks);
    if (writing.tasks != NULL) {
        add_objective(&writing);
        nd_mps_add_chunks(&writing);
        nd_mps_add_tasks(&writing);
    }
    *size = (struct nd_mps_size){writing.layout.n_variables, (int32_t)writing.rows.n_rows - 1,
                                 writing.rows.n_numbers};
    text_buffer_add(text, "NAME %s\n", name);
    const bool written = writing.tasks != NULL && !writing.rows.failed &&
                         nd_mps_rows_write(text, &writing.rows, &writing.layout);
    if (written)
        write_bounds(text, &writing);
    text_buffer_add(text, "ENDATA\n");
    free(writing.tasks);
    nd_mps_rows_free(&writing.rows);
    if (!written || text->failed)
        snprintf(why, why_size, "out of memory for the exported program");
    return written && !text->failed;
}
