// SPDX-License-Identifier: Apache-2.0
// Measures evenly spread blocks of the default sweep: one thread makes and writes them. In the
// model, a measured block stands for the blocks up to the next measured block.
#include "engine/measure/many_cores.h"

#include "base/system/machine.h"
#include "engine/measure/benchmark_private.h"
#include "engine/measure/heavy_tail.h"
#include "engine/measure/points_in_memory.h"
#include "engine/run/block_cost.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BLOCKS = 100, TAIL_POINTS = 1000 * 1000 };

struct measured {
    struct pps_experiment *experiment;
    struct pps_cursor *cursor;
    struct pps_blocks blocks;
    uint64_t n_blocks, stride; // every stride-th block is measured
    uint64_t n;                // number of measured blocks
    struct pps_bench_block of[MOST_BLOCKS];
    double pack_share; // share of compression in the time to make a block
    double write_s;    // median per block: excludes the syncs that come once per second
    double foretell_s;
};

// ---- measuring --------------------------------------------------------------------------------

static enum pps_status measure_with(const struct pps_bench *b, const char *path,
                                    struct pps_codec_choice codec, struct measured *m,
                                    double *make_s)
{
    struct pps_bench_watch watch = {.blocks = m->of, .cap = MOST_BLOCKS};
    double unused;
    struct pps_sweep sweep = pps_bench_sweep(b, m->experiment, 1, &unused);
    sweep.block_points = m->blocks.block_points;
    sweep.shard = (struct pps_shard){0, (uint32_t)m->stride};
    sweep.codec = codec;
    enum pps_status status = pps_bench_sweep_to_file(b, sweep, path, &watch, &unused);
    pps_bench_remove(path);
    m->n = watch.n;
    *make_s = 0;
    for (uint64_t i = 0; i < watch.n; i++)
        *make_s += watch.blocks[i].make_s;
    return status;
}

static double mean_rows(const struct measured *m)
{
    double rows = 0;
    for (uint64_t i = 0; i < m->n; i++)
        rows += (double)m->of[i].rows;
    return rows > 0 ? rows / (double)m->n : 1;
}

static double median_write(const struct measured *m)
{
    double write_s[MOST_BLOCKS];
    for (uint64_t i = 0; i < m->n; i++)
        write_s[i] = m->of[i].write_s;
    return m->n > 0 ? pps_bench_median(write_s, (int)m->n) : 0;
}

// Measures the blocks without and with compression; the difference is the time of compression.
static enum pps_status measure(const struct pps_bench *b, const char *folder, void *self)
{
    struct measured *m = self;
    char plain[4096], packed[4096];
    double plain_s = 0, packed_s = 0;
    snprintf(plain, sizeof plain, "%s/blocks.csv", folder);
    snprintf(packed, sizeof packed, "%s/blocks.csv.gz", folder);
    enum pps_status status =
        measure_with(b, plain, (struct pps_codec_choice){PPS_CODEC_NONE, 0}, m, &plain_s);
    if (status == PPS_OK)
        status =
            measure_with(b, packed, (struct pps_codec_choice){PPS_CODEC_ZLIB, 1}, m, &packed_s);
    m->write_s = median_write(m);
    m->pack_share = packed_s > plain_s ? 1 - plain_s / packed_s : 0;
    return status;
}

static struct pps_foretold foretold(const void *self, uint64_t block)
{
    const struct measured *m = self;
    return pps_block_cost(m->cursor, m->experiment, block * m->blocks.block_points,
                          pps_blocks_points(m->blocks, block));
}

static void time_foretelling(struct measured *m)
{
    const double start = pps_thread_seconds();
    for (uint64_t i = 0; i < m->n; i++)
        (void)foretold(m, i * m->stride);
    m->foretell_s = (pps_thread_seconds() - start) / (double)m->n;
}

static enum pps_status open_measured(const struct pps_bench *b, struct measured *m)
{
    enum pps_status status = pps_bench_load_long(b, b->kernel, false, 0, &m->experiment);
    if (status != PPS_OK)
        return status;
    m->cursor = calloc(1, sizeof *m->cursor);
    if (m->cursor == NULL)
        return pps_fail_memory(b->err, "a benchmark");
    m->blocks = (struct pps_blocks){m->experiment->n_points, pps_block_points(m->experiment)};
    m->n_blocks = pps_blocks_count(m->blocks);
    m->stride = (m->n_blocks + MOST_BLOCKS - 1) / MOST_BLOCKS;
    status = pps_bench_in_folder(b, measure, m);
    if (status == PPS_OK)
        time_foretelling(m);
    return status;
}

// ---- what the model asks ----------------------------------------------------------------------

static const struct pps_bench_block *block_like(const struct measured *m, uint64_t block)
{
    return &m->of[block / m->stride];
}

static double make_s(const void *self, const struct pps_task *task)
{
    const struct measured *m = self;
    const double part =
        (double)task->n_points / (double)pps_blocks_points(m->blocks, task->block);
    return block_like(m, task->block)->make_s * (1 - m->pack_share) * part;
}

static double pack_s(const void *self, uint64_t block)
{
    const struct measured *m = self;
    return block_like(m, block)->make_s * m->pack_share;
}

static double write_s(const void *self, uint64_t block)
{
    (void)block;
    return ((const struct measured *)self)->write_s;
}

static uint64_t bytes(const void *self, uint64_t block)
{
    return block_like(self, block)->bytes;
}

// ---- the whole --------------------------------------------------------------------------------

static enum pps_status run_models(const struct pps_bench *b, const struct pps_corecosts *costs,
                                  const struct pps_bench_cores *cores,
                                  struct pps_bench_core_sweep *sweep)
{
    enum pps_status status = PPS_OK;
    for (int c = 0; c < cores->n_cores && status == PPS_OK; c++) {
        // Memory of a machine with this number of cores, not of this machine.
        struct pps_ring ring = pps_ring_default(1);
        ring.bytes = (uint64_t)PPS_RING_THREAD_BYTES * (uint64_t)cores->cores[c];
        const struct pps_work_schedule_plan plan = {0, sweep->n_blocks, cores->cores[c], ring};
        status = pps_coremodel_run(&plan, costs, b->ask->stop, &sweep->model[c], b->err);
        sweep->block_s = sweep->model[c].made_s / (double)sweep->n_blocks;
    }
    return status;
}

static enum pps_status run_measured(const struct pps_bench *b, struct pps_bench_cores *cores)
{
    struct measured m = {.experiment = NULL};
    struct pps_bench_core_sweep *sweep = &cores->sweeps[0];
    enum pps_status status = open_measured(b, &m);
    cores->write_row_s = m.write_s / mean_rows(&m);
    *sweep = (struct pps_bench_core_sweep){.name = "default sweep", .n_blocks = m.n_blocks};
    const struct pps_corecosts costs = {&m,      foretold, make_s,      pack_s,
                                        write_s, bytes,    m.foretell_s};
    if (status == PPS_OK)
        status = run_models(b, &costs, cores, sweep);
    free(m.cursor);
    pps_experiment_free(m.experiment);
    return status;
}

static enum pps_status run_tail(const struct pps_bench *b, struct pps_bench_cores *cores,
                                bool is_foretold, struct pps_bench_core_sweep *sweep)
{
    const struct pps_coretail tail = pps_coretail(TAIL_POINTS, is_foretold);
    const struct pps_corecosts costs = pps_coretail_costs(&tail);
    *sweep = (struct pps_bench_core_sweep){.name = is_foretold ? "heavy tail"
                                                               : "heavy tail, not predicted",
                                           .n_blocks = pps_coretail_blocks(&tail)};
    return run_models(b, &costs, cores, sweep);
}

enum pps_status pps_benchcores_run(const struct pps_bench_ask *ask,
                                   struct pps_bench_cores *cores, struct pps_error *err)
{
    const struct pps_bench b = {.ask = ask, .kernel = ask->kernel, .err = err};
    cores->kernel = ask->kernel;
    enum pps_status status = run_measured(&b, cores);
    if (status == PPS_OK)
        status = run_tail(&b, cores, true, &cores->sweeps[1]);
    if (status == PPS_OK)
        status = run_tail(&b, cores, false, &cores->sweeps[2]);
    return status;
}
