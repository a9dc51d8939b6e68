// SPDX-License-Identifier: Apache-2.0
// The optimal zero-bubble order.
#include "kernels/common/executor/executor.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/automatic/shapes.h"
#include "kernels/schedule/exact/exact.h"

#include <math.h>

enum {
    // Every partial schedule takes time that grows with the number of operations.
    FORWARDS_MOST = 1024,
    BYTES_LEAST = 6 << 20,
    BYTES_MOST = 64 << 20,
    BYTES_PER_EVALUATION = 64,
};

struct ilp_memory {
    struct exact_search *search;
    struct executor *executor;
    void *automatic; // of family zb_auto
    struct order order;
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

static size_t bytes_for(int64_t budget)
{
    if (budget <= 0 || budget > BYTES_MOST / BYTES_PER_EVALUATION)
        return BYTES_MOST;
    const size_t bytes = (size_t)budget * BYTES_PER_EVALUATION;
    return bytes < BYTES_LEAST ? BYTES_LEAST : bytes;
}

static struct family_options without_compatibility(const struct family_options *options)
{
    struct family_options own = *options;
    own.published = false;
    return own;
}

static void *ilp_take(const struct pipeline_shape *shape,
                      const struct family_options *options,
                      struct room *room)
{
    struct ilp_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct ilp_memory *m = memory != NULL ? memory : &counted;
    const struct family_options own = without_compatibility(options);
    const int32_t operations = 3 * shape->micro_batches;
    m->search = exact_take(shape, bytes_for(options->budget), options->budget, room);
    m->executor = executor_take(shape, operations, room);
    m->automatic = family_zb_auto.take(shape, &own, room);
    order_take(&m->order, shape->devices, operations, room);
    return memory;
}

// Sets *value to the objective of an order. Returns false if the poll has ended.
static bool evaluate(struct executor *executor,
                     const struct pipeline *pipeline,
                     enum family_objective objective,
                     const struct order *order,
                     struct poll *poll,
                     double *value)
{
    if (executor_run(executor, pipeline, order, NULL, poll) != EXECUTOR_DONE)
        return false;
    *value = objective == FAMILY_SPAN ? executor_span(executor) : executor_makespan(executor);
    return true;
}

// Starts from the automatic order. Orders are evaluated as the pipeline says: if messages contend for
// channels, an order can be slower than the search assumes, but no order is faster than the bound.
static enum family_status ilp_build(const struct pipeline *pipeline,
                                    const struct family_options *options,
                                    void *memory,
                                    struct poll *poll,
                                    struct order *order,
                                    struct family_result *result)
{
    struct ilp_memory *m = memory;
    const struct family_options own = without_compatibility(options);
    struct exact_result found;
    double value = (double)INFINITY, other;
    enum family_status status =
        family_zb_auto.build(pipeline, &own, m->automatic, poll, order, NULL);
    if (status == FAMILY_STOPPED ||
        (status == FAMILY_DONE &&
         !evaluate(m->executor, pipeline, own.objective, order, poll, &value)))
        return FAMILY_STOPPED;
    order_clear(&m->order);
    status = exact_solve(m->search, pipeline, own.objective, value, own.budget, poll, &m->order,
                         &found);
    if (status != FAMILY_DONE)
        return status;
    if (isfinite(found.value)) {
        if (!evaluate(m->executor, pipeline, own.objective, &m->order, poll, &other))
            return FAMILY_STOPPED;
        if (other < value) {
            value = other;
            order_copy(order, &m->order);
        }
    }
    if (result == NULL)
        return status;
    result->value = value;
    result->proven = value - found.bound <= 1e-9 * fabs(value);
    result->bound = result->proven ? value : found.bound;
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
