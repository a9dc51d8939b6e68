// SPDX-License-Identifier: Apache-2.0
// The contention kernel: connects the contention model to the engine.
#include "ppsweep/kernel.h"
#include "base/document/json.h"
#include "kernels/configuration/convert.h"
#include "kernels/configuration/price.h"
#include "kernels/configuration/run.h"
#include "kernels/contention/batch.h"
#include "kernels/contention/lower_bound.h"
#include "kernels/contention/reference/reference.h"
#include "kernels/contention/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the training of an experiment -------------------------------------------------------------

enum { CONTENTION_SLOT_TRAINING, CONTENTION_SLOT_CLUSTER, CONTENTION_SLOTS };

extern const struct pps_slot contention_slots[CONTENTION_SLOTS];

#define MS 1e3 // of a second

static const int training_sets[] = {
    PARAM_N,       PARAM_GPUS,     PARAM_SYNC_FREQ,    PARAM_FWD_LEN,
    PARAM_BWD_LEN, PARAM_PROP_LEN, PARAM_SYNC_BASE_LEN};

enum { SETS = sizeof training_sets / sizeof *training_sets };

const struct pps_slot contention_slots[CONTENTION_SLOTS] = {
    [CONTENTION_SLOT_TRAINING] = {"training",
                                  .summary =
                                      "a training file: its price sets the lengths, in ms",
                                  .param = -1, .sets = training_sets, .n_sets = SETS,
                                  .convert = configuration_convert_run},
    [CONTENTION_SLOT_CLUSTER] = {"cluster",
                                 .summary = "the devices that price the training (H100)",
                                 .param = -1},
};

struct contention_shared {
    double values[SETS];
};

// Sets the lengths: means over the stages of what a micro-batch takes there, and the exchange of a step, which the last
// micro-batch starts.
static void price(const struct configuration *c, double values[SETS])
{
    struct configuration_figures figures;
    const double stages = c->strategy.pp, n = configuration_micro_batches(c);
    const double runs = n / configuration_run_micro_batches(c);
    double forward = 0, backward = 0;
    configuration_figures_of(&figures, c);
    for (int32_t k = 0; k < c->n_parts; k++) {
        struct configuration_part_price part;
        configuration_price_part(&part, &figures, c, k);
        forward += part.forward / stages;
        backward += part.backward / stages;
    }
    const struct nd_exchanges exchanges = configuration_exchanges(&figures, c);
    const double list[SETS] = {n,
                               stages,
                               n,
                               forward * MS,
                               backward * MS,
                               configuration_price_message(&figures, c) * MS,
                               (n * exchanges.each + runs * exchanges.once) * MS / n};
    for (int k = 0; k < SETS; k++)
        values[k] = list[k];
}

static bool read_training(const struct pps_document *training,
                          const struct pps_document *cluster, double values[SETS],
                          struct pps_fault *fault)
{
    struct configuration c = {.parts = NULL};
    const struct cJSON *own = pps_json_member(training->root, "configuration"),
                       *root = own != NULL ? own : training->root;
    const struct rundoc parts = {.model = pps_json_member(root, "model"),
                                 .cluster = pps_json_member(root, "cluster"),
                                 .training = pps_json_member(root, "training"),
                                 .baseline = pps_json_member(root, "baseline")};
    const bool read =
        configuration_read_run(&c, &parts, cluster != NULL ? cluster->root : NULL, fault);
    if (read)
        price(&c, values);
    configuration_free(&c);
    return read;
}

// Of pps_kernel.
static bool contention_open(const struct pps_document *documents, int n, void **out,
                            struct pps_fault *fault)
{
    const struct pps_document *of[CONTENTION_SLOTS] = {NULL, NULL};
    struct contention_shared *shared = calloc(1, sizeof *shared);
    *fault = (struct pps_fault){.document = 0};
    for (int d = 0; d < n; d++)
        of[documents[d].slot] = &documents[d];
    const struct pps_document *training = of[CONTENTION_SLOT_TRAINING];
    if (training != NULL)
        fault->document = (int)(training - documents);
    *out = shared;
    if (shared != NULL &&
        (training == NULL ||
         read_training(training, of[CONTENTION_SLOT_CLUSTER], shared->values, fault)))
        return true;
    free(shared);
    return false;
}

static void contention_close(void *shared)
{
    free(shared);
}

static void contention_values(const void *of, int slot, int i, double *values)
{
    const struct contention_shared *shared = of;
    (void)i;
    for (int k = 0; slot == CONTENTION_SLOT_TRAINING && k < SETS; k++)
        values[k] = shared->values[k];
}

// ---- points ---------------------------------------------------------------------------------

static const char *const reasons[] = {"", "sync_freq > n", NULL};

static int check(const double *point, const void *shared)
{
    (void)shared;
    return point[PARAM_SYNC_FREQ] > point[PARAM_N] ? 1 : 0;
}

// ---- running --------------------------------------------------------------------------------

// A worker's scratch: the state kept between batches, then the scratch of a simulation.
#define KEPT_BYTES ((sizeof(struct contention_batch) + 63) / 64 * 64)

static void *room_of(const struct pps_worker *worker)
{
    return (char *)worker->scratch + KEPT_BYTES;
}

static size_t scratch_bytes(const double *highest, const void *shared)
{
    (void)shared;
    struct contention_point largest = contention_point_of(highest);
    const size_t bytes = contention_batch_scratch_bytes(&largest);
    return bytes > SIZE_MAX - KEPT_BYTES ? SIZE_MAX : KEPT_BYTES + bytes;
}

// Returns whether lanes can simulate the point, except for rules on priorities.
static bool is_for_lanes(const double *point)
{
    return point[PARAM_GPUS] >= 2 && point[PARAM_GPUS] <= LANE_GPUS_MAX &&
           point[PARAM_PIPELINE] == CONTENTION_1F1B &&
           (point[PARAM_GPUS] <= LANE_GPUS_FEW ||
            fmod(point[PARAM_N], point[PARAM_SYNC_FREQ]) == 0) &&
           point[PARAM_PROP_LEN] > 0 && point[PARAM_SYNC_BASE_LEN] > 0;
}

static int together(const double *point, const void *shared)
{
    (void)shared;
    return is_for_lanes(point) ? LANES_MAX : 1;
}

// An estimate for the size of blocks and for the first forecast: ns per point, per stage and per
// task. The figures are fitted to bench_contention on a server of 2023. On another machine the
// estimate was 0.8 to 1.5 times the measured time for 4 to 64 stages and 8 to 256 micro-batches,
// and 2 times at 64 of each; the forecast soon scales it by the measured pace, so only ratios
// between points matter. Lanes simulate most points; with few stages every step of theirs works
// on all stages, so that a task costs 2 ns per stage, and 33 ns with many. Outside lanes it costs
// 30 ns with 4 stages, up to 80 with many, and 5 more with congestion. Of long 1f1b points about
// a thousand micro-batches are simulated, in lanes of few stages 10000 tasks; the rest repeats.
static double cost(const double *point, const void *shared)
{
    (void)shared;
    double stages = point[PARAM_GPUS], n = point[PARAM_N];
    if (point[PARAM_PIPELINE] == CONTENTION_1F1B && n > 1000)
        n = 1000 + 0.05 * (n - 1000);
    double tasks = n * (4 * stages - 2) + stages * ceil(n / point[PARAM_SYNC_FREQ]);
    if (is_for_lanes(point))
        return stages <= LANE_GPUS_FEW ? 300 + 2 * stages * fmin(tasks, 10000)
                                       : 300 + 40 * stages + 33 * tasks;
    bool congested = point[PARAM_CONGESTION] != 0 &&
                     point[PARAM_CHANNELS] == CONTENTION_SHARED &&
                     point[PARAM_PIPELINE] == CONTENTION_1F1B;
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
    case CONTENTION_LIMITED:
    case CONTENTION_STUCK:
        break;
    }
    return PPS_FAILED;
}

static struct contention_point point_at(const struct pps_batch *batch,
                                        const struct pps_worker *worker, size_t i)
{
    double value[N_PARAMS];
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = batch->param[p][i];
    struct contention_point point = contention_point_of(value);
    point.most_events = (int64_t)worker->point_limit;
    return point;
}

// Points first ... first + n - 1 of the batch.
static void run_some(const struct pps_batch *batch, const struct pps_worker *worker,
                     size_t first, size_t n)
{
    struct contention_point points[BATCH_POINTS];
    struct contention_outcome outcomes[BATCH_POINTS];
    const struct contention_wish wish = contention_wish_of(batch);
    for (size_t i = 0; i < n; i++)
        points[i] = point_at(batch, worker, first + i);
    contention_simulate_batch(worker->scratch, points, n, wish, worker->exact, room_of(worker),
                              worker->stop, outcomes);
    for (size_t i = 0; i < n; i++) {
        batch->outcome[first + i] = (uint8_t)outcome_of(outcomes[i].status);
        if (batch->n_recalled != NULL)
            *batch->n_recalled += outcomes[i].recalled;
        if (batch->n_events != NULL)
            *batch->n_events += (double)outcomes[i].result.n_events;
        contention_set_row(batch, wish, first + i, &outcomes[i].result);
    }
}

static void run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    for (size_t i = 0; i < batch->n_points; i += BATCH_POINTS) {
        const size_t left = batch->n_points - i;
        run_some(batch, worker, i, left < BATCH_POINTS ? left : BATCH_POINTS);
    }
}

static enum contention_status refer(const struct contention_point *point,
                                    struct contention_wish wish, const atomic_bool *stop,
                                    struct contention_result *result)
{
    double sensitivity = 0;
    enum contention_status status = CONTENTION_DONE;
    if (wish.sensitivity)
        status = contention_reference_sensitivity(point, stop, &sensitivity);
    if (status == CONTENTION_DONE)
        status = contention_reference(point, wish.metrics != 0, NULL, stop, result);
    result->sensitivity = sensitivity;
    return status;
}

// The reference has no derivatives of its own; tests compare them with differences.
static void reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    const struct contention_wish wish = contention_wish_of(batch);
    for (size_t i = 0; i < batch->n_points; i++) {
        struct contention_result result = {0};
        const struct contention_point point = point_at(batch, worker, i);
        enum contention_status status = refer(&point, wish, worker->stop, &result);
        if (wish.slopes && status == CONTENTION_DONE) {
            struct contention_outcome slopes;
            contention_simulate_batch(worker->scratch, &point, 1,
                                      (struct contention_wish){.slopes = true}, true,
                                      room_of(worker), worker->stop, &slopes);
            status = slopes.status;
            memcpy(result.slope, slopes.result.slope, sizeof result.slope);
        }
        batch->outcome[i] = (uint8_t)outcome_of(status);
        contention_set_row(batch, wish, i, &result);
    }
}

static double lower_bound(const double *value, const void *shared)
{
    (void)shared;
    const struct contention_point point = contention_point_of(value);
    return contention_lower_bound(&point);
}

// ---- trace ----------------------------------------------------------------------------------

// Tracks are named for what they carry.
static const char *const track_names[] = {"compute", "downstream: fwd_prop",
                                          "upstream: grad_prop, grad_sync", NULL};
static const char *const kind_names[] = {"forward",   "backward",  "fwd_prop",
                                         "grad_prop", "grad_sync", NULL};

// The published simulators draw one communication lane or two; the model is the same.
static const char *const single_names[] = {"compute", "communication: all transfers", NULL};
static const int32_t dual_tracks[] = {0, 1, 2}, single_tracks[] = {0, 1, 1};
static const struct pps_trace_view views[] = {{"dual", track_names, dual_tracks},
                                              {"single", single_names, single_tracks},
                                              {NULL, NULL, NULL}};

static const char *const load_names[] = {"compute", "network", NULL};
static const int32_t load_of[] = {0, 1, 1};

static const struct pps_trace_names trace_names = {
    .group = "gpu",
    .item = "micro_batch",
    .flag = "throttled",
    .tracks = track_names,
    .kinds = kind_names,
    .views = views,
    .end = "total_time",
    .loads = load_names,
    .load_of = load_of,
};

// Track and kind of a trace for each kind of task.
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

static enum pps_outcome trace(const double *value, const struct pps_worker *worker,
                              const struct pps_trace_sink *sink)
{
    struct contention_point point = contention_point_of(value);
    struct contention_result result;
    struct pps_trace_sink copy = *sink;
    const struct contention_sink pieces = {.self = &copy, .piece = pass_on};
    return outcome_of(
        contention_trace(&point, room_of(worker), worker->stop, &pieces, &result));
}

// ---- the kernel -----------------------------------------------------------------------------

// From a small point to a point of a million tasks.
static const struct pps_bench_axis bench_axes[] = {
    {"n", {8, 64, 512, 4096}, 4},
    {"gpus", {4, 16, 64}, 3},
    {NULL, {0}, 0},
};

static const struct pps_stack stacks[] = {
    {"time", "critical_compute,critical_slowdown,critical_fwd_prop,critical_grad_prop,"
             "critical_grad_sync,critical_bubble,critical_final_sync"},
    {NULL, NULL},
};

static const char *const axis_texts[] = {"p_grad_prop=share of gradient transfers",
                                         "p_fwd_prop=share of activation transfers",
                                         "p_grad_sync=share of gradient synchronisation",
                                         "total_time=time of a step",
                                         "n=micro-batches",
                                         "gpus=pipeline stages",
                                         "sync_freq=micro-batches per synchronisation",
                                         NULL};

extern const struct pps_kernel pps_kernel_contention;
const struct pps_kernel pps_kernel_contention = {
    .name = "contention",
    .summary = "communication contention: transfers of a pipeline that share network ports",
    .source = "the definition in kernels/contention/model.md",
    .version = "5", // 5: more points in lanes, which changes last digits
    .params = contention_params,
    .n_params = N_PARAMS,
    .columns = contention_columns,
    .n_columns = N_COLUMNS,
    .reasons = reasons,
    .composite = &contention_priorities,
    .counts_events = true,
    .heatmap = {.x = "p_grad_prop",
                .y = "p_fwd_prop",
                .value = "total_time",
                .split = "p_grad_sync",
                .names_mean = "strict priority",
                .texts = axis_texts},
    .baseline = "p_fwd_prop=1,p_grad_prop=1,p_grad_sync=1",
    .stacks = stacks,
    .trace_names = &trace_names,
    .bench_axes = bench_axes,
    .slots = contention_slots,
    .n_slots = CONTENTION_SLOTS,
    .open = contention_open,
    .close = contention_close,
    .values = contention_values,
    .scratch_bytes = scratch_bytes,
    .check = check,
    .cost = cost,
    .together = together,
    .run = run,
    .reference = reference,
    .lower_bound = lower_bound,
    .tolerance = 1e-8, // a few points in ten thousand are chaotic: model.md, Agreement
    .trace = trace,
};
