// SPDX-License-Identifier: Apache-2.0
// Estimated blocks are in a heap, ordered by their start marks. The mark of block k is the work
// before it minus the work that all workers do while one worker makes block k. A block started
// at its mark is done when the blocks before it are done. Blocks of equal cost have marks in
// the order of blocks.
#include "engine/run/work_schedule.h"

#include "base/system/machine.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_SLOTS = 1 << 16,
    MEMORY_PART = 8, // waiting blocks take at most 1 / MEMORY_PART of the machine's memory
    FORETELL_BLOCKS = PPS_MAX_FORETOLD, // estimated at a time, and for each started block
    PARTS_PER_THREAD = 4, // the remaining work is cut into this many parts per thread
};

// Limits of the time of a part. Longer parts are split however much work remains; shorter parts
// are not worth their overhead.
static const double LONGEST_PART_NS = 40e6, SHORTEST_PART_NS = 0.5e6;

enum state { UNKNOWN, FORETOLD, STARTED, MADE };

struct slot {
    enum state state;
    uint32_t parts, parts_made;
    struct pps_foretold foretold;
    double mark;
    uint64_t heap_at; // position in the heap
    uint64_t bytes;
};

struct pps_work_schedule {
    struct pps_work_schedule_plan plan;
    uint64_t due;                   // next block to write
    uint64_t first;                 // all blocks before it have been started
    uint64_t asked;                 // all blocks before it are estimated or being estimated
    uint64_t marked;                // all blocks before it have marks
    double work;                    // estimated work of the blocks before `marked`
    double left;                    // the part of `work` that is not started
    double begun;                   // estimated work of the started blocks
    uint64_t credit;                // blocks to estimate before the next start
    uint64_t waiting;               // bytes of finished blocks
    uint64_t open;                  // the block whose parts are being started
    uint32_t open_part, open_parts; // both 0: none
    bool writing;
    struct slot *slots;
    uint64_t *heap; // marked blocks that are not started, lowest mark first
    uint64_t n_heap;
};

struct pps_ring pps_ring_default(int threads)
{
    const double most = pps_machine_memory() / MEMORY_PART;
    return (struct pps_ring){MOST_SLOTS,
                             (uint64_t)fmin((double)PPS_RING_THREAD_BYTES * threads, most)};
}

enum pps_status pps_work_schedule_open(struct pps_work_schedule **out,
                                       const struct pps_work_schedule_plan *plan,
                                       struct pps_error *err)
{
    const uint64_t n = plan->end - plan->first;
    struct pps_work_schedule *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return pps_fail_memory(err, "the pool");
    s->plan = *plan;
    if (s->plan.ring.slots > n)
        s->plan.ring.slots = n > 0 ? n : 1;
    s->due = s->first = s->asked = s->marked = plan->first;
    s->slots = calloc(s->plan.ring.slots, sizeof *s->slots);
    s->heap = calloc(s->plan.ring.slots, sizeof *s->heap);
    if (s->slots == NULL || s->heap == NULL) {
        pps_work_schedule_close(s);
        return pps_fail_memory(err, "the pool");
    }
    *out = s;
    return PPS_OK;
}

void pps_work_schedule_close(struct pps_work_schedule *s)
{
    if (s == NULL)
        return;
    free(s->slots);
    free(s->heap);
    free(s);
}

uint64_t pps_work_schedule_slots(const struct pps_work_schedule *s)
{
    return s->plan.ring.slots;
}

static struct slot *slot_of(const struct pps_work_schedule *s, uint64_t block)
{
    return &s->slots[block % s->plan.ring.slots];
}

// ---- marks ------------------------------------------------------------------------------------

static bool before(const struct pps_work_schedule *s, uint64_t one, uint64_t other)
{
    const double a = slot_of(s, one)->mark, b = slot_of(s, other)->mark;
    return a < b || (a <= b && one < other);
}

static void put(struct pps_work_schedule *s, uint64_t at, uint64_t block)
{
    s->heap[at] = block;
    slot_of(s, block)->heap_at = at;
}

// Puts the block at position `at` of the heap, and moves it up or down to its place.
static void settle(struct pps_work_schedule *s, uint64_t at, uint64_t block)
{
    for (; at > 0 && before(s, block, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(s, at, s->heap[(at - 1) / 2]);
    for (uint64_t child = 2 * at + 1; child < s->n_heap; child = 2 * at + 1) {
        if (child + 1 < s->n_heap && before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s, s->heap[child], block))
            break;
        put(s, at, s->heap[child]);
        at = child;
    }
    put(s, at, block);
}

static void take_out(struct pps_work_schedule *s, uint64_t block)
{
    const uint64_t last = s->heap[--s->n_heap];
    if (last != block)
        settle(s, slot_of(s, block)->heap_at, last);
}

// Returns the number of parts of about part_ns nanoseconds each.
static uint32_t parts_of(const struct pps_foretold *f, double part_ns)
{
    const double most = fmin((double)(f->n_points / f->together), PPS_MAX_PARTS);
    return (uint32_t)fmax(fmin(ceil(f->cost_ns / part_ns), most), 1);
}

uint32_t pps_foretold_parts(const struct pps_foretold *foretold)
{
    return parts_of(foretold, SHORTEST_PART_NS);
}

void pps_work_schedule_foretold(struct pps_work_schedule *s, uint64_t block, uint32_t n,
                                const struct pps_foretold *foretold)
{
    for (uint32_t i = 0; i < n; i++)
        *slot_of(s, block + i) = (struct slot){.state = FORETOLD, .foretold = foretold[i]};
    for (; s->marked < s->asked && slot_of(s, s->marked)->state == FORETOLD; s->marked++) {
        struct slot *slot = slot_of(s, s->marked);
        const double cost = slot->foretold.cost_ns;
        const double one_ns = cost / parts_of(&slot->foretold, LONGEST_PART_NS);
        slot->mark = s->work - s->plan.threads * one_ns;
        s->work += cost;
        s->left += cost;
        settle(s, s->n_heap++, s->marked);
    }
}

// ---- next task ------------------------------------------------------------------------------

static struct pps_task foretell(struct pps_work_schedule *s)
{
    const uint64_t limit = s->due + s->plan.ring.slots;
    const uint64_t most = (limit < s->plan.end ? limit : s->plan.end) - s->asked;
    const uint32_t n = most < FORETELL_BLOCKS ? (uint32_t)most : FORETELL_BLOCKS;
    const struct pps_task task = {.kind = PPS_TASK_FORETELL, .block = s->asked, .n = n};
    s->asked += n;
    s->credit -= s->credit < n ? s->credit : n;
    return task;
}

static bool is_ring_full(const struct pps_work_schedule *s)
{
    return s->asked == s->plan.end || s->asked == s->due + s->plan.ring.slots;
}

static void skip_started(struct pps_work_schedule *s)
{
    while (s->first < s->marked &&
           (s->first < s->due || slot_of(s, s->first)->state > FORETOLD))
        s->first++;
}

// Chooses the block to start. Returns false if none may start. Blocks start out of order while
// half of the room is free.
static bool choose(const struct pps_work_schedule *s, uint64_t *block)
{
    const bool any = s->first < s->marked;
    *block = any && s->waiting < s->plan.ring.bytes / 2 ? s->heap[0] : s->first;
    return any && (s->waiting < s->plan.ring.bytes || *block == s->due);
}

// Returns the time of a part of the block that starts now. The fewer blocks have started, the
// finer the parts: otherwise all threads finish their first block at the same time, and nothing
// is written before. The fewer blocks remain, the finer the parts, once all remaining blocks
// are estimated.
static double part_ns(const struct pps_work_schedule *s)
{
    const double threads = s->plan.threads;
    double ns = fmin(LONGEST_PART_NS, s->begun / threads);
    if (s->marked == s->plan.end)
        ns = fmin(ns, s->left / (PARTS_PER_THREAD * threads));
    return fmax(ns, SHORTEST_PART_NS);
}

static void start(struct pps_work_schedule *s, uint64_t block)
{
    struct slot *slot = slot_of(s, block);
    take_out(s, block);
    s->begun += slot->foretold.cost_ns;
    slot->state = STARTED;
    slot->parts = s->plan.threads > 1 ? parts_of(&slot->foretold, part_ns(s)) : 1;
    s->left = fmax(s->left - slot->foretold.cost_ns, 0);
    s->credit += FORETELL_BLOCKS;
    s->open = block;
    s->open_part = 0;
    s->open_parts = slot->parts;
}

static struct pps_task take_part(struct pps_work_schedule *s)
{
    const struct pps_foretold *f = &slot_of(s, s->open)->foretold;
    const uint64_t units = (f->n_points + f->together - 1) / f->together;
    const uint64_t part = s->open_part++, parts = s->open_parts;
    const uint64_t first = units * part / parts * f->together;
    const uint64_t end = units * (part + 1) / parts * f->together;
    return (struct pps_task){.kind = PPS_TASK_MAKE,
                             .block = s->open,
                             .part = (uint32_t)part,
                             .n = s->open_parts,
                             .first = first,
                             .n_points = (end < f->n_points ? end : f->n_points) - first};
}

struct pps_task pps_work_schedule_take(struct pps_work_schedule *s)
{
    uint64_t block;
    if (s->open_part < s->open_parts)
        return take_part(s);
    skip_started(s);
    if (!is_ring_full(s) && (s->n_heap == 0 || s->credit > 0))
        return foretell(s);
    if (choose(s, &block)) {
        start(s, block);
        return take_part(s);
    }
    return (struct pps_task){.kind = s->first == s->plan.end ? PPS_TASK_END : PPS_TASK_WAIT};
}

// ---- finished blocks ------------------------------------------------------------------------

bool pps_work_schedule_part_made(struct pps_work_schedule *s, uint64_t block)
{
    struct slot *slot = slot_of(s, block);
    return ++slot->parts_made == slot->parts;
}

void pps_work_schedule_made(struct pps_work_schedule *s, uint64_t block, uint64_t bytes)
{
    struct slot *slot = slot_of(s, block);
    slot->state = MADE;
    slot->bytes = bytes;
    s->waiting += bytes;
}

bool pps_work_schedule_write(struct pps_work_schedule *s, uint64_t *block)
{
    *block = s->due;
    if (s->writing || s->due == s->plan.end || slot_of(s, s->due)->state != MADE)
        return false;
    s->writing = true;
    return true;
}

void pps_work_schedule_written(struct pps_work_schedule *s)
{
    struct slot *slot = slot_of(s, s->due);
    s->waiting -= slot->bytes;
    *slot = (struct slot){.state = UNKNOWN};
    s->due++;
    s->writing = false;
}
