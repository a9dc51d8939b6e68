// SPDX-License-Identifier: Apache-2.0
// The pool. Blocks, numbered within the shard, are dealt in order from one counter; a finished block waits in a ring of
// slots until all before it are written; whoever finishes the next block due writes, and goes on
// with those that wait behind it. No thread runs further ahead than the ring is long.
#include "sweep.h"

#include "machine.h"
#include "threads.h"
#include "value.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_PER_THREAD = 2 };

struct slot {
    bool ready;
    uint64_t points;
    struct pps_block block;
    struct pps_left_out left_out[PPS_MAX_REASONS];
    uint64_t failed_example, recalled, reused, checked, pruned;
    struct pps_audited audited;
    unsigned char *data;
    size_t data_cap;
};

struct pool {
    const struct pps_sweep *sweep;
    struct pps_totals *totals;
    uint64_t n_blocks;          // of the shard, up to where this run goes
    struct pps_contest contest; // where only the best rows are wanted; has a lock of its own
    pthread_mutex_t lock;       // guards all below
    pthread_cond_t moved;       // next_due or ended has changed
    uint64_t next_block;        // to be dealt
    uint64_t next_due;          // to be written
    bool writing;
    bool ended; // an error, or the stop flag in the middle of a block
    struct slot *slots;
    uint64_t n_slots;
    enum pps_status status; // the first error
    struct pps_error *err;
};

static struct pps_blocks blocks_of(const struct pps_sweep *sweep)
{
    return (struct pps_blocks){sweep->experiment->n_points, sweep->block_points};
}

// ---- dealing ----------------------------------------------------------------------------------

static bool stopped(const struct pool *pool)
{
    return atomic_load_explicit(pool->sweep->stop, memory_order_relaxed);
}

static bool deal(struct pool *pool, uint64_t *block)
{
    pthread_mutex_lock(&pool->lock);
    while (!pool->ended && pool->next_block >= pool->next_due + pool->n_slots)
        pthread_cond_wait(&pool->moved, &pool->lock);
    const bool any = !pool->ended && !stopped(pool) && pool->next_block < pool->n_blocks;
    *block = pool->next_block;
    pool->next_block += any;
    pthread_mutex_unlock(&pool->lock);
    return any;
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

static void add_left_out(struct pps_left_out *total, const struct pps_left_out *part)
{
    if (total->n == 0)
        total->example = part->example;
    total->n += part->n;
}

static void add_totals(struct pool *pool, const struct slot *slot)
{
    struct pps_totals *totals = pool->totals;
    totals->points += slot->points;
    totals->rows += slot->block.rows;
    if (totals->failed == 0)
        totals->failed_example = slot->failed_example;
    totals->failed += slot->block.failed;
    totals->infeasible += slot->block.infeasible;
    totals->recalled += slot->recalled;
    totals->reused += slot->reused;
    totals->checked += slot->checked;
    totals->pruned += slot->pruned;
    pps_audited_add(&totals->audited, &slot->audited);
    totals->text_bytes += slot->block.text_bytes;
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        if (slot->left_out[r].n > 0)
            add_left_out(&totals->left_out[r], &slot->left_out[r]);
}

static void tell_progress(const struct pool *pool)
{
    const struct pps_totals *totals = pool->totals;
    const struct pps_passed passed = {totals->points, totals->rows,
                                      totals->rows + totals->pruned,
                                      pps_totals_computed(totals)};
    if (pool->sweep->progress != NULL)
        pps_progress_update(pool->sweep->progress, &passed);
}

// Writes the blocks that are due. Called with the lock, which is let go while writing.
static void write_due(struct pool *pool)
{
    pool->writing = true;
    for (;;) {
        struct slot *slot = &pool->slots[pool->next_due % pool->n_slots];
        struct pps_error err;
        if (!slot->ready || pool->status != PPS_OK)
            break;
        pthread_mutex_unlock(&pool->lock);
        const struct pps_sink *sink = &pool->sweep->sink;
        enum pps_status status = sink->block(sink->self, &slot->block, &err);
        if (status == PPS_OK) {
            add_totals(pool, slot);
            tell_progress(pool);
        } else {
            end(pool, status, &err);
        }
        pthread_mutex_lock(&pool->lock);
        slot->ready = false;
        pool->next_due++;
        pthread_cond_broadcast(&pool->moved);
    }
    pool->writing = false;
}

static void hand_in(struct pool *pool, struct slot *slot)
{
    pthread_mutex_lock(&pool->lock);
    slot->ready = true;
    if (!pool->writing)
        write_due(pool);
    pthread_mutex_unlock(&pool->lock);
}

// ---- making -----------------------------------------------------------------------------------

static enum pps_status fill_slot(struct slot *slot,
                                 uint64_t index,
                                 const struct pps_rows *rows,
                                 struct pps_codec *codec,
                                 struct pps_error *err)
{
    const size_t bound = pps_codec_bound(codec, rows->n) + 1; // a block may hold no row
    if (bound > slot->data_cap) {
        free(slot->data);
        slot->data = malloc(bound);
        slot->data_cap = slot->data != NULL ? bound : 0;
    }
    if (slot->data == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a compressed block");
    slot->block = (struct pps_block){.index = index, .data = slot->data};
    slot->block.rows = rows->rows;
    slot->block.failed = rows->failed;
    slot->block.infeasible = rows->infeasible;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        slot->left_out[r] = rows->left_out[r];
        slot->block.left_out[r] = rows->left_out[r].n;
    }
    slot->audited = rows->audited;
    slot->failed_example = rows->failed_example;
    slot->recalled = rows->recalled;
    slot->reused = rows->reused;
    slot->checked = rows->checked;
    slot->pruned = rows->pruned;
    pps_block_set_text(&slot->block, rows->text, rows->n);
    slot->block.data_bytes =
        pps_codec_block(codec, rows->text, rows->n, slot->data, slot->data_cap);
    if (slot->block.data_bytes == 0 && rows->n > 0)
        return pps_fail(err, PPS_E_MACHINE, "block %llu could not be compressed",
                        (unsigned long long)index);
    return PPS_OK;
}

// The point as the rows show it.
static enum pps_status failed_point(const struct pps_experiment *e,
                                    uint64_t index,
                                    struct pps_error *err)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    char point[768] = "";
    size_t at = 0;
    if (cursor == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a point");
    pps_cursor_seek(cursor, &e->space, index);
    for (int i = 0; i < e->space.n_columns && at < sizeof point; i++) {
        const struct pps_param *param = &e->kernel->params[e->space.columns[i]];
        char text[PPS_CELL_TEXT];
        pps_value_text(param, cursor->point[e->space.columns[i]], text);
        at += (size_t)snprintf(point + at, sizeof point - at, " %s=%s", param->name, text);
    }
    free(cursor);
    return pps_fail(
        err, PPS_E_POINTS,
        "%s could not finish the point%s; without --fail-fast its results are empty",
        e->kernel->name, point);
}

static enum pps_status make_block(struct pool *pool,
                                  struct pps_rowmaker *maker,
                                  struct pps_codec *codec,
                                  uint64_t number,
                                  bool *abandoned,
                                  struct pps_error *err)
{
    const struct pps_blocks blocks = blocks_of(pool->sweep);
    const uint64_t index = pps_shard_block(pool->sweep->shard, number);
    const uint64_t first = index * blocks.block_points;
    const uint64_t n = pps_blocks_points(blocks, index);
    struct slot *slot = &pool->slots[number % pool->n_slots];
    struct pps_rows rows;
    enum pps_status status = pps_rowmaker_make(maker, first, n, pool->sweep->stop, &rows, err);
    *abandoned = rows.stopped;
    if (status != PPS_OK || rows.stopped)
        return status;
    if (pool->sweep->fail_fast && rows.failed > 0)
        return failed_point(pool->sweep->experiment, rows.failed_example, err);
    status = fill_slot(slot, index, &rows, codec, err);
    if (status != PPS_OK)
        return status;
    slot->points = n;
    hand_in(pool, slot);
    return PPS_OK;
}

// Rows of blocks that were never written must not count, so only a whole run keeps its best.
static enum pps_status keep_best(struct pool *pool,
                                 struct pps_rowmaker *maker,
                                 struct pps_error *err)
{
    pthread_mutex_lock(&pool->lock);
    enum pps_status status = pps_tops_merge(&pool->totals->best, pps_rowmaker_best(maker), err);
    if (status == PPS_OK)
        status = pps_tops_merge(&pool->totals->nearest, pps_rowmaker_nearest(maker), err);
    pthread_mutex_unlock(&pool->lock);
    return status;
}

static void work(struct pool *pool)
{
    const struct pps_sweep *sweep = pool->sweep;
    struct pps_error err;
    struct pps_rowmaker *maker = NULL;
    struct pps_codec *codec = NULL;
    bool abandoned = false;
    uint64_t index;
    enum pps_status status =
        pps_rowmaker_open(&maker, sweep->experiment, sweep->objective, sweep->n_best, &err);
    if (status == PPS_OK)
        pps_rowmaker_group(maker, sweep->by, sweep->n_by);
    if (status == PPS_OK && sweep->reuse != NULL)
        status = pps_rowmaker_reuse(maker, sweep->reuse, &err);
    if (status == PPS_OK && sweep->only_best)
        pps_rowmaker_enter(maker, &pool->contest);
    if (status == PPS_OK && sweep->audit > 0)
        status = pps_rowmaker_audit(maker, sweep->audit, sweep->only_audited, &err);
    if (status == PPS_OK)
        status = pps_codec_open(&codec, sweep->codec, &err);
    while (status == PPS_OK && !abandoned && deal(pool, &index))
        status = make_block(pool, maker, codec, index, &abandoned, &err);
    if (status == PPS_OK)
        status = keep_best(pool, maker, &err);
    if (status != PPS_OK || abandoned)
        end(pool, status, &err);
    pps_codec_close(codec);
    pps_rowmaker_close(maker);
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

static enum pps_status start(struct pool *pool, int threads, struct pps_error *err)
{
    pool->n_slots = (uint64_t)threads * SLOTS_PER_THREAD;
    pool->slots = calloc(pool->n_slots, sizeof *pool->slots);
    if (pool->slots == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for the pool");
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->contest.lock, NULL);
    pthread_cond_init(&pool->moved, NULL);
    return PPS_OK;
}

static void finish(struct pool *pool)
{
    for (uint64_t s = 0; s < pool->n_slots; s++)
        free(pool->slots[s].data);
    free(pool->slots);
    pthread_cond_destroy(&pool->moved);
    pthread_mutex_destroy(&pool->contest.lock);
    pthread_mutex_destroy(&pool->lock);
}

static bool nearest_is_highest(const struct pps_kernel *kernel)
{
    for (int c = 0; kernel->nearest != NULL && c < kernel->n_columns; c++)
        if (strcmp(kernel->columns[c].name, kernel->nearest) == 0)
            return kernel->columns[c].goal == PPS_HIGHER;
    return false;
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
    pps_tops_init(&totals->best, sweep->n_best, higher, sweep->n_by);
    pps_tops_init(&totals->nearest, 1, nearest_is_highest(kernel), 0);
    pps_tops_init(&pool.contest.tops, sweep->n_best, higher, sweep->n_by);
    enum pps_status status = start(&pool, sweep->threads, err);
    if (status != PPS_OK)
        return status;
    pool.n_blocks = end_block(sweep);
    pool.next_block = pool.next_due = sweep->skip;
    const uint64_t n_blocks = pool.n_blocks - sweep->skip;
    const int threads = n_blocks < (uint64_t)sweep->threads ? (int)n_blocks : sweep->threads;
    pool.status = pps_threads_check(threads, err);
    if (threads > 0 && pool.status == PPS_OK) {
#pragma omp parallel num_threads(threads)
        work(&pool);
    }
    if (sweep->only_best) // nothing else went into totals->best
        totals->best = pool.contest.tops;
    if (sweep->only_best &&
        totals->best.kept > 0) // which were seen before a winner was is chance
        pps_tops_free(&totals->nearest);
    totals->complete = pool.status == PPS_OK && totals->points == pps_sweep_points(sweep);
    totals->wall_s = pps_wall_seconds() - wall_s;
    totals->cpu_s = pps_cpu_seconds() - cpu_s;
    finish(&pool);
    return pool.status;
}
