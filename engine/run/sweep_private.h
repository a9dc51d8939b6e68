// SPDX-License-Identifier: Apache-2.0
// The pool of a sweep gives tasks to workers and writes their blocks in order (sweep_pool.c).
// sweep.c opens the pool; the workers are in sweep_work.c. Private to these files.
#pragma once

#include "engine/run/finished_block.h"
#include "engine/run/sweep.h"

#include <pthread.h>

struct pps_sweep_slot {
    struct pps_part *parts; // of a block that several workers make, as far as they are done
    struct pps_finished_block *made;        // or NULL
    struct pps_best_by_group best, nearest; // of the block, where only the best rows are wanted
};

struct pps_sweep_pool {
    const struct pps_sweep *sweep;
    struct pps_totals *totals;
    struct pps_shared_best
        contest;          // where only the best rows are wanted; has a lock of its own
    pthread_mutex_t lock; // guards all below
    pthread_cond_t moved; // the schedule may have something to do, or ended has changed
    struct pps_work_schedule *schedule;
    bool ended;                   // an error, or the stop flag in the middle of a block
    double last_s;                // when a stopped run ceases to write; 0: not stopped
    struct pps_sweep_slot *slots; // n_slots: of blocks number modulo n_slots
    uint64_t n_slots;
    enum pps_status status; // the first error
    struct pps_error *err;
};

struct pps_blocks pps_sweep_blocks(const struct pps_sweep *sweep);

// Takes the next task for a worker. Returns false if there are no more tasks.
bool pps_sweep_take(struct pps_sweep_pool *pool, struct pps_task *task);

// Ends the run for all workers; keeps the first error.
void pps_sweep_end(struct pps_sweep_pool *pool, enum pps_status status,
                   const struct pps_error *err);

// Takes ownership of the finished block with this number in the shard, and writes all blocks
// that are due.
void pps_sweep_hand_in(struct pps_sweep_pool *pool, uint64_t number,
                       struct pps_finished_block *made);

// Works as one thread of the pool until no task is left.
void pps_sweep_work(struct pps_sweep_pool *pool);
