// SPDX-License-Identifier: Apache-2.0
// Opens the pool of a sweep, lets its threads work, and sums up.
#include "engine/run/sweep.h"

#include "base/system/machine.h"
#include "base/system/threads.h"
#include "engine/run/block_cost.h"
#include "engine/run/sweep_private.h"

#include <pthread.h>
#include <stdlib.h>

struct pps_blocks pps_sweep_blocks(const struct pps_sweep *sweep)
{
    return (struct pps_blocks){sweep->experiment->n_points, sweep->block_points};
}

static uint64_t end_block(const struct pps_sweep *sweep)
{
    const uint64_t n = pps_shard_blocks(sweep->shard, pps_sweep_blocks(sweep));
    return sweep->end != 0 && sweep->end < n ? sweep->end : n;
}

uint64_t pps_sweep_points(const struct pps_sweep *sweep)
{
    const struct pps_blocks blocks = pps_sweep_blocks(sweep);
    return pps_shard_points(sweep->shard, blocks, end_block(sweep)) -
           pps_shard_points(sweep->shard, blocks, sweep->skip);
}

void pps_sweep_tops(const struct pps_sweep *sweep, struct pps_best_by_group *best,
                    struct pps_best_by_group *nearest)
{
    const struct pps_column *columns = sweep->experiment->kernel->columns;
    const int column = sweep->experiment->nearest;
    pps_best_by_group_init(best, sweep->n_best, columns[sweep->objective].goal == PPS_HIGHER,
                           sweep->n_by);
    best->ties = sweep->ties;
    pps_best_by_group_init(nearest, 1, column >= 0 && columns[column].goal == PPS_HIGHER, 0);
}

// What skipped blocks have reached need not be beaten again.
static enum pps_status know_rivals(struct pps_sweep_pool *pool, struct pps_error *err)
{
    struct pps_best_by_group *rivals = pool->sweep->rivals;
    if (rivals == NULL)
        return PPS_OK;
    atomic_store(&pool->contest.changes, rivals->kept > 0);
    return pps_best_by_group_merge(&pool->contest.tops, rivals, err);
}

static enum pps_status start(struct pps_sweep_pool *pool, int threads, struct pps_error *err)
{
    const struct pps_sweep *sweep = pool->sweep;
    struct pps_work_schedule_plan plan = {sweep->skip, end_block(sweep), threads, sweep->ring};
    if (plan.ring.slots == 0)
        plan.ring = pps_ring_default(threads);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->contest.lock, NULL);
    pthread_cond_init(&pool->moved, NULL);
    const enum pps_status status = pps_work_schedule_open(&pool->schedule, &plan, err);
    if (status != PPS_OK)
        return status;
    pool->n_slots = pps_work_schedule_slots(pool->schedule);
    pool->slots = calloc(pool->n_slots, sizeof *pool->slots);
    if (pool->slots == NULL)
        return pps_fail_memory(err, "the pool");
    for (uint64_t i = 0; i < pool->n_slots; i++)
        pps_sweep_tops(sweep, &pool->slots[i].best, &pool->slots[i].nearest);
    return PPS_OK;
}

static void finish(struct pps_sweep_pool *pool)
{
    for (uint64_t s = 0; pool->slots != NULL && s < pool->n_slots; s++) {
        pps_parts_free(pool->slots[s].parts);
        free(pool->slots[s].made);
        pps_best_by_group_free(&pool->slots[s].best);
        pps_best_by_group_free(&pool->slots[s].nearest);
    }
    free(pool->slots);
    pps_best_by_group_free(&pool->contest.tops);
    pps_work_schedule_close(pool->schedule);
    pthread_cond_destroy(&pool->moved);
    pthread_mutex_destroy(&pool->contest.lock);
    pthread_mutex_destroy(&pool->lock);
}

// Parts of blocks, worth a thread each, of an experiment with fewer blocks than threads.
static uint64_t count_parts(const struct pps_sweep *sweep, uint64_t n_blocks)
{
    const struct pps_blocks blocks = pps_sweep_blocks(sweep);
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    uint64_t n = 0;
    for (uint64_t i = 0; cursor != NULL && i < n_blocks; i++) {
        const uint64_t index = pps_shard_block(sweep->shard, sweep->skip + i);
        const struct pps_foretold foretold =
            pps_block_cost(cursor, sweep->experiment, index * blocks.block_points,
                           pps_blocks_points(blocks, index));
        n += pps_foretold_parts(&foretold);
    }
    free(cursor);
    return n > 0 ? n : n_blocks;
}

static int useful_threads(const struct pps_sweep *sweep)
{
    const uint64_t n_blocks = end_block(sweep) - sweep->skip;
    const uint64_t most = (uint64_t)sweep->threads;
    const uint64_t n = n_blocks < most ? count_parts(sweep, n_blocks) : n_blocks;
    return n < most ? (int)n : sweep->threads;
}

enum pps_status pps_sweep_run(const struct pps_sweep *sweep, struct pps_totals *totals,
                              struct pps_error *err)
{
    const struct pps_kernel *kernel = sweep->experiment->kernel;
    struct pps_sweep_pool pool = {.sweep = sweep, .totals = totals, .err = err};
    const double wall_s = pps_wall_seconds(), cpu_s = pps_cpu_seconds();
    const bool higher = kernel->columns[sweep->objective].goal == PPS_HIGHER;
    *totals = (struct pps_totals){.points = 0};
    pps_sweep_tops(sweep, &totals->best, &totals->nearest);
    pps_best_by_group_init(&pool.contest.tops, sweep->n_best, higher, sweep->n_by);
    const int threads = useful_threads(sweep);
    pool.status = start(&pool, threads, err);
    if (pool.status == PPS_OK)
        pool.status = know_rivals(&pool, err);
    if (pool.status == PPS_OK)
        pool.status = pps_threads_check(threads, err);
    if (threads > 0 && pool.status == PPS_OK) {
#pragma omp parallel num_threads(threads)
        pps_sweep_work(&pool);
    }
    if (sweep->only_best &&
        totals->best.kept > 0) // which were seen before a winner was is chance
        pps_best_by_group_free(&totals->nearest);
    totals->complete = pool.status == PPS_OK && totals->points == pps_sweep_points(sweep);
    totals->wall_s = pps_wall_seconds() - wall_s;
    totals->cpu_s = pps_cpu_seconds() - cpu_s;
    finish(&pool);
    return pool.status;
}
