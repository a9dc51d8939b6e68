// SPDX-License-Identifier: Apache-2.0
// Measures a sample of a sweep.
#include "engine/measure/calibrate.h"

#include "base/system/machine.h"
#include "engine/pack/packer.h"
#include "engine/run/row_maker.h"

#include <stdlib.h>

enum { LOOK_AT_CLOCK = 1024 }; // points between looks, which then cost nothing that shows

struct sample {
    double points, rows, text_bytes, data_bytes, seconds;
    double unfinished; // points in progress when the time was up
    struct pps_left_out left_out[PPS_MAX_REASONS];
};

// ---- counting skipped points ------------------------------------------------------------------

// Adds the number of rows of points `first` to `end` (exclusive). Returns false if the time is
// up.
static bool count_block(struct pps_cursor *cursor, uint64_t first, uint64_t end,
                        double deadline, struct pps_forecast *f, uint64_t *rows)
{
    uint64_t steps = 0;
    pps_cursor_seek(cursor, cursor->space, first);
    while (cursor->index < end) {
        if (pps_cursor_next_within(cursor, end, LOOK_AT_CLOCK, f->left_out)) {
            ++*rows;
            pps_cursor_step(cursor);
            if (++steps % LOOK_AT_CLOCK != 0)
                continue;
        }
        if (pps_wall_seconds() > deadline)
            return cursor->index >= end;
    }
    return true;
}

static enum pps_status count_rows(const struct pps_experiment *e, struct pps_shard shard,
                                  double seconds, struct pps_forecast *f, struct pps_error *err)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    // Without shards, all points are one block: rules skip more points at once.
    const struct pps_blocks blocks = {e->n_points,
                                      shard.count > 1 ? pps_block_points(e) : e->n_points};
    const uint64_t n = pps_shard_blocks(shard, blocks);
    const double deadline = pps_wall_seconds() + seconds;
    uint64_t rows = 0;
    bool in_time = true;
    if (cursor == NULL)
        return pps_fail_memory(err, "the counts of points");
    cursor->space = &e->space;
    for (uint64_t i = 0; i < n && in_time; i++) {
        const uint64_t block = pps_shard_block(shard, i);
        const uint64_t first = block * blocks.block_points;
        in_time = count_block(cursor, first, first + pps_blocks_points(blocks, block), deadline,
                              f, &rows);
        if (i + 1 < n && pps_wall_seconds() > deadline)
            in_time = false;
    }
    f->exact = in_time;
    f->rows = (double)rows;
    free(cursor);
    return PPS_OK;
}

// ---- running a sample -------------------------------------------------------------------------

static enum pps_status run_stretch(struct pps_rowmaker *maker, struct pps_packer *packer,
                                   const atomic_bool *stop, uint64_t first, uint64_t n,
                                   struct sample *sample, struct pps_error *err)
{
    struct pps_rows rows;
    enum pps_status status = pps_rowmaker_make(maker, first, n, stop, &rows, err);
    if (status == PPS_OK && rows.stopped)
        sample->unfinished = (double)n;
    if (status != PPS_OK || rows.stopped)
        return status;
    const void *data;
    size_t n_data;
    status = pps_packer_pack(packer, rows.text, rows.n, &data, &n_data, err);
    if (status != PPS_OK)
        return status;
    sample->data_bytes += (double)n_data;
    sample->points += (double)n;
    sample->rows += (double)rows.counts.rows;
    sample->text_bytes += (double)rows.n;
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        sample->left_out[r].n += rows.counts.left_out[r].n;
    return PPS_OK;
}

// A permutation of 0 ... n-1 whose first elements are spread evenly: multiples of a step of
// about 0.618 n that is coprime to n.
static uint64_t spread(uint64_t s, uint64_t n)
{
    uint64_t step = (uint64_t)(0.618033988749895 * (double)n) | 1;
    for (uint64_t a = n, b = step; b != 0;) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
        if (b == 0 && a != 1) {
            step += 2;
            a = n;
            b = step;
        }
    }
    return (uint64_t)((__uint128_t)s * step % n);
}

// Runs stretches of points that cover the blocks ever more evenly, until the time is up or all
// points are covered.
static enum pps_status run_sample(const struct pps_experiment *e, struct pps_shard shard,
                                  struct pps_rowmaker *maker, struct pps_packer *packer,
                                  double seconds, const atomic_bool *stop,
                                  struct sample *sample, struct pps_error *err)
{
    const struct pps_blocks blocks = {e->n_points, pps_block_points(e)};
    const uint64_t size = blocks.block_points;
    const uint64_t stretch = size > 16 * PPS_BATCH ? 16 * PPS_BATCH : size;
    const uint64_t in_block = size / stretch + (size % stretch != 0);
    const uint64_t n_stretches = pps_shard_blocks(shard, blocks) * in_block;
    const double start = pps_wall_seconds();
    for (uint64_t s = 0; s < n_stretches; s++) {
        const uint64_t at = spread(s, n_stretches), begin = at % in_block * stretch;
        const uint64_t block = pps_shard_block(shard, at / in_block);
        const uint64_t points = pps_blocks_points(blocks, block);
        if (begin >= points) // the last block is shorter
            continue;
        const uint64_t left = points - begin;
        enum pps_status status = run_stretch(maker, packer, stop, block * size + begin,
                                             left < stretch ? left : stretch, sample, err);
        if (status != PPS_OK)
            return status;
        sample->seconds = pps_wall_seconds() - start;
        if (sample->seconds > seconds || sample->unfinished > 0)
            break;
    }
    return PPS_OK;
}

static void scale(const struct sample *s, struct pps_forecast *f)
{
    const double n = (double)f->points, begun = s->points + s->unfinished;
    if (begun == 0) // a shard without a block
        return;
    f->point_s = s->seconds / begun;
    f->at_least = s->unfinished > 0;
    if (s->points == 0)
        return;
    if (!f->exact) {
        f->rows = s->rows / s->points * n;
        for (int r = 0; r < PPS_MAX_REASONS; r++)
            f->left_out[r].n = (uint64_t)((double)s->left_out[r].n / s->points * n);
    }
    if (s->rows > 0) {
        f->text_bytes = s->text_bytes / s->rows * f->rows;
        f->data_bytes = s->data_bytes / s->rows * f->rows;
    }
}

enum pps_status pps_calibrate(const struct pps_experiment *e, struct pps_shard shard,
                              struct pps_codec_choice choice, double seconds,
                              const atomic_bool *stop, struct pps_forecast *forecast,
                              struct pps_error *err)
{
    struct sample sample = {.points = 0};
    struct pps_rowmaker *maker = NULL;
    struct pps_packer *packer = NULL;
    const struct pps_blocks blocks = {e->n_points, pps_block_points(e)};
    *forecast = (struct pps_forecast){
        .points = pps_shard_points(shard, blocks, pps_shard_blocks(shard, blocks)),
    };
    const double before = pps_peak_memory();
    enum pps_status status = count_rows(e, shard, seconds / 2, forecast, err);
    if (status == PPS_OK)
        status = pps_rowmaker_open(&maker, &(struct pps_row_settings){.experiment = e}, err);
    if (status == PPS_OK)
        status = pps_packer_open(&packer, choice, e, err);
    if (status == PPS_OK)
        status = run_sample(e, shard, maker, packer, seconds, stop, &sample, err);
    if (status == PPS_OK)
        scale(&sample, forecast);
    forecast->worker_bytes = pps_peak_memory() - before;
    pps_packer_close(packer);
    pps_rowmaker_close(maker);
    return status;
}
