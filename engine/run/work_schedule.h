// SPDX-License-Identifier: Apache-2.0
// The schedule decides which worker does what, and when, without threads or a clock. Both the
// thread pool (sweep_pool.c) and the model of many cores (core_model.c) use it. Not thread-safe:
// callers hold a lock.
//
// Blocks are written in ascending order but may be made in another order. A finished block
// waits in a ring until all blocks before it are written. Workers estimate the costs of the
// next blocks. A block whose cost is far above its neighbours' starts early enough to be done
// when its turn comes. A block that takes long, or is one of the first or last, is made in
// parts by several workers.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MAX_PARTS = 64, PPS_MAX_FORETOLD = 4, PPS_RING_THREAD_BYTES = 16 << 20 };

// Limits of the ring: both limit how far workers run ahead of the block that is written next.
struct pps_ring {
    uint64_t slots; // in blocks
    uint64_t bytes; // of waiting blocks; the next one is always made
};

// Returns the default limits: 16 MiB per thread (more than a second of the densest rows), at
// most an eighth of the machine's memory.
struct pps_ring pps_ring_default(int threads);

struct pps_work_schedule_plan {
    uint64_t first, end; // blocks first ... end - 1
    int threads;
    struct pps_ring ring;
};

// The estimate of a block.
struct pps_foretold {
    double cost_ns;
    uint64_t n_points;
    uint64_t together; // points that the kernel runs together; a part is a multiple of them
};

// Returns into how many parts, each worth a thread, the block can be split.
uint32_t pps_foretold_parts(const struct pps_foretold *foretold);

enum pps_task_kind {
    PPS_TASK_END,  // nothing left to start
    PPS_TASK_WAIT, // ask again after pps_work_schedule_foretold or pps_work_schedule_written
    // estimate the costs of blocks `block` ... `block` + `n` - 1; n <= PPS_MAX_FORETOLD
    PPS_TASK_FORETELL,
    // make part `part` of `n` of the block: `n_points` points, from its point `first`
    PPS_TASK_MAKE,
};

struct pps_task {
    enum pps_task_kind kind;
    uint64_t block;
    uint32_t part, n;
    uint64_t first, n_points;
};

struct pps_work_schedule;

// Returns PPS_E_MACHINE if memory runs out. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_work_schedule_open(struct pps_work_schedule **schedule,
                                                      const struct pps_work_schedule_plan *plan,
                                                      struct pps_error *err);
void pps_work_schedule_close(struct pps_work_schedule *schedule); // NULL is fine

// Returns the slots of the ring: no more than there are blocks, and at least one.
uint64_t pps_work_schedule_slots(const struct pps_work_schedule *schedule);

// Returns the next task of a worker without work.
struct pps_task pps_work_schedule_take(struct pps_work_schedule *schedule);

// Reports the result of PPS_TASK_FORETELL: the estimates of all its n blocks.
void pps_work_schedule_foretold(struct pps_work_schedule *schedule, uint64_t block, uint32_t n,
                                const struct pps_foretold *foretold);

// Reports that a part of the block is made. Returns true after the last part; the caller then
// joins the parts.
bool pps_work_schedule_part_made(struct pps_work_schedule *schedule, uint64_t block);

// Reports that the block is complete and waits with this number of bytes.
void pps_work_schedule_made(struct pps_work_schedule *schedule, uint64_t block, uint64_t bytes);

// Returns true if a block is due to be written and no worker is writing; the caller then writes
// *block, calls pps_work_schedule_written, and repeats until pps_work_schedule_write returns false.
bool pps_work_schedule_write(struct pps_work_schedule *schedule, uint64_t *block);
void pps_work_schedule_written(struct pps_work_schedule *schedule);
