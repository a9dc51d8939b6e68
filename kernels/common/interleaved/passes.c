// SPDX-License-Identifier: Apache-2.0
// Plays passes: takes orders from their generator, times from the executor, and memory along each
// order.
#include "kernels/common/interleaved/passes.h"

#include "kernels/common/interleaved/memory_line.h"

#include <stdlib.h>
#include <string.h>

bool passes_open(struct passes *passes, const struct orders_shape *shape)
{
    const size_t parts = (size_t)shape->stages * (size_t)shape->chunks,
                 n = (size_t)shape->stages * (size_t)orders_length(shape);
    *passes = (struct passes){.shape = *shape, .n = (int32_t)n};
    passes->kept = calloc(parts, sizeof *passes->kept);
    passes->list = calloc(n, sizeof *passes->list);
    if (passes->kept != NULL && passes->list != NULL &&
        timed_order_build(&passes->timed, shape, false, NULL))
        return true;
    passes_free(passes);
    return false;
}

void passes_free(struct passes *passes)
{
    timed_order_free(&passes->timed);
    free(passes->kept);
    free(passes->list);
    memset(passes, 0, sizeof *passes);
}

// after, kept: temporary, [operation], [chunk] of a stage.
static void play_stage(struct passes *passes, int32_t i, double *after, double *kept)
{
    const struct orders_shape *shape = &passes->shape;
    const struct timed_order *timed = &passes->timed;
    const int32_t each = orders_length(shape);
    const int64_t first = order_at(&timed->order, i, 0);
    const struct operation *operations = timed->order.operations + first;
    const double *starts = executor_starts(timed->executor) + first,
                 *ends = executor_ends(timed->executor) + first;
    for (int32_t v = 0; v < shape->chunks; v++)
        kept[v] = passes->kept[v * shape->stages + i];
    memline_curve(shape, operations, kept, after);
    for (int32_t k = 0; k < each; k++)
        passes->list[i * each + k] = (struct pass){.stage = i,
                                                   .operation = operations[k],
                                                   .start = starts[k],
                                                   .end = ends[k],
                                                   .held = timed->pipeline.fixed[i] + after[k]};
}

bool passes_play(struct passes *passes)
{
    const size_t each = (size_t)orders_length(&passes->shape);
    double *after = malloc((each + (size_t)passes->shape.chunks) * sizeof *after);
    if (after == NULL)
        return false;
    passes->makespan = timed_order_run(&passes->timed, NULL);
    for (int32_t i = 0; i < passes->shape.stages; i++)
        play_stage(passes, i, after, after + each);
    free(after);
    return true;
}
