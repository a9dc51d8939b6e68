// SPDX-License-Identifier: Apache-2.0
// Runs the replicates of a comparison on several threads, and computes its figures.
#include "base/system/machine.h"
#include "base/system/threads.h"
#include "extras/judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const double judge_quantiles[3] = {0.5, 0.95, 0.99};

// ---- replicates ---------------------------------------------------------------------------------

// The memory of a thread: an executor and the replicates of any entry.
struct bench {
    struct executor *executor;
    struct replicates replicates;
};

struct schedule_point judge_point(const struct judge *judge, const struct judge_row *row)
{
    struct schedule_point point = row->entry->candidate->point;
    const struct policy *policy = row->fell_back ? NULL : row->entry->policy;
    if (policy != NULL && policy->kind != POLICY_ROBUST)
        schedule_use_policy(&point, policy, &judge->widest);
    point.noise.seed = judge->seed;
    point.noise.level = point.noise.message_level = row->level;
    point.noise.outlier_p = row->outlier_p;
    point.n_replicates = judge->n;
    point.first = 0;
    return point;
}

static void bench_take(struct bench *bench, const struct schedule_point *point,
                       struct room *room)
{
    bench->executor = executor_take(&point->shape, schedule_room_of(point), room);
    replicates_take(&bench->replicates, point, room);
}

static bool is_stopped(const struct judge *judge)
{
    return judge->stop != NULL && atomic_load_explicit(judge->stop, memory_order_relaxed);
}

static bool is_over(void *self)
{
    return is_stopped(self);
}

// Opens the replicates of a row in memory of judge->memory bytes. The point must outlive them.
static void bench_open(struct bench *bench, char *memory, const struct schedule_point *point,
                       const struct judge_row *row)
{
    const struct schedule_scratch *scratch = &row->entry->candidate->scratch;
    const struct order *order = row->order != NULL ? row->order : &scratch->order;
    struct room room = {memory, 0};
    bench_take(bench, point, &room);
    executor_run(bench->executor, &scratch->pipeline, order, NULL, NULL);
    replicates_open(&bench->replicates, point, &scratch->pipeline, order, bench->executor,
                    scratch->peak);
}

// Draws and runs a chunk. Returns false if the poll ended it.
static bool run_chunk(struct bench *bench, struct judge_row *row, uint32_t first,
                      struct poll *poll, struct replicates_chunk *chunk)
{
    replicates_draw(&bench->replicates, first);
    const double start = pps_thread_seconds();
    if (!replicates_run(&bench->replicates, poll, chunk))
        return false;
    row->seconds[first / JUDGE_BLOCK] += pps_thread_seconds() - start;
    replicates_bounds(&bench->replicates, chunk);
    return true;
}

static void keep_chunk(const struct replicates_chunk *chunk, struct judge_row *row,
                       uint32_t first, uint32_t n)
{
    const uint32_t block = first / JUDGE_BLOCK;
    for (uint32_t i = 0; i < EXECUTOR_LANES && first + i < n; i++) {
        row->makespan[first + i] = chunk->ruled[i];
        row->clairvoyant[block] += chunk->clairvoyant[i];
        row->memory[block] += chunk->memory[i];
    }
}

// Runs a block; its first chunk only, if all replicates are equal.
static void run_block(struct judge *judge, char *memory, struct judge_row *row, uint32_t block)
{
    const struct schedule_point point = judge_point(judge, row);
    const bool equal = replicates_are_equal(&point);
    const uint32_t first = block * JUDGE_BLOCK, end = first + JUDGE_BLOCK;
    struct poll poll = {.over = is_over, .self = judge};
    struct replicates_chunk chunk;
    struct bench bench;
    bench_open(&bench, memory, &point, row);
    for (uint32_t i = first; i < end && i < judge->n && !is_stopped(judge);
         i += EXECUTOR_LANES) {
        if ((i == first || !equal) && !run_chunk(&bench, row, i, &poll, &chunk))
            return;
        keep_chunk(&chunk, row, i, judge->n);
    }
}

// ---- validation ---------------------------------------------------------------------------------

// A learned policy that is slower than its static order, or not clearly faster, falls back to it.
static bool gains_nothing(const struct statistics_pair *pair)
{
    const struct statistics_mean *difference = &pair->difference;
    const bool same = difference->mean == 0 && difference->half == 0;
    return !same && !(difference->mean + difference->half < 0);
}

// A difference of twice its half-width needs no more replicates.
static bool is_clear(const struct statistics_pair *pair)
{
    return fabs(pair->difference.mean) > 2 * pair->difference.half;
}

static void validate_row(struct judge *judge, char *memory, struct judge_row *row)
{
    struct schedule_point point = judge_point(judge, row);
    struct poll poll = {.over = is_over, .self = judge};
    double learned[JUDGE_VALIDATION], fixed[JUDGE_VALIDATION];
    struct replicates_chunk chunk;
    struct bench bench;
    uint32_t n = 0;
    point.noise.seed = judge->validation;
    bench_open(&bench, memory, &point, row);
    do {
        replicates_draw(&bench.replicates, n);
        if (!replicates_run(&bench.replicates, &poll, &chunk))
            return;
        memcpy(learned + n, chunk.ruled, sizeof chunk.ruled);
        memcpy(fixed + n, chunk.fixed, sizeof chunk.fixed);
        n += EXECUTOR_LANES;
        row->validation = statistics_pair(learned, fixed, n);
    } while (n < JUDGE_VALIDATION && !replicates_are_equal(&point) &&
             (n < JUDGE_VALIDATION_LEAST || !is_clear(&row->validation)));
    row->validated = n;
    row->fell_back = gains_nothing(&row->validation);
}

static void validate_rows(void *self, int thread)
{
    struct judge *judge = self;
    char *memory = aligned_alloc(ROOM_ALIGNMENT, judge->memory);
    (void)thread;
    if (memory == NULL)
        atomic_store(&judge->failed, true);
    while (memory != NULL && !is_stopped(judge)) {
        const int i = atomic_fetch_add(&judge->next, 1);
        if (i >= judge->n_rows)
            break;
        const struct policy *policy = judge->row[i].entry->policy;
        if (policy != NULL && policy->kind == POLICY_LEARNED)
            validate_row(judge, memory, &judge->row[i]);
    }
    free(memory);
}

// ---- progress -----------------------------------------------------------------------------------

// Shows the progress on a terminal, twice a second.
static void show_progress(struct judge *judge, int task)
{
    const int tasks = judge->n_rows * (int)judge->n_blocks;
    if (!isatty(STDERR_FILENO) || pps_wall_seconds() - judge->shown < 0.5)
        return;
    judge->shown = pps_wall_seconds();
    fprintf(stderr, "\r\033[K%3.0f %%  row %d of %d", 100.0 * task / tasks,
            task / (int)judge->n_blocks + 1, judge->n_rows);
}

static void end_progress(const struct judge *judge)
{
    if (judge->shown > 0)
        fputs("\r\033[K", stderr);
}

static void run_blocks(void *self, int thread)
{
    struct judge *judge = self;
    char *memory = aligned_alloc(ROOM_ALIGNMENT, judge->memory);
    if (memory == NULL)
        atomic_store(&judge->failed, true);
    while (memory != NULL && !is_stopped(judge)) {
        const int task = atomic_fetch_add(&judge->next, 1);
        const int row = task / (int)judge->n_blocks;
        if (row >= judge->n_rows)
            break;
        if (thread == 0)
            show_progress(judge, task);
        run_block(judge, memory, &judge->row[row],
                  (uint32_t)(task - row * (int)judge->n_blocks));
    }
    free(memory);
}

// ---- figures ------------------------------------------------------------------------------------

static double sum_of(const double *blocks, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += blocks[i];
    return sum;
}

// The memory of the figures of a row.
struct desk {
    double *sorted, *resampled[3];
    uint32_t *rank, *counts;
};

static bool desk_take(struct desk *desk, uint32_t n, struct room *room)
{
    desk->sorted = room_take(room, n, sizeof *desk->sorted);
    for (int k = 0; k < 3; k++)
        desk->resampled[k] = room_take(room, STATISTICS_RESAMPLES, sizeof *desk->resampled[k]);
    desk->rank = room_take(room, n, sizeof *desk->rank);
    desk->counts = room_take(room, n, sizeof *desk->counts);
    return room->memory != NULL;
}

static void set_intervals(const struct judge *judge, struct desk *desk, struct judge_row *row)
{
    statistics_ranks(row->makespan, desk->sorted, judge->n, desk->rank);
    for (uint32_t r = 0; r < STATISTICS_RESAMPLES && !is_stopped(judge); r++) {
        double quantile[3];
        statistics_resample(judge->seed, r, desk->sorted, desk->rank, judge->n, judge_quantiles,
                            3, desk->counts, quantile);
        for (int k = 0; k < 3; k++)
            desk->resampled[k][r] = quantile[k];
    }
    if (is_stopped(judge))
        return;
    for (int k = 0; k < 3; k++) {
        double *values = desk->resampled[k];
        statistics_sort(values, STATISTICS_RESAMPLES);
        row->low[k] = statistics_quantile(values, STATISTICS_RESAMPLES, 0.025);
        row->high[k] = statistics_quantile(values, STATISTICS_RESAMPLES, 0.975);
    }
}

static void set_figures(const struct judge *judge, struct desk *desk, struct judge_row *row)
{
    const uint32_t n = judge->n;
    row->mean = statistics_mean(row->makespan, n);
    row->pair = statistics_pair(row->makespan, row->baseline->makespan, n);
    row->clairvoyant_mean = sum_of(row->clairvoyant, judge->n_blocks) / n;
    row->memory_mean = sum_of(row->memory, judge->n_blocks) / n;
    row->gap = row->clairvoyant_mean > 0 ? row->mean.mean / row->clairvoyant_mean - 1 : 0;
    memcpy(desk->sorted, row->makespan, n * sizeof *desk->sorted);
    statistics_sort(desk->sorted, n);
    for (int k = 0; k < 3; k++)
        row->quantile[k] = statistics_quantile(desk->sorted, n, judge_quantiles[k]);
    if (judge->intervals)
        set_intervals(judge, desk, row);
}

static void figure_rows(void *self, int thread)
{
    struct judge *judge = self;
    struct room room = {NULL, 0};
    struct desk desk;
    (void)thread;
    desk_take(&desk, judge->n, &room);
    char *memory = room.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room.used = 0;
    if (!desk_take(&desk, judge->n, &room))
        atomic_store(&judge->failed, true);
    while (memory != NULL && !is_stopped(judge)) {
        const int row = atomic_fetch_add(&judge->next, 1);
        if (row >= judge->n_rows)
            break;
        set_figures(judge, &desk, &judge->row[row]);
    }
    free(memory);
}

// Adjusts the p values of all rows but the baselines for as many tests.
static bool adjust(struct judge *judge)
{
    double *p = calloc((size_t)judge->n_rows + 1, sizeof *p);
    int *order = calloc((size_t)judge->n_rows + 1, sizeof *order), k = 0;
    const bool done = p != NULL && order != NULL;
    for (int i = 0; done && i < judge->n_rows; i++)
        if (judge->row[i].baseline != &judge->row[i])
            p[k++] = judge->row[i].pair.p;
    if (done)
        statistics_holm(p, order, k);
    for (int i = 0, at = 0; done && i < judge->n_rows; i++)
        if (judge->row[i].baseline != &judge->row[i])
            judge->row[i].p_holm = p[at++];
    free(p);
    free(order);
    return done;
}

// ---- all ----------------------------------------------------------------------------------------

static bool take_rows(struct judge *judge)
{
    judge->n_blocks = (judge->n + JUDGE_BLOCK - 1) / JUDGE_BLOCK;
    judge->memory = 0;
    for (int i = 0; i < judge->n_rows; i++) {
        struct judge_row *row = &judge->row[i];
        const struct schedule_point point = judge_point(judge, row);
        struct room room = {NULL, 0};
        struct bench bench;
        bench_take(&bench, &point, &room);
        judge->memory = room.used > judge->memory ? room.used : judge->memory;
        row->makespan = calloc(judge->n, sizeof *row->makespan);
        row->clairvoyant = calloc(3 * (size_t)judge->n_blocks, sizeof *row->clairvoyant);
        if (row->makespan == NULL || row->clairvoyant == NULL)
            return false;
        row->memory = row->clairvoyant + judge->n_blocks;
        row->seconds = row->memory + judge->n_blocks;
    }
    return judge->memory < SIZE_MAX;
}

void judge_rows_free(struct judge *judge)
{
    for (int i = 0; i < judge->n_rows; i++) {
        free(judge->row[i].makespan);
        order_free(judge->row[i].order);
        free(judge->row[i].clairvoyant);
    }
    free(judge->row);
}

enum pps_status judge_parallel(struct judge *judge, void (*work)(void *self, int thread),
                               int threads, struct pps_error *err)
{
    atomic_init(&judge->next, 0);
    const enum pps_status status = pps_parallel(threads, work, judge, err);
    if (status != PPS_OK)
        return status;
    if (is_stopped(judge))
        return pps_fail(err, PPS_E_STOPPED, "stopped; nothing was written");
    return atomic_load(&judge->failed) ? pps_fail_memory(err, "the replicates") : PPS_OK;
}

enum pps_status judge_run(struct judge *judge, int threads, struct pps_error *err)
{
    atomic_init(&judge->failed, false);
    if (!take_rows(judge))
        return pps_fail_memory(err, "the replicates");
    enum pps_status status = judge_choose(judge, threads, err);
    if (status == PPS_OK)
        status = judge_parallel(judge, validate_rows, threads, err);
    if (status == PPS_OK)
        status = judge_parallel(judge, run_blocks, threads, err);
    end_progress(judge);
    if (status == PPS_OK)
        status = judge_parallel(judge, figure_rows, threads, err);
    if (status == PPS_OK && !adjust(judge))
        status = pps_fail_memory(err, "the tests");
    return status;
}
