// SPDX-License-Identifier: Apache-2.0
// A worker makes rows of blocks or of their parts, and compresses whole blocks.
#include "engine/run/sweep_private.h"

#include "engine/experiment/point_text.h"
#include "engine/run/block_cost.h"

#include <stdlib.h>

struct worker {
    struct pps_rowmaker *maker;
    struct pps_packer *packer;
    struct pps_cursor *cursor; // for foretelling
    struct pps_room text;
    bool abandoned; // a block, as the stop flag is up
};

static void foretell(struct pps_sweep_pool *pool, struct worker *w, const struct pps_task *task)
{
    const struct pps_blocks blocks = pps_sweep_blocks(pool->sweep);
    struct pps_foretold foretold[PPS_MAX_FORETOLD];
    for (uint32_t i = 0; i < task->n; i++) {
        const uint64_t index = pps_shard_block(pool->sweep->shard, task->block + i);
        foretold[i] =
            pps_block_cost(w->cursor, pool->sweep->experiment, index * blocks.block_points,
                           pps_blocks_points(blocks, index));
    }
    pthread_mutex_lock(&pool->lock);
    pps_work_schedule_foretold(pool->schedule, task->block, task->n, foretold);
    pthread_cond_broadcast(&pool->moved);
    pthread_mutex_unlock(&pool->lock);
}

static enum pps_status pack(struct pps_sweep_pool *pool, struct worker *w, uint64_t number,
                            const struct pps_rows *rows, struct pps_error *err)
{
    const uint64_t index = pps_shard_block(pool->sweep->shard, number);
    const uint64_t points = pps_blocks_points(pps_sweep_blocks(pool->sweep), index);
    struct pps_finished_block *made;
    enum pps_status status =
        pps_finished_block_pack(&made, index, points, rows, w->packer, err);
    if (status == PPS_OK)
        pps_sweep_hand_in(pool, number, made);
    return status;
}

// Keeps the rows of a part; the last to come joins all.
static enum pps_status keep_part(struct pps_sweep_pool *pool, struct worker *w,
                                 const struct pps_task *task, const struct pps_rows *rows,
                                 struct pps_error *err)
{
    struct pps_sweep_slot *slot = &pool->slots[task->block % pool->n_slots];
    struct pps_part *part = pps_part_keep(rows, task->part);
    struct pps_rows joined;
    if (part == NULL)
        return pps_fail_memory(err, "a part of a block");
    pthread_mutex_lock(&pool->lock);
    part->next = slot->parts;
    slot->parts = part;
    const bool last = pps_work_schedule_part_made(pool->schedule, task->block);
    pthread_mutex_unlock(&pool->lock);
    if (!last)
        return PPS_OK;
    struct pps_part *parts = slot->parts;
    slot->parts = NULL;
    enum pps_status status = pps_parts_join(parts, task->n, &w->text, &joined, err);
    pps_parts_free(parts);
    return status == PPS_OK ? pack(pool, w, task->block, &joined, err) : status;
}

// In a contest a block's best rows wait with it.
static enum pps_status keep_best_of_part(struct pps_sweep_pool *pool, struct worker *w,
                                         const struct pps_task *task, struct pps_error *err)
{
    struct pps_sweep_slot *slot = &pool->slots[task->block % pool->n_slots];
    if (!pool->sweep->only_best)
        return PPS_OK;
    pthread_mutex_lock(&pool->lock);
    enum pps_status status =
        pps_best_by_group_merge(&slot->best, pps_rowmaker_best(w->maker), err);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&slot->nearest, pps_rowmaker_nearest(w->maker), err);
    pthread_mutex_unlock(&pool->lock);
    return status;
}

static enum pps_status make_part(struct pps_sweep_pool *pool, struct worker *w,
                                 const struct pps_task *task, struct pps_error *err)
{
    const struct pps_sweep *sweep = pool->sweep;
    const uint64_t index = pps_shard_block(sweep->shard, task->block);
    const uint64_t first = index * sweep->block_points + task->first;
    struct pps_rows rows;
    enum pps_status status =
        pps_rowmaker_make(w->maker, first, task->n_points, sweep->stop, &rows, err);
    w->abandoned = rows.stopped;
    if (status != PPS_OK || rows.stopped)
        return status;
    if (sweep->fail_fast && rows.counts.failed > 0)
        return pps_fail_point(sweep->experiment, rows.counts.failed_example, err);
    status = keep_best_of_part(pool, w, task, err);
    if (status != PPS_OK)
        return status;
    return task->n == 1 ? pack(pool, w, task->block, &rows, err)
                        : keep_part(pool, w, task, &rows, err);
}

// Rows of blocks that were never written must not count, so only a whole run keeps its best.
static enum pps_status keep_best(struct pps_sweep_pool *pool, struct pps_rowmaker *maker,
                                 struct pps_error *err)
{
    if (pool->sweep->only_best) // blocks have them
        return PPS_OK;
    pthread_mutex_lock(&pool->lock);
    enum pps_status status =
        pps_best_by_group_merge(&pool->totals->best, pps_rowmaker_best(maker), err);
    if (status == PPS_OK)
        status =
            pps_best_by_group_merge(&pool->totals->nearest, pps_rowmaker_nearest(maker), err);
    pthread_mutex_unlock(&pool->lock);
    return status;
}

static enum pps_status open_worker(struct pps_sweep_pool *pool, struct worker *w,
                                   struct pps_error *err)
{
    const struct pps_sweep *sweep = pool->sweep;
    const struct pps_row_settings settings = {
        .experiment = sweep->experiment,
        .objective = sweep->objective,
        .n_best = sweep->n_best,
        .by = sweep->by,
        .n_by = sweep->n_by,
        .reuse = sweep->reuse,
        .contest = sweep->only_best ? &pool->contest : NULL,
        .ties = sweep->ties,
        .audit = sweep->audit,
        .only_audited = sweep->only_audited,
    };
    enum pps_status status = pps_rowmaker_open(&w->maker, &settings, err);
    if (status == PPS_OK)
        status = pps_packer_open(&w->packer, sweep->codec, sweep->experiment, err);
    w->cursor = calloc(1, sizeof *w->cursor);
    if (status == PPS_OK && w->cursor == NULL)
        status = pps_fail_memory(err, "a worker");
    return status;
}

static void close_worker(struct worker *w)
{
    pps_room_free(&w->text);
    free(w->cursor);
    pps_packer_close(w->packer);
    pps_rowmaker_close(w->maker);
}

void pps_sweep_work(struct pps_sweep_pool *pool)
{
    struct worker w = {.maker = NULL};
    struct pps_error err;
    struct pps_task task;
    enum pps_status status = open_worker(pool, &w, &err);
    while (status == PPS_OK && !w.abandoned && pps_sweep_take(pool, &task)) {
        if (task.kind == PPS_TASK_FORETELL)
            foretell(pool, &w, &task);
        else
            status = make_part(pool, &w, &task, &err);
    }
    if (status == PPS_OK)
        status = keep_best(pool, w.maker, &err);
    if (status != PPS_OK || w.abandoned)
        pps_sweep_end(pool, status, &err);
    close_worker(&w);
}
