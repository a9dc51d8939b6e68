// SPDX-License-Identifier: Apache-2.0
// The optimal zero-bubble order.
#include "kernels/common/executor/executor.h"
#include "kernels/schedule/automatic/shapes.h"
#include "kernels/schedule/exact/exact.h"

#include <math.h>

enum {
    // Every operation of the order costs time that grows with the number of operations.
    FORWARDS_MOST = 1024,
    BYTES_MOST = 32 << 20,
};

struct ilp_memory {
    struct exact_search *search;
    struct executor *executor;
};

static const char *ilp_misfit(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    const char *reason = shapes_misfit_one(shape, options);
    if (reason != NULL)
        return reason;
    return (int64_t)shape->devices * shape->micro_batches <= FORWARDS_MOST
               ? NULL
               : "needs P M <= 1024 to search for the optimum";
}

static void *ilp_take(const struct pipeline_shape *shape,
                      const struct family_options *options,
                      struct room *room)
{
    struct ilp_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct ilp_memory *m = memory != NULL ? memory : &counted;
    m->search = exact_take(shape, BYTES_MOST, options->budget, room);
    m->executor = executor_take(shape, 3 * shape->micro_batches, room);
    return memory;
}

// The order is evaluated as the pipeline says: if messages contend for channels, it can be slower than
// the search assumes, but no order is faster than the bound.
static enum family_status ilp_build(const struct pipeline *pipeline,
                                    const struct family_options *options,
                                    void *memory,
                                    struct poll *poll,
                                    struct order *order,
                                    struct family_result *result)
{
    const struct ilp_memory *m = memory;
    struct exact_result found;
    const enum family_status status = exact_solve(m->search, pipeline, options->objective,
                                                  options->budget, poll, order, &found);
    if (status != FAMILY_DONE || result == NULL)
        return status;
    if (executor_run(m->executor, pipeline, order, NULL, poll) != EXECUTOR_DONE)
        return FAMILY_STOPPED;
    result->value = options->objective == FAMILY_SPAN ? executor_span(m->executor)
                                                      : executor_makespan(m->executor);
    result->proven = result->value - found.bound <= 1e-9 * fabs(result->value);
    result->bound = result->proven ? result->value : found.bound;
    result->evaluations = found.evaluations;
    return status;
}

const struct family family_zb_ilp = {
    .name = "zb_ilp",
    .summary = "zero bubble, the optimum for small pipelines",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024 (the model)",
    .kind = FAMILY_SEARCH,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = ilp_misfit,
    .chunks = shapes_one_chunk,
    .take = ilp_take,
    .build = ilp_build,
};
