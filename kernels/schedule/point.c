// SPDX-License-Identifier: Apache-2.0
// Evaluates one point of the kernel.
#include "kernels/schedule/point.h"

#include "kernels/common/executor/bounds.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool schedule_is_small(const struct pipeline_shape *shape)
{
    const double operations =
        3.0 * shape->stages * shape->micro_batches * shape->slices * shape->directions;
    return shape->devices <= PIPELINE_DEVICES_MAX && shape->stages <= PIPELINE_STAGES_MAX &&
           operations <= PIPELINE_OPERATIONS_MAX;
}

// ---- scratch ------------------------------------------------------------------------------------

// F, B and W of all chunks of a device; each micro-batch of a bidirectional pipeline runs in one
// direction, which the family chooses.
int32_t schedule_room_of(const struct schedule_point *point)
{
    const struct pipeline_shape *shape = &point->shape;
    if (point->order != NULL)
        return point->order->room;
    return 3 * shape->directions * (shape->stages / shape->devices) * shape->micro_batches *
           shape->slices;
}

static void *take_family(const struct schedule_point *point, struct room *room)
{
    return point->family != NULL
               ? family_take(point->family, &point->shape, &point->options, room)
               : NULL;
}

void schedule_scratch_take(struct schedule_scratch *scratch, const struct schedule_point *point,
                           struct room *room)
{
    const struct pipeline_shape *shape = &point->shape;
    const size_t devices = (size_t)shape->devices;
    const int32_t operations = schedule_room_of(point);
    pipeline_take(&scratch->given, shape, room);
    struct room chosen = {NULL, 0}, family = {NULL, 0}, executor = {NULL, 0};
    scratch->pipeline = scratch->given;
    order_take(&scratch->order, shape->devices, operations, room);
    scratch->busy = room_take(room, devices, sizeof(double));
    scratch->peak = room_take(room, devices, sizeof(double));
    struct pipeline counted;
    pipeline_take(&counted, shape, &chosen);
    scratch->chosen = room_take(room, chosen.used, 1);
    (void)take_family(point, &family);
    (void)executor_take(shape, operations, &executor);
    scratch->shared =
        room_take(room, family.used > executor.used ? family.used : executor.used, 1);
    scratch->executor = NULL;
}

static void set_limits(struct pipeline *pipeline, double limit)
{
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        pipeline->limit[d] = limit;
}

// Sets what the stages of any placement cost by the plan of a point, which is `work`.
static void set_plan_work(const void *work, struct pipeline *pipeline)
{
    const struct schedule_point *point = work;
    const double chunks = (double)point->shape.stages / pipeline->shape.stages;
    plan_costs_set(pipeline, point->plan, &point->scale);
    for (int32_t d = 0; d < pipeline->shape.devices && !isnan(point->pair); d++)
        pipeline->pair[d] = point->pair * chunks / point->shape.slices;
}

static void set_equal_work(const struct schedule_point *point, struct pipeline *pipeline)
{
    pipeline_set_uniform(pipeline, &point->stage);
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        pipeline->pair[d] = point->pair / point->shape.slices;
}

void schedule_set_pipeline(struct schedule_scratch *scratch, const struct schedule_point *point)
{
    struct pipeline *pipeline = &scratch->given;
    if (point->family != NULL)
        pipeline_place(pipeline, point->family->placement);
    else
        memcpy(pipeline->device_of, point->device_of,
               (size_t)(point->shape.directions * point->shape.stages) *
                   sizeof *pipeline->device_of);
    pipeline->links = point->links;
    if (point->plan != NULL)
        set_plan_work(point, pipeline);
    else
        set_equal_work(point, pipeline);
    if (point->plan == NULL || isfinite(point->limit))
        set_limits(pipeline, point->limit);
    scratch->pipeline = scratch->given;
}

// ---- evaluation ---------------------------------------------------------------------------------

static enum pps_outcome status_of(enum family_status status)
{
    switch (status) {
    case FAMILY_DONE:
        return PPS_DONE;
    case FAMILY_NO_ROOM:
        return PPS_INFEASIBLE;
    case FAMILY_STOPPED:
        return PPS_STOPPED;
    case FAMILY_FAILED:
        break;
    }
    return PPS_FAILED;
}

static enum pps_outcome order_pipeline(struct schedule_scratch *scratch,
                                       const struct schedule_point *point,
                                       const struct family_options *options, struct poll *poll,
                                       struct family_result *found)
{
    order_clear(&scratch->order);
    scratch->pipeline = scratch->given;
    if (point->family != NULL) {
        struct room shared = {scratch->shared, 0}, chosen = {scratch->chosen, 0};
        struct family_options own = *options;
        if (point->plan != NULL) {
            own.set_work = set_plan_work;
            own.work = point;
        }
        const enum pps_outcome status = status_of(
            family_build(point->family, &(struct family_task){&scratch->given, &own,
                                                              take_family(point, &shared), poll,
                                                              &scratch->order, found}));
        if (found->pipeline != NULL) {
            pipeline_take(&scratch->pipeline, &found->pipeline->shape, &chosen);
            pipeline_copy(&scratch->pipeline, found->pipeline);
            found->pipeline = &scratch->pipeline;
        }
        return status;
    }
    order_copy(&scratch->order, point->order);
    return PPS_DONE;
}

// Orders, executes and measures the pipeline under its limits.
static enum pps_outcome try(struct schedule_scratch *scratch,
                            const struct schedule_point *point,
                            const struct family_options *options, struct poll *poll,
                            struct schedule_figures *figures)
{
    struct room shared = {scratch->shared, 0};
    struct metrics_excess excess;
    *figures = (struct schedule_figures){.least_limit = (double)NAN};
    const enum pps_outcome status =
        order_pipeline(scratch, point, options, poll, &figures->found);
    if (status != PPS_DONE)
        return status;
    struct executor *executor = scratch->executor =
        executor_take(&point->shape, scratch->order.room, &shared);
    const enum executor_status executed =
        point->messages != NULL
            ? executor_run_blocking(executor, &scratch->pipeline, &scratch->order,
                                    point->messages, poll)
            : executor_run(executor, &scratch->pipeline, &scratch->order, NULL, poll);
    if (executed != EXECUTOR_DONE)
        return executed == EXECUTOR_STOPPED ? PPS_STOPPED : PPS_FAILED;
    metrics_of(&scratch->pipeline, &scratch->order, executor_starts(executor),
               executor_ends(executor), &figures->metrics, scratch->busy, scratch->peak);
    return metrics_over_limit(&scratch->pipeline, &scratch->order, &excess) ? PPS_INFEASIBLE
                                                                            : PPS_DONE;
}

// Returns the smallest positive memory that an operation releases; 0: none.
static double memory_step(const struct pipeline *pipeline)
{
    double least = HUGE_VAL;
    for (int32_t s = 0; s < pipeline->shape.stages; s++) {
        const struct pipeline_stage *stage = &pipeline->stage[s];
        if (stage->kept_until_b > 0)
            least = fmin(least, stage->kept_until_b);
        if (stage->kept_until_w > 0)
            least = fmin(least, stage->kept_until_w);
    }
    return isfinite(least) ? least : 0;
}

// Finds the least limit of all devices, in steps of memory_step, at which the family has an order.
// `limit` is too small. Changes the limits of the pipeline.
static enum pps_outcome find_least_limit(struct schedule_scratch *scratch,
                                         const struct schedule_point *point, double limit,
                                         struct poll *poll, double *least)
{
    struct schedule_figures figures;
    struct family_options quick = point->options;
    const double step = memory_step(&scratch->given);
    quick.budget = 1;
    quick.n_known = 0; // with other limits
    set_limits(&scratch->given, HUGE_VAL);
    enum pps_outcome status = try(scratch, point, &quick, poll, &figures);
    if (status != PPS_DONE)
        return status;
    *least = figures.metrics.peak_most;
    limit = floor(limit / step) * step;
    while (*least - limit > step * (1 + 1e-9)) {
        const double middle = limit + fmax(1, floor((*least - limit) / step / 2)) * step;
        set_limits(&scratch->given, middle);
        status = try(scratch, point, &quick, poll, &figures);
        if (status == PPS_STOPPED)
            return status;
        if (status == PPS_DONE)
            *least = fmin(middle, figures.metrics.peak_most);
        else
            limit = middle;
    }
    return PPS_DONE;
}

static double least_of_limits(const struct pipeline *pipeline)
{
    double least = HUGE_VAL;
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        least = fmin(least, pipeline->limit[d]);
    return least;
}

// A bound that differs from the value by rounding is the value.
static void set_bound(const struct schedule_scratch *scratch, enum family_objective objective,
                      struct schedule_figures *figures)
{
    struct family_result *found = &figures->found;
    const bool span = objective == FAMILY_SPAN;
    const double value = span ? figures->metrics.span : figures->metrics.makespan;
    struct bounds bounds;
    bounds_of(&scratch->pipeline, &bounds);
    if (found->pipeline == NULL) // otherwise other placements may be better
        found->bound = fmax(found->bound, span ? bounds.span : bounds.makespan);
    if (fabs(found->bound - value) > 1e-9 * value)
        return;
    found->bound = value;
    found->proven = true;
}

enum pps_outcome schedule_evaluate(struct schedule_scratch *scratch,
                                   const struct schedule_point *point, struct poll *poll,
                                   struct schedule_figures *figures)
{
    enum pps_outcome status = try(scratch, point, &point->options, poll, figures);
    if (status == PPS_DONE) {
        metrics_idle_of(&scratch->pipeline, &scratch->order, executor_starts(scratch->executor),
                        executor_ends(scratch->executor), &figures->idle);
        set_bound(scratch, point->options.objective, figures);
    }
    if (status != PPS_INFEASIBLE)
        return status;
    double least = figures->metrics.peak_most;
    if (point->family != NULL && point->family->kind != FAMILY_RULE) {
        status =
            find_least_limit(scratch, point, least_of_limits(&scratch->given), poll, &least);
        schedule_set_pipeline(scratch, point);
    }
    figures->least_limit = least;
    return status == PPS_STOPPED || status == PPS_FAILED ? status : PPS_INFEASIBLE;
}

enum pps_outcome schedule_evaluate_at(struct schedule_evaluated *at, const double *value,
                                      const struct pps_worker *worker)
{
    at->point = schedule_point_of(value, worker->shared);
    at->room = (struct room){worker->scratch, 0};
    at->poll = poll_until(worker->stop);
    schedule_scratch_take(&at->scratch, &at->point, &at->room);
    schedule_set_pipeline(&at->scratch, &at->point);
    return schedule_evaluate(&at->scratch, &at->point, &at->poll, &at->figures);
}

bool schedule_find_critical(const struct schedule_scratch *scratch, struct poll *poll,
                            struct critical *critical)
{
    return critical_of(&scratch->pipeline, &scratch->order, executor_starts(scratch->executor),
                       executor_ends(scratch->executor), poll, critical);
}
