// SPDX-License-Identifier: Apache-2.0
// Which worker does what, and when: the decisions of a sweep, without threads or a clock. The pool
// of threads (sweep.c) and the model of many cores (coremodel.c) both ask here. Not thread-safe:
// callers hold a lock.
//
// Blocks are written in ascending order, but need not be made in that order. A block waits in a
// ring until all before it are written. Workers foretell the costs of the blocks ahead; a block
// whose cost is far above its neighbours' is started so early that it is done when its turn comes,
// and a block that takes long, or is one of the last, is made in parts by several workers.
#ifndef PPS_SCHEDULE_H
#define PPS_SCHEDULE_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MAX_PARTS = 64, PPS_MAX_FORETOLD = 4, PPS_RING_THREAD_BYTES = 16 << 20 };

// Sizes of the ring: both limit how far workers run ahead of the block that is written next.
struct pps_ring {
    uint64_t slots; // blocks
    uint64_t
        bytes; // of finished blocks that wait; the block written next is made whatever waits
};

// As deep as memory allows: 16 MiB a thread (more than a second of the densest rows), at most an
// eighth of the machine's memory.
struct pps_ring pps_ring_default(int threads);

struct pps_schedule_plan {
    uint64_t first, end; // blocks to be made
    int threads;
    struct pps_ring ring;
};

// What is foretold of a block.
struct pps_foretold {
    double cost_ns;
    uint64_t n_points;
    uint64_t together; // points that the kernel runs together: a part has some of these, whole
};

// Into how many parts, each worth a thread, the block can be split.
uint32_t pps_foretold_parts(const struct pps_foretold *foretold);

enum pps_task_kind {
    PPS_TASK_END,      // nothing left to start
    PPS_TASK_WAIT,     // ask again after pps_schedule_foretold or pps_schedule_written
    PPS_TASK_FORETELL, // the costs of `n` blocks from `block` on, n at most PPS_MAX_FORETOLD
    PPS_TASK_MAKE,     // part `part` of `n` of the block: `n_points` from its point `first` on
};

struct pps_task {
    enum pps_task_kind kind;
    uint64_t block;
    uint32_t part, n;
    uint64_t first, n_points;
};

struct pps_schedule;

// PPS_E_MACHINE without memory; *schedule may be closed in every case.
PPS_MUST_CHECK enum pps_status pps_schedule_open(struct pps_schedule **schedule,
                                                 const struct pps_schedule_plan *plan,
                                                 struct pps_error *err);
void pps_schedule_close(struct pps_schedule *schedule); // NULL is fine

// What a worker without work does next.
struct pps_task pps_schedule_take(struct pps_schedule *schedule);

// The answer to PPS_TASK_FORETELL, for all its blocks.
void pps_schedule_foretold(struct pps_schedule *schedule,
                           uint64_t block,
                           uint32_t n,
                           const struct pps_foretold *foretold);

// A part of the block is made; true: it was the last, and the caller joins them.
bool pps_schedule_part_made(struct pps_schedule *schedule, uint64_t block);

// The block is whole and waits with so many bytes.
void pps_schedule_made(struct pps_schedule *schedule, uint64_t block, uint64_t bytes);

// Whether a block is due to be written and nobody is writing: the caller then is. It writes until
// this is false.
bool pps_schedule_write(struct pps_schedule *schedule, uint64_t *block);
void pps_schedule_written(struct pps_schedule *schedule);

#endif
