// SPDX-License-Identifier: Apache-2.0
// Measures whole runs: their speed for several numbers of threads, and the share of the kernel.
#include "engine/measure/benchmark_private.h"

#include "base/system/machine.h"
#include "engine/measure/points_in_memory.h"
#include "engine/run/audit.h"

#include <stdlib.h>

enum { BLOCKS_PER_THREAD = 16, PLAIN_POINTS = 64 * PPS_BATCH };

// Discards a block and adds its bytes to a sum.
static enum pps_status nowhere(void *self, const struct pps_block *block, struct pps_error *err)
{
    double *bytes = self;
    (void)err;
    *bytes += (double)block->data_bytes;
    return PPS_OK;
}

// Checks that every point that is not skipped has a row.
static enum pps_status check(const struct pps_bench *b, const struct pps_totals *totals)
{
    uint64_t left_out = 0;
    if (!totals->complete)
        return pps_fail(b->err, PPS_E_STOPPED, "stopped");
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        left_out += totals->counts.left_out[r].n;
    if (totals->counts.rows == 0)
        return pps_fail(b->err, PPS_E_INPUT, "every point of %s is skipped", b->kernel->name);
    if (totals->counts.rows + left_out == totals->points && totals->counts.failed == 0)
        return PPS_OK;
    return pps_fail(b->err, PPS_E_POINTS, "%llu points gave only %llu rows",
                    (unsigned long long)totals->points,
                    (unsigned long long)totals->counts.rows);
}

enum pps_status pps_bench_sweep_once(const struct pps_bench *b, const struct pps_sweep *sweep,
                                     struct pps_totals *totals)
{
    enum pps_status status = pps_sweep_run(sweep, totals, b->err);
    pps_totals_free(totals);
    return status == PPS_OK ? check(b, totals) : status;
}

struct pps_sweep pps_bench_sweep(const struct pps_bench *b, const struct pps_experiment *e,
                                 int threads, double *bytes)
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

// Fills scales with 1, 2, 4 ... threads, up to `most`.
static int count_scales(struct pps_bench_scale *scales, int most)
{
    int n = 0;
    for (int t = 1; n < PPS_BENCH_SCALES; t *= 2) {
        scales[n++].threads = t < most ? t : most;
        if (t >= most)
            break;
    }
    return n;
}

// Counts only points that are not skipped: the kernel never sees the others.
static enum pps_status time_scale(const struct pps_bench *b, const struct pps_experiment *e,
                                  struct pps_bench_scale *scale, double *point_s)
{
    double bytes = 0;
    const struct pps_sweep sweep = pps_bench_sweep(b, e, scale->threads, &bytes);
    struct pps_totals totals;
    enum pps_status status = pps_bench_sweep_once(b, &sweep, &totals);
    if (status != PPS_OK)
        return status;
    *point_s = totals.wall_s / (double)totals.counts.rows;
    scale->points = totals.counts.rows;
    scale->wall_s += totals.wall_s;
    scale->cpu_s += totals.cpu_s;
    return PPS_OK;
}

// Times all numbers of threads in turns, so that other work on the machine affects all of them
// equally. Reports the median of the times, and the median of the speed-ups over one thread in
// the same turn.
static enum pps_status time_scale_turns(const struct pps_bench *b,
                                        struct pps_experiment *const *e,
                                        struct pps_bench_scale *scales, int n)
{
    double point_s[PPS_BENCH_SCALES][PPS_BENCH_TURNS], gain[PPS_BENCH_SCALES][PPS_BENCH_TURNS];
    for (int t = 0; t < b->effort.scale_turns; t++)
        for (int s = 0; s < n; s++) {
            enum pps_status status = time_scale(b, e[s], &scales[s], &point_s[s][t]);
            if (status != PPS_OK)
                return status;
            gain[s][t] = point_s[0][t] / point_s[s][t];
        }
    for (int s = 0; s < n; s++) {
        scales[s].points_s = 1 / pps_bench_median(point_s[s], b->effort.scale_turns);
        scales[s].gain = pps_bench_median(gain[s], b->effort.scale_turns);
    }
    return PPS_OK;
}

// Takes enough points to keep each thread busy for a while.
static enum pps_status time_scales(const struct pps_bench *b, uint64_t points)
{
    struct pps_experiment *e[PPS_BENCH_SCALES] = {NULL};
    struct pps_bench_scale *scales = b->out->scales;
    enum pps_status status = PPS_OK;
    const int n = count_scales(scales, b->ask->threads);
    for (int s = 0; s < n && status == PPS_OK; s++)
        status = pps_bench_load_long(b, b->kernel, false, points * (uint64_t)scales[s].threads,
                                     &e[s]);
    if (status == PPS_OK)
        status = time_scale_turns(b, e, scales, n);
    if (status == PPS_OK)
        b->out->n_scales = n;
    for (int s = 0; s < n; s++)
        pps_experiment_free(e[s]);
    return status;
}

// ---- against the kernel alone -----------------------------------------------------------------

struct turn {
    double kernel_s, run_s; // seconds per point
    double left_out;        // skipped points per row
};

// Runs the kernel over its points repeatedly for half a turn and adds up the times: a mean, as
// for a run.
static enum pps_status time_half(const struct pps_bench *b, struct pps_benchpoints *plain,
                                 double *sum_s, int *passes)
{
    const double start = pps_wall_seconds();
    enum pps_status status = PPS_OK;
    do {
        double point_s = 0;
        status = pps_benchpoints_time(plain, b->kernel->run, 0, b->ask->stop, &point_s, b->err);
        *sum_s += point_s;
        ++*passes;
    } while (status == PPS_OK && pps_wall_seconds() - start < b->effort.share_s / 2);
    return status;
}

// Times the kernel alone for as long as the run takes, half before and half after the run, so
// that other work on the machine affects both equally. Both evaluate neighbouring points
// together, since kernels may use the similarity of neighbours.
static enum pps_status time_turn(const struct pps_bench *b, struct pps_benchpoints *plain,
                                 const struct pps_experiment *e, struct turn *turn)
{
    double bytes = 0, kernel_s = 0;
    int passes = 0;
    struct pps_sweep sweep = pps_bench_sweep(b, e, 1, &bytes);
    sweep.block_points = pps_block_points(e);
    struct pps_totals totals;
    enum pps_status status = time_half(b, plain, &kernel_s, &passes);
    if (status == PPS_OK)
        status = pps_bench_sweep_once(b, &sweep, &totals);
    if (status == PPS_OK)
        status = time_half(b, plain, &kernel_s, &passes);
    if (status != PPS_OK)
        return status;
    const double rows = (double)totals.counts.rows;
    *turn = (struct turn){kernel_s / passes, totals.cpu_s / rows,
                          (double)(totals.points - totals.counts.rows) / rows};
    return PPS_OK;
}

static int by_share(const void *left, const void *right)
{
    const struct turn *l = left, *r = right;
    const double one = l->kernel_s / l->run_s, other = r->kernel_s / r->run_s;
    return (one > other) - (one < other);
}

// Reports the turn with the median share.
static enum pps_status time_turns(const struct pps_bench *b, struct pps_benchpoints *plain,
                                  const struct pps_experiment *e)
{
    struct turn turns[PPS_BENCH_TURNS];
    for (int t = 0; t < b->effort.share_turns; t++) {
        enum pps_status status = time_turn(b, plain, e, &turns[t]);
        if (status != PPS_OK)
            return status;
    }
    qsort(turns, (size_t)b->effort.share_turns, sizeof turns[0], by_share);
    const struct turn *median = &turns[b->effort.share_turns / 2];
    b->out->kernel_point_s = median->kernel_s;
    b->out->run_point_s = median->run_s;
    b->out->run_left_out = median->left_out;
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
        status = time_turns(b, plain, e);
    pps_benchpoints_close(plain);
    pps_experiment_free(e);
    return status;
}

// Points per second of a run of one thread, including skipped points.
static enum pps_status time_pace(const struct pps_bench *b, double *points_s)
{
    const double about_s = b->out->cells[0].point_s + b->out->codecs[0].row_s;
    struct pps_bench_scale scale = {.threads = 1};
    struct pps_experiment *e = NULL;
    double row_s = 0;
    const uint64_t points = (uint64_t)(b->effort.share_s / about_s) + 1;
    enum pps_status status = pps_bench_load_long(b, b->kernel, false, points, &e);
    if (status == PPS_OK)
        status = time_scale(b, e, &scale, &row_s);
    if (status == PPS_OK)
        *points_s = (double)e->n_points / (row_s * (double)scale.points);
    pps_experiment_free(e);
    return status;
}

enum pps_status pps_bench_time_runs(const struct pps_bench *b)
{
    double points_s = 0;
    enum pps_status status = time_pace(b, &points_s);
    if (status == PPS_OK)
        status = time_share(b, (uint64_t)(b->effort.share_s * points_s) + 1);
    return status == PPS_OK ? time_scales(b, (uint64_t)(b->effort.run_s * points_s) + 1)
                            : status;
}
