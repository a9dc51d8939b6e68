// SPDX-License-Identifier: Apache-2.0
// The families that search.
#include "kernels/schedule/search/search_families.h"

#include "kernels/schedule/families/shapes.h"
#include "kernels/schedule/search/contest.h"

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

static void *take(const struct pipeline_shape *shape,
                  const struct family_options *options,
                  struct room *room)
{
    (void)options;
    return contest_take(shape, 3 * (shape->stages / shape->devices) * shape->micro_batches,
                        room);
}

static enum family_status build(const struct pipeline *pipeline,
                                const struct family_options *options,
                                void *memory,
                                struct poll *poll,
                                struct order *order,
                                struct family_result *result)
{
    struct family_options with_budget = *options;
    if (with_budget.budget <= 0)
        with_budget.budget = SEARCH_BUDGET;
    contest_open(memory, pipeline, &with_budget, poll);
    contest_dispatch(memory, false);
    contest_patterns(memory);
    contest_improve(memory);
    return contest_finish(memory, order, result);
}

const struct family family_search = {
    .name = "search",
    .summary =
        "local search from dispatch rules and repeated patterns, within the memory limit",
    .source = "late acceptance: Burke, Bykov, EJOR 258, 2017",
    .kind = FAMILY_SEARCH,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = misfit_loop,
    .chunks = all_chunks,
    .take = take,
    .build = build,
};

const struct family family_v_search = {
    .name = "v_search",
    .summary =
        "placement V: repeated patterns within the memory limit, improved by local search",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_SEARCH,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = take,
    .build = build,
};
