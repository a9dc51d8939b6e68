// SPDX-License-Identifier: Apache-2.0
// V-Half and V-Min: placement V with a half, and about a third, of the memory of 1F1B.
//
// The published rule repeats a pattern made for equal times. Where times differ, dispatch within the
// memory of the pattern is often better, so the family takes the best of both.
#include "kernels/schedule/automatic/alternatives.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/automatic/slots.h"
#include "kernels/schedule/families/shapes.h"

enum { PHASES = 4, PERIOD = 6 };

struct controllable {
    struct slots slots;
    int32_t *first; // [phase * devices + device]
    struct alternatives alternatives;
};

static void *take(const struct pipeline_shape *shape, const struct family_options *options,
                  struct room *room)
{
    struct controllable *memory = room_take(room, 1, sizeof *memory), counted;
    struct controllable *c = memory != NULL ? memory : &counted;
    // The last slot of a pattern is before 6 P + 6 M.
    slots_take(&c->slots, shape, 6 * shape->devices + 8 * shape->micro_batches + 8, room);
    c->first = room_take(room, PHASES * (size_t)shape->devices, sizeof *c->first);
    alternatives_take(&c->alternatives, shape, options, 6 * shape->micro_batches, room);
    return memory;
}

// The slot of a phase of micro-batch 0 on a device.
typedef int32_t first_slot(int32_t devices, int phase, int32_t device);

// Offers the published order, which is another one. It may be better than all others.
static enum family_status offer_published(struct controllable *c,
                                          const struct pipeline_shape *shape,
                                          struct slots_pattern pattern, struct poll *poll)
{
    struct order *order = &c->alternatives.order;
    pattern.published = true;
    order_clear(order);
    if (!slots_build(&c->slots, shape, &pattern, poll, order))
        return FAMILY_STOPPED;
    (void)choice_offer(&c->alternatives.choice, order);
    return choice_status(&c->alternatives.choice);
}

static enum family_status build(const struct family_task *task, first_slot *slot)
{
    struct controllable *c = task->memory;
    const struct pipeline_shape *shape = &task->pipeline->shape;
    for (int phase = 0; phase < PHASES; phase++)
        for (int32_t d = 0; d < shape->devices; d++)
            c->first[phase * shape->devices + d] = slot(shape->devices, phase, d);
    const struct slots_pattern pattern = {.period = PERIOD,
                                          .first = c->first,
                                          .published = task->options->published};
    if (!slots_build(&c->slots, shape, &pattern, task->poll, task->order))
        return FAMILY_STOPPED;
    const enum family_status status =
        alternatives_choose(&c->alternatives, task->pipeline, task->options, &alternatives_vee,
                            task->poll, task->order);
    return status == FAMILY_DONE && !task->options->published && c->slots.differs
               ? offer_published(c, shape, pattern, task->poll)
               : status;
}

static int32_t half_slot(int32_t devices, int phase, int32_t d)
{
    const int32_t q = devices % 2 == 0 ? 3 : 0;
    const int32_t slots[] = {2 * d, 3 * devices - 2 - d, 3 * devices + q + 2 * d - 1,
                             6 * devices + q - 2 - d};
    return slots[phase];
}

static enum family_status half_build(const struct family_task *task)
{
    return build(task, half_slot);
}

const struct family family_v_half = {
    .name = "v_half",
    .summary = "placement V with half of the memory of 1F1B",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_AUTOMATIC,
    .uses = FAMILY_USES_PUBLISHED,
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

static enum family_status min_build(const struct family_task *task)
{
    return build(task, min_slot);
}

const struct family family_v_min = {
    .name = "v_min",
    .summary = "placement V with the least memory, about a third of 1F1B",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_AUTOMATIC,
    .uses = FAMILY_USES_PUBLISHED,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = take,
    .build = min_build,
};
