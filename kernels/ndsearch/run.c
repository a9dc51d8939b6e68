// SPDX-License-Identifier: Apache-2.0
// From points of a batch to strategies, and from estimates to rows.
#include "face.h"

#include "kernels/ndsearch/estimate/reference.h"
#include "kernels/ndsearch/estimate/steptimes.h"
#include "opened.h"
#include "shared.h"

#include "kernels/common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_A_DAY 86400.0

// Parameters on which an open estimate depends.
static const int setting_params[] = {P_MODEL,           P_CLUSTER,
                                     P_HARDWARE,        P_RESERVE,
                                     P_ZERO_LEVEL,      P_DISTRIBUTED_OPTIMIZER,
                                     P_BYTES_PARAM,     P_BYTES_GRAD,
                                     P_BYTES_OPTIM,     P_EXPERT_TENSOR_PARALLEL,
                                     P_FLASH_ATTENTION, P_FUSED_CROSS_ENTROPY,
                                     P_LOW_MEM_VPP,     P_DUMMY_WGRAD};
enum { N_SETTING = sizeof setting_params / sizeof *setting_params };

// In a worker's scratch; the cache of estimates lies behind it.
struct worker {
    struct nd_opened opened;
    double last[N_SETTING];
    const struct nd_estimate *estimate; // of `last`; NULL: none yet
};

#define WORKER_BYTES ((sizeof(struct worker) + 63) / 64 * 64)

static struct nd_cache *cache_of(struct worker *worker)
{
    return (struct nd_cache *)(void *)((char *)worker + WORKER_BYTES);
}

size_t nd_scratch_bytes(const double *highest, const void *shared)
{
    (void)highest;
    (void)shared;
    return WORKER_BYTES + nd_cache_bytes();
}

// ---- what a point means -------------------------------------------------------------------------

static void read_training(const double *value, struct training *t)
{
    t->zero_level = (int)value[P_ZERO_LEVEL];
    t->distributed_optimizer = value[P_DISTRIBUTED_OPTIMIZER] != 0;
    t->bytes_param = value[P_BYTES_PARAM];
    t->bytes_grad = value[P_BYTES_GRAD];
    t->bytes_optim = value[P_BYTES_OPTIM];
    t->expert_tensor_parallel = value[P_EXPERT_TENSOR_PARALLEL] != 0;
    t->flash_attention = value[P_FLASH_ATTENTION] != 0;
    t->fused_cross_entropy = value[P_FUSED_CROSS_ENTROPY] != 0;
    t->low_mem_vpp = value[P_LOW_MEM_VPP] != 0;
    t->dummy_wgrad = value[P_DUMMY_WGRAD] != 0;
}

static const struct hardware *hardware_of(const struct nd_shared *shared, const double *value)
{
    int n;
    if (value[P_HARDWARE] == HARDWARE_OWN)
        return &shared->clusters[(int)value[P_CLUSTER]].hardware;
    return &hardware_all(&n)[(int)value[P_HARDWARE] - 1];
}

static const struct nd_estimate *open_estimate(struct worker *worker,
                                               const struct nd_shared *shared,
                                               const double *value)
{
    struct nd_setting setting;
    memset(&setting, 0, sizeof setting);
    setting.model = &shared->models[(int)value[P_MODEL]];
    setting.cluster = shared->clusters[(int)value[P_CLUSTER]];
    setting.training = shared->training;
    setting.cluster.reserve = value[P_RESERVE] * UNITS_MIB;
    if (value[P_HARDWARE] != HARDWARE_OWN) {
        setting.cluster.hardware = *hardware_of(shared, value);
        setting.cluster.node_devices = setting.cluster.hardware.node;
    }
    read_training(value, &setting.training);
    return nd_opened_get(&worker->opened, &setting);
}

// Points whose settings are equal come one after the other.
static const struct nd_estimate *estimate_of(struct worker *worker,
                                             const struct nd_shared *shared,
                                             const double *value)
{
    bool same = worker->estimate != NULL;
    for (int i = 0; i < N_SETTING; i++)
        same = same && worker->last[i] == value[setting_params[i]];
    if (same)
        return worker->estimate;
    worker->estimate = open_estimate(worker, shared, value);
    for (int i = 0; i < N_SETTING; i++)
        worker->last[i] = value[setting_params[i]];
    return worker->estimate;
}

// dp 0: as many as are left; op 0: all that there can be.
static struct nd_point to_point(const double *value)
{
    const double rest = value[P_TP] * value[P_CP] * value[P_PP];
    const double dp = value[P_DP] > 0 ? value[P_DP] : floor(value[P_WORLD_SIZE] / rest);
    const double op = value[P_OP] > 0 ? value[P_OP] : dp * value[P_CP];
    return (struct nd_point){
        .strategy = {.dp = (int32_t)dp,
                     .tp = (int32_t)value[P_TP],
                     .cp = (int32_t)value[P_CP],
                     .pp = (int32_t)value[P_PP],
                     .ep = (int32_t)value[P_EP],
                     .op = (int32_t)op,
                     .vp = (int32_t)value[P_VP],
                     .mbs = (int32_t)value[P_MBS],
                     .sp = value[P_SP] != 0,
                     .recompute = value[P_RECOMPUTE] == RECOMPUTE_AUTO
                                      ? ND_RECOMPUTE_NONE
                                      : (enum nd_recompute)value[P_RECOMPUTE]},
        .seq_length = (int64_t)value[P_SEQ_LENGTH],
        .gbs = (int64_t)value[P_GBS],
    };
}

static double limit_of(const struct nd_shared *shared, const double *value)
{
    const struct hardware *hardware = hardware_of(shared, value);
    if (value[P_MEMORY] > 0)
        return value[P_MEMORY] * UNITS_GIB;
    return hardware->memory > 0 ? hardware->memory : HUGE_VAL;
}

// ---- which points there are ---------------------------------------------------------------------

enum {
    OTHER_DEVICES = 1,
    ODD_BATCH,
    FEW_LAYERS,
    ODD_EXPERTS,
    ODD_EXPERT_GROUPS,
    ODD_SHARDS,
    FEW_MICRO_BATCHES,
    ONE_STAGE,
};

const char *const nd_reasons[] = {
    "",
    [OTHER_DEVICES] = "dp*tp*cp*pp is not world_size",
    [ODD_BATCH] = "gbs % (dp*mbs) != 0",
    [FEW_LAYERS] = "pp*vp > layers",
    [ODD_EXPERTS] = "ep does not divide the experts (1 for a dense model)",
    [ODD_EXPERT_GROUPS] = "ep (times tp where experts are split, too) does not divide dp*cp*tp",
    [ODD_SHARDS] = "op does not divide dp*cp",
    [FEW_MICRO_BATCHES] = "vp > 1 with fewer micro-batches than stages",
    [ONE_STAGE] = "vp > 1 with one stage",
    NULL,
};

static bool divides(double part, double whole)
{
    const double quotient = whole / part;
    return quotient == floor(quotient);
}

static int check_experts(const double *value, double dp)
{
    const double experts = value[P_EXPERTS], ep = value[P_EP];
    const double width = ep * (value[P_EXPERT_TENSOR_PARALLEL] != 0 ? value[P_TP] : 1);
    if (experts == 0 ? ep != 1 : !divides(ep, experts))
        return ODD_EXPERTS;
    if (experts > 0 && !divides(width, dp * value[P_CP] * value[P_TP]))
        return ODD_EXPERT_GROUPS;
    return 0;
}

int nd_check(const double *value, const void *shared)
{
    (void)shared;
    const double rest = value[P_TP] * value[P_CP] * value[P_PP], n = value[P_WORLD_SIZE];
    const double dp = value[P_DP] > 0 ? value[P_DP] : floor(n / rest);
    if (dp * rest != n)
        return OTHER_DEVICES;
    if (!divides(dp * value[P_MBS], value[P_GBS]))
        return ODD_BATCH;
    if (value[P_PP] * value[P_VP] > value[P_LAYERS])
        return FEW_LAYERS;
    const int experts = check_experts(value, dp);
    if (experts != 0)
        return experts;
    if (value[P_OP] > 0 && !divides(value[P_OP], dp * value[P_CP]))
        return ODD_SHARDS;
    if (value[P_VP] > 1 && value[P_PP] == 1)
        return ONE_STAGE;
    if (value[P_VP] > 1 && value[P_GBS] / (dp * value[P_MBS]) < value[P_PP])
        return FEW_MICRO_BATCHES;
    return 0;
}

// Fitted on one server of 2023.
double nd_cost(const double *value, const void *shared)
{
    (void)shared;
    return value[P_VP] > 1 ? 350 : 250;
}

// ---- rows ---------------------------------------------------------------------------------------

static const char *const recompute_words[] = {
    [ND_RECOMPUTE_NONE] = "none",
    [ND_RECOMPUTE_SELECT] = "select",
    [ND_RECOMPUTE_FULL] = "full",
};

static void put(const struct pps_batch *batch, size_t i, int c, double value)
{
    if (batch->column[c] != NULL)
        batch->column[c][i] = value;
}

static void put_text(const struct pps_batch *batch, size_t i, int c, int max, const char *text)
{
    if (batch->text[c] != NULL)
        strcpy(batch->text[c] + i * (size_t)(max + 1), text);
}

static void put_memory(const struct pps_batch *batch,
                       size_t i,
                       const struct nd_memory *m,
                       const double modes[LAYERCOST_MODES])
{
    put(batch, i, C_MEMORY, units_to_gib(m->total));
    put(batch, i, C_MEM_PARAMETERS, units_to_gib(m->parameters));
    put(batch, i, C_MEM_GRADIENTS, units_to_gib(m->gradients));
    put(batch, i, C_MEM_OPTIMIZER, units_to_gib(m->optimizer));
    put(batch, i, C_MEM_ACTIVATIONS, units_to_gib(m->activations));
    put(batch, i, C_MEM_TRANSIENT, units_to_gib(m->transient));
    put(batch, i, C_MEM_RESERVE, units_to_gib(m->reserve));
    put(batch, i, C_MEM_STAGE, m->stage);
    put(batch, i, C_MEM_NONE, units_to_gib(modes[LAYERCOST_NONE]));
    put(batch, i, C_MEM_SELECT, units_to_gib(modes[LAYERCOST_SELECT]));
    put(batch, i, C_MEM_FULL, units_to_gib(modes[LAYERCOST_FULL]));
}

// A step that cannot be done takes no time: NAN throughout.
static void put_time(const struct pps_batch *batch,
                     size_t i,
                     const struct nd_time *t,
                     double days)
{
    const double exchange = t->exchange[0] + t->exchange[1] + t->exchange[2];
    put(batch, i, C_STEP, units_to_ms(t->step));
    put(batch, i, C_MFU, 100 * t->mfu);
    put(batch, i, C_TOKENS, t->tokens_per_s);
    put(batch, i, C_DAYS, days);
    put(batch, i, C_COMPUTE, units_to_ms(t->pipe - exchange - t->head));
    put(batch, i, C_TP_TIME, units_to_ms(t->exchange[0]));
    put(batch, i, C_EP_TIME, units_to_ms(t->exchange[1]));
    put(batch, i, C_CP_TIME, units_to_ms(t->exchange[2]));
    put(batch, i, C_HEAD, units_to_ms(t->head));
    put(batch, i, C_BUBBLE, units_to_ms(t->bubble));
    put(batch, i, C_P2P, units_to_ms(t->p2p));
    put(batch, i, C_DP_TIME, units_to_ms(t->dp_exposed));
    put(batch, i, C_OPTIMIZER, units_to_ms(t->optimizer));
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
    .tokens_per_s = (double)NAN,
};

// How an estimate is asked, the fast way or the plain one: as nd_estimate_fitting and nd_estimate.
struct way {
    enum nd_recompute (*fitting)(const struct nd_estimate *e,
                                 struct nd_cache *cache,
                                 const struct nd_point *point,
                                 double limit,
                                 double total[LAYERCOST_MODES],
                                 struct nd_memory *memory,
                                 struct nd_time *time);
    void (*estimate)(const struct nd_estimate *e,
                     struct nd_cache *cache,
                     const struct nd_point *point,
                     struct nd_memory *memory,
                     struct nd_time *time);
};

// Full recompute makes a layer again, which can take more than it saves.
static enum nd_recompute least_mode(const double modes[LAYERCOST_MODES])
{
    int least = ND_RECOMPUTE_NONE;
    for (int m = 1; m < LAYERCOST_MODES; m++)
        if (modes[m] < modes[least])
            least = m;
    return (enum nd_recompute)least;
}

static void run_point(const struct pps_batch *batch,
                      size_t i,
                      struct worker *worker,
                      const struct nd_shared *shared,
                      const struct way *way)
{
    double value[N_PARAMS], modes[LAYERCOST_MODES];
    struct nd_memory memory;
    struct nd_time time;
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = batch->param[p][i];
    const struct nd_estimate *e = estimate_of(worker, shared, value);
    struct nd_point point = to_point(value);
    const double limit = limit_of(shared, value);
    const bool any_mode = value[P_RECOMPUTE] == RECOMPUTE_AUTO;
    enum nd_recompute mode = way->fitting(
        e, cache_of(worker), &point, any_mode ? limit : (double)NAN, modes, &memory, &time);
    const bool fits = modes[mode] <= limit;
    if (any_mode && !fits && mode != least_mode(modes)) {
        point.strategy.recompute = mode = least_mode(modes);
        way->estimate(e, cache_of(worker), &point, &memory, NULL);
    }
    put_memory(batch, i, &memory, modes);
    put_time(batch, i, fits ? &time : &no_time,
             fits ? value[P_TOKENS] * 1e9 / time.tokens_per_s / SECONDS_A_DAY : (double)NAN);
    put(batch, i, C_MICRO_BATCHES, (double)nd_micro_batches(&point));
    put_text(batch, i, C_RECOMPUTE, 6, recompute_words[mode]);
    put_text(batch, i, C_FITS, 3, fits ? "yes" : "no");
    batch->outcome[i] = fits ? PPS_DONE : PPS_INFEASIBLE;
}

void nd_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    static const struct way fast = {nd_estimate_fitting, nd_estimate};
    for (size_t i = 0; i < batch->n_points; i++)
        run_point(batch, i, worker->scratch, worker->shared, &fast);
}

// The plain way: stage by stage.
static void plain_estimate(const struct nd_estimate *e,
                           struct nd_cache *cache,
                           const struct nd_point *point,
                           struct nd_memory *memory,
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

static enum nd_recompute plain_fitting(const struct nd_estimate *e,
                                       struct nd_cache *cache,
                                       const struct nd_point *point,
                                       double limit,
                                       double total[LAYERCOST_MODES],
                                       struct nd_memory *memory,
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
    for (size_t i = 0; i < batch->n_points; i++) {
        batch->outcome[i] = PPS_STOPPED;
        if (worker->stop == NULL || !atomic_load_explicit(worker->stop, memory_order_relaxed))
            run_point(batch, i, worker->scratch, worker->shared, &plain);
    }
}

// ---- trace --------------------------------------------------------------------------------------

static const char *const track_names[] = {"compute", NULL};
static const char *const kind_names[] = {"forward", "backward", NULL};
static const char *const counter_names[] = {"memory_gib", NULL};

const struct pps_trace_names nd_trace_names = {
    .group = "stage",
    .item = "micro_batch",
    .flag = "recomputes",
    .tracks = track_names,
    .kinds = kind_names,
    .counters = counter_names,
};

// A unit of time is a microsecond. Labels count passes of a kind: micro-batches chunk by chunk.
static void tell_pass(const struct nd_steptimes *times,
                      const struct nd_pass *pass,
                      bool recomputes,
                      const struct pps_trace_sink *sink)
{
    const bool backward = pass->task.kind == ORDERS_BACKWARD;
    const double time = backward ? pass->end : pass->start;
    sink->piece(sink->self,
                &(struct pps_piece){.group = pass->stage,
                                    .kind = backward,
                                    .item = pass->task.micro_batch,
                                    .ordinal = pass->task.chunk * times->shape.micro_batches +
                                               pass->task.micro_batch,
                                    .start = pass->start * 1e6,
                                    .end = pass->end * 1e6,
                                    .rate = 1,
                                    .flag = backward && recomputes});
    sink->level(sink->self,
                &(struct pps_level){pass->stage, 0, time * 1e6, units_to_gib(pass->held)});
}

enum pps_outcome nd_trace(const double *value,
                          const struct pps_worker *worker,
                          const struct pps_trace_sink *sink)
{
    const struct nd_shared *shared = worker->shared;
    struct worker *w = worker->scratch;
    double modes[LAYERCOST_MODES];
    struct nd_steptimes times;
    const struct nd_estimate *e = estimate_of(w, shared, value);
    struct nd_point point = to_point(value);
    const double limit = limit_of(shared, value);
    const bool any_mode = value[P_RECOMPUTE] == RECOMPUTE_AUTO;
    point.strategy.recompute = nd_estimate_fitting(
        e, cache_of(w), &point, any_mode ? limit : (double)NAN, modes, NULL, NULL);
    const bool done = nd_steptimes_of(&times, e, cache_of(w), &point) == ND_STEPTIMES_DONE;
    for (int32_t i = 0; done && i < times.shape.stages; i++) {
        if (isfinite(limit))
            sink->limit(sink->self, &(struct pps_limit){i, 0, units_to_gib(limit)});
        sink->level(sink->self, &(struct pps_level){i, 0, 0, units_to_gib(times.fixed[i])});
    }
    for (int32_t p = 0; done && p < times.n; p++)
        tell_pass(&times, &times.passes[p], point.strategy.recompute != ND_RECOMPUTE_NONE,
                  sink);
    nd_steptimes_free(&times);
    return done ? PPS_DONE : PPS_FAILED;
}
