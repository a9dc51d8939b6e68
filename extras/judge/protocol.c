// SPDX-License-Identifier: Apache-2.0
// Evaluates the contestants of a cell on the same replicates.
#include "extras/judge/protocol.h"

#include "base/system/threads.h"
#include "kernels/common/executor/bounds.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/online/limited.h"
#include "kernels/schedule/online/pull.h"
#include "kernels/schedule/online/robust.h"
#include "kernels/schedule/policy/policy_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATIC_ORDERS = PROTOCOL_ROBUST + 1, LANES = EXECUTOR_LANES };

const char *const protocol_names[PROTOCOL_POLICY] = {
    [PROTOCOL_1F1B] = "1f1b",       [PROTOCOL_ZB_H1] = "zb_h1",
    [PROTOCOL_ZB_AUTO] = "zb_auto", [PROTOCOL_SEARCH] = "search",
    [PROTOCOL_ROBUST] = "robust",   [PROTOCOL_W_FLOATS] = "w_floats",
    [PROTOCOL_PULL] = "pull",
};

struct protocol_request protocol_defaults(void)
{
    return (struct protocol_request){
        .f = 12,
        .b = 13,
        .w = 7,
        .latency = 1,
        .limit = 1,
        .outlier_k = 20,
        .replicates = 1000,
        .robust_replicates = 256,
        .robust_budget = 2000,
        .search_budget = 5000,
    };
}

// All that a cell needs, in one room.
struct cell {
    struct pipeline pipeline;
    struct order order[STATIC_ORDERS];
    struct executor *executor[STATIC_ORDERS];
    void *family_memory[STATIC_ORDERS]; // 1f1b to search
    bool missing[STATIC_ORDERS];
    struct robust *robust;
    struct executor_times times;
    struct executor_lanes *lanes;
    struct pull *pull;
    struct policy_run *policy[PROTOCOL_POLICIES_MAX];
    bool refused[PROTOCOL_POLICIES_MAX]; // the policy cannot run the order
    struct limited *limited;
    double *bounds_room;
    double peak[STATIC_ORDERS];
    double *sample[PROTOCOL_CONTESTANTS], *sorted;
    double clairvoyant, bound; // sums
};

static const struct family *family_of(int contestant)
{
    return family_named(protocol_names[contestant]);
}

static struct pipeline_shape shape_of(const struct protocol_cell *at)
{
    return (struct pipeline_shape){at->devices, at->devices, at->micro_batches, 1, 1};
}

static struct family_options options_of(const struct protocol_request *request)
{
    return (struct family_options){.seed = request->seed, .budget = request->search_budget};
}

static const struct network_shape *widest_of(const struct policy *policy)
{
    return policy->kind == POLICY_LEARNED ? &policy->shape : NULL;
}

static void take(struct cell *cell, const struct protocol_request *request,
                 const struct protocol_cell *at, struct room *room)
{
    const struct pipeline_shape shape = shape_of(at);
    const struct family_options options = options_of(request);
    const size_t samples = request->replicates + LANES;
    pipeline_take(&cell->pipeline, &shape, room);
    const int32_t operations = 3 * at->micro_batches;
    for (int k = 0; k < STATIC_ORDERS; k++) {
        order_take(&cell->order[k], at->devices, operations, room);
        cell->executor[k] = executor_take(&shape, operations, room);
        if (k != PROTOCOL_ROBUST)
            cell->family_memory[k] = family_take(family_of(k), &shape, &options, room);
    }
    cell->robust = robust_take(&shape, operations, request->robust_replicates, room);
    noise_times_take(&cell->times, &shape, false, room);
    cell->lanes = executor_lanes_take(&shape, room);
    cell->pull = pull_take(&shape, operations, room);
    for (int k = 0; k < request->n_policies; k++)
        cell->policy[k] =
            policy_run_take(&shape, operations, widest_of(request->policy[k]), room);
    cell->limited = limited_take(&shape, room);
    cell->bounds_room = room_take(room, BOUNDS_ROOM * (size_t)at->devices, sizeof(double));
    for (int k = 0; k < protocol_contestants(request); k++)
        cell->sample[k] = room_take(room, samples, sizeof(double));
    cell->sorted = room_take(room, samples, sizeof(double));
}

// ---- orders -------------------------------------------------------------------------------------

static void set_pipeline(struct cell *cell, const struct protocol_request *request,
                         const struct protocol_cell *at)
{
    struct pipeline *pipeline = &cell->pipeline;
    pipeline_place(pipeline, PIPELINE_LOOP);
    pipeline_set_uniform(pipeline, &(struct pipeline_stage){.f = request->f,
                                                            .b = request->b,
                                                            .w = request->w,
                                                            .kept_until_w = 1});
    pipeline->links.latency = request->latency;
    for (int32_t d = 0; d < at->devices; d++)
        pipeline->limit[d] = request->limit * at->devices;
}

static struct noise noise_of(const struct protocol_request *request,
                             const struct protocol_cell *at, uint64_t seed)
{
    return (struct noise){.seed = seed,
                          .level = at->level,
                          .message_level = at->level,
                          .outlier_p = at->outlier_p,
                          .outlier_k = request->outlier_k};
}

// Chooses the robust order by training replicates, among all families and the order of the search.
static void choose_robust(struct cell *cell, const struct protocol_request *request,
                          const struct noise *noise, struct poll *poll)
{
    const struct robust_options options = {.replicates = request->robust_replicates,
                                           .seed = request->seed,
                                           .budget = request->robust_budget};
    const struct family *from;
    double mean;
    robust_open(cell->robust, &cell->pipeline, noise, &options, poll);
    robust_offer_families(cell->robust);
    if (!cell->missing[PROTOCOL_SEARCH])
        robust_offer(cell->robust, &cell->order[PROTOCOL_SEARCH], family_of(PROTOCOL_SEARCH));
    robust_improve(cell->robust);
    const struct order *best = robust_best(cell->robust, &mean, &from);
    cell->missing[PROTOCOL_ROBUST] = best == NULL;
    if (best != NULL)
        order_copy(&cell->order[PROTOCOL_ROBUST], best);
}

// Executes an order without noise. Returns whether it runs and fits.
static bool fits(struct cell *cell, int k)
{
    struct metrics metrics;
    struct metrics_excess excess;
    if (executor_run(cell->executor[k], &cell->pipeline, &cell->order[k], NULL, NULL) !=
            EXECUTOR_DONE ||
        metrics_over_limit(&cell->pipeline, &cell->order[k], &excess))
        return false;
    metrics_of(&cell->pipeline, &cell->order[k], executor_starts(cell->executor[k]),
               executor_ends(cell->executor[k]), &metrics, NULL, NULL);
    cell->peak[k] = metrics.peak_most;
    return true;
}

static void open_rules(struct cell *cell, const struct protocol_request *request)
{
    const struct order *order = &cell->order[PROTOCOL_ZB_H1];
    pull_open(cell->pull, &cell->pipeline, order);
    for (int k = 0; k < request->n_policies; k++) {
        cell->refused[k] = policy_misfit(request->policy[k], &cell->pipeline, order) != NULL;
        if (!cell->refused[k])
            policy_run_open(cell->policy[k], request->policy[k], &cell->pipeline, order);
    }
}

// Builds all orders. Returns false if the poll ended it.
static bool build(struct cell *cell, const struct protocol_request *request,
                  const struct noise *noise, struct poll *poll)
{
    const struct family_options options = options_of(request);
    for (int k = 0; k < STATIC_ORDERS; k++) {
        struct family_result found = {.value = 0};
        if (k == PROTOCOL_ROBUST)
            choose_robust(cell, request, noise, poll);
        else
            cell->missing[k] =
                family_build(family_of(k), &(struct family_task){&cell->pipeline, &options,
                                                                 cell->family_memory[k], poll,
                                                                 &cell->order[k], &found}) !=
                FAMILY_DONE;
        if (poll_has_ended(poll))
            return false;
        cell->missing[k] = cell->missing[k] || !fits(cell, k);
    }
    if (!cell->missing[PROTOCOL_ZB_H1])
        open_rules(cell, request);
    return true;
}

// ---- replicates ---------------------------------------------------------------------------------

static void add_bounds(struct cell *cell, uint32_t n)
{
    struct bounds bounds[LANES];
    double free[LANES], within[LANES];
    bounds_of_times(&cell->pipeline, &cell->times, cell->bounds_room, bounds);
    limited_bounds(cell->limited, &cell->times, false, free);
    limited_bounds(cell->limited, &cell->times, true, within);
    for (uint32_t i = 0; i < n; i++) {
        const double clairvoyant = fmax(fmax(bounds[i].load, bounds[i].chain), free[i]);
        cell->clairvoyant += clairvoyant;
        cell->bound += fmax(fmax(bounds[i].makespan, within[i]), clairvoyant);
    }
}

// Runs a chunk of replicates. Returns false if the poll ended it.
static bool run_replicates(struct cell *cell, const struct protocol_request *request,
                           uint32_t at, struct poll *poll)
{
    static const struct pull_rule rules[] = {{0, 0, PULL_UNLIMITED}, {0.5, 0, PULL_UNLIMITED}};
    for (int k = 0; k < STATIC_ORDERS; k++) {
        struct executor_lanes_result result = {.starts = NULL};
        if (cell->missing[k])
            continue;
        executor_lanes_run(cell->executor[k], cell->lanes, &cell->times, &result);
        memcpy(cell->sample[k] + at, result.makespan, sizeof result.makespan);
    }
    if (cell->missing[PROTOCOL_ZB_H1])
        return true;
    for (int k = PROTOCOL_W_FLOATS; k <= PROTOCOL_PULL; k++)
        pull_run(cell->pull, &rules[k - PROTOCOL_W_FLOATS], &cell->times, cell->sample[k] + at);
    for (int k = 0; k < request->n_policies; k++)
        if (!cell->refused[k] && !policy_run_lanes(cell->policy[k], &cell->times, poll,
                                                   cell->sample[PROTOCOL_POLICY + k] + at))
            return false;
    return true;
}

static void summarise(struct cell *cell, int contestant, uint32_t n, struct protocol_row *row)
{
    const int order = contestant < STATIC_ORDERS ? contestant : PROTOCOL_ZB_H1;
    const double *own = cell->sample[contestant];
    *row = (struct protocol_row){.missing = cell->missing[order], .peak = cell->peak[order]};
    if (contestant >= PROTOCOL_POLICY && cell->refused[contestant - PROTOCOL_POLICY])
        row->missing = true;
    if (row->missing)
        return;
    row->mean = statistics_mean(own, n);
    row->from_pull = statistics_pair(own, cell->sample[PROTOCOL_PULL], n);
    row->from_h1 = statistics_pair(own, cell->sample[PROTOCOL_ZB_H1], n);
    memcpy(cell->sorted, own, n * sizeof *own);
    statistics_sort(cell->sorted, n);
    row->p50 = statistics_quantile(cell->sorted, n, 0.5);
    row->p95 = statistics_quantile(cell->sorted, n, 0.95);
    row->p99 = statistics_quantile(cell->sorted, n, 0.99);
}

static enum pps_status evaluate(struct cell *cell, const struct protocol_request *request,
                                const struct protocol_cell *at, struct poll *poll,
                                struct protocol_result *result)
{
    const struct noise training = noise_of(request, at, request->seed),
                       noise = noise_of(request, at, PROTOCOL_TEST + request->seed);
    set_pipeline(cell, request, at);
    if (!build(cell, request, &training, poll))
        return PPS_E_STOPPED;
    limited_open(cell->limited, &cell->pipeline);
    for (uint32_t i = 0; i < request->replicates; i += LANES) {
        const uint32_t left = request->replicates - i;
        noise_draw(&noise, &cell->pipeline, i, &cell->times);
        if (!run_replicates(cell, request, i, poll) || poll_over_after(poll, POLL_STEPS))
            return PPS_E_STOPPED;
        add_bounds(cell, left < LANES ? left : LANES);
    }
    for (int k = 0; k < protocol_contestants(request); k++)
        summarise(cell, k, request->replicates, &result->row[k]);
    result->clairvoyant = cell->clairvoyant / request->replicates;
    result->limited = cell->bound / request->replicates;
    return PPS_OK;
}

// ---- all cells ----------------------------------------------------------------------------------

struct job {
    const struct protocol_request *request;
    const struct protocol_cell *cells;
    int n;
    const atomic_bool *stop;
    struct protocol_result *results;
    atomic_int next;
};

static bool is_stopped(void *self)
{
    return atomic_load_explicit((const atomic_bool *)self, memory_order_relaxed);
}

static enum pps_status run_cell(const struct job *job, int index)
{
    struct cell cell = {.clairvoyant = 0};
    struct room room = {NULL, 0};
    struct poll poll = {.over = is_stopped, .self = (void *)(uintptr_t)job->stop};
    take(&cell, job->request, &job->cells[index], &room);
    char *memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (memory == NULL)
        return PPS_E_MACHINE;
    room = (struct room){memory, 0};
    take(&cell, job->request, &job->cells[index], &room);
    const enum pps_status status =
        evaluate(&cell, job->request, &job->cells[index], &poll, &job->results[index]);
    free(memory);
    return status;
}

// The largest cells come last in a grid; they start first.
static void work(void *self, int thread)
{
    (void)thread;
    struct job *job = self;
    for (int i; (i = job->n - 1 - atomic_fetch_add(&job->next, 1)) >= 0;)
        job->results[i].status = run_cell(job, i);
}

enum pps_status protocol_run(const struct protocol_request *request,
                             const struct protocol_cell *cells, int n, int threads,
                             const atomic_bool *stop, struct protocol_result *results,
                             struct pps_error *err)
{
    struct job job = {request, cells, n, stop, results, 0};
    const enum pps_status status = pps_parallel(threads < n ? threads : n, work, &job, err);
    if (status != PPS_OK)
        return status;
    for (int i = 0; i < n; i++) {
        if (results[i].status == PPS_E_STOPPED)
            return pps_fail(err, PPS_E_STOPPED, "stopped; nothing was written");
        if (results[i].status != PPS_OK)
            return pps_fail_memory(err, "%d devices, %d micro-batches", cells[i].devices,
                                   cells[i].micro_batches);
    }
    return PPS_OK;
}
