// SPDX-License-Identifier: Apache-2.0
#include "mps.h"

#include "mpsrows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As published: no chunk has more layers of a type, nor takes longer forward.
static const double LAYERS_MAX = 20.0, BACKWARD_MAX = 60.0, TIME_MAX = 99999.0,
                    KEPT_MAX = 60000.0;

struct export
{
    const struct nd_program *program;
    struct nd_mps_layout layout;
    struct nd_mps_rows rows;
    struct orders_task *tasks; // of one stage
};

static int32_t of_chunk(const struct export *export, int kind, int32_t chunk, int32_t stage)
{
    return nd_mps_of_chunk(&export->layout, kind, chunk, stage);
}

static double layers_max(const struct nd_program *program)
{
    return program->compat == ND_ORIG ? LAYERS_MAX
                                      : (double)program->layers[0] + program->layers[1];
}

static bool has_head(const struct nd_program *program, int32_t chunk, int32_t stage)
{
    return stage == program->stages - 1 && chunk == program->chunks - 1;
}

// ---- chunks -------------------------------------------------------------------------------------

// f and b by the layers of a chunk.
static void add_durations(struct export *export, int32_t chunk, int32_t stage)
{
    const struct nd_program *program = export->program;
    struct nd_mps_rows *rows = &export->rows;
    const double ratio = program->layer_ratio;
    const double head = has_head(program, chunk, stage) ? program->head_ratio : 0.0;
    const double extra =
        isnan(program->head_backward) ? 0.0 : program->head_backward - program->backward_ratio;
    const int32_t forward = of_chunk(export, ND_MPS_FORWARD_TIME, chunk, stage);
    nd_mps_begin(rows, FORWARD_TIME, 'E', head);
    nd_mps_put(rows, forward, 1.0);
    nd_mps_put(rows, of_chunk(export, ND_MPS_LAYERS, chunk, stage), -ratio);
    nd_mps_put(rows, of_chunk(export, ND_MPS_LAYERS + 1, chunk, stage), -1.0);
    nd_mps_begin(rows, BACKWARD_TIME, 'E', head * extra);
    nd_mps_put(rows, of_chunk(export, ND_MPS_BACKWARD_TIME, chunk, stage), 1.0);
    nd_mps_put(rows, forward, -program->backward_ratio);
    nd_mps_put(rows, of_chunk(export, ND_MPS_PART, chunk, stage),
               -program->select_growth * ratio);
    nd_mps_put(rows, of_chunk(export, ND_MPS_PART + 1, chunk, stage), -program->select_growth);
    nd_mps_put(rows, of_chunk(export, ND_MPS_FULL, chunk, stage),
               program->compat == ND_ORIG ? -ratio : -program->full_growth * ratio);
    nd_mps_put(rows, of_chunk(export, ND_MPS_FULL + 1, chunk, stage), -program->full_growth);
}

// What a micro-batch leaves in a chunk.
static void add_kept(struct export *export, int32_t chunk, int32_t stage)
{
    const struct nd_memory *memory = &export->program->memory;
    const double act[] = {memory->act_mem0, memory->act_mem};
    const double part[] = {memory->select_mem0, memory->select_mem};
    const double full[] = {memory->re_comp_mem0, memory->re_comp_mem};
    nd_mps_begin(&export->rows, KEPT, 'E', 0.0);
    nd_mps_put(&export->rows, of_chunk(export, ND_MPS_KEPT, chunk, stage), 1.0);
    for (int type = 0; type < 2; type++) {
        nd_mps_put(&export->rows, of_chunk(export, ND_MPS_LAYERS + type, chunk, stage),
                   -act[type]);
        nd_mps_put(&export->rows, of_chunk(export, ND_MPS_PART + type, chunk, stage),
                   act[type] - part[type]);
        nd_mps_put(&export->rows, of_chunk(export, ND_MPS_FULL + type, chunk, stage),
                   act[type] - full[type]);
    }
}

// a x - b y <= right
static void add_at_most(struct export *export,
                        const char *group,
                        int32_t x,
                        double b,
                        int32_t y,
                        double right)
{
    nd_mps_begin(&export->rows, group, 'L', right);
    nd_mps_put(&export->rows, x, 1.0);
    nd_mps_put(&export->rows, y, -b);
}

// y <= x <= most y; a + r <= x; r only where the switch is on, a only where it is off.
static void add_choices(struct export *export, int32_t chunk, int32_t stage)
{
    const double most = layers_max(export->program);
    const int32_t select = of_chunk(export, ND_MPS_SWITCH, chunk, stage);
    for (int type = 0; type < 2; type++) {
        const int32_t x = of_chunk(export, ND_MPS_LAYERS + type, chunk, stage);
        const int32_t y = of_chunk(export, ND_MPS_SOME + type, chunk, stage);
        const int32_t r = of_chunk(export, ND_MPS_PART + type, chunk, stage);
        const int32_t a = of_chunk(export, ND_MPS_FULL + type, chunk, stage);
        add_at_most(export, SOME, y, 1.0, x, 0.0);
        add_at_most(export, NONE, x, most, y, 0.0);
        add_at_most(export, RECOMPUTED, a, 1.0, x, 0.0);
        nd_mps_put(&export->rows, r, 1.0);
        add_at_most(export, SELECTIVE, r, most, select, 0.0);
        add_at_most(export, FULL, a, -most, select, most);
    }
}

// All layers are placed; every chunk has one, and at most one chunk has both types.
static void add_sums(struct export *export)
{
    const int32_t n = export->layout.chunks;
    for (int type = 0; type < 2; type++) {
        nd_mps_begin(&export->rows, ALL_TYPE, 'E', export->program->layers[type]);
        for (int32_t c = 0; c < n; c++)
            nd_mps_put(&export->rows, (ND_MPS_LAYERS + type) * n + c, 1.0);
    }
    for (int more = 0; more < 2; more++) {
        nd_mps_begin(&export->rows, MIXED, more == 0 ? 'G' : 'L', n + more);
        for (int32_t c = 0; c < 2 * n; c++)
            nd_mps_put(&export->rows, ND_MPS_SOME * n + c, 1.0);
    }
}

// Type 1 comes first: along the model y1 does not rise, y2 does not fall. Chunks of all stages lie
// in the order of their numbers.
static void add_sequence(struct export *export)
{
    const int32_t n = export->layout.chunks;
    for (int32_t c = 0; c + 1 < n; c++) {
        add_at_most(export, LEADING, ND_MPS_SOME * n + c + 1, 1.0, ND_MPS_SOME * n + c, 0.0);
        add_at_most(export, TRAILING, (ND_MPS_SOME + 1) * n + c, 1.0,
                    (ND_MPS_SOME + 1) * n + c + 1, 0.0);
    }
}

// ---- tasks --------------------------------------------------------------------------------------

struct place {
    int kind; // ND_MPS_FORWARD or ND_MPS_BACKWARD
    int32_t chunk, stage;
};

// The later task starts when the earlier one has ended, and the hop is over.
static void add_edge(struct export *export,
                     const char *group,
                     const struct place *earlier,
                     int32_t earlier_task,
                     int32_t later_task,
                     double hop)
{
    const int duration =
        earlier->kind == ND_MPS_FORWARD ? ND_MPS_FORWARD_TIME : ND_MPS_BACKWARD_TIME;
    nd_mps_begin(&export->rows, group, 'L', -hop);
    nd_mps_put(&export->rows, earlier_task, 1.0);
    nd_mps_put(&export->rows, of_chunk(export, duration, earlier->chunk, earlier->stage),
               1.0 / export->program->splits);
    nd_mps_put(&export->rows, later_task, -1.0);
}

static int32_t start_of(const struct export *export,
                        int32_t stage,
                        const struct orders_task *task)
{
    const int kind = task->kind == ORDERS_FORWARD ? ND_MPS_FORWARD : ND_MPS_BACKWARD;
    return nd_mps_of_task(&export->layout, kind, task->chunk, stage, task->micro_batch,
                          task->split);
}

// Tasks of one stage, one after the other.
static void add_lane(struct export *export, int32_t stage)
{
    const int32_t n = orders_length(&export->layout.shape);
    for (int32_t k = 0; k + 1 < n; k++) {
        const struct orders_task *task = &export->tasks[k];
        const struct place place = {task->kind == ORDERS_FORWARD ? ND_MPS_FORWARD
                                                                 : ND_MPS_BACKWARD,
                                    task->chunk, stage};
        add_edge(export, LANE, &place, start_of(export, stage, task),
                 start_of(export, stage, task + 1), 0.0);
    }
}

// Position c of the model and the next one, of one micro-batch and split.
static void add_step(struct export *export,
                     int kind,
                     int32_t c,
                     int32_t micro_batch,
                     int32_t split)
{
    const int32_t stages = export->program->stages;
    const bool forward = kind == ND_MPS_FORWARD;
    const int32_t from = forward ? c : c + 1, to = forward ? c + 1 : c;
    const struct place place = {kind, from / stages, from % stages};
    const double hop = stages > 1 ? export->program->hop : 0.0;
    add_edge(
        export, forward ? FORTH : BACK, &place,
        nd_mps_of_task(&export->layout, kind, place.chunk, place.stage, micro_batch, split),
        nd_mps_of_task(&export->layout, kind, to / stages, to % stages, micro_batch, split),
        hop);
}

// One micro-batch through the model and back.
static void add_journey(struct export *export, int32_t micro_batch, int32_t split)
{
    const struct nd_program *program = export->program;
    const int32_t last = export->layout.chunks - 1;
    const struct place turn = {ND_MPS_FORWARD, program->chunks - 1, program->stages - 1};
    for (int32_t c = 0; c < last; c++)
        add_step(export, ND_MPS_FORWARD, c, micro_batch, split);
    add_edge(export, TURN, &turn,
             nd_mps_of_task(&export->layout, ND_MPS_FORWARD, turn.chunk, turn.stage,
                            micro_batch, split),
             nd_mps_of_task(&export->layout, ND_MPS_BACKWARD, turn.chunk, turn.stage,
                            micro_batch, split),
             0.0);
    for (int32_t c = last - 1; c >= 0; c--)
        add_step(export, ND_MPS_BACKWARD, c, micro_batch, split);
}

// After every task of a stage, what is there fits.
static void add_memory(struct export *export, int32_t stage)
{
    const struct nd_program *program = export->program;
    const double layer[] = {program->memory.layer_mem012, program->memory.layer_mem};
    const int32_t n = orders_length(&export->layout.shape);
    int32_t live[ORDERS_CHUNKS_MAX] = {0};
    for (int32_t k = 0; k < n; k++) {
        live[export->tasks[k].chunk] += export->tasks[k].kind == ORDERS_FORWARD ? 1 : -1;
        nd_mps_begin(&export->rows, MEMORY, 'L', nd_program_budget(program, stage));
        for (int32_t v = 0; v < program->chunks; v++) {
            nd_mps_put(&export->rows, of_chunk(export, ND_MPS_LAYERS, v, stage), layer[0]);
            nd_mps_put(&export->rows, of_chunk(export, ND_MPS_LAYERS + 1, v, stage), layer[1]);
            nd_mps_put(&export->rows, of_chunk(export, ND_MPS_KEPT, v, stage),
                       (double)live[v] / program->splits);
        }
    }
}

// `stable` is at least what lies between the first forwards of the last two parts.
static void add_stable(struct export *export, int32_t stage)
{
    const struct nd_mps_layout *layout = &export->layout;
    const int32_t last = nd_mps_part_start(layout, layout->parts - 1);
    const int32_t before = nd_mps_part_start(layout, layout->parts - 2);
    nd_mps_begin(&export->rows, STABLE, 'L', 0.0);
    nd_mps_put(&export->rows, nd_mps_of_task(layout, ND_MPS_FORWARD, 0, stage, last, 0), 1.0);
    nd_mps_put(&export->rows, nd_mps_of_task(layout, ND_MPS_FORWARD, 0, stage, before, 0),
               -1.0);
    nd_mps_put(&export->rows, nd_mps_stable(layout), -1.0);
}

// ---- the whole ----------------------------------------------------------------------------------

static void add_objective(struct export *export)
{
    const struct nd_mps_layout *layout = &export->layout;
    const int32_t last = layout->shape.micro_batches - 1;
    nd_mps_begin(&export->rows, OBJECTIVE, 'N', 0.0);
    nd_mps_put(&export->rows, nd_mps_of_task(layout, ND_MPS_BACKWARD, 0, 0, last, 0), 1.0);
    nd_mps_put(&export->rows, of_chunk(export, ND_MPS_BACKWARD_TIME, 0, 0),
               1.0 / export->program->splits);
    nd_mps_put(&export->rows, nd_mps_stable(layout), layout->residue);
}

static void add_chunks(struct export *export)
{
    for (int32_t v = 0; v < export->program->chunks; v++)
        for (int32_t i = 0; i < export->program->stages; i++) {
            add_durations(export, v, i);
            add_kept(export, v, i);
            add_choices(export, v, i);
        }
    add_sums(export);
    add_sequence(export);
}

static void add_tasks(struct export *export)
{
    const struct orders_shape *shape = &export->layout.shape;
    for (int32_t i = 0; i < shape->stages; i++) {
        orders_of_stage(shape, i, export->tasks);
        add_lane(export, i);
        add_memory(export, i);
        if (export->layout.parts > 1)
            add_stable(export, i);
    }
    for (int32_t m = 0; m < shape->micro_batches; m++)
        for (int32_t s = 0; s < shape->splits; s++)
            add_journey(export, m, s);
}

// The most a variable may be; HUGE_VAL: no bound.
static double upper_bound(const struct export *export, int32_t variable)
{
    const struct nd_program *program = export->program;
    const bool orig = program->compat == ND_ORIG;
    const int32_t kind = variable / export->layout.chunks;
    if (kind >= ND_MPS_OF_CHUNK)
        return orig ? TIME_MAX : HUGE_VAL;
    if (kind == ND_MPS_KEPT)
        return orig ? KEPT_MAX : HUGE_VAL;
    if (kind == ND_MPS_FORWARD_TIME)
        return orig ? LAYERS_MAX : HUGE_VAL;
    if (kind == ND_MPS_BACKWARD_TIME)
        return orig ? BACKWARD_MAX : HUGE_VAL;
    if (kind == ND_MPS_SWITCH || kind == ND_MPS_SOME || kind == ND_MPS_SOME + 1)
        return 1.0;
    if ((kind == ND_MPS_PART || kind == ND_MPS_PART + 1) && !program->allow_select)
        return 0.0;
    if ((kind == ND_MPS_FULL || kind == ND_MPS_FULL + 1) && !program->allow_full)
        return 0.0;
    return layers_max(program);
}

static void write_bounds(struct textroom *text, const struct export *export)
{
    char name[ND_MPS_NAME_CAP];
    textroom_add(text, "BOUNDS\n");
    for (int32_t c = 0; c < export->layout.n_variables; c++) {
        const double most = upper_bound(export, c);
        if (isinf(most))
            continue;
        textroom_add(text, " UP BND %s ", nd_mps_name(&export->layout, c, name));
        textroom_add_number(text, most);
        textroom_add(text, "\n");
    }
}

bool nd_mps_write(struct textroom *text,
                  const struct nd_program *program,
                  const char *name,
                  struct nd_mps_size *size,
                  char *why,
                  size_t why_size)
{
    struct export export = {.program = program};
    if (!nd_mps_layout_of(&export.layout, program)) {
        snprintf(why, why_size,
                 "the program has more than 20 million variables; too large for "
                 "a file");
        return false;
    }
    export.tasks = malloc((size_t)orders_length(&export.layout.shape) * sizeof *export.tasks);
    if (export.tasks != NULL) {
        add_objective(&export);
        add_chunks(&export);
        add_tasks(&export);
    }
    *size = (struct nd_mps_size){export.layout.n_variables, (int32_t) export.rows.n_rows - 1,
                                 export.rows.n_numbers};
    textroom_add(text, "NAME %s\n", name);
    const bool written = export.tasks != NULL && !export.rows.failed &&
                         nd_mps_rows_write(text, &export.rows, &export.layout);
    if (written)
        write_bounds(text, &export);
    textroom_add(text, "ENDATA\n");
    free(export.tasks);
    nd_mps_rows_free(&export.rows);
    if (!written || text->failed)
        snprintf(why, why_size, "no memory for the exported program");
    return written && !text->failed;
}
