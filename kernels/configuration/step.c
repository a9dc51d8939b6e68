// SPDX-License-Identifier: Apache-2.0
// Executes the pipeline of a configuration and splits its time and its memory into causes.
#include "kernels/configuration/step.h"

#include "kernels/common/executor/bounds.h"
#include "kernels/common/executor/executor.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/common/interleaved/orders.h"
#include "kernels/configuration/price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const configuration_time_names[CONFIGURATION_TIMES] = {
    "compute", "tp",       "ep",       "cp",        "recompute", "imbalance",
    "bubble",  "transfer", "replicas", "optimizer", "embedding",
};

const char *const configuration_memory_names[CONFIGURATION_MEMORIES] = {
    "parameters", "gradients", "optimizer",     "activations", "working",
    "logits",     "buffers",   "fragmentation", "reserve",
};

// A step while it is evaluated.
struct work {
    const struct configuration *c;
    struct configuration_figures figures;
    struct configuration_part_price *prices; // [n_parts]
    struct configuration_step *step;
    struct executor *executor;
    char *memory; // of the executor
    struct poll *poll;
    bool brief, only_time;
};

// ---- the order ----------------------------------------------------------------------------------

static struct pipeline_shape shape_of(const struct configuration *c)
{
    return (struct pipeline_shape){.devices = c->strategy.pp,
                                   .stages = c->n_parts,
                                   .micro_batches = configuration_micro_batches(c),
                                   .slices = 1,
                                   .directions = configuration_family(c)->directions};
}

// The order of the rule of 1F1B also has the shorter warm-up of several chunks, which families do not have.
static bool follows_rule(const struct configuration *c, struct orders_shape *shape)
{
    char why[128];
    *shape =
        (struct orders_shape){.stages = c->strategy.pp,
                              .chunks = c->strategy.vp,
                              .micro_batches = configuration_run_micro_batches(c),
                              .splits = 1,
                              .warmup = c->training.low_mem_vpp ? ORDERS_LOW : ORDERS_STANDARD};
    return c->family == NULL && shape->micro_batches >= shape->stages &&
           orders_check(shape, why, sizeof why);
}

static enum configuration_status status_of(enum family_status status)
{
    switch (status) {
    case FAMILY_DONE:
        return CONFIGURATION_DONE;
    case FAMILY_STOPPED:
        return CONFIGURATION_STOPPED;
    case FAMILY_NO_ROOM:
    case FAMILY_FAILED:
        break;
    }
    return CONFIGURATION_NO_ORDER;
}

static enum configuration_status build(struct work *w, const struct pipeline *run,
                                       const struct family *family)
{
    const struct family_options options = {.group = 0};
    struct family_result result = {.value = 0};
    struct room room = {NULL, 0};
    (void)family_take(family, &run->shape, &options, &room);
    char *memory = room.used == SIZE_MAX
                       ? NULL
                       : aligned_alloc(ROOM_ALIGNMENT, room.used + ROOM_ALIGNMENT);
    if (memory == NULL)
        return CONFIGURATION_NO_MEMORY;
    room = (struct room){memory, 0};
    const struct family_task task = {.pipeline = run,
                                     .options = &options,
                                     .memory =
                                         family_take(family, &run->shape, &options, &room),
                                     .poll = w->poll,
                                     .order = w->step->order,
                                     .result = &result};
    const enum family_status status = family_build(family, &task);
    free(memory);
    return status_of(status);
}

// Makes the order of one run of the pipeline. It depends on the memory of the devices for some families, never on their
// limits: a configuration that does not fit has an order, too.
static enum configuration_status make_run(struct work *w, int32_t micro_batches)
{
    const struct family *family = configuration_family(w->c);
    struct pipeline run = *w->step->work;
    struct orders_shape shape;
    const bool rule = follows_rule(w->c, &shape);
    run.shape.micro_batches = micro_batches;
    w->step->order =
        order_new(run.shape.devices, rule ? orders_length(&shape)
                                          : order_room(&run, false) * run.shape.directions);
    if (w->step->order == NULL)
        return CONFIGURATION_NO_MEMORY;
    if (rule)
        return orders_write(&shape, w->step->order, w->poll) ? CONFIGURATION_DONE
                                                             : CONFIGURATION_STOPPED;
    enum configuration_status status = build(w, &run, family);
    if (status != CONFIGURATION_NO_ORDER)
        return status;
    for (int32_t d = 0; d < run.shape.devices; d++)
        run.limit[d] = (double)INFINITY;
    order_clear(w->step->order);
    return build(w, &run, family);
}

// Returns the order of so many runs: a device begins the next one as soon as it has done its part of the last. NULL: out of
// memory.
static struct order *repeat(const struct order *run, int32_t runs, int32_t micro_batches)
{
    struct order *all = order_new(run->devices, runs * run->room);
    for (int32_t d = 0; all != NULL && d < run->devices; d++)
        for (int32_t i = 0; i < runs * run->n[d]; i++) {
            const int64_t from = order_at(run, d, i % run->n[d]),
                          to = order_at(all, d, all->n[d]++);
            all->operations[to] = run->operations[from];
            all->operations[to].item += i / run->n[d] * micro_batches;
            all->paired[to] = run->paired[from];
        }
    return all;
}

static enum configuration_status make_order(struct work *w)
{
    const int32_t micro_batches = configuration_run_micro_batches(w->c),
                  runs = configuration_micro_batches(w->c) / micro_batches;
    const enum configuration_status status = make_run(w, micro_batches);
    struct order *run = w->step->order;
    if (status != CONFIGURATION_DONE || runs == 1)
        return status;
    w->step->order = repeat(run, runs, micro_batches);
    order_free(run);
    return w->step->order != NULL ? CONFIGURATION_DONE : CONFIGURATION_NO_MEMORY;
}

// ---- execution ----------------------------------------------------------------------------------

static bool take_executor(struct work *w)
{
    const struct pipeline_shape *shape = &w->step->work->shape;
    struct room room = {NULL, 0};
    (void)executor_take(shape, w->step->order->room, &room);
    w->memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (w->memory == NULL)
        return false;
    room = (struct room){w->memory, 0};
    w->executor = executor_take(shape, w->step->order->room, &room);
    return true;
}

static enum configuration_status run(struct work *w, const struct pipeline *pipeline)
{
    switch (executor_run(w->executor, pipeline, w->step->order, NULL, w->poll)) {
    case EXECUTOR_DONE:
        return CONFIGURATION_DONE;
    case EXECUTOR_STOPPED:
        return CONFIGURATION_STOPPED;
    case EXECUTOR_WRONG_OPERATIONS:
    case EXECUTOR_DEADLOCK:
        break;
    }
    return CONFIGURATION_NO_ORDER;
}

// Executes the order with the times of `pipeline`, and without transfers, and with equal parts, too.
static enum configuration_status run_variants(struct work *w, double *without_transfers,
                                              double *with_equal_parts)
{
    struct pipeline *pipeline = w->step->work;
    struct pipeline plain = *pipeline;
    struct pipeline_stage mean = {.f = 0};
    const double n = pipeline->shape.stages;
    plain.links = (struct pipeline_links){.channels = PIPELINE_FREE};
    plain.stage = calloc((size_t)pipeline->shape.stages, sizeof *plain.stage);
    if (plain.stage == NULL)
        return CONFIGURATION_NO_MEMORY;
    for (int32_t k = 0; k < pipeline->shape.stages; k++) {
        plain.stage[k] = pipeline->stage[k];
        mean.f += pipeline->stage[k].f / n;
        mean.b += pipeline->stage[k].b / n;
        mean.w += pipeline->stage[k].w / n;
    }
    enum configuration_status status = run(w, &plain);
    *without_transfers = executor_makespan(w->executor);
    for (int32_t k = 0; k < pipeline->shape.stages; k++)
        plain.stage[k] = mean;
    if (status == CONFIGURATION_DONE)
        status = run(w, &plain);
    *with_equal_parts = executor_makespan(w->executor);
    free(plain.stage);
    return status;
}

static double *copy_of(const double *values, size_t n)
{
    double *copy = calloc(n > 0 ? n : 1, sizeof *copy);
    if (copy != NULL)
        memcpy(copy, values, n * sizeof *copy);
    return copy;
}

static bool keep_times(struct work *w)
{
    struct configuration_step *step = w->step;
    const size_t n = (size_t)step->order->devices * (size_t)step->order->room;
    step->starts = copy_of(executor_starts(w->executor), n);
    step->ends = copy_of(executor_ends(w->executor), n);
    return step->starts != NULL && step->ends != NULL;
}

// ---- devices ------------------------------------------------------------------------------------

static bool measure_devices(struct work *w)
{
    struct configuration_step *step = w->step;
    const size_t n = (size_t)step->work->shape.devices;
    double *busy = calloc(2 * n, sizeof *busy), *peak = busy + n;
    struct metrics metrics;
    if (busy == NULL)
        return false;
    metrics_of(step->work, step->order, step->starts, step->ends, &metrics, busy, peak);
    for (int32_t d = 0; d < (int32_t)n; d++) {
        struct configuration_device *device = &step->devices[d];
        configuration_price_device(device->memory, &w->figures, w->c, step->work, d);
        const double kept = peak[d] - step->work->fixed[d];
        device->memory[CONFIGURATION_ACTIVATIONS] = kept / w->figures.allocated;
        device->memory[CONFIGURATION_FRAGMENTATION] += kept - kept / w->figures.allocated;
        device->peak = peak[d];
        device->busy = busy[d] / metrics.makespan;
        if (device->peak > step->devices[step->worst].peak)
            step->worst = d;
    }
    step->peak = step->devices[step->worst].peak;
    free(busy);
    return true;
}

// ---- time ---------------------------------------------------------------------------------------

// Returns forward and backward of the device that works longest on a micro-batch. In a bidirectional
// pipeline half of the micro-batches go through each direction.
static double longest_device(const struct work *w)
{
    const struct pipeline *pipeline = w->step->work;
    const int32_t directions = pipeline->shape.directions;
    double longest = 0;
    for (int32_t d = 0; d < pipeline->shape.devices; d++) {
        double sum = 0;
        for (int32_t direction = 0; direction < directions; direction++)
            for (int32_t k = 0; k < w->c->n_parts; k++)
                if (pipeline_device(pipeline, direction, k) == d)
                    sum += w->prices[k].forward + w->prices[k].backward;
        longest = fmax(longest, sum / directions);
    }
    return longest;
}

static void add_rest(struct work *w)
{
    struct configuration_step *step = w->step;
    const struct configuration_rest rest =
        configuration_price_rest(&w->figures, w->c, longest_device(w));
    step->times[CONFIGURATION_REPLICAS] = rest.replicas;
    step->times[CONFIGURATION_OPTIMIZER] = rest.optimizer;
    step->times[CONFIGURATION_EMBEDDING] = rest.embedding;
    step->seconds = step->pipeline + rest.replicas + rest.optimizer + rest.embedding;
}

// Of the pipeline's time: a part that is shorter is a difference of equal times.
#define ROUNDING 1e-12

static void split_time(struct work *w, double without_transfers, double with_equal_parts)
{
    struct configuration_step *step = w->step;
    const double share = configuration_micro_batches(w->c) / (double)w->c->strategy.pp;
    double *times = step->times, done = 0;
    for (int32_t k = 0; k < w->c->n_parts; k++) {
        const struct configuration_part_price *price = &w->prices[k];
        done += share * (price->forward + price->backward);
        times[CONFIGURATION_RECOMPUTE] += share * price->again;
        for (int x = 0; x < 3; x++)
            times[CONFIGURATION_TP + x] += share * price->exchange[x];
    }
    step->useful = done - times[CONFIGURATION_RECOMPUTE];
    times[CONFIGURATION_COMPUTE] = step->useful - times[CONFIGURATION_TP] -
                                   times[CONFIGURATION_EP] - times[CONFIGURATION_CP];
    // Uneven parts may make the pipeline faster: a short first and last stage shorten the bubble.
    times[CONFIGURATION_BUBBLE] = fmin(with_equal_parts, without_transfers) - done;
    times[CONFIGURATION_IMBALANCE] = fmax(without_transfers - with_equal_parts, 0);
    times[CONFIGURATION_TRANSFER] = step->pipeline - without_transfers;
    for (int k = 0; k < CONFIGURATION_TIMES; k++)
        if (fabs(times[k]) < ROUNDING * step->pipeline)
            times[k] = 0;
    struct bounds bounds;
    bounds_of(step->work, &bounds);
    step->bound = bounds.makespan;
}

// Sets the rates of model FLOPs and of the FLOPs that are executed with what is made again.
static void rate(struct work *w)
{
    const struct nd_estimate *e = &w->figures.estimate;
    const struct nd_strategy *s = &w->c->strategy;
    const double seq = (double)w->c->model.seq_length;
    const double tokens = (double)w->c->training.gbs * seq;
    const double devices = (double)s->dp * s->tp * s->cp * s->pp;
    const double offered = w->step->seconds * devices * e->layers.hardware.peak;
    double layers = 0, made[LAYERCOST_MODES] = {0, 0, 0}, executed = 0;
    for (int32_t k = 0; k < w->c->n_parts; k++) {
        const struct configuration_part *part = &w->c->parts[k];
        layers += configuration_part_layers(part);
        made[LAYERCOST_FULL] += part->full[0] + part->full[1];
        made[LAYERCOST_SELECT] += part->select[0] + part->select[1];
    }
    made[LAYERCOST_NONE] = layers - made[LAYERCOST_FULL] - made[LAYERCOST_SELECT];
    for (int mode = 0; mode < LAYERCOST_MODES; mode++)
        executed += made[mode] / layers * nd_made_flops(e, (enum nd_recompute)mode, seq);
    w->step->mfu = nd_token_flops(e, seq) * tokens / offered;
    w->step->hfu = executed * tokens / offered;
}

// ---- a step -------------------------------------------------------------------------------------

static enum configuration_status prepare(struct work *w)
{
    const struct pipeline_shape shape = shape_of(w->c);
    struct configuration_step *step = w->step;
    configuration_figures_of(&w->figures, w->c);
    const size_t devices = (size_t)shape.devices;
    const bool more = configuration_sends_more(w->c);
    w->prices = calloc((size_t)w->c->n_parts, sizeof *w->prices);
    step->rates = more ? calloc(devices * devices, sizeof *step->rates) : NULL;
    step->devices = calloc(devices, sizeof *step->devices);
    step->work = pipeline_new(&shape);
    if (w->prices == NULL || step->devices == NULL || step->work == NULL ||
        (more && step->rates == NULL))
        return CONFIGURATION_NO_MEMORY;
    for (int32_t k = 0; k < w->c->n_parts; k++)
        configuration_price_part(&w->prices[k], &w->figures, w->c, k);
    pipeline_place(step->work, configuration_family(w->c)->placement);
    configuration_price(step->work, &w->figures, w->c, step->rates);
    return CONFIGURATION_DONE;
}

// Executes the order; without_transfers, with_equal_parts: not of a brief evaluation.
static enum configuration_status execute(struct work *w, double *without_transfers,
                                         double *with_equal_parts)
{
    enum configuration_status status = make_order(w);
    if (status == CONFIGURATION_DONE && !take_executor(w))
        status = CONFIGURATION_NO_MEMORY;
    if (status == CONFIGURATION_DONE && !w->brief)
        status = run_variants(w, without_transfers, with_equal_parts);
    if (status == CONFIGURATION_DONE)
        status = run(w, w->step->work);
    if (status == CONFIGURATION_DONE)
        w->step->pipeline = executor_makespan(w->executor);
    return status;
}

static enum configuration_status evaluate(struct work *w, double pipeline)
{
    double without_transfers = 0, with_equal_parts = 0;
    enum configuration_status status = prepare(w);
    w->step->pipeline = pipeline;
    if (status == CONFIGURATION_DONE && isnan(pipeline))
        status = execute(w, &without_transfers, &with_equal_parts);
    if (status != CONFIGURATION_DONE)
        return status;
    if (!w->only_time && (!keep_times(w) || !measure_devices(w)))
        return CONFIGURATION_NO_MEMORY;
    if (!w->brief)
        split_time(w, without_transfers, with_equal_parts);
    add_rest(w);
    rate(w);
    return CONFIGURATION_DONE;
}

// pipeline: its time where it is known, else NAN.
static enum configuration_status step_of(struct work *w, double pipeline)
{
    *w->step = (struct configuration_step){.seconds = 0};
    const enum configuration_status status = evaluate(w, pipeline);
    free(w->prices);
    free(w->memory);
    return status;
}

enum configuration_status configuration_step_of(struct configuration_step *step,
                                                const struct configuration *configuration,
                                                struct poll *poll)
{
    struct work w = {.c = configuration, .step = step, .poll = poll};
    return step_of(&w, (double)NAN);
}

enum configuration_status configuration_step_brief(struct configuration_step *step,
                                                   const struct configuration *configuration,
                                                   struct poll *poll)
{
    struct work w = {.c = configuration, .step = step, .poll = poll, .brief = true};
    return step_of(&w, (double)NAN);
}

enum configuration_status configuration_step_time(struct configuration_step *step,
                                                  const struct configuration *configuration,
                                                  double pipeline, struct poll *poll)
{
    struct work w = {.c = configuration,
                     .step = step,
                     .poll = poll,
                     .brief = true,
                     .only_time = true};
    return step_of(&w, pipeline);
}

bool configuration_shares_pipeline(const struct configuration *c)
{
    struct orders_shape shape;
    return follows_rule(c, &shape);
}

void configuration_step_free(struct configuration_step *step)
{
    pipeline_free(step->work);
    order_free(step->order);
    free(step->devices);
    free(step->rates);
    free(step->starts);
    free(step->ends);
    *step = (struct configuration_step){.seconds = 0};
}
