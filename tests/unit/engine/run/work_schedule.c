// SPDX-License-Identifier: Apache-2.0
// The schedule: the tasks that workers receive, and their effect in the model of many cores.
#include "engine/measure/heavy_tail.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const atomic_bool never = false;

static struct pps_coremodel run_tail(bool is_foretold, int cores)
{
    const struct pps_coretail tail = pps_coretail(600000, is_foretold);
    const struct pps_corecosts costs = pps_coretail_costs(&tail);
    const struct pps_work_schedule_plan plan = {0,
                                                pps_coretail_blocks(&tail),
                                                cores,
                                                {1 << 16, (uint64_t)cores << 24}};
    struct pps_coremodel model;
    struct pps_error err;
    cr_assert_eq(pps_coremodel_run(&plan, &costs, &never, &model, &err), PPS_OK);
    return model;
}

// With two blocks per thread in the ring, 64 cores reached a utilisation of 9 %.
Test(schedule, costly_points_do_not_stop_the_others)
{
    const double first = run_tail(true, 64).utilisation;
    const double second = run_tail(false, 64).utilisation;
    cr_log_info("64 cores: %.3f foretold, %.3f not", first, second);
    cr_expect(first >= 0.9, "%.3f", first);
    cr_expect(second >= 0.6, "%.3f", second);
    cr_expect(run_tail(true, 256).utilisation >= 0.75);
}

static struct pps_work_schedule *open_schedule(uint64_t n, int threads, uint64_t bytes)
{
    const struct pps_work_schedule_plan plan = {0, n, threads, {1 << 16, bytes}};
    struct pps_work_schedule *schedule;
    struct pps_error err;
    cr_assert_eq(pps_work_schedule_open(&schedule, &plan, &err), PPS_OK);
    return schedule;
}

// ---- equal blocks -----------------------------------------------------------------------------

static struct pps_foretold equal_foretold(const void *self, uint64_t block)
{
    (void)self;
    (void)block;
    return (struct pps_foretold){20e6, 14000, 16};
}

static double equal_make(const void *self, const struct pps_task *task)
{
    (void)self;
    return 12e-3 * (double)task->n_points / 14000;
}

static double equal_pack(const void *self, uint64_t block)
{
    (void)self;
    (void)block;
    return 8e-3;
}

static double equal_write(const void *self, uint64_t block)
{
    (void)self;
    (void)block;
    return 70e-6;
}

static uint64_t equal_bytes(const void *self, uint64_t block)
{
    (void)self;
    (void)block;
    return 230000;
}

// Catches a start at which all threads make whole blocks: they finish at the same time, nothing
// is written before, and the last blocks wait for the writer (256 cores: a utilisation of 77 %).
Test(schedule, first_blocks_finish_one_after_another)
{
    const struct pps_corecosts costs = {NULL,        equal_foretold, equal_make, equal_pack,
                                        equal_write, equal_bytes,    1e-6};
    const struct pps_work_schedule_plan plan = {0, 640, 256, {1 << 16, (uint64_t)256 << 24}};
    struct pps_coremodel model;
    struct pps_error err;
    cr_assert_eq(pps_coremodel_run(&plan, &costs, &never, &model, &err), PPS_OK);
    cr_expect(model.utilisation >= 0.85, "%.3f", model.utilisation);
    cr_expect(model.most_bytes <= 10 << 20, "%llu bytes wait",
              (unsigned long long)model.most_bytes);
}

// Catches parts of the first blocks that are finer than the threads can use.
Test(schedule, few_threads_split_few_blocks)
{
    struct pps_work_schedule *s = open_schedule(1000, 2, 1 << 30);
    uint64_t tasks = 0;
    for (struct pps_task task = pps_work_schedule_take(s); tasks < 10;
         task = pps_work_schedule_take(s)) {
        struct pps_foretold foretold[PPS_MAX_FORETOLD];
        for (uint32_t i = 0; task.kind == PPS_TASK_FORETELL && i < task.n; i++)
            foretold[i] = equal_foretold(NULL, task.block + i);
        if (task.kind == PPS_TASK_FORETELL) {
            pps_work_schedule_foretold(s, task.block, task.n, foretold);
            continue;
        }
        cr_expect_eq(task.n, tasks++ < 2 ? 2 : 1, "block %llu in %u parts",
                     (unsigned long long)task.block, task.n);
    }
    pps_work_schedule_close(s);
}

// ---- single decisions -------------------------------------------------------------------------

// Returns the next task that is not an estimate; block `costly` costs 100 times as much as
// other blocks, which take 1 ms.
static struct pps_task next_make(struct pps_work_schedule *s, uint64_t costly)
{
    for (;;) {
        const struct pps_task task = pps_work_schedule_take(s);
        struct pps_foretold foretold[PPS_MAX_FORETOLD];
        if (task.kind != PPS_TASK_FORETELL)
            return task;
        for (uint32_t i = 0; i < task.n; i++)
            foretold[i] = (struct pps_foretold){task.block + i == costly ? 1e8 : 1e6, 1, 1};
        pps_work_schedule_foretold(s, task.block, task.n, foretold);
    }
}

static void finish(struct pps_work_schedule *s, uint64_t block, uint64_t bytes)
{
    uint64_t due;
    pps_work_schedule_made(s, block, bytes);
    while (pps_work_schedule_write(s, &due))
        pps_work_schedule_written(s);
}

// Blocks of equal cost are started in order: an interruption then loses least.
Test(schedule, equal_blocks_go_in_order)
{
    struct pps_work_schedule *s = open_schedule(1000, 8, 1 << 20);
    for (uint64_t b = 0; b < 1000; b++) {
        const struct pps_task task = next_make(s, UINT64_MAX);
        cr_assert_eq(task.kind, PPS_TASK_MAKE);
        cr_assert_eq(task.block, b);
        finish(s, b, 100);
    }
    cr_assert_eq(next_make(s, UINT64_MAX).kind, PPS_TASK_END);
    pps_work_schedule_close(s);
}

// A block of 100 ms is started when the 4 threads still have about 100 ms of other work before
// it, and not as soon as its cost is known, when its rows would only wait.
Test(schedule, a_costly_block_is_started_early)
{
    struct pps_work_schedule *s = open_schedule(2000, 4, 1 << 20);
    uint64_t at = UINT64_MAX;
    for (uint64_t b = 0; b < 2000 && at == UINT64_MAX; b++) {
        const struct pps_task task = next_make(s, 1000);
        cr_assert_eq(task.kind, PPS_TASK_MAKE);
        if (task.block == 1000)
            at = b;
        else
            finish(s, task.block, 100);
    }
    cr_expect(at >= 590 && at <= 610, "started as number %llu", (unsigned long long)at);
    pps_work_schedule_close(s);
}

// While the first block is being made, the other blocks may fill the bytes of the ring but no
// more; when the first block is written, the work continues.
Test(schedule, waiting_blocks_are_bounded)
{
    struct pps_work_schedule *s = open_schedule(100, 2, 1000);
    cr_assert_eq(next_make(s, UINT64_MAX).block, 0);
    uint64_t made = 0;
    for (struct pps_task task; (task = next_make(s, UINT64_MAX)).kind == PPS_TASK_MAKE; made++)
        finish(s, task.block, 100);
    cr_assert_eq(made, 10);
    cr_assert_eq(next_make(s, UINT64_MAX).kind, PPS_TASK_WAIT);
    finish(s, 0, 100);
    cr_assert_eq(next_make(s, UINT64_MAX).block, 11);
    pps_work_schedule_close(s);
}

// A long block is split; its parts contain every point once, and whole groups of points that
// run together.
Test(schedule, parts_cover_a_block)
{
    const uint64_t sizes[] = {1, 7, 8, 9, 100, 1000, 1001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct pps_work_schedule *s = open_schedule(1, 16, 1000);
        const struct pps_foretold foretold = {1e9, sizes[i], 8};
        struct pps_task task = pps_work_schedule_take(s);
        uint64_t next = 0;
        cr_assert_eq(task.kind, PPS_TASK_FORETELL);
        pps_work_schedule_foretold(s, 0, 1, &foretold);
        for (uint32_t part = 0; part == 0 || part < task.n; part++) {
            task = pps_work_schedule_take(s);
            cr_assert_eq(task.kind, PPS_TASK_MAKE);
            cr_assert_eq(task.part, part);
            cr_assert_eq(task.first, next);
            cr_assert(task.n_points > 0 && task.first % 8 == 0);
            next += task.n_points;
        }
        cr_assert_eq(next, sizes[i]);
        cr_assert(sizes[i] < 16 || task.n > 1);
        pps_work_schedule_close(s);
    }
}

// For any estimated costs and any durations: every part is made once, nothing waits for ever,
// and no more bytes wait than the ring holds, besides the blocks that threads are making.
struct any {
    uint64_t seed;
};

static uint64_t any_bits(const void *self, uint64_t block, uint64_t purpose)
{
    const struct any *any = self;
    uint64_t x = (any->seed * 64 + purpose) * 0x9E3779B97F4A7C15u + block * 0xD1B54A32D192ED03u;
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9u;
    return x ^ (x >> 29);
}

static struct pps_foretold any_foretold(const void *self, uint64_t block)
{
    const double cost = pow(10, (double)(any_bits(self, block, 1) % 12));
    return (struct pps_foretold){cost, 1 + any_bits(self, block, 2) % 100,
                                 1 + any_bits(self, block, 3) % 9};
}

static double any_s(const void *self, uint64_t block)
{
    return 1e-6 * (double)(any_bits(self, block, 4) % 100000);
}

static double any_make(const void *self, const struct pps_task *task)
{
    return any_s(self, task->block) / task->n;
}

static double any_write(const void *self, uint64_t block)
{
    return 0.01 * any_s(self, block);
}

static uint64_t any_bytes(const void *self, uint64_t block)
{
    return 1 + any_bits(self, block, 5) % 1000;
}

Test(schedule, any_costs_come_to_an_end)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct any any = {seed};
        const int cores = 1 + (int)(any_bits(&any, 0, 6) % 40);
        const struct pps_ring ring = {2 + any_bits(&any, 0, 7) % 50,
                                      any_bits(&any, 0, 8) % 20000};
        const struct pps_work_schedule_plan plan = {seed, seed + any_bits(&any, 0, 9) % 700,
                                                    cores, ring};
        const struct pps_corecosts costs = {&any,      any_foretold, any_make, any_write,
                                            any_write, any_bytes,    1e-5};
        struct pps_coremodel model;
        struct pps_error err;
        double made_s = 0;
        cr_assert_eq(pps_coremodel_run(&plan, &costs, &never, &model, &err), PPS_OK);
        for (uint64_t b = plan.first; b < plan.end; b++)
            made_s += 1.01 * any_s(&any, b);
        cr_expect(fabs(model.made_s - made_s) <= 1e-9 * made_s, "seed %llu",
                  (unsigned long long)seed);
        cr_expect(model.most_bytes <= ring.bytes + 1000 * (uint64_t)cores, "seed %llu",
                  (unsigned long long)seed);
    }
}
