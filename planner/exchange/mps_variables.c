// SPDX-License-Identifier: Apache-2.0
// Converts variable numbers to names and names to numbers.
#include "planner/exchange/mps_variables.h"

#include "kernels/common/split/chunk.h"

#include <stdio.h>
#include <string.h>

enum { VARIABLES_MAX = 20000000 };

// What names begin with; numbers follow, joined by '_'.
static const char *const PREFIXES[ND_MPS_KINDS] = {
    [ND_MPS_LAYERS] = "x_type1_",          [ND_MPS_LAYERS + 1] = "x_type2_",
    [ND_MPS_SOME] = "indicator1_",         [ND_MPS_SOME + 1] = "indicator2_",
    [ND_MPS_FORWARD_TIME] = "f_duration_", [ND_MPS_BACKWARD_TIME] = "b_duration_",
    [ND_MPS_PART] = "rs_type1_",           [ND_MPS_PART + 1] = "rs_type2_",
    [ND_MPS_FULL] = "ra_type1_",           [ND_MPS_FULL + 1] = "ra_type2_",
    [ND_MPS_SWITCH] = "rs_or_ra_",         [ND_MPS_KEPT] = "mem_",
    [ND_MPS_FORWARD] = "forward_s_",       [ND_MPS_BACKWARD] = "backward_s",
    [ND_MPS_STABLE] = "stable_duration",
};

bool nd_mps_layout_of(struct nd_mps_layout *layout, const struct nd_program *program)
{
    *layout = (struct nd_mps_layout){
        .shape = nd_program_laid_out(program),
        .residue = nd_program_residue(program),
        .chunks = program->chunks * program->stages,
    };
    const struct orders_shape *shape = &layout->shape;
    const int64_t tasks = (int64_t)layout->chunks * shape->micro_batches * shape->splits;
    const int64_t n = ND_MPS_OF_CHUNK * (int64_t)layout->chunks + 2 * tasks + 1;
    if (n > VARIABLES_MAX)
        return false;
    layout->parts = orders_parts(shape);
    layout->tasks = (int32_t)tasks;
    layout->n_variables = (int32_t)n;
    return true;
}

int32_t nd_mps_of_chunk(const struct nd_mps_layout *layout, int kind, int32_t chunk,
                        int32_t stage)
{
    return kind * layout->chunks + chunk * layout->shape.stages + stage;
}

int32_t nd_mps_of_task(const struct nd_mps_layout *layout, int kind, int32_t chunk,
                       int32_t stage, int32_t micro_batch, int32_t split)
{
    const struct orders_shape *shape = &layout->shape;
    const int32_t lane = stage * shape->chunks + chunk;
    const int32_t task = (lane * shape->micro_batches + micro_batch) * shape->splits + split;
    return ND_MPS_OF_CHUNK * layout->chunks + (kind - ND_MPS_FORWARD) * layout->tasks + task;
}

int32_t nd_mps_stable(const struct nd_mps_layout *layout)
{
    return layout->n_variables - 1;
}

int32_t nd_mps_part_start(const struct nd_mps_layout *layout, int32_t k)
{
    int32_t start = 0;
    for (int32_t i = 0; i < k; i++)
        start += orders_part_size(&layout->shape, i);
    return start;
}

double nd_mps_layers_max(const struct nd_program *program)
{
    return program->compat == ND_ORIG ? ND_ORIG_LAYERS
                                      : (double)program->layers[0] + program->layers[1];
}

bool nd_mps_is_integer(const struct nd_mps_layout *layout, int32_t variable)
{
    const int32_t kind = variable / layout->chunks;
    return kind < ND_MPS_KEPT && kind != ND_MPS_FORWARD_TIME && kind != ND_MPS_BACKWARD_TIME;
}

// ---- names --------------------------------------------------------------------------------------

static const char *name_task(const struct nd_mps_layout *layout, int32_t task, char *name)
{
    const struct orders_shape *shape = &layout->shape;
    const int kind = task < layout->tasks ? ND_MPS_FORWARD : ND_MPS_BACKWARD;
    const int32_t at = task % layout->tasks;
    const int32_t split = at % shape->splits;
    const int32_t lane = at / shape->splits / shape->micro_batches;
    int32_t micro_batch = at / shape->splits % shape->micro_batches;
    int32_t part = 0;
    while (micro_batch >= orders_part_size(shape, part))
        micro_batch -= orders_part_size(shape, part++);
    snprintf(name, ND_MPS_NAME_CAP, "%s%d_%d_%d_%d_%d", PREFIXES[kind], lane / shape->chunks,
             lane % shape->chunks, part, micro_batch, split);
    return name;
}

const char *nd_mps_name(const struct nd_mps_layout *layout, int32_t variable, char *name)
{
    const int32_t of_chunks = ND_MPS_OF_CHUNK * layout->chunks;
    if (variable == nd_mps_stable(layout)) {
        strcpy(name, PREFIXES[ND_MPS_STABLE]);
        return name;
    }
    if (variable >= of_chunks)
        return name_task(layout, variable - of_chunks, name);
    const int32_t at = variable % layout->chunks;
    snprintf(name, ND_MPS_NAME_CAP, "%s%d_%d", PREFIXES[variable / layout->chunks],
             at % layout->shape.stages, at / layout->shape.stages);
    return name;
}

// Exactly `count` whole numbers joined by '_'.
static bool read_numbers(const char *text, size_t n, int32_t *numbers, int count)
{
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        const size_t start = at;
        numbers[i] = 0;
        while (at < n && text[at] >= '0' && text[at] <= '9' && at - start < 8)
            numbers[i] = 10 * numbers[i] + (text[at++] - '0');
        if (at == start || (text[start] == '0' && at - start > 1))
            return false;
        if (i + 1 < count && (at >= n || text[at++] != '_'))
            return false;
    }
    return at == n;
}

static int32_t find_of_chunk(const struct nd_mps_layout *layout, int kind, const int32_t *at)
{
    if (at[0] >= layout->shape.stages || at[1] >= layout->shape.chunks)
        return -1;
    return nd_mps_of_chunk(layout, kind, at[1], at[0]);
}

static int32_t find_of_task(const struct nd_mps_layout *layout, int kind, const int32_t *at)
{
    const struct orders_shape *shape = &layout->shape;
    if (at[0] >= shape->stages || at[1] >= shape->chunks || at[2] >= layout->parts ||
        at[3] >= orders_part_size(shape, at[2]) || at[4] >= shape->splits)
        return -1;
    return nd_mps_of_task(layout, kind, at[1], at[0], nd_mps_part_start(layout, at[2]) + at[3],
                          at[4]);
}

int32_t nd_mps_find(const struct nd_mps_layout *layout, const char *name, size_t n)
{
    int32_t at[5];
    for (int kind = 0; kind < ND_MPS_KINDS; kind++) {
        const size_t prefix = strlen(PREFIXES[kind]);
        if (n < prefix || memcmp(name, PREFIXES[kind], prefix) != 0)
            continue;
        if (kind == ND_MPS_STABLE)
            return n == prefix ? nd_mps_stable(layout) : -1;
        const bool is_task = kind >= ND_MPS_OF_CHUNK;
        if (!read_numbers(name + prefix, n - prefix, at, is_task ? 5 : 2))
            return -1;
        return is_task ? find_of_task(layout, kind, at) : find_of_chunk(layout, kind, at);
    }
    return -1;
}
