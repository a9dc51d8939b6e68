// SPDX-License-Identifier: Apache-2.0
// V-Half and V-Min: placement V with a half, and about a third, of the memory of 1F1B.
//
// The published rule repeats a pattern made for equal times. Where times differ, dispatch within the
// memory of the pattern is often better, so the family takes the best of both.
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/automatic/choice.h"
#include "kernels/schedule/automatic/greedy.h"
#include "kernels/schedule/automatic/shapes.h"
#include "kernels/schedule/automatic/slots.h"

#include <math.h>

struct vee_memory {
    struct slots slots;
    struct choice choice;
    struct greedy *greedy;
    struct order order;
    double *limit; // [devices]: the memory of the pattern
};

static void *take(const struct pipeline_shape *shape,
                  const struct family_options *options,
                  struct room *room)
{
    struct vee_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct vee_memory *m = memory != NULL ? memory : &counted;
    const int32_t operations = 6 * shape->micro_batches;
    slots_take(&m->slots, shape, room);
    choice_take(&m->choice, shape, operations, room);
    if (options->published)
        return memory;
    m->greedy = greedy_take(shape, room);
    order_take(&m->order, shape->devices, operations, room);
    m->limit = room_take(room, (size_t)shape->devices, sizeof(double));
    return memory;
}

static bool offer_dispatch(struct vee_memory *m, const struct pipeline *pipeline)
{
    static const double thresholds[] = {0, 0.25, 0.5, 1};
    for (int k = 0; k < 16; k++) {
        const struct greedy_rule rule = {.cap = (double)INFINITY,
                                         .early_chunk = k & 1,
                                         .forward_first = (k >> 1) & 1,
                                         .threshold = thresholds[k >> 2]};
        order_clear(&m->order);
        const enum greedy_status status =
            greedy_build(m->greedy, pipeline, &rule, m->choice.poll, &m->order);
        if (status == GREEDY_STOPPED)
            return false;
        if (status == GREEDY_DONE)
            (void)choice_offer(&m->choice, &m->order);
    }
    return true;
}

static enum family_status build(slots_pattern *pattern,
                                const struct pipeline *pipeline,
                                const struct family_options *options,
                                struct vee_memory *m,
                                struct poll *poll,
                                struct order *order)
{
    struct pipeline limited = *pipeline;
    if (!slots_build(&m->slots, &pipeline->shape, pattern, poll, order))
        return FAMILY_STOPPED;
    choice_open(&m->choice, pipeline, options->objective, poll, order);
    if (!choice_offer(&m->choice, order) || options->published)
        return choice_status(&m->choice);
    choice_keep_level(&m->choice, true);
    limited.limit = m->limit;
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        m->limit[d] = fmin(pipeline->limit[d], pipeline->fixed[d] + m->choice.peak);
    return offer_dispatch(m, &limited) ? choice_status(&m->choice) : FAMILY_STOPPED;
}

static int32_t half_slot(int32_t devices, int phase, int32_t d)
{
    const int32_t q = devices % 2 == 0 ? 3 : 0;
    const int32_t slots[] = {2 * d, 3 * devices - 2 - d, 3 * devices + q + 2 * d - 1,
                             6 * devices + q - 2 - d};
    return slots[phase];
}

static enum family_status half_build(const struct pipeline *pipeline,
                                     const struct family_options *options,
                                     void *memory,
                                     struct poll *poll,
                                     struct order *order,
                                     struct family_result *result)
{
    (void)result;
    return build(half_slot, pipeline, options, memory, poll, order);
}

const struct family family_v_half = {
    .name = "v_half",
    .summary = "placement V with half of the memory of 1F1B",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_AUTOMATIC,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = take,
    .build = half_build,
};

static int32_t min_slot(int32_t devices, int phase, int32_t d)
{
    const int32_t q = devices % 3 == 0 ? 2 : 0;
    const int32_t slots[] = {d, 2 * devices - 1 - d, 2 * devices + q + d,
                             4 * devices + q - 1 - d};
    return slots[phase];
}

static enum family_status min_build(const struct pipeline *pipeline,
                                    const struct family_options *options,
                                    void *memory,
                                    struct poll *poll,
                                    struct order *order,
                                    struct family_result *result)
{
    (void)result;
    return build(min_slot, pipeline, options, memory, poll, order);
}

const struct family family_v_min = {
    .name = "v_min",
    .summary = "placement V with the least memory, about a third of 1F1B",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_AUTOMATIC,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = take,
    .build = min_build,
};
