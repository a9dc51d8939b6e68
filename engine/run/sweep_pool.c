// SPDX-License-Identifier: Apache-2.0
// The pool gives tasks to workers, under one lock. Finished blocks wait in a ring of slots until
// all blocks before them are written. The thread that finishes the next block writes it, and
// continues with the blocks that wait behind it.
#include "engine/run/sweep_private.h"

#include "base/system/machine.h"

#include <stdlib.h>

// A stopped run writes finished blocks for no longer than this; the others are computed again.
static const double WRITE_AFTER_STOP_S = 0.05;

// ---- taking -----------------------------------------------------------------------------------

bool pps_sweep_take(struct pps_sweep_pool *pool, struct pps_task *task)
{
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        const bool over = pool->ended || pps_sweep_is_stopped(pool->sweep);
        *task = over ? (struct pps_task){.kind = PPS_TASK_END}
                     : pps_work_schedule_take(pool->schedule);
        if (task->kind != PPS_TASK_WAIT)
            break;
        pthread_cond_wait(&pool->moved, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return task->kind != PPS_TASK_END;
}

void pps_sweep_end(struct pps_sweep_pool *pool, enum pps_status status,
                   const struct pps_error *err)
{
    pthread_mutex_lock(&pool->lock);
    if (status != PPS_OK && pool->status == PPS_OK) {
        pool->status = status;
        *pool->err = *err;
    }
    pool->ended = true;
    pthread_cond_broadcast(&pool->moved);
    pthread_mutex_unlock(&pool->lock);
}

// ---- writing in order -------------------------------------------------------------------------

static void tell_progress(const struct pps_sweep_pool *pool)
{
    const struct pps_totals *totals = pool->totals;
    const struct pps_passed passed = {totals->points, totals->counts.rows,
                                      totals->counts.rows + totals->shortcuts.pruned,
                                      pps_totals_computed(totals)};
    if (pool->sweep->watch.passed != NULL)
        pool->sweep->watch.passed(pool->sweep->watch.self, &passed);
}

static bool may_write(struct pps_sweep_pool *pool)
{
    if (pool->status != PPS_OK)
        return false;
    if (pps_sweep_is_stopped(pool->sweep) && pool->last_s <= 0)
        pool->last_s = pps_wall_seconds() + WRITE_AFTER_STOP_S;
    return pool->last_s <= 0 || pps_wall_seconds() < pool->last_s;
}

// The best rows of blocks count in the order of the blocks, so that what is known when a run stops
// is what an uninterrupted run knew at that block.
static enum pps_status add_best(struct pps_sweep_pool *pool, struct pps_sweep_slot *slot,
                                struct pps_error *err)
{
    struct pps_totals *totals = pool->totals;
    enum pps_status status = pps_best_by_group_merge(&totals->best, &slot->best, err);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&totals->nearest, &slot->nearest, err);
    pps_best_by_group_clear(&slot->best);
    pps_best_by_group_clear(&slot->nearest);
    return status;
}

static void write_block(struct pps_sweep_pool *pool, struct pps_sweep_slot *slot)
{
    const struct pps_finished_block *made = slot->made;
    const struct pps_sink *sink = &pool->sweep->sink;
    struct pps_error err;
    enum pps_status status = sink->block(sink->self, &made->block, &err);
    if (status == PPS_OK)
        status = add_best(pool, slot, &err);
    if (status == PPS_OK) {
        pps_totals_add(pool->totals, &made->rows, made->points);
        tell_progress(pool);
    } else {
        pps_sweep_end(pool, status, &err);
    }
}

// Writes the blocks that are due. Called with the lock, which is let go while writing.
static void write_due(struct pps_sweep_pool *pool)
{
    uint64_t number;
    while (may_write(pool) && pps_work_schedule_write(pool->schedule, &number)) {
        struct pps_sweep_slot *slot = &pool->slots[number % pool->n_slots];
        pthread_mutex_unlock(&pool->lock);
        write_block(pool, slot);
        pthread_mutex_lock(&pool->lock);
        free(slot->made);
        slot->made = NULL;
        pps_work_schedule_written(pool->schedule);
        pthread_cond_broadcast(&pool->moved);
    }
}

void pps_sweep_hand_in(struct pps_sweep_pool *pool, uint64_t number,
                       struct pps_finished_block *made)
{
    pthread_mutex_lock(&pool->lock);
    pool->slots[number % pool->n_slots].made = made;
    pps_work_schedule_made(pool->schedule, number, pps_finished_block_bytes(made));
    write_due(pool);
    pthread_mutex_unlock(&pool->lock);
}
