// SPDX-License-Identifier: Apache-2.0
// Converts parameter values to a strategy and finds the estimate of a point.
#include "kernels/ndsearch/point.h"

#include "kernels/ndsearch/table.h"

#include "base/math/units.h"

#include <math.h>
#include <string.h>

// Parameters on which an open estimate depends.
static const int setting_params[] = {P_MODEL,           P_CLUSTER,
                                     P_STACK,           P_PRECISION,
                                     P_HARDWARE,        P_RESERVE,
                                     P_ZERO_LEVEL,      P_DISTRIBUTED_OPTIMIZER,
                                     P_BYTES_PARAM,     P_BYTES_GRAD,
                                     P_BYTES_OPTIM,     P_EXPERT_TENSOR_PARALLEL,
                                     P_FLASH_ATTENTION, P_FUSED_CROSS_ENTROPY,
                                     P_LOW_MEM_VPP,     P_DUMMY_WGRAD};
_Static_assert(sizeof setting_params / sizeof *setting_params == ND_SETTINGS,
               "a worker keeps the value of each");

#define WORKER_BYTES ((sizeof(struct nd_worker) + 63) / 64 * 64)

struct nd_cache *nd_worker_cache(struct nd_worker *worker)
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
    training_set_flash(t, value[P_FLASH_ATTENTION] != 0);
    t->fused_cross_entropy = value[P_FUSED_CROSS_ENTROPY] != 0;
    t->low_mem_vpp = value[P_LOW_MEM_VPP] != 0;
    t->dummy_wgrad = value[P_DUMMY_WGRAD] != 0;
    t->precision = (enum training_precision)value[P_PRECISION];
}

static const struct hardware *device_of(const struct nd_shared *shared, double hardware,
                                        double cluster)
{
    int n;
    if (hardware == HARDWARE_OWN)
        return &shared->clusters[(int)cluster].hardware;
    return &hardware_all(&n)[(int)hardware - 1];
}

static const struct hardware *hardware_of(const struct nd_shared *shared, const double *value)
{
    return device_of(shared, value[P_HARDWARE], value[P_CLUSTER]);
}

struct nd_setting nd_setting_of(const struct nd_shared *shared, const double *value)
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
    if (shared->n_stacks > 0)
        setting.training.stack = shared->stacks[(int)value[P_STACK]];
    read_training(value, &setting.training);
    return setting;
}

// Points with equal settings are adjacent in the order of evaluation.
const struct nd_estimate *nd_worker_estimate(struct nd_worker *worker,
                                             const struct nd_shared *shared,
                                             const double *value)
{
    bool same = worker->estimate != NULL;
    for (int i = 0; i < ND_SETTINGS; i++)
        same = same && worker->last[i] == value[setting_params[i]];
    if (same)
        return worker->estimate;
    const struct nd_setting setting = nd_setting_of(shared, value);
    worker->estimate = nd_opened_get(&worker->opened, &setting);
    for (int i = 0; i < ND_SETTINGS; i++)
        worker->last[i] = value[setting_params[i]];
    return worker->estimate;
}

// dp 0: the remaining devices; op 0: the most shards, dp*cp.
struct nd_point nd_point_of(const double *value)
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

double nd_limit_of(const struct nd_shared *shared, const double *value)
{
    const struct hardware *hardware = hardware_of(shared, value);
    if (value[P_MEMORY] > 0)
        return value[P_MEMORY] * UNITS_GIB;
    return hardware->memory > 0 ? hardware->memory : HUGE_VAL;
}

// ---- valid points -------------------------------------------------------------------------------

enum {
    OTHER_DEVICES = 1,
    ODD_BATCH,
    FEW_LAYERS,
    ODD_EXPERTS,
    ODD_EXPERT_GROUPS,
    ODD_SHARDS,
    FEW_MICRO_BATCHES,
    ONE_STAGE,
    OTHER_SCHEDULE,
    OTHER_PRECISION,
};

const char *const nd_reasons[] = {
    "",
    [OTHER_DEVICES] = "dp*tp*cp*pp is not world_size",
    [ODD_BATCH] = "gbs % (dp*mbs) != 0",
    [FEW_LAYERS] = "pp*vp > layers",
    [ODD_EXPERTS] = "ep does not divide the experts (1 for a dense model)",
    [ODD_EXPERT_GROUPS] = "ep (ep*tp with expert_tensor_parallel) does not divide dp*cp*tp",
    [ODD_SHARDS] = "op does not divide dp*cp",
    [FEW_MICRO_BATCHES] = "vp > 1 with fewer micro-batches than stages",
    [ONE_STAGE] = "vp > 1 with one stage",
    [OTHER_SCHEDULE] = "vp or pp does not match the schedule (vpp: vp > 1; others: vp 1; "
                       "dualpipe: even pp)",
    [OTHER_PRECISION] = "the device has no products of this precision (fp8, or mxfp8)",
    NULL,
};

// The numbers of chunks per stage that the schedule of the training allows.
struct chunk_rules {
    bool one, several; // of several stages
    bool of_one_stage;
    bool odd; // numbers of stages above 1
};

static struct chunk_rules chunk_rules_of(const void *shared)
{
    const struct training *training = &((const struct nd_shared *)shared)->training;
    return (struct chunk_rules){.one = training_allows_chunks(training, 2, 1),
                                .several = training_allows_chunks(training, 2, 2),
                                .of_one_stage = training_allows_chunks(training, 1, 1),
                                .odd = training->schedule != TRAINING_DUALPIPE};
}

static inline bool divides(double part, double whole)
{
    const double quotient = whole / part;
    return quotient == floor(quotient);
}

// Returns the first rule that excludes the point, or 0. It evaluates all rules, the last one first,
// without branches, so that the compiler turns a loop over points into vectors.
static inline double first_reason(const double *value, const struct chunk_rules *chunks)
{
    const double rest = value[P_TP] * value[P_CP] * value[P_PP], n = value[P_WORLD_SIZE];
    const double dp = value[P_DP] > 0 ? value[P_DP] : floor(n / rest);
    const double samples = dp * value[P_MBS], shards = dp * value[P_CP], ep = value[P_EP];
    const double width = ep * (value[P_EXPERT_TENSOR_PARALLEL] != 0 ? value[P_TP] : 1);
    const bool dense = value[P_EXPERTS] == 0;
    const bool several = value[P_VP] > 1, one_stage = value[P_PP] == 1;
    const bool few = value[P_GBS] / samples < value[P_PP];
    const bool allowed = several     ? chunks->several
                         : one_stage ? chunks->of_one_stage
                                     : chunks->one;
    const bool odd = value[P_PP] > 2 * floor(value[P_PP] / 2);
    double reason = allowed & (chunks->odd | one_stage | !odd) ? 0 : OTHER_SCHEDULE;
    reason = (several & few) ? FEW_MICRO_BATCHES : reason;
    reason = (several & one_stage) ? ONE_STAGE : reason;
    reason = ((value[P_OP] > 0) & !divides(value[P_OP], shards)) ? ODD_SHARDS : reason;
    reason = (!dense & !divides(width, shards * value[P_TP])) ? ODD_EXPERT_GROUPS : reason;
    reason = (dense ? ep == 1 : divides(ep, value[P_EXPERTS])) ? reason : ODD_EXPERTS;
    reason = value[P_PP] * value[P_VP] > value[P_LAYERS] ? FEW_LAYERS : reason;
    reason = divides(samples, value[P_GBS]) ? reason : ODD_BATCH;
    return dp * rest == n ? reason : OTHER_DEVICES;
}

static int precision_reason(double precision, double hardware, double cluster, const void *of)
{
    if (precision == TRAINING_BF16)
        return 0;
    return training_precision_lacks((enum training_precision)precision,
                                    device_of(of, hardware, cluster)) != NULL
               ? OTHER_PRECISION
               : 0;
}

int nd_check(const double *value, const void *shared)
{
    const struct chunk_rules chunks = chunk_rules_of(shared);
    const int reason = (int)first_reason(value, &chunks);
    return reason != 0 ? reason
                       : precision_reason(value[P_PRECISION], value[P_HARDWARE],
                                          value[P_CLUSTER], shared);
}

void nd_check_points(const double *const *param, size_t n, const void *shared, int *reason)
{
    const struct chunk_rules chunks = chunk_rules_of(shared);
    for (size_t i = 0; i < n; i++) {
        double value[N_PARAMS];
        value[P_WORLD_SIZE] = param[P_WORLD_SIZE][i];
        value[P_GBS] = param[P_GBS][i];
        value[P_EXPERT_TENSOR_PARALLEL] = param[P_EXPERT_TENSOR_PARALLEL][i];
        value[P_LAYERS] = param[P_LAYERS][i];
        value[P_EXPERTS] = param[P_EXPERTS][i];
        value[P_TP] = param[P_TP][i];
        value[P_CP] = param[P_CP][i];
        value[P_PP] = param[P_PP][i];
        value[P_DP] = param[P_DP][i];
        value[P_EP] = param[P_EP][i];
        value[P_OP] = param[P_OP][i];
        value[P_VP] = param[P_VP][i];
        value[P_MBS] = param[P_MBS][i];
        reason[i] = (int)first_reason(value, &chunks);
    }
    for (size_t i = 0; i < n; i++)
        if (reason[i] == 0)
            reason[i] = precision_reason(param[P_PRECISION][i], param[P_HARDWARE][i],
                                         param[P_CLUSTER][i], shared);
}

// Fitted on one server of 2023.
double nd_cost(const double *value, const void *shared)
{
    (void)shared;
    return value[P_VP] > 1 ? 350 : 250;
}
