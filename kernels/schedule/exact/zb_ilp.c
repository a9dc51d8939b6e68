// SPDX-License-Identifier: Apache-2.0
// The optimal zero-bubble orders: one stage per device, and placement V.
#include "kernels/common/executor/executor.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/exact/exact.h"
#include "kernels/schedule/exact/instance.h"
#include "kernels/schedule/families/shapes.h"

#include <math.h>

enum {
    // Every partial schedule takes time that grows with the number of operations.
    FORWARDS_MOST = 1024,
    BYTES_LEAST = 6 << 20,
    BYTES_MOST = 64 << 20,
    BYTES_PER_EVALUATION = 64,
    STARTS = 4,
};

struct ilp_memory {
    struct exact_search *search;
    struct executor *executor;
    char *start; // memory of one of the families that the search starts from
    struct order order;
};

// The families whose orders the search starts from, ended with NULL.
static const struct family *const *starts_of(const struct pipeline_shape *shape)
{
    static const struct family *const one[] = {&family_zb_auto, NULL};
    static const struct family *const vee[STARTS + 1] = {
        &family_zbv, &family_v_half, &family_v_min, &family_vshape_dispatch, NULL};
    return shape->stages == shape->devices ? one : vee;
}

static const char *misfit_of_size(const struct pipeline_shape *shape)
{
    return (int64_t)shape->stages * shape->micro_batches <= FORWARDS_MOST
               ? NULL
               : "needs P M v <= 1024 to search for the optimum";
}

static const char *misfit_one(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    const char *reason = shapes_misfit_one(shape, options);
    return reason != NULL ? reason : misfit_of_size(shape);
}

static const char *misfit_vee(const struct pipeline_shape *shape,
                              const struct family_options *options)
{
    const char *reason = shapes_misfit_vee(shape, options);
    return reason != NULL ? reason : misfit_of_size(shape);
}

static size_t bytes_for(int64_t budget)
{
    if (budget <= 0 || budget > BYTES_MOST / BYTES_PER_EVALUATION)
        return BYTES_MOST;
    const size_t bytes = (size_t)budget * BYTES_PER_EVALUATION;
    return bytes < BYTES_LEAST ? BYTES_LEAST : bytes;
}

static void *ilp_take(const struct pipeline_shape *shape, const struct family_options *options,
                      struct room *room)
{
    struct ilp_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct ilp_memory *m = memory != NULL ? memory : &counted;
    const struct family_options own = family_unpublished(options);
    const struct family *const *starts = starts_of(shape);
    const int32_t operations = 3 * shape->micro_batches * (shape->stages / shape->devices);
    m->search = exact_take(shape, bytes_for(options->budget), options->budget, room);
    m->executor = executor_take(shape, operations, room);
    size_t start = 0;
    for (int k = 0; starts[k] != NULL; k++) {
        struct room count = {NULL, 0};
        (void)family_take(starts[k], shape, &own, &count);
        start = count.used > start ? count.used : start;
    }
    m->start = room_take(room, start, 1);
    order_take(&m->order, shape->devices, operations, room);
    return memory;
}

// An order that is being sought: the best one so far.
struct ilp_best {
    const struct pipeline *pipeline;
    enum family_objective objective;
    struct order *order;
    double value; // INFINITY: none
};

// Evaluates m->order as the pipeline says, with contention for channels, and copies it if it is better.
// Returns false if the poll has ended.
static bool offer(struct ilp_memory *m, struct poll *poll, struct ilp_best *best)
{
    struct metrics_excess excess;
    const enum executor_status status =
        executor_run(m->executor, best->pipeline, &m->order, NULL, poll);
    if (status != EXECUTOR_DONE || metrics_over_limit(best->pipeline, &m->order, &excess))
        return status != EXECUTOR_STOPPED;
    const double value = best->objective == FAMILY_SPAN ? executor_span(m->executor)
                                                        : executor_makespan(m->executor);
    if (value < best->value) {
        best->value = value;
        order_copy(best->order, &m->order);
    }
    return true;
}

static bool offer_starts(struct ilp_memory *m, const struct family_options *options,
                         struct poll *poll, struct ilp_best *best)
{
    const struct pipeline_shape *shape = &best->pipeline->shape;
    const struct family *const *starts = starts_of(shape);
    for (int k = 0; starts[k] != NULL; k++) {
        if (starts[k]->misfit(shape, options) != NULL)
            continue;
        order_clear(&m->order);
        struct room room = {m->start, 0};
        void *memory = family_take(starts[k], shape, options, &room);
        const enum family_status status =
            family_build(starts[k], &(struct family_task){best->pipeline, options, memory, poll,
                                                          &m->order, NULL});
        if (status == FAMILY_STOPPED || (status == FAMILY_DONE && !offer(m, poll, best)))
            return false;
    }
    return true;
}

// No order is faster than the bound of the search, even if messages contend for channels.
static enum family_status ilp_build(const struct family_task *task)
{
    struct ilp_memory *m = task->memory;
    const struct family_options own = family_unpublished(task->options);
    struct ilp_best best = {task->pipeline, own.objective, task->order, (double)INFINITY};
    struct exact_result found;
    if (!offer_starts(m, &own, task->poll, &best))
        return FAMILY_STOPPED;
    order_clear(&m->order);
    const enum family_status status =
        exact_solve(m->search, task->pipeline, own.objective, best.value, own.budget,
                    task->poll, &m->order, &found);
    if (status != FAMILY_DONE)
        return status;
    if (isfinite(found.value) && !offer(m, task->poll, &best))
        return FAMILY_STOPPED;
    if (!isfinite(best.value))
        return FAMILY_FAILED;
    if (task->result == NULL)
        return status;
    const double bound = exact_instance_suits(task->pipeline) ? found.bound : 0;
    task->result->value = best.value;
    task->result->proven = best.value - bound <= 1e-9 * fabs(best.value);
    task->result->bound = task->result->proven ? best.value : bound;
    task->result->evaluations = found.evaluations;
    return status;
}

const struct family family_zb_ilp = {
    .name = "zb_ilp",
    .summary = "zero bubble, the optimum for small pipelines",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024 (the model)",
    .kind = FAMILY_SEARCH,
    .uses = FAMILY_USES_BUDGET,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .forwards_most = FORWARDS_MOST,
    .misfit = misfit_one,
    .chunks = shapes_one_chunk,
    .take = ilp_take,
    .build = ilp_build,
};

const struct family family_v_ilp = {
    .name = "v_ilp",
    .summary = "zero bubble in placement V, the optimum for small pipelines",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024 (the "
              "placement)",
    .kind = FAMILY_SEARCH,
    .uses = FAMILY_USES_BUDGET,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .forwards_most = FORWARDS_MOST,
    .misfit = misfit_vee,
    .chunks = shapes_two_chunks,
    .take = ilp_take,
    .build = ilp_build,
};
