// SPDX-License-Identifier: Apache-2.0
// Converts estimates to rows: run() uses the fast estimate, reference() the plain one.
#include "kernels/common/rows/row_put.h"
#include "kernels/ndsearch/point.h"
#include "kernels/ndsearch/table.h"

#include "base/math/units.h"
#include "kernels/common/estimate/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_A_DAY 86400.0

static const char *const recompute_words[] = {
    [ND_RECOMPUTE_NONE] = "none",
    [ND_RECOMPUTE_SELECT] = "select",
    [ND_RECOMPUTE_FULL] = "full",
};

static void put_text(const struct pps_batch *batch, size_t i, int c, int max, const char *text)
{
    if (batch->text[c] != NULL)
        strcpy(batch->text[c] + i * (size_t)(max + 1), text);
}

static void put_memory(const struct pps_batch *batch, size_t i, const struct nd_memory *m,
                       const double modes[LAYERCOST_MODES])
{
    row_put(batch, i, C_MEMORY, units_to_gib(m->total));
    row_put(batch, i, C_MEM_PARAMETERS, units_to_gib(m->parameters));
    row_put(batch, i, C_MEM_GRADIENTS, units_to_gib(m->gradients));
    row_put(batch, i, C_MEM_OPTIMIZER, units_to_gib(m->optimizer));
    row_put(batch, i, C_MEM_ACTIVATIONS, units_to_gib(m->activations));
    row_put(batch, i, C_MEM_TRANSIENT, units_to_gib(m->transient));
    row_put(batch, i, C_MEM_RESERVE, units_to_gib(m->reserve));
    row_put(batch, i, C_MEM_STAGE, m->stage);
    row_put(batch, i, C_MEM_NONE, units_to_gib(modes[LAYERCOST_NONE]));
    row_put(batch, i, C_MEM_SELECT, units_to_gib(modes[LAYERCOST_SELECT]));
    row_put(batch, i, C_MEM_FULL, units_to_gib(modes[LAYERCOST_FULL]));
}

// A step that does not fit has no times: all are NAN.
static void put_time(const struct pps_batch *batch, size_t i, const struct nd_time *t,
                     double days)
{
    const double exchange = t->exchange[0] + t->exchange[1] + t->exchange[2];
    row_put(batch, i, C_STEP, units_to_ms(t->step));
    row_put(batch, i, C_MFU, 100 * t->mfu);
    row_put(batch, i, C_HFU, 100 * t->hfu);
    row_put(batch, i, C_TOKENS, t->tokens_per_s);
    row_put(batch, i, C_DAYS, days);
    row_put(batch, i, C_COMPUTE, units_to_ms(t->pipe - exchange - t->head));
    row_put(batch, i, C_TP_TIME, units_to_ms(t->exchange[0]));
    row_put(batch, i, C_EP_TIME, units_to_ms(t->exchange[1]));
    row_put(batch, i, C_CP_TIME, units_to_ms(t->exchange[2]));
    row_put(batch, i, C_HEAD, units_to_ms(t->head));
    row_put(batch, i, C_BUBBLE, units_to_ms(t->bubble));
    row_put(batch, i, C_P2P, units_to_ms(t->p2p));
    row_put(batch, i, C_DP_TIME, units_to_ms(t->dp_exposed));
    row_put(batch, i, C_OPTIMIZER, units_to_ms(t->optimizer));
}

static const struct nd_time no_time = {
    .pipe = (double)NAN,
    .bubble = (double)NAN,
    .p2p = (double)NAN,
    .dp_exposed = (double)NAN,
    .optimizer = (double)NAN,
    .step = (double)NAN,
    .exchange = {(double)NAN, (double)NAN, (double)NAN},
    .head = (double)NAN,
    .mfu = (double)NAN,
    .hfu = (double)NAN,
    .tokens_per_s = (double)NAN,
};

// The functions of an estimate, fast or plain: like nd_estimate_fitting and nd_estimate.
struct way {
    enum nd_recompute (*fitting)(const struct nd_estimate *e, struct nd_cache *cache,
                                 const struct nd_point *point, double limit,
                                 double total[LAYERCOST_MODES], struct nd_memory *memory,
                                 struct nd_time *time);
    void (*estimate)(const struct nd_estimate *e, struct nd_cache *cache,
                     const struct nd_point *point, struct nd_memory *memory,
                     struct nd_time *time);
};

// Full recompute runs a layer again, which can need more memory than it saves.
static enum nd_recompute least_mode(const double modes[LAYERCOST_MODES])
{
    int least = ND_RECOMPUTE_NONE;
    for (int m = 1; m < LAYERCOST_MODES; m++)
        if (modes[m] < modes[least])
            least = m;
    return (enum nd_recompute)least;
}

static void run_point(const struct pps_batch *batch, size_t i, struct nd_worker *worker,
                      const struct nd_shared *shared, const struct way *way)
{
    double value[N_PARAMS], modes[LAYERCOST_MODES];
    struct nd_memory memory;
    struct nd_time time;
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = batch->param[p][i];
    const struct nd_estimate *e = nd_worker_estimate(worker, shared, value);
    struct nd_point point = nd_point_of(value);
    const double limit = nd_limit_of(shared, value);
    const bool any_mode = value[P_RECOMPUTE] == RECOMPUTE_AUTO;
    enum nd_recompute mode =
        way->fitting(e, nd_worker_cache(worker), &point, any_mode ? limit : (double)NAN, modes,
                     &memory, &time);
    const bool fits = modes[mode] <= limit;
    if (any_mode && !fits && mode != least_mode(modes)) {
        point.strategy.recompute = mode = least_mode(modes);
        way->estimate(e, nd_worker_cache(worker), &point, &memory, NULL);
    }
    put_memory(batch, i, &memory, modes);
    put_time(batch, i, fits ? &time : &no_time,
             fits ? value[P_TOKENS] * 1e9 / time.tokens_per_s / SECONDS_A_DAY : (double)NAN);
    row_put(batch, i, C_MICRO_BATCHES, (double)nd_micro_batches(&point));
    put_text(batch, i, C_RECOMPUTE, 6, recompute_words[mode]);
    put_text(batch, i, C_FITS, 3, fits ? "yes" : "no");
    batch->outcome[i] = fits ? PPS_DONE : PPS_INFEASIBLE;
}

static void run_points(const struct pps_batch *batch, const struct pps_worker *worker,
                       const struct way *way)
{
    for (size_t i = 0; i < batch->n_points; i++) {
        batch->outcome[i] = PPS_STOPPED;
        if (worker->stop == NULL || !atomic_load_explicit(worker->stop, memory_order_relaxed))
            run_point(batch, i, worker->scratch, worker->shared, way);
    }
}

void nd_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    static const struct way fast = {nd_estimate_fitting, nd_estimate};
    run_points(batch, worker, &fast);
}

// The plain estimate goes stage by stage.
static void plain_estimate(const struct nd_estimate *e, struct nd_cache *cache,
                           const struct nd_point *point, struct nd_memory *memory,
                           struct nd_time *time)
{
    (void)cache;
    const size_t pp = (size_t)point->strategy.pp, n = pp * (size_t)point->strategy.vp;
    struct nd_chunk *chunks = calloc(n, sizeof *chunks);
    struct nd_stage *stages = calloc(pp, sizeof *stages);
    *memory = (struct nd_memory){.total = (double)NAN};
    if (time != NULL)
        *time = no_time;
    if (chunks != NULL && stages != NULL) {
        nd_reference_split(e, point, chunks);
        nd_reference(e, point, chunks, stages, memory, time);
    }
    free(chunks);
    free(stages);
}

static enum nd_recompute plain_fitting(const struct nd_estimate *e, struct nd_cache *cache,
                                       const struct nd_point *point, double limit,
                                       double total[LAYERCOST_MODES], struct nd_memory *memory,
                                       struct nd_time *time)
{
    struct nd_point mode = *point;
    for (int m = 0; m < LAYERCOST_MODES; m++) {
        mode.strategy.recompute = (enum nd_recompute)m;
        plain_estimate(e, cache, &mode, memory, NULL);
        total[m] = memory->total;
    }
    mode.strategy.recompute = point->strategy.recompute;
    if (!isnan(limit))
        mode.strategy.recompute = total[ND_RECOMPUTE_NONE] <= limit     ? ND_RECOMPUTE_NONE
                                  : total[ND_RECOMPUTE_SELECT] <= limit ? ND_RECOMPUTE_SELECT
                                                                        : ND_RECOMPUTE_FULL;
    plain_estimate(e, cache, &mode, memory, time);
    return mode.strategy.recompute;
}

void nd_run_reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    static const struct way plain = {plain_fitting, plain_estimate};
    run_points(batch, worker, &plain);
}
