// SPDX-License-Identifier: Apache-2.0
// Builds and executes the order of a schedule family.
#include "tests/unit/support/kernels/schedule_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct pipeline *schedule_pipeline(const struct family *family, int32_t p, int32_t m, int32_t v,
                                   int32_t slices)
{
    const struct pipeline_shape shape = {.devices = p,
                                         .stages = p * family->chunks(v),
                                         .micro_batches = m,
                                         .slices = slices,
                                         .directions = family->directions};
    struct pipeline *pipeline = pipeline_new(&shape);
    pipeline_place(pipeline, family->placement);
    return pipeline;
}

void schedule_set_times(struct pipeline *pipeline, double f, double b, double w, double latency)
{
    const struct pipeline_stage stage = {.f = f, .b = b, .w = w, .r = f, .kept_until_w = 1};
    pipeline_set_uniform(pipeline, &stage);
    pipeline->links.latency = latency;
}

struct schedule_run schedule_run_of(const struct family *family, struct pipeline *pipeline,
                                    const struct family_options *options)
{
    struct schedule_run run = {.pipeline = pipeline};
    const struct pipeline_shape *shape = &pipeline->shape;
    const struct pipeline *own = pipeline;
    const size_t devices = (size_t)shape->devices;
    struct room room = {NULL, 0};
    const char *misfit = family->misfit(shape, options);
    cr_assert_null(misfit, "%s, P=%d, M=%d: %s", family->name, shape->devices,
                   shape->micro_batches, misfit);
    run.order = order_new(shape->devices, order_room(pipeline, false));
    for (int pass = 0; pass < 2; pass++) {
        void *memory = family_take(family, shape, options, &room);
        struct executor *executor = executor_take(shape, run.order->room, &room);
        run.busy = room_take(&room, devices, sizeof(double));
        run.peak = room_take(&room, devices, sizeof(double));
        if (pass == 0) {
            run.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
            room = (struct room){run.memory, 0};
            continue;
        }
        struct family_result result = {.value = 0};
        cr_assert_eq(family_build(family, &(struct family_task){pipeline, options, memory, NULL,
                                                                run.order, &result}),
                     FAMILY_DONE, "%s", family->name);
        if (result.pipeline != NULL) // family best: of another placement
            own = result.pipeline;
        cr_assert_eq(executor_run(executor, own, run.order, NULL, NULL), EXECUTOR_DONE,
                     "%s, P=%d, M=%d", family->name, shape->devices, shape->micro_batches);
        run.starts = executor_starts(executor);
        run.ends = executor_ends(executor);
    }
    metrics_of(own, run.order, run.starts, run.ends, &run.metrics, run.busy, run.peak);
    return run;
}

void schedule_run_free(struct schedule_run *run)
{
    order_free(run->order);
    free(run->memory);
}
