// SPDX-License-Identifier: Apache-2.0
// Adds the rows of tasks: order within stages, paths of micro-batches, memory, the steady state.
#include "planner/exchange/mps_private.h"

struct place {
    int kind; // ND_MPS_FORWARD or ND_MPS_BACKWARD
    int32_t chunk, stage;
};

// The later task starts when the earlier one has ended, and the hop is over.
static void add_edge(struct nd_mps_writing *writing,
                     int group,
                     const struct place *earlier,
                     int32_t earlier_task,
                     int32_t later_task,
                     double hop)
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

static int32_t start_of(const struct nd_mps_writing *writing,
                        int32_t stage,
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
static void add_step(struct nd_mps_writing *writing,
                     int kind,
                     int32_t c,
                     int32_t micro_batch,
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

void nd_mps_add_tasks(struct nd_mps_writing *writing)
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
