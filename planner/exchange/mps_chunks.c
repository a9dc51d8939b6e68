// SPDX-License-Identifier: Apache-2.0
// Adds the rows of chunks: durations, memory kept, choices, layers in sequence.
#include "planner/exchange/mps_private.h"

#include <math.h>

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
static void add_at_most(struct nd_mps_writing *writing,
                        int group,
                        int32_t x,
                        double b,
                        int32_t y,
                        double right)
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

void nd_mps_add_chunks(struct nd_mps_writing *writing)
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
