// SPDX-License-Identifier: Apache-2.0
// Exports a program: objective, rows and bounds.
#include "planner/exchange/mps.h"

#include "kernels/common/split/chunk.h"
#include "planner/exchange/mps_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Groups of rows.
enum {
    ND_ROW_FORWARD_TIME,
    ND_ROW_BACKWARD_TIME,
    ND_ROW_KEPT,
    ND_ROW_SOME,
    ND_ROW_NONE,
    ND_ROW_RECOMPUTED,
    ND_ROW_SELECTIVE,
    ND_ROW_FULL,
    ND_ROW_ALL_TYPE,
    ND_ROW_MIXED,
    ND_ROW_LEADING,
    ND_ROW_TRAILING,
    ND_ROW_LANE,
    ND_ROW_FORTH,
    ND_ROW_BACK,
    ND_ROW_TURN,
    ND_ROW_MEMORY,
    ND_ROW_STABLE,
    ND_ROW_OBJECTIVE,
    ND_ROW_GROUPS,
};

struct nd_mps_writing {
    const struct nd_program *program;
    struct nd_mps_layout layout;
    struct nd_mps_rows rows;
    struct operation *tasks; // of one stage
};

static inline int32_t nd_mps_chunk(const struct nd_mps_writing *writing, int kind,
                                   int32_t chunk, int32_t stage)
{
    return nd_mps_of_chunk(&writing->layout, kind, chunk, stage);
}

// ---- mps tasks ----------------------------------------------------------------------------------

struct place {
    int kind; // ND_MPS_FORWARD or ND_MPS_BACKWARD
    int32_t chunk, stage;
};

// The later task starts when the earlier one has ended, and the hop is over.
static void add_edge(struct nd_mps_writing *writing, int group, const struct place *earlier,
                     int32_t earlier_task, int32_t later_task, double hop)
{
    const int duration =
        earlier->kind == ND_MPS_FORWARD ? ND_MPS_FORWARD_TIME : ND_MPS_BACKWARD_TIME;
    nd_mps_begin(&writing->rows, group, 'L', -hop);
    nd_mps_put(&writing->rows, earlier_task, 1.0);
    nd_mps_put(&writing->rows, nd_mps_chunk(writing, duration, earlier->chunk, earlier->stage),
               1.0 / writing->program->splits);
    nd_mps_put(&writing->rows, later_task, -1.0);
}

static int kind_of(const struct operation *task)
{
    return task->type == OPERATION_F ? ND_MPS_FORWARD : ND_MPS_BACKWARD;
}

static int32_t start_of(const struct nd_mps_writing *writing, int32_t stage,
                        const struct operation *task)
{
    const struct orders_shape *shape = &writing->layout.shape;
    return nd_mps_of_task(&writing->layout, kind_of(task), orders_chunk(shape, task), stage,
                          orders_micro_batch(shape, task), orders_split(shape, task));
}

// Tasks of one stage, one after the other.
static void add_lane(struct nd_mps_writing *writing, int32_t stage)
{
    const int32_t n = orders_length(&writing->layout.shape);
    for (int32_t k = 0; k + 1 < n; k++) {
        const struct operation *task = &writing->tasks[k];
        const struct place place = {kind_of(task), orders_chunk(&writing->layout.shape, task),
                                    stage};
        add_edge(writing, ND_ROW_LANE, &place, start_of(writing, stage, task),
                 start_of(writing, stage, task + 1), 0.0);
    }
}

// Position c of the model and the next one, of one micro-batch and split.
static void add_step(struct nd_mps_writing *writing, int kind, int32_t c, int32_t micro_batch,
                     int32_t split)
{
    const int32_t stages = writing->program->stages;
    const bool forward = kind == ND_MPS_FORWARD;
    const int32_t from = forward ? c : c + 1, to = forward ? c + 1 : c;
    const struct place place = {kind, from / stages, from % stages};
    const double hop = stages > 1 ? writing->program->hop : 0.0;
    add_edge(
        writing, forward ? ND_ROW_FORTH : ND_ROW_BACK, &place,
        nd_mps_of_task(&writing->layout, kind, place.chunk, place.stage, micro_batch, split),
        nd_mps_of_task(&writing->layout, kind, to / stages, to % stages, micro_batch, split),
        hop);
}

// One micro-batch through the model and back.
static void add_journey(struct nd_mps_writing *writing, int32_t micro_batch, int32_t split)
{
    const struct nd_program *program = writing->program;
    const int32_t last = writing->layout.chunks - 1;
    const struct place turn = {ND_MPS_FORWARD, program->chunks - 1, program->stages - 1};
    for (int32_t c = 0; c < last; c++)
        add_step(writing, ND_MPS_FORWARD, c, micro_batch, split);
    add_edge(writing, ND_ROW_TURN, &turn,
             nd_mps_of_task(&writing->layout, ND_MPS_FORWARD, turn.chunk, turn.stage,
                            micro_batch, split),
             nd_mps_of_task(&writing->layout, ND_MPS_BACKWARD, turn.chunk, turn.stage,
                            micro_batch, split),
             0.0);
    for (int32_t c = last - 1; c >= 0; c--)
        add_step(writing, ND_MPS_BACKWARD, c, micro_batch, split);
}

// After every task of a stage, what is there fits.
static void add_memory(struct nd_mps_writing *writing, int32_t stage)
{
    const struct nd_program *program = writing->program;
    const double layer[] = {program->memory.layer_mem012, program->memory.layer_mem};
    const int32_t n = orders_length(&writing->layout.shape);
    int32_t live[ORDERS_CHUNKS_MAX] = {0};
    for (int32_t k = 0; k < n; k++) {
        live[orders_chunk(&writing->layout.shape, &writing->tasks[k])] +=
            writing->tasks[k].type == OPERATION_F ? 1 : -1;
        nd_mps_begin(&writing->rows, ND_ROW_MEMORY, 'L', nd_program_budget(program, stage));
        for (int32_t v = 0; v < program->chunks; v++) {
            nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_LAYERS, v, stage),
                       layer[0]);
            nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_LAYERS + 1, v, stage),
                       layer[1]);
            nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_KEPT, v, stage),
                       (double)live[v] / program->splits);
        }
    }
}

// `stable` is at least what lies between the first forwards of the last two parts.
static void add_stable(struct nd_mps_writing *writing, int32_t stage)
{
    const struct nd_mps_layout *layout = &writing->layout;
    const int32_t last = nd_mps_part_start(layout, layout->parts - 1);
    const int32_t before = nd_mps_part_start(layout, layout->parts - 2);
    nd_mps_begin(&writing->rows, ND_ROW_STABLE, 'L', 0.0);
    nd_mps_put(&writing->rows, nd_mps_of_task(layout, ND_MPS_FORWARD, 0, stage, last, 0), 1.0);
    nd_mps_put(&writing->rows, nd_mps_of_task(layout, ND_MPS_FORWARD, 0, stage, before, 0),
               -1.0);
    nd_mps_put(&writing->rows, nd_mps_stable(layout), -1.0);
}

// Adds the rows that limit the start of tasks and the memory of stages.
static void nd_mps_add_tasks(struct nd_mps_writing *writing)
{
    const struct orders_shape *shape = &writing->layout.shape;
    for (int32_t i = 0; i < shape->stages; i++) {
        orders_of_stage(shape, i, writing->tasks);
        add_lane(writing, i);
        add_memory(writing, i);
        if (writing->layout.parts > 1)
            add_stable(writing, i);
    }
    for (int32_t m = 0; m < shape->micro_batches; m++)
        for (int32_t s = 0; s < shape->splits; s++)
            add_journey(writing, m, s);
}

// ---- mps chunks ---------------------------------------------------------------------------------

static bool has_head(const struct nd_program *program, int32_t chunk, int32_t stage)
{
    return stage == program->stages - 1 && chunk == program->chunks - 1;
}

// f and b by the layers of a chunk.
static void add_durations(struct nd_mps_writing *writing, int32_t chunk, int32_t stage)
{
    const struct nd_program *program = writing->program;
    struct nd_mps_rows *rows = &writing->rows;
    const double ratio = program->layer_ratio;
    const double head = has_head(program, chunk, stage) ? program->head_ratio : 0.0;
    const double extra =
        isnan(program->head_backward) ? 0.0 : program->head_backward - program->backward_ratio;
    const int32_t forward = nd_mps_chunk(writing, ND_MPS_FORWARD_TIME, chunk, stage);
    nd_mps_begin(rows, ND_ROW_FORWARD_TIME, 'E', head);
    nd_mps_put(rows, forward, 1.0);
    nd_mps_put(rows, nd_mps_chunk(writing, ND_MPS_LAYERS, chunk, stage), -ratio);
    nd_mps_put(rows, nd_mps_chunk(writing, ND_MPS_LAYERS + 1, chunk, stage), -1.0);
    nd_mps_begin(rows, ND_ROW_BACKWARD_TIME, 'E', head * extra);
    nd_mps_put(rows, nd_mps_chunk(writing, ND_MPS_BACKWARD_TIME, chunk, stage), 1.0);
    nd_mps_put(rows, forward, -program->backward_ratio);
    nd_mps_put(rows, nd_mps_chunk(writing, ND_MPS_PART, chunk, stage),
               -program->select_growth * ratio);
    nd_mps_put(rows, nd_mps_chunk(writing, ND_MPS_PART + 1, chunk, stage),
               -program->select_growth);
    nd_mps_put(rows, nd_mps_chunk(writing, ND_MPS_FULL, chunk, stage),
               program->compat == ND_ORIG ? -ratio : -program->full_growth * ratio);
    nd_mps_put(rows, nd_mps_chunk(writing, ND_MPS_FULL + 1, chunk, stage),
               -program->full_growth);
}

// Adds the row of the memory that a micro-batch keeps in a chunk.
static void add_kept(struct nd_mps_writing *writing, int32_t chunk, int32_t stage)
{
    const struct nd_figures *memory = &writing->program->memory;
    const double act[] = {memory->act_mem0, memory->act_mem};
    const double part[] = {memory->select_mem0, memory->select_mem};
    const double full[] = {memory->re_comp_mem0, memory->re_comp_mem};
    nd_mps_begin(&writing->rows, ND_ROW_KEPT, 'E', 0.0);
    nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_KEPT, chunk, stage), 1.0);
    for (int type = 0; type < 2; type++) {
        nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_LAYERS + type, chunk, stage),
                   -act[type]);
        nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_PART + type, chunk, stage),
                   act[type] - part[type]);
        nd_mps_put(&writing->rows, nd_mps_chunk(writing, ND_MPS_FULL + type, chunk, stage),
                   act[type] - full[type]);
    }
}

// a x - b y <= right
static void add_at_most(struct nd_mps_writing *writing, int group, int32_t x, double b,
                        int32_t y, double right)
{
    nd_mps_begin(&writing->rows, group, 'L', right);
    nd_mps_put(&writing->rows, x, 1.0);
    nd_mps_put(&writing->rows, y, -b);
}

// y <= x <= most y; a + r <= x; r only where the switch is on, a only where it is off.
static void add_choices(struct nd_mps_writing *writing, int32_t chunk, int32_t stage)
{
    const double most = nd_mps_layers_max(writing->program);
    const int32_t select = nd_mps_chunk(writing, ND_MPS_SWITCH, chunk, stage);
    for (int type = 0; type < 2; type++) {
        const int32_t x = nd_mps_chunk(writing, ND_MPS_LAYERS + type, chunk, stage);
        const int32_t y = nd_mps_chunk(writing, ND_MPS_SOME + type, chunk, stage);
        const int32_t r = nd_mps_chunk(writing, ND_MPS_PART + type, chunk, stage);
        const int32_t a = nd_mps_chunk(writing, ND_MPS_FULL + type, chunk, stage);
        add_at_most(writing, ND_ROW_SOME, y, 1.0, x, 0.0);
        add_at_most(writing, ND_ROW_NONE, x, most, y, 0.0);
        add_at_most(writing, ND_ROW_RECOMPUTED, a, 1.0, x, 0.0);
        nd_mps_put(&writing->rows, r, 1.0);
        add_at_most(writing, ND_ROW_SELECTIVE, r, most, select, 0.0);
        add_at_most(writing, ND_ROW_FULL, a, -most, select, most);
    }
}

// All layers are placed; every chunk has one, and at most one chunk has both types.
static void add_sums(struct nd_mps_writing *writing)
{
    const int32_t n = writing->layout.chunks;
    for (int type = 0; type < 2; type++) {
        nd_mps_begin(&writing->rows, ND_ROW_ALL_TYPE, 'E', writing->program->layers[type]);
        for (int32_t c = 0; c < n; c++)
            nd_mps_put(&writing->rows, (ND_MPS_LAYERS + type) * n + c, 1.0);
    }
    for (int more = 0; more < 2; more++) {
        nd_mps_begin(&writing->rows, ND_ROW_MIXED, more == 0 ? 'G' : 'L', n + more);
        for (int32_t c = 0; c < 2 * n; c++)
            nd_mps_put(&writing->rows, ND_MPS_SOME * n + c, 1.0);
    }
}

// Type 1 comes first: along the model y1 does not rise, y2 does not fall. Chunks of all stages lie
// in the order of their numbers.
static void add_sequence(struct nd_mps_writing *writing)
{
    const int32_t n = writing->layout.chunks;
    for (int32_t c = 0; c + 1 < n; c++) {
        add_at_most(writing, ND_ROW_LEADING, ND_MPS_SOME * n + c + 1, 1.0, ND_MPS_SOME * n + c,
                    0.0);
        add_at_most(writing, ND_ROW_TRAILING, (ND_MPS_SOME + 1) * n + c, 1.0,
                    (ND_MPS_SOME + 1) * n + c + 1, 0.0);
    }
}

// Adds the rows that define a chunk (durations, memory, recompute) and the split of layers.
static void nd_mps_add_chunks(struct nd_mps_writing *writing)
{
    for (int32_t v = 0; v < writing->program->chunks; v++)
        for (int32_t i = 0; i < writing->program->stages; i++) {
            add_durations(writing, v, i);
            add_kept(writing, v, i);
            add_choices(writing, v, i);
        }
    add_sums(writing);
    add_sequence(writing);
}

// ---- mps ----------------------------------------------------------------------------------------

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

bool nd_mps_write(struct text_buffer *text, const struct nd_program *program, const char *name,
                  struct nd_mps_size *size, char *why, size_t why_size)
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
