// SPDX-License-Identifier: Apache-2.0
// Runs replicates of a point.
#include "kernels/schedule/replicates.h"

#include "base/math/statistics.h"
#include "kernels/common/executor/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = EXECUTOR_LANES };

bool replicates_are_equal(const struct schedule_point *point)
{
    return noise_is_none(&point->noise) && point->slow_device < 0;
}

// ---- memory -------------------------------------------------------------------------------------

void replicates_take(struct replicates *r, const struct schedule_point *most, struct room *room)
{
    const struct pipeline_shape *shape = &most->shape;
    const size_t devices = (size_t)shape->devices;
    const int32_t operations = schedule_room_of(most);
    *r = (struct replicates){.point = NULL};
    r->slow = room_take(room, devices, sizeof *r->slow);
    noise_times_take(&r->times, shape, most->order != NULL, room);
    r->lanes = executor_lanes_take(shape, room);
    r->limited.limit = room_take(room, devices, sizeof *r->limited.limit);
    r->limit = limited_take(shape, room);
    r->bounds_room = room_take(room, BOUNDS_ROOM * devices, sizeof *r->bounds_room);
    if (most->rule == RULE_STATIC)
        return;
    r->waits = room_take(room, devices, sizeof *r->waits);
    r->online = online_take(shape, operations, room);
    r->pull = pull_take(shape, operations, room);
    // the scratch of a sweep is that of one of several policies
    if (most->widest != NULL && most->widest->width[0] > 0)
        r->policy = policy_run_take(shape, operations, most->widest, room);
}

// ---- an order -----------------------------------------------------------------------------------

// Returns whether every stage runs its F, its B and its W in the order of the micro-batches.
static bool is_in_order(const struct order *order)
{
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 1; i < order->n[d]; i++) {
            const struct operation *b = &order->operations[order_at(order, d, i)];
            int32_t k = i - 1;
            while (k >= 0) {
                const struct operation *a = &order->operations[order_at(order, d, k--)];
                if (a->type != b->type || a->stage != b->stage || a->direction != b->direction)
                    continue;
                if (a->item > b->item)
                    return false;
                break;
            }
        }
    return true;
}

static void set_limits(struct replicates *r, const double *peak)
{
    double *limit = r->limited.limit;
    for (int32_t d = 0; d < r->pipeline->shape.devices; d++)
        limit[d] = isfinite(r->pipeline->limit[d]) ? r->pipeline->limit[d] : peak[d];
    r->limited = *r->pipeline;
    r->limited.limit = limit;
    r->in_order = is_in_order(r->order);
    limited_open(r->limit, &r->limited);
}

static void set_noise(struct replicates *r)
{
    const struct schedule_point *point = r->point;
    r->noise = point->noise;
    if (point->slow_device < 0)
        return;
    for (int32_t d = 0; d < r->pipeline->shape.devices; d++)
        r->slow[d] = d == point->slow_device ? point->noise.straggler_k : 1;
    r->noise.straggler = r->slow;
}

const char *replicates_open(struct replicates *r, const struct schedule_point *point,
                            const struct pipeline *pipeline, const struct order *order,
                            struct executor *executor, const double *peak)
{
    r->point = point;
    r->pipeline = pipeline;
    r->order = order;
    r->executor = executor;
    set_noise(r);
    set_limits(r, peak);
    if (point->rule == RULE_STATIC)
        return NULL;
    if (point->rule == RULE_POLICY) {
        const char *misfit = policy_misfit(point->policy, pipeline, order);
        if (misfit == NULL)
            policy_run_open(r->policy, point->policy, pipeline, order);
        return misfit;
    }
    const char *misfit = pull_misfit(pipeline, order);
    if (misfit == NULL)
        pull_open(r->pull, pipeline, order);
    return misfit;
}

// ---- a chunk ------------------------------------------------------------------------------------

void replicates_draw(struct replicates *r, uint32_t first)
{
    noise_draw(&r->noise, r->pipeline, first, &r->times);
}

bool replicates_run(struct replicates *r, struct poll *poll, struct replicates_chunk *chunk)
{
    struct executor_lanes_result result = {.starts = NULL};
    executor_lanes_run(r->executor, r->lanes, &r->times, &result);
    memcpy(chunk->fixed, result.makespan, sizeof chunk->fixed);
    if (r->point->rule == RULE_STATIC)
        memcpy(chunk->ruled, result.makespan, sizeof chunk->ruled);
    else if (r->point->rule == RULE_POLICY)
        return policy_run_lanes(r->policy, &r->times, poll, chunk->ruled);
    else
        pull_run(r->pull, &r->point->pull, &r->times, chunk->ruled);
    return true;
}

void replicates_bounds(struct replicates *r, struct replicates_chunk *chunk)
{
    struct bounds bounds[LANES];
    double free[LANES] = {0}, limited[LANES] = {0};
    bounds_of_times(&r->limited, &r->times, r->bounds_room, bounds);
    if (r->in_order) {
        limited_bounds(r->limit, &r->times, false, free);
        limited_bounds(r->limit, &r->times, true, limited);
    }
    for (int i = 0; i < LANES; i++) {
        chunk->clairvoyant[i] = fmax(fmax(bounds[i].load, bounds[i].chain), free[i]);
        chunk->memory[i] = fmax(fmax(bounds[i].makespan, limited[i]), free[i]);
    }
}

// ---- the same by other means --------------------------------------------------------------------

static void open_environment(struct replicates *r)
{
    online_open(r->online, r->pipeline, r->order);
    online_let_wait(r->online, true);
}

// Runs one lane in the environment.
static double refer_rule(struct replicates *r, int lane)
{
    struct online_decision decision;
    if (r->point->rule == RULE_POLICY)
        return online_makespan(policy_run_step(r->policy, &r->times, lane));
    memset(r->waits, 0, (size_t)r->pipeline->shape.devices);
    online_start(r->online, &r->times, lane);
    while (online_next(r->online, &decision))
        online_act(r->online, pull_choose(&r->point->pull, r->online, &decision, r->waits));
    return online_makespan(r->online);
}

// Sets the duration of an operation, and the time until its message arrives, in one lane.
static void set_times(const struct replicates *r, int32_t device, int32_t position, int lane,
                      double *duration, double *delay)
{
    const int64_t at = order_at(r->order, device, position);
    const struct operation *op = &r->order->operations[at];
    const int32_t index = executor_times_index(r->pipeline, op);
    const bool pair = r->order->paired[at];
    const struct executor_piece piece = {
        .type = (enum operation_type)op->type,
        .device = device,
        .index = index,
        .behind = pair ? executor_times_index(r->pipeline, op + 1) : -1,
        .lane = lane,
    };
    *duration = executor_piece_duration(&r->times, r->pipeline, &piece);
    *delay = r->times.delay[op->type != OPERATION_F][(int64_t)index * LANES + lane];
}

// Runs the static order by the scalar executor, if messages occupy nothing and durations do not depend on the time.
// lines: [2] for each operation.
static void refer_order(struct replicates *r, double *lines, double *makespan)
{
    const size_t n = (size_t)r->order->devices * (size_t)r->order->room;
    if (r->times.duration != NULL || r->pipeline->links.channels != PIPELINE_FREE)
        return;
    for (int lane = 0; lane < LANES; lane++) {
        for (int32_t d = 0; d < r->order->devices; d++)
            for (int32_t i = 0; i < r->order->n[d]; i++) {
                const int64_t at = order_at(r->order, d, i);
                set_times(r, d, i, lane, &lines[at], &lines[n + (size_t)at]);
            }
        executor_run_again(r->executor, lines, lines + n);
        makespan[lane] = executor_makespan(r->executor);
    }
}

// The same as replicates_run by other means: the scalar executor, and the environment of online policies.
// Allocates; false: out of memory, or ended by the poll.
static bool replicates_refer(struct replicates *r, struct poll *poll,
                             struct replicates_chunk *chunk)
{
    const size_t n = (size_t)r->order->devices * (size_t)r->order->room;
    double *lines = malloc(2 * n * sizeof *lines + 1);
    if (lines == NULL)
        return false;
    const bool done = replicates_run(r, poll, chunk);
    refer_order(r, lines, chunk->fixed);
    free(lines);
    if (!done)
        return false;
    if (r->point->rule == RULE_STATIC) {
        memcpy(chunk->ruled, chunk->fixed, sizeof chunk->ruled);
        return true;
    }
    if (online_misfit(r->pipeline, r->order) != NULL)
        return true;
    if (r->point->rule != RULE_POLICY)
        open_environment(r);
    for (int lane = 0; lane < LANES; lane++)
        chunk->ruled[lane] = refer_rule(r, lane);
    return true;
}

const struct order *replicates_step(struct replicates *r, double *lines, double *starts,
                                    double *ends)
{
    const size_t n = (size_t)r->order->devices * (size_t)r->order->room;
    struct executor_lanes_result result = {.starts = lines, .ends = lines + n * LANES};
    if (r->point->rule == RULE_STATIC) {
        executor_lanes_run(r->executor, r->lanes, &r->times, &result);
        for (size_t i = 0; i < n; i++) {
            starts[i] = result.starts[i * LANES];
            ends[i] = result.ends[i * LANES];
        }
        return r->order;
    }
    if (online_misfit(r->pipeline, r->order) != NULL)
        return NULL;
    const struct online *online = r->online;
    if (r->point->rule == RULE_POLICY)
        online = policy_run_step(r->policy, &r->times, 0);
    else {
        open_environment(r);
        refer_rule(r, 0);
    }
    memcpy(starts, online_starts(online), n * sizeof *starts);
    memcpy(ends, online_ends(online), n * sizeof *ends);
    return online_order(online);
}

// ---- all ----------------------------------------------------------------------------------------

// Overwrites `fixed`.
static void summarise(const double *ruled, double *fixed, uint32_t n,
                      struct replicates_figures *figures)
{
    const struct statistics_mean mean = statistics_mean(ruled, n);
    const struct statistics_pair pair = statistics_pair(ruled, fixed, n);
    *figures = (struct replicates_figures){
        .mean = mean.mean,
        .half = n > 1 ? mean.half : 0,
        .vs_static = pair.difference.mean,
        .vs_static_half = n > 1 ? pair.difference.half : 0,
        .won = pair.won,
        .clairvoyant = figures->clairvoyant / n,
        .memory = figures->memory / n,
    };
    memcpy(fixed, ruled, n * sizeof *fixed);
    statistics_sort(fixed, n);
    figures->p50 = statistics_quantile(fixed, n, 0.5);
    figures->p95 = statistics_quantile(fixed, n, 0.95);
    figures->p99 = statistics_quantile(fixed, n, 0.99);
}

bool replicates_measure(struct replicates *r, bool plain, double *samples, struct poll *poll,
                        struct replicates_figures *figures)
{
    const uint32_t n = replicates_are_equal(r->point) ? 1 : r->point->n_replicates;
    const uint64_t operations = (uint64_t)order_total(r->order);
    double *ruled = samples, *fixed = samples + n;
    *figures = (struct replicates_figures){.mean = 0};
    for (uint32_t i = 0; i < n; i += LANES) {
        struct replicates_chunk chunk = {.clairvoyant = {0}};
        if (poll_over_after(poll, operations * LANES))
            return false;
        replicates_draw(r, r->point->first + i);
        if (!(plain ? replicates_refer(r, poll, &chunk) : replicates_run(r, poll, &chunk)))
            return false;
        if (!r->without_bounds)
            replicates_bounds(r, &chunk);
        for (uint32_t k = 0; k < LANES && i + k < n; k++) {
            ruled[i + k] = chunk.ruled[k];
            fixed[i + k] = chunk.fixed[k];
            figures->clairvoyant += chunk.clairvoyant[k];
            figures->memory += chunk.memory[k];
        }
    }
    summarise(ruled, fixed, n, figures);
    return true;
}

void replicates_plain(const struct pipeline *pipeline, double *peak, double makespan,
                      struct replicates_figures *figures)
{
    struct pipeline limited = *pipeline;
    struct bounds bounds;
    limited.limit = peak;
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        if (isfinite(pipeline->limit[d]))
            peak[d] = pipeline->limit[d];
    bounds_of(&limited, &bounds);
    *figures = (struct replicates_figures){
        .mean = makespan,
        .p50 = makespan,
        .p95 = makespan,
        .p99 = makespan,
        .clairvoyant = fmax(bounds.load, bounds.chain),
        .memory = bounds.makespan,
    };
}
