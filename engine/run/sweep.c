// SPDX-License-Identifier: Apache-2.0
// The pool. Workers ask the schedule what to do, under one lock; what they have made waits in a
// ring of slots until all before it are written; the thread that finishes the next block writes
// it, and continues with the blocks that wait behind it.
#include "engine/run/sweep.h"

#include "base/system/machine.h"
#include "base/system/threads.h"
#include "engine/experiment/point_text.h"
#include "engine/run/block_cost.h"
#include "engine/run/finished_block.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A stopped run writes finished blocks for no longer than this; the others are computed again.
static const double WRITE_AFTER_STOP_S = 0.05;

struct slot {
    struct pps_part *parts; // of a block that several workers make, as far as they are done
    struct pps_finished_block *made;        // or NULL
    struct pps_best_by_group best, nearest; // of the block, where only the best rows are wanted
};

struct pool {
    const struct pps_sweep *sweep;
    struct pps_totals *totals;
    struct pps_shared_best
        contest;          // where only the best rows are wanted; has a lock of its own
    pthread_mutex_t lock; // guards all below
    pthread_cond_t moved; // the schedule may have something to do, or ended has changed
    struct pps_work_schedule *schedule;
    bool ended;         // an error, or the stop flag in the middle of a block
    double last_s;      // when a stopped run ceases to write; 0: not stopped
    struct slot *slots; // n_slots: of blocks number modulo n_slots
    uint64_t n_slots;
    enum pps_status status; // the first error
    struct pps_error *err;
};

struct worker {
    struct pps_rowmaker *maker;
    struct pps_codec *codec;
    struct pps_cursor *cursor; // for foretelling
    struct pps_room text, data;
    bool abandoned; // a block, as the stop flag is up
};

static struct pps_blocks blocks_of(const struct pps_sweep *sweep)
{
    return (struct pps_blocks){sweep->experiment->n_points, sweep->block_points};
}

// ---- taking -----------------------------------------------------------------------------------

// Takes the next task for a worker. Returns false if there are no more tasks.
static bool take(struct pool *pool, struct pps_task *task)
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

static void end(struct pool *pool, enum pps_status status, const struct pps_error *err)
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

static void tell_progress(const struct pool *pool)
{
    const struct pps_totals *totals = pool->totals;
    const struct pps_passed passed = {totals->points, totals->counts.rows,
                                      totals->counts.rows + totals->shortcuts.pruned,
                                      pps_totals_computed(totals)};
    if (pool->sweep->watch.passed != NULL)
        pool->sweep->watch.passed(pool->sweep->watch.self, &passed);
}

static bool may_write(struct pool *pool)
{
    if (pool->status != PPS_OK)
        return false;
    if (pps_sweep_is_stopped(pool->sweep) && pool->last_s <= 0)
        pool->last_s = pps_wall_seconds() + WRITE_AFTER_STOP_S;
    return pool->last_s <= 0 || pps_wall_seconds() < pool->last_s;
}

// The best rows of blocks count in the order of the blocks, so that what is known when a run stops
// is what an uninterrupted run knew at that block.
static enum pps_status add_best(struct pool *pool, struct slot *slot, struct pps_error *err)
{
    struct pps_totals *totals = pool->totals;
    enum pps_status status = pps_best_by_group_merge(&totals->best, &slot->best, err);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&totals->nearest, &slot->nearest, err);
    pps_best_by_group_clear(&slot->best);
    pps_best_by_group_clear(&slot->nearest);
    return status;
}

static void write_block(struct pool *pool, struct slot *slot)
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
        end(pool, status, &err);
    }
}

// Writes the blocks that are due. Called with the lock, which is let go while writing.
static void write_due(struct pool *pool)
{
    uint64_t number;
    while (may_write(pool) && pps_work_schedule_write(pool->schedule, &number)) {
        struct slot *slot = &pool->slots[number % pool->n_slots];
        pthread_mutex_unlock(&pool->lock);
        write_block(pool, slot);
        pthread_mutex_lock(&pool->lock);
        free(slot->made);
        slot->made = NULL;
        pps_work_schedule_written(pool->schedule);
        pthread_cond_broadcast(&pool->moved);
    }
}

static void hand_in(struct pool *pool, uint64_t number, struct pps_finished_block *made)
{
    pthread_mutex_lock(&pool->lock);
    pool->slots[number % pool->n_slots].made = made;
    pps_work_schedule_made(pool->schedule, number, pps_finished_block_bytes(made));
    write_due(pool);
    pthread_mutex_unlock(&pool->lock);
}

// ---- making -----------------------------------------------------------------------------------

static void foretell(struct pool *pool, struct worker *w, const struct pps_task *task)
{
    const struct pps_blocks blocks = blocks_of(pool->sweep);
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

static enum pps_status pack(struct pool *pool,
                            struct worker *w,
                            uint64_t number,
                            const struct pps_rows *rows,
                            struct pps_error *err)
{
    const uint64_t index = pps_shard_block(pool->sweep->shard, number);
    const uint64_t points = pps_blocks_points(blocks_of(pool->sweep), index);
    struct pps_finished_block *made;
    enum pps_status status =
        pps_finished_block_pack(&made, index, points, rows, w->codec, &w->data, err);
    if (status == PPS_OK)
        hand_in(pool, number, made);
    return status;
}

// Keeps the rows of a part; the last to come joins all.
static enum pps_status keep_part(struct pool *pool,
                                 struct worker *w,
                                 const struct pps_task *task,
                                 const struct pps_rows *rows,
                                 struct pps_error *err)
{
    struct slot *slot = &pool->slots[task->block % pool->n_slots];
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
static enum pps_status keep_best_of_part(struct pool *pool,
                                         struct worker *w,
                                         const struct pps_task *task,
                                         struct pps_error *err)
{
    struct slot *slot = &pool->slots[task->block % pool->n_slots];
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

static enum pps_status make_part(struct pool *pool,
                                 struct worker *w,
                                 const struct pps_task *task,
                                 struct pps_error *err)
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
static enum pps_status keep_best(struct pool *pool,
                                 struct pps_rowmaker *maker,
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

static enum pps_status open_worker(struct pool *pool, struct worker *w, struct pps_error *err)
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
        status = pps_codec_open(&w->codec, sweep->codec, err);
    w->cursor = calloc(1, sizeof *w->cursor);
    if (status == PPS_OK && w->cursor == NULL)
        status = pps_fail_memory(err, "a worker");
    return status;
}

static void close_worker(struct worker *w)
{
    pps_room_free(&w->text);
    pps_room_free(&w->data);
    free(w->cursor);
    pps_codec_close(w->codec);
    pps_rowmaker_close(w->maker);
}

static void work(struct pool *pool)
{
    struct worker w = {.maker = NULL};
    struct pps_error err;
    struct pps_task task;
    enum pps_status status = open_worker(pool, &w, &err);
    while (status == PPS_OK && !w.abandoned && take(pool, &task)) {
        if (task.kind == PPS_TASK_FORETELL)
            foretell(pool, &w, &task);
        else
            status = make_part(pool, &w, &task, &err);
    }
    if (status == PPS_OK)
        status = keep_best(pool, w.maker, &err);
    if (status != PPS_OK || w.abandoned)
        end(pool, status, &err);
    close_worker(&w);
}

// ---- the whole --------------------------------------------------------------------------------

static uint64_t end_block(const struct pps_sweep *sweep)
{
    const uint64_t n = pps_shard_blocks(sweep->shard, blocks_of(sweep));
    return sweep->end != 0 && sweep->end < n ? sweep->end : n;
}

uint64_t pps_sweep_points(const struct pps_sweep *sweep)
{
    const struct pps_blocks blocks = blocks_of(sweep);
    return pps_shard_points(sweep->shard, blocks, end_block(sweep)) -
           pps_shard_points(sweep->shard, blocks, sweep->skip);
}

void pps_sweep_tops(const struct pps_sweep *sweep,
                    struct pps_best_by_group *best,
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
static enum pps_status know_rivals(struct pool *pool, struct pps_error *err)
{
    struct pps_best_by_group *rivals = pool->sweep->rivals;
    if (rivals == NULL)
        return PPS_OK;
    atomic_store(&pool->contest.changes, rivals->kept > 0);
    return pps_best_by_group_merge(&pool->contest.tops, rivals, err);
}

static enum pps_status start(struct pool *pool, int threads, struct pps_error *err)
{
    const struct pps_sweep *sweep = pool->sweep;
    struct pps_work_schedule_plan plan = {sweep->skip, end_block(sweep), threads, sweep->ring};
    if (plan.ring.slots == 0)
        plan.ring = pps_ring_default(threads);
    pool->n_slots = plan.ring.slots;
    pool->slots = calloc(pool->n_slots, sizeof *pool->slots);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->contest.lock, NULL);
    pthread_cond_init(&pool->moved, NULL);
    if (pool->slots == NULL)
        return pps_fail_memory(err, "the pool");
    for (uint64_t i = 0; i < pool->n_slots; i++)
        pps_sweep_tops(sweep, &pool->slots[i].best, &pool->slots[i].nearest);
    return pps_work_schedule_open(&pool->schedule, &plan, err);
}

static void finish(struct pool *pool)
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
    const struct pps_blocks blocks = blocks_of(sweep);
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

enum pps_status pps_sweep_run(const struct pps_sweep *sweep,
                              struct pps_totals *totals,
                              struct pps_error *err)
{
    const struct pps_kernel *kernel = sweep->experiment->kernel;
    struct pool pool = {.sweep = sweep, .totals = totals, .err = err};
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
        work(&pool);
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
