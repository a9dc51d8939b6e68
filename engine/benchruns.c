// SPDX-License-Identifier: Apache-2.0
// Whole runs: their speed over threads, and how much of them is the kernel's.
#include "benchparts.h"

#include "audit.h"
#include "benchpoints.h"
#include "machine.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCKS_PER_THREAD = 16, PLAIN_POINTS = 64 * PPS_BATCH };

// Adds up the bytes.
static enum pps_status nowhere(void *self, const struct pps_block *block, struct pps_error *err)
{
    double *bytes = self;
    (void)err;
    *bytes += (double)block->data_bytes;
    return PPS_OK;
}

// A row a point, or the rows are not what was measured.
static enum pps_status check(const struct pps_bench *b, const struct pps_totals *totals)
{
    uint64_t left_out = 0;
    if (!totals->complete)
        return pps_fail(b->err, PPS_E_STOPPED, "stopped");
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        left_out += totals->left_out[r].n;
    if (totals->rows + left_out == totals->points && totals->failed == 0)
        return PPS_OK;
    return pps_fail(b->err, PPS_E_POINTS, "%llu points gave %llu rows",
                    (unsigned long long)totals->points, (unsigned long long)totals->rows);
}

enum pps_status pps_bench_sweep_once(const struct pps_bench *b,
                                     const struct pps_sweep *sweep,
                                     struct pps_totals *totals)
{
    enum pps_status status = pps_sweep_run(sweep, totals, b->err);
    pps_totals_free(totals);
    return status == PPS_OK ? check(b, totals) : status;
}

struct pps_sweep pps_bench_sweep(const struct pps_bench *b,
                                 const struct pps_experiment *e,
                                 int threads,
                                 double *bytes)
{
    const uint64_t most = pps_block_points(e);
    const uint64_t fair = e->n_points / (uint64_t)(threads * BLOCKS_PER_THREAD) + 1;
    return (struct pps_sweep){.experiment = e,
                              .block_points = fair < most ? fair : most,
                              .threads = threads,
                              .codec = {PPS_CODEC_ZLIB, 1},
                              .sink = {bytes, nowhere},
                              .stop = b->ask->stop};
}

// ---- over threads -----------------------------------------------------------------------------

static enum pps_status time_scale(const struct pps_bench *b, int threads, uint64_t points)
{
    struct pps_bench_scale *scale = &b->out->scales[b->out->n_scales];
    double wall_s[PPS_BENCH_REPEATS];
    struct pps_experiment *e = NULL;
    enum pps_status status = pps_bench_load_long(b, b->kernel, false, points, &e);
    for (int r = 0; r < b->effort.repeats && status == PPS_OK; r++) {
        double bytes = 0;
        const struct pps_sweep sweep = pps_bench_sweep(b, e, threads, &bytes);
        struct pps_totals totals;
        status = pps_bench_sweep_once(b, &sweep, &totals);
        wall_s[r] = totals.wall_s;
    }
    if (status == PPS_OK) {
        scale->threads = threads;
        scale->points = e->n_points;
        scale->points_s = (double)e->n_points / pps_bench_median(wall_s, b->effort.repeats);
        b->out->n_scales++;
    }
    pps_experiment_free(e);
    return status;
}

// 1, 2, 4 ... and the most; as many points as keep each of them busy for a while.
static enum pps_status time_scales(const struct pps_bench *b, uint64_t points)
{
    enum pps_status status = PPS_OK;
    const int most = b->ask->threads;
    for (int t = 1; status == PPS_OK && b->out->n_scales < PPS_BENCH_SCALES; t *= 2) {
        const int threads = t < most ? t : most;
        status = time_scale(b, threads, points * (uint64_t)threads);
        if (threads == most)
            break;
    }
    return status;
}

// ---- against the kernel alone -----------------------------------------------------------------

// Both take neighbours together, since kernels may know how to gain by that. Turn by turn, so that
// whatever else the machine does disturbs both alike.
static enum pps_status time_both(const struct pps_bench *b,
                                 struct pps_benchpoints *plain,
                                 const struct pps_experiment *e)
{
    double kernel_s[PPS_BENCH_REPEATS], run_s[PPS_BENCH_REPEATS];
    for (int r = 0; r < b->effort.repeats; r++) {
        double bytes = 0;
        const struct pps_sweep sweep = pps_bench_sweep(b, e, 1, &bytes);
        struct pps_totals totals;
        enum pps_status status =
            pps_benchpoints_time(plain, b->kernel->run, 0, b->ask->stop, &kernel_s[r], b->err);
        if (status == PPS_OK)
            status = pps_bench_sweep_once(b, &sweep, &totals);
        if (status != PPS_OK)
            return status;
        run_s[r] = totals.cpu_s / (double)e->n_points;
    }
    b->out->kernel_point_s = pps_bench_median(kernel_s, b->effort.repeats);
    b->out->run_point_s = pps_bench_median(run_s, b->effort.repeats);
    b->out->run_events = pps_benchpoints_events(plain);
    return PPS_OK;
}

static enum pps_status time_share(const struct pps_bench *b, uint64_t points)
{
    struct pps_experiment *e = NULL;
    struct pps_benchpoints *plain = NULL;
    enum pps_status status = pps_bench_load_long(b, b->kernel, false, points, &e);
    if (status == PPS_OK)
        status = pps_benchpoints_open(&plain, e, PLAIN_POINTS, PPS_BATCH, b->err);
    if (status == PPS_OK)
        status = time_both(b, plain, e);
    pps_benchpoints_close(plain);
    pps_experiment_free(e);
    return status;
}

enum pps_status pps_bench_time_runs(const struct pps_bench *b)
{
    const double about_s = b->out->cells[0].point_s + b->out->codecs[0].row_s;
    const uint64_t points = (uint64_t)(b->effort.run_s / about_s) + 1;
    enum pps_status status = time_share(b, points);
    return status == PPS_OK ? time_scales(b, points) : status;
}
