// SPDX-License-Identifier: Apache-2.0
// Draws training problems.
#include "extras/learning/problem.h"

#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/families/rules.h"

#include <math.h>

enum { DEVICES_MAX = 64, MICRO_BATCHES_MAX = 1024 };

struct problem_space problem_default(void)
{
    return (struct problem_space){.devices = {2, 8},
                                  .rounds = {1, 4},
                                  .chunks = {1, 2},
                                  .b = {0.5, 2},
                                  .w = {0.5, 2},
                                  .latency = {0, 0.5},
                                  .level = {0, 0.4},
                                  .message_level = {0, 0.4},
                                  .outlier_p = {0, 0.03},
                                  .outlier_k = 20,
                                  .straggler_p = {0, 0.1},
                                  .straggler_k = {1, 1.5},
                                  .limit = {1, 2}};
}

// ---- checks -------------------------------------------------------------------------------------

static bool is_within(struct problem_range range, double least, double most)
{
    return range.least >= least && range.most <= most && range.least <= range.most;
}

static bool is_whole_within(struct problem_range range, double least, double most)
{
    return is_within(range, least, most) && range.least == floor(range.least) &&
           range.most == floor(range.most);
}

const char *problem_misfit(const struct problem_space *s)
{
    if (!is_whole_within(s->devices, 2, DEVICES_MAX))
        return "devices must be whole numbers from 2 to 64, the least first";
    if (!is_within(s->rounds, 0.1, 16))
        return "rounds, micro-batches by devices, must be 0.1 to 16, the least first";
    if (!is_whole_within(s->chunks, 1, 2))
        return "chunks must be 1 or 2, the least first";
    if (!is_within(s->b, 0, 100) || !is_within(s->w, 0, 100) || !is_within(s->latency, 0, 100))
        return "b, w and latency, in forwards, must be 0 to 100, the least first";
    if (!is_within(s->level, 0, 0.99) || !is_within(s->message_level, 0, 0.99))
        return "levels must be 0 to 0.99, the least first";
    if (!is_within(s->outlier_p, 0, 1) || !is_within(s->straggler_p, 0, 1))
        return "probabilities must be 0 to 1, the least first";
    if (!(s->outlier_k >= 0 && s->outlier_k <= 1e6) || !is_within(s->straggler_k, 0.01, 1e6))
        return "factors must be 0.01 to 1e6, the least first";
    if (!is_within(s->limit, 1, 16))
        return "limits, in forwards of all devices, must be 1 to 16, the least first";
    return NULL;
}

// ---- memory -------------------------------------------------------------------------------------

struct pipeline_shape problem_largest(const struct problem_space *space)
{
    const int32_t devices = (int32_t)space->devices.most;
    const double micro_batches = ceil(space->rounds.most * devices);
    return (struct pipeline_shape){.devices = devices,
                                   .stages = devices * (int32_t)space->chunks.most,
                                   .micro_batches =
                                       (int32_t)fmin(micro_batches, MICRO_BATCHES_MAX),
                                   .slices = 1,
                                   .directions = 1};
}

static const struct family *const guides[] = {&family_zb_auto, &family_zbv};

// The automatic families use the same memory one after the other.
static void *take_families(const struct pipeline_shape *most, struct room *room)
{
    const struct family_options options = {.group = 0};
    struct pipeline_shape one = *most;
    struct room counted[2] = {{NULL, 0}, {NULL, 0}};
    one.stages = one.devices;
    (void)family_take(guides[0], &one, &options, &counted[0]);
    if (most->stages > most->devices)
        (void)family_take(guides[1], most, &options, &counted[1]);
    return room_take(room,
                     counted[0].used > counted[1].used ? counted[0].used : counted[1].used, 1);
}

void problem_take(struct problem *problem, const struct problem_space *space, struct room *room)
{
    const struct pipeline_shape most = problem_largest(space);
    pipeline_take(&problem->pipeline, &most, room);
    order_take(&problem->order, most.devices,
               3 * most.stages / most.devices * most.micro_batches, room);
    problem->memory = take_families(&most, room);
}

// ---- draws --------------------------------------------------------------------------------------

// A stream of numbers of one problem.
struct draws {
    uint64_t seed, number;
    uint32_t used;
};

static double next(struct draws *draws)
{
    const struct noise_key key = {.kind = NOISE_OF_POLICY,
                                  .direction = 1,
                                  .stage = draws->used++,
                                  .item = (uint32_t)(draws->number >> 32),
                                  .replicate = (uint32_t)draws->number};
    return noise_uniform(draws->seed, &key, 0);
}

static double draw(struct draws *draws, struct problem_range range)
{
    return range.least + (range.most - range.least) * next(draws);
}

// Never above the range: the sum can round up to the next whole number.
static int32_t draw_whole(struct draws *draws, struct problem_range range)
{
    const double drawn = range.least + (range.most - range.least + 1) * next(draws);
    return (int32_t)fmin(floor(drawn), range.most);
}

static double draw_half(struct draws *draws, struct problem_range range)
{
    const double value = draw(draws, range);
    return next(draws) < 0.5 ? value : 0;
}

static void set_pipeline(struct problem *problem, const struct problem_space *space,
                         struct draws *draws)
{
    struct pipeline *pipeline = &problem->pipeline;
    const int32_t devices = draw_whole(draws, space->devices),
                  chunks = draw_whole(draws, space->chunks);
    const double micro_batches = floor(draw(draws, space->rounds) * devices + 0.5);
    pipeline->shape =
        (struct pipeline_shape){devices, devices * chunks,
                                (int32_t)fmax(1, fmin(micro_batches, MICRO_BATCHES_MAX)), 1, 1};
    const struct pipeline_stage stage = {.f = 1.0 / chunks,
                                         .b = draw(draws, space->b) / chunks,
                                         .w = draw(draws, space->w) / chunks,
                                         .kept_until_w = 1.0 / chunks};
    pipeline_place(pipeline, chunks == 1 ? PIPELINE_LOOP : PIPELINE_VEE);
    pipeline_set_uniform(pipeline, &stage);
    pipeline->links = (struct pipeline_links){.latency = draw(draws, space->latency)};
    const double drawn = draw(draws, space->limit),
                 limit = devices * (next(draws) < 0.5 ? drawn : space->limit.least);
    for (int32_t d = 0; d < devices; d++) {
        pipeline->limit[d] = limit;
        pipeline->fixed[d] = 0;
        pipeline->pair[d] = (double)NAN;
    }
}

static void set_noise(struct problem *problem, const struct problem_space *space, uint64_t seed,
                      struct draws *draws)
{
    problem->noise = (struct noise){.seed = seed,
                                    .level = draw(draws, space->level),
                                    .message_level = draw(draws, space->message_level),
                                    .outlier_p = draw_half(draws, space->outlier_p),
                                    .outlier_k = space->outlier_k,
                                    .straggler_p = draw_half(draws, space->straggler_p),
                                    .straggler_k = draw(draws, space->straggler_k)};
}

bool problem_draw(struct problem *problem, const struct problem_space *space, uint64_t seed,
                  uint64_t number, struct poll *poll)
{
    const struct family_options options = {.group = 0};
    struct draws draws = {seed, number, 0};
    set_pipeline(problem, space, &draws);
    set_noise(problem, space, seed, &draws);
    const struct pipeline_shape *shape = &problem->pipeline.shape;
    const struct family *family = guides[shape->stages > shape->devices];
    if (shape->stages == shape->devices && next(&draws) < 0.5)
        family = &family_zb_h1;
    struct room room = {problem->memory, 0};
    const struct family_task task = {.pipeline = &problem->pipeline,
                                     .options = &options,
                                     .memory = family_take(family, shape, &options, &room),
                                     .poll = poll,
                                     .order = &problem->order};
    problem->order.devices = shape->devices;
    problem->order.room = order_stride(order_room(&problem->pipeline, false));
    order_clear(&problem->order);
    return family_build(family, &task) == FAMILY_DONE;
}
