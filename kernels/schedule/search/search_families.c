// SPDX-License-Identifier: Apache-2.0
// The families that search.
#include "kernels/schedule/search/search_families.h"

#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/families/shapes.h"
#include "kernels/schedule/search/contest.h"

enum {
    STARTS = 5,
    // A start that needs more memory is dropped: from about 16 devices and 128 micro-batches on.
    START_BYTES = 1 << 20,
};

struct search_memory {
    struct contest *contest;
    char *start; // memory of one start at a time
};

// The families that a search is never worse than, ended with NULL.
static const struct family *const *starts_of(enum pipeline_placement placement)
{
    static const struct family *const loop[] = {&family_zb_auto, NULL};
    static const struct family *const vee[STARTS + 1] = {
        &family_zbv,    &family_v_half,          &family_v_min,
        &family_v_1f1b, &family_vshape_dispatch, NULL};
    return placement == PIPELINE_VEE ? vee : loop;
}

static const char *misfit_loop(const struct pipeline_shape *shape,
                               const struct family_options *options)
{
    (void)options;
    if (shape->directions != 1 || shape->slices != 1)
        return "needs one direction without slices";
    return shape->stages % shape->devices == 0
               ? NULL
               : "needs the same number of stages on every device";
}

static int32_t all_chunks(int32_t v)
{
    return v;
}

static void *take(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room)
{
    struct search_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct search_memory *m = memory != NULL ? memory : &counted;
    (void)options;
    m->contest =
        contest_take(shape, 3 * (shape->stages / shape->devices) * shape->micro_batches, room);
    m->start = room_take(room, START_BYTES, 1);
    return memory;
}

// Returns whether a start has an order for the pipeline, which is the blank order then.
static bool build_start(const struct family *start, const struct family_task *task)
{
    const struct search_memory *memory = task->memory;
    const struct pipeline_shape *shape = &task->pipeline->shape;
    struct family_task own = *task;
    struct room room = {memory->start, 0}, count = {NULL, 0};
    if (start->misfit(shape, task->options) != NULL)
        return false;
    (void)family_take(start, shape, task->options, &count);
    if (count.used > START_BYTES)
        return false;
    own.memory = family_take(start, shape, task->options, &room);
    own.order = contest_blank(memory->contest);
    own.result = NULL;
    return family_build(start, &own) == FAMILY_DONE;
}

static enum family_status build(const struct family_task *task,
                                enum pipeline_placement placement)
{
    const struct search_memory *memory = task->memory;
    const struct family *const *starts = starts_of(placement);
    struct family_options options = family_unpublished(task->options);
    struct family_task own = *task;
    own.options = &options;
    if (options.budget <= 0)
        options.budget = SEARCH_BUDGET;
    contest_open(memory->contest, task->pipeline, &options, task->poll);
    for (int k = 0; starts[k] != NULL && !poll_has_ended(task->poll); k++)
        if (build_start(starts[k], &own))
            (void)contest_offer(memory->contest, NULL);
    contest_dispatch(memory->contest, false);
    contest_patterns(memory->contest);
    contest_improve(memory->contest);
    return contest_finish(memory->contest, task->order, task->result);
}

static enum family_status build_loop(const struct family_task *task)
{
    return build(task, PIPELINE_LOOP);
}

static enum family_status build_vee(const struct family_task *task)
{
    return build(task, PIPELINE_VEE);
}

const struct family family_search = {
    .name = "search",
    .summary =
        "local search from dispatch rules and repeated patterns, within the memory limit",
    .source = "late acceptance: Burke, Bykov, EJOR 258, 2017",
    .kind = FAMILY_SEARCH,
    .uses = FAMILY_USES_SEED | FAMILY_USES_BUDGET,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = misfit_loop,
    .chunks = all_chunks,
    .take = take,
    .build = build_loop,
};

const struct family family_v_search = {
    .name = "v_search",
    .summary =
        "placement V: repeated patterns within the memory limit, improved by local search",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_SEARCH,
    .uses = FAMILY_USES_SEED | FAMILY_USES_BUDGET,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = take,
    .build = build_vee,
};
