// SPDX-License-Identifier: Apache-2.0
// The contention model's face towards the engine: what a point, a row and a sweep of it are.
#include "engine/kernel.h"
#include "batch.h"
#include "bound.h"
#include "model.h"
#include "reference.h"
#include "scenarios.h"

#include <math.h>
#include <stdio.h>

// ---- parameters -----------------------------------------------------------------------------

enum {
    N,
    GPUS,
    SYNC_FREQ,
    FWD_LEN,
    BWD_LEN,
    PROP_LEN,
    SYNC_BASE_LEN,
    FWD_IMPACT,
    BWD_IMPACT,
    PIPELINE,
    CONGESTION,
    CHANNELS,
    P_FWD_PROP,
    P_GRAD_PROP,
    P_GRAD_SYNC,
    N_PARAMS,
};

static const char *const pipelines[] =
    {[CONTENTION_1F1B] = "1f1b", [CONTENTION_GPIPE] = "gpipe", NULL};
static const char *const channels[] = {[CONTENTION_SHARED] = "shared",
                                       [CONTENTION_DUPLEX] = "duplex",
                                       [CONTENTION_IDEAL] = "ideal",
                                       NULL};
static const char *const tiers[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                    "j", "k", "l", "m", "n", "o", "p", "q", "r",
                                    "s", "t", "u", "v", "w", "x", "y", "z", NULL};

#define COUNT(name_, unit_, summary_, fallback_, max_)                                         \
    {                                                                                          \
        .name = name_, .unit = unit_, .summary = summary_, .kind = PPS_INTEGER,                \
        .fallback = fallback_, .min = 1, .max = max_                                           \
    }
#define LENGTH(name_, summary_, fallback_, positive_)                                          \
    {                                                                                          \
        .name = name_, .unit = "time", .summary = summary_, .kind = PPS_REAL,                  \
        .fallback = fallback_, .min = 0, .max = HUGE_VAL, .min_open = positive_                \
    }
#define IMPACT(name_, summary_)                                                                \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_REAL, .fallback = 0.2,     \
        .min = 0, .max = 1, .max_open = true                                                   \
    }
#define PRIORITY(name_, summary_)                                                              \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_REAL, .fallback = 0,       \
        .min = 0, .max = 1, .names = tiers                                                     \
    }

static const struct pps_param params[N_PARAMS] = {
    [N] = COUNT("n", "", "micro-batches", 8, 1000000),
    [GPUS] = COUNT("gpus", "", "pipeline stages, one GPU each", 4, 4096),
    [SYNC_FREQ] =
        COUNT("sync_freq", "", "micro-batches per gradient synchronisation", 1, 1000000),
    [FWD_LEN] = LENGTH("fwd_len", "work of one forward", 1, true),
    [BWD_LEN] = LENGTH("bwd_len", "work of one backward", 2, true),
    [PROP_LEN] = LENGTH("prop_len", "work of one activation or gradient transfer", 1, false),
    [SYNC_BASE_LEN] =
        LENGTH("sync_base_len", "synchronisation work per micro-batch covered", 2, false),
    [FWD_IMPACT] = IMPACT("fwd_impact", "slowdown of a forward by a full-rate synchronisation"),
    [BWD_IMPACT] =
        IMPACT("bwd_impact", "slowdown of a backward by a full-rate synchronisation"),
    [PIPELINE] = {.name = "pipeline",
                  .unit = "",
                  .summary = "order of forwards and backwards",
                  .kind = PPS_CHOICE,
                  .fallback = CONTENTION_1F1B,
                  .max = CONTENTION_GPIPE,
                  .names = pipelines},
    [CONGESTION] = {.name = "congestion",
                    .unit = "",
                    .summary = "a port receives no more than it can send",
                    .kind = PPS_BOOLEAN,
                    .fallback = 1,
                    .max = 1},
    [CHANNELS] = {.name = "channels",
                  .unit = "",
                  .summary = "one port a GPU, one a direction, or transfers in nobody's way",
                  .kind = PPS_CHOICE,
                  .fallback = CONTENTION_SHARED,
                  .max = CONTENTION_IDEAL,
                  .names = channels},
    [P_FWD_PROP] = PRIORITY("p_fwd_prop", "weight or tier of activation transfers"),
    [P_GRAD_PROP] = PRIORITY("p_grad_prop", "weight or tier of gradient transfers"),
    [P_GRAD_SYNC] = PRIORITY("p_grad_sync", "weight or tier of gradient synchronisation"),
};

static struct contention_point to_point(const double *value)
{
    return (struct contention_point){
        .n = (int32_t)value[N],
        .gpus = (int32_t)value[GPUS],
        .sync_freq = (int32_t)value[SYNC_FREQ],
        .fwd_len = value[FWD_LEN],
        .bwd_len = value[BWD_LEN],
        .prop_len = value[PROP_LEN],
        .sync_base_len = value[SYNC_BASE_LEN],
        .fwd_impact = value[FWD_IMPACT],
        .bwd_impact = value[BWD_IMPACT],
        .pipeline = (enum contention_pipeline)value[PIPELINE],
        .channels = (enum contention_channels)value[CHANNELS],
        .congestion = value[CONGESTION] != 0,
        .priority = {value[P_FWD_PROP], value[P_GRAD_PROP], value[P_GRAD_SYNC]},
    };
}

static const char *const reasons[] = {"", "sync_freq > n", NULL};

static int check(const double *point, const void *shared)
{
    (void)shared;
    return point[SYNC_FREQ] > point[N] ? 1 : 0;
}

// ---- columns --------------------------------------------------------------------------------

enum {
    TOTAL_TIME,
    BUBBLE_RATIO,
    COMPUTE_SLOWDOWN,
    PORT_UTILIZATION,
    EXPOSED_COMM,
    FWD_PROP_LATENCY,
    GRAD_PROP_LATENCY,
    GRAD_SYNC_LATENCY,
    THROTTLED_TASKS,
    PEAK_IN_FLIGHT,
    IDEAL_TIME,
    N_COLUMNS,
};

#define METRIC(name_, unit_, decimals_, goal_, summary_)                                       \
    {                                                                                          \
        .name = name_, .unit = unit_, .summary = summary_, .kind = PPS_COLUMN_REAL,            \
        .decimals = decimals_, .goal = goal_, .on_request = true                               \
    }
#define TALLY(name_, summary_)                                                                 \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_COLUMN_INTEGER,            \
        .goal = PPS_LOWER, .on_request = true                                                  \
    }

static const struct pps_column columns[N_COLUMNS] = {
    [TOTAL_TIME] = {.name = "total_time",
                    .unit = "time",
                    .summary = "completion time of the iteration, synchronisation included",
                    .kind = PPS_COLUMN_REAL,
                    .decimals = 4,
                    .goal = PPS_LOWER},
    [BUBBLE_RATIO] =
        METRIC("bubble_ratio", "", 6, PPS_LOWER, "part of the GPUs' time without compute"),
    [COMPUTE_SLOWDOWN] = METRIC("compute_slowdown",
                                "",
                                6,
                                PPS_LOWER,
                                "compute time over what it is without synchronisation"),
    [PORT_UTILIZATION] =
        METRIC("port_utilization", "", 6, PPS_NEUTRAL, "mean share of a port in use"),
    [EXPOSED_COMM] = METRIC("exposed_comm",
                            "",
                            6,
                            PPS_LOWER,
                            "part of the GPUs' time idle with a transfer on its way to them"),
    [FWD_PROP_LATENCY] = METRIC("fwd_prop_latency",
                                "time",
                                4,
                                PPS_LOWER,
                                "mean time from ready to finished of an activation transfer"),
    [GRAD_PROP_LATENCY] = METRIC("grad_prop_latency",
                                 "time",
                                 4,
                                 PPS_LOWER,
                                 "mean time from ready to finished of a gradient transfer"),
    [GRAD_SYNC_LATENCY] = METRIC("grad_sync_latency",
                                 "time",
                                 4,
                                 PPS_LOWER,
                                 "mean time from ready to finished of a synchronisation"),
    [THROTTLED_TASKS] =
        TALLY("throttled_tasks", "transfers held back by their receiver at least once"),
    [PEAK_IN_FLIGHT] =
        TALLY("peak_in_flight", "most micro-batches of a stage between forward and backward"),
    [IDEAL_TIME] =
        METRIC("ideal_time", "time", 4, PPS_NEUTRAL, "total_time with channels ideal"),
};

static void set_column(const struct pps_batch *batch, int column, size_t i, double value)
{
    if (batch->column[column] != NULL)
        batch->column[column][i] = value;
}

static void set_row(const struct pps_batch *batch, size_t i, const struct contention_result *r)
{
    set_column(batch, TOTAL_TIME, i, r->total_time);
    set_column(batch, BUBBLE_RATIO, i, r->bubble_ratio);
    set_column(batch, COMPUTE_SLOWDOWN, i, r->compute_slowdown);
    set_column(batch, PORT_UTILIZATION, i, r->port_utilization);
    set_column(batch, EXPOSED_COMM, i, r->exposed_comm);
    set_column(batch, FWD_PROP_LATENCY, i, r->latency[CONTENTION_FWD_PROP]);
    set_column(batch, GRAD_PROP_LATENCY, i, r->latency[CONTENTION_GRAD_PROP]);
    set_column(batch, GRAD_SYNC_LATENCY, i, r->latency[CONTENTION_GRAD_SYNC]);
    set_column(batch, THROTTLED_TASKS, i, (double)r->throttled_tasks);
    set_column(batch, PEAK_IN_FLIGHT, i, r->peak_in_flight);
    set_column(batch, IDEAL_TIME, i, r->ideal_time);
}

// ---- running --------------------------------------------------------------------------------

// A worker's scratch: what it keeps from batch to batch, then what a simulation takes.
#define KEPT_BYTES ((sizeof(struct contention_batch) + 63) / 64 * 64)

static void *room_of(const struct pps_worker *worker)
{
    return (char *)worker->scratch + KEPT_BYTES;
}

static size_t scratch_bytes(const double *highest, const void *shared)
{
    (void)shared;
    struct contention_point largest = to_point(highest);
    const size_t bytes = contention_batch_scratch_bytes(&largest);
    return bytes > SIZE_MAX - KEPT_BYTES ? SIZE_MAX : KEPT_BYTES + bytes;
}

// Fitted to bench_contention on a server of 2023: a start for the size of blocks and the first
// estimate, no more. Most points go through lanes. Of long 1f1b points about a thousand micro-batches are simulated, the rest repeats.
static double cost(const double *point, const void *shared)
{
    (void)shared;
    double stages = point[GPUS], n = point[N];
    if (point[PIPELINE] == CONTENTION_1F1B && n > 1000)
        n = 1000 + 0.05 * (n - 1000);
    double tasks = n * (4 * stages - 2) + stages * ceil(n / point[SYNC_FREQ]);
    const bool lanes =
        stages <= LANE_GPUS_FEW ||
        (stages <= LANE_GPUS_MAX && point[N] <= contention_lanes_n_whole((int32_t)stages));
    if (lanes && stages >= 2 && point[PIPELINE] == CONTENTION_1F1B &&
        point[CHANNELS] == CONTENTION_SHARED)
        return stages <= LANE_GPUS_FEW ? 300 + 2 * stages * fmin(tasks, 10000)
                                       : 300 + 40 * stages + 33 * tasks;
    bool congested = point[CONGESTION] != 0 && point[CHANNELS] == CONTENTION_SHARED &&
                     point[PIPELINE] == CONTENTION_1F1B;
    double per_task = 30 + 50 * (1 - 4 / fmax(stages, 4)) + (congested ? 5 : 0);
    return 300 + 40 * stages + tasks * per_task;
}

static enum pps_outcome outcome_of(enum contention_status status)
{
    switch (status) {
    case CONTENTION_DONE:
        return PPS_DONE;
    case CONTENTION_STOPPED:
        return PPS_STOPPED;
    case CONTENTION_STUCK:
        break;
    }
    return PPS_FAILED;
}

static bool wants_metrics(const struct pps_batch *batch)
{
    for (int c = TOTAL_TIME + 1; c < N_COLUMNS; c++)
        if (batch->column[c] != NULL)
            return true;
    return false;
}

static struct contention_point point_at(const struct pps_batch *batch, size_t i)
{
    double value[N_PARAMS];
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = batch->param[p][i];
    return to_point(value);
}

// Points first ... first + n - 1 of the batch.
static void run_some(const struct pps_batch *batch,
                     const struct pps_worker *worker,
                     size_t first,
                     size_t n)
{
    struct contention_point points[BATCH_POINTS];
    struct contention_outcome outcomes[BATCH_POINTS];
    for (size_t i = 0; i < n; i++)
        points[i] = point_at(batch, first + i);
    contention_simulate_batch(worker->scratch, points, n, wants_metrics(batch), worker->exact,
                              room_of(worker), worker->stop, outcomes);
    for (size_t i = 0; i < n; i++) {
        batch->outcome[first + i] = (uint8_t)outcome_of(outcomes[i].status);
        if (batch->n_recalled != NULL)
            *batch->n_recalled += outcomes[i].recalled;
        set_row(batch, first + i, &outcomes[i].result);
    }
}

static void run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    for (size_t i = 0; i < batch->n_points; i += BATCH_POINTS) {
        const size_t left = batch->n_points - i;
        run_some(batch, worker, i, left < BATCH_POINTS ? left : BATCH_POINTS);
    }
}

// The reference knows no stop flag, so it is asked between points.
static void reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    bool want_metrics = wants_metrics(batch);
    for (size_t i = 0; i < batch->n_points; i++) {
        struct contention_result result;
        batch->outcome[i] = PPS_STOPPED;
        if (worker->stop != NULL && atomic_load_explicit(worker->stop, memory_order_relaxed))
            continue;
        struct contention_point point = point_at(batch, i);
        batch->outcome[i] =
            (uint8_t)outcome_of(contention_reference(&point, want_metrics, NULL, &result));
        set_row(batch, i, &result);
    }
}

static double lower_bound(const double *value, const void *shared)
{
    (void)shared;
    const struct contention_point point = to_point(value);
    return contention_lower_bound(&point);
}

// ---- trace ----------------------------------------------------------------------------------

static const char *const track_names[] = {"compute", "downstream", "upstream", NULL};
static const char *const kind_names[] = {"forward",   "backward",  "fwd_prop",
                                         "grad_prop", "grad_sync", NULL};

static const struct pps_trace_names trace_names = {
    .group = "gpu",
    .item = "micro_batch",
    .flag = "throttled",
    .tracks = track_names,
    .kinds = kind_names,
};

// Where the pictures have a kind of the model.
static const struct {
    int32_t track, kind;
} places[] = {
    [CONTENTION_FORWARD] = {0, 0},   [CONTENTION_BACKWARD] = {0, 1},
    [CONTENTION_FWD_PROP] = {1, 2},  [CONTENTION_GRAD_PROP] = {2, 3},
    [CONTENTION_GRAD_SYNC] = {2, 4},
};

static void pass_on(void *self, const struct contention_piece *piece)
{
    const struct pps_trace_sink *sink = self;
    sink->piece(sink->self, &(struct pps_piece){
                                .group = piece->gpu,
                                .track = places[piece->kind].track,
                                .kind = places[piece->kind].kind,
                                .item = piece->micro_batch,
                                .ordinal = piece->ordinal,
                                .start = piece->start,
                                .end = piece->end,
                                .rate = piece->rate,
                                .flag = piece->throttled,
                            });
}

static enum pps_outcome trace(const double *value,
                              const struct pps_worker *worker,
                              const struct pps_trace_sink *sink)
{
    struct contention_point point = to_point(value);
    struct contention_result result;
    struct pps_trace_sink copy = *sink;
    const struct contention_sink pieces = {.self = &copy, .piece = pass_on};
    return outcome_of(
        contention_trace(&point, room_of(worker), worker->stop, &pieces, &result));
}

// ---- the axis of priorities -----------------------------------------------------------------

enum {
    PRIORITY_STEP,
    TIERS,
    N_OPTIONS,
};

static const char *const tier_words[] =
    {[CONTENTION_TIERS_DEFAULT] = "default", [CONTENTION_TIERS_ALL] = "all", NULL};

static const struct pps_option options[N_OPTIONS] = {
    [PRIORITY_STEP] = {.name = "priority_step",
                       .summary = "step between the weights of kinds that share a port",
                       .kind = PPS_OPTION_NUMBER,
                       .fallback = 0.1},
    [TIERS] = {.name = "tiers",
               .summary = "which kinds go before others: scenarios to visit",
               .kind = PPS_OPTION_ASSIGNMENTS,
               .fallback = CONTENTION_TIERS_DEFAULT,
               .words = tier_words},
};

static struct contention_scenarios to_scenarios(const struct pps_option_value *option)
{
    const struct pps_option_value *list = &option[TIERS];
    return (struct contention_scenarios){
        .steps = (int64_t)floor(fmin(1 / option[PRIORITY_STEP].number, 0x1p62) + 0.5),
        .tiers = list->word < 0 ? CONTENTION_TIERS_LIST : (enum contention_tiers)list->word,
        .n_rows = list->n_rows,
        .rows = list->rows,
    };
}

// Whether the step divides 1; otherwise says which nearby ones do.
static bool divides_one(double step, int64_t steps, struct pps_refusal *refusal)
{
    if (steps >= 1 && fabs((double)steps * step - 1) <= 1e-9)
        return true;
    double more = ceil(1 / step), fewer = floor(1 / step);
    refusal->option = PRIORITY_STEP;
    if (fewer < 1)
        snprintf(refusal->text, sizeof refusal->text, "%.15g does not divide 1: use 1", step);
    else
        snprintf(refusal->text, sizeof refusal->text,
                 "%.15g does not divide 1: use %.15g or %.15g", step, 1 / more, 1 / fewer);
    return false;
}

static bool count(const struct pps_option_value *option,
                  uint64_t *n,
                  struct pps_refusal *refusal)
{
    struct contention_scenarios s = to_scenarios(option);
    double step = option[PRIORITY_STEP].number;
    if (!divides_one(step, s.steps, refusal))
        return false;
    if (s.tiers == CONTENTION_TIERS_LIST && s.n_rows == 0) {
        refusal->option = TIERS;
        snprintf(refusal->text, sizeof refusal->text,
                 "no scenario in the list: use [{}] for one without tiers");
        return false;
    }
    *n = contention_scenarios_count(&s);
    if (*n > 0)
        return true;
    refusal->option = PRIORITY_STEP;
    snprintf(refusal->text, sizeof refusal->text,
             "%.15g makes more than 2^53 combinations: use a larger step, such as 0.001", step);
    return false;
}

static void value(const struct pps_option_value *option, uint64_t index, double *values)
{
    struct contention_scenarios s = to_scenarios(option);
    contention_scenarios_value(&s, index, values);
}

static bool find(const struct pps_option_value *option, const double *values, uint64_t *index)
{
    struct contention_scenarios s = to_scenarios(option);
    return contention_scenarios_find(&s, values, index);
}

static const int members[] = {P_FWD_PROP, P_GRAD_PROP, P_GRAD_SYNC};
static const char *const labels[] = {"fwd_prop", "grad_prop", "grad_sync"};

static const struct pps_composite priorities = {
    .n_members = CONTENTION_N_SHARING,
    .members = members,
    .labels = labels,
    .options = options,
    .n_options = N_OPTIONS,
    .count = count,
    .value = value,
    .find = find,
};

// From a small point up to one of a million tasks.
static const struct pps_bench_axis bench_axes[] = {
    {"n", {8, 64, 512, 4096}, 4},
    {"gpus", {4, 16, 64}, 3},
    {NULL, {0}, 0},
};

// ---- the kernel -----------------------------------------------------------------------------

static const struct pps_stack stacks[] = {
    {"latency", "fwd_prop_latency,grad_prop_latency,grad_sync_latency"},
    {NULL, NULL},
};

extern const struct pps_kernel pps_kernel_contention;
const struct pps_kernel pps_kernel_contention = {
    .name = "contention",
    .summary = "communication contention: transfers of a pipeline that share network ports",
    .source = "the definition in kernels/contention/model.md",
    .version = "3", // 3: points of more than 4 stages go through lanes
    .params = params,
    .n_params = N_PARAMS,
    .columns = columns,
    .n_columns = N_COLUMNS,
    .reasons = reasons,
    .composite = &priorities,
    .heatmap = {.x = "p_grad_prop",
                .y = "p_fwd_prop",
                .value = "total_time",
                .split = "p_grad_sync"},
    .stacks = stacks,
    .trace_names = &trace_names,
    .bench_axes = bench_axes,
    .scratch_bytes = scratch_bytes,
    .check = check,
    .cost = cost,
    .run = run,
    .reference = reference,
    .lower_bound = lower_bound,
    .tolerance = 1e-8, // a few points in ten thousand are chaotic: model.md, Agreement
    .trace = trace,
};
