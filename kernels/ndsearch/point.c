// SPDX-License-Identifier: Apache-2.0
// Converts parameter values to a strategy and finds the estimate of a point.
#include "kernels/ndsearch/point.h"

#include "kernels/ndsearch/table.h"

#include "base/math/units.h"

#include <math.h>
#include <string.h>

// Parameters on which an open estimate depends.
static const int setting_params[] = {P_MODEL,           P_CLUSTER,
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

static const struct nd_estimate *open_estimate(struct nd_worker *worker,
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
    worker->estimate = open_estimate(worker, shared, value);
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
    [OTHER_SCHEDULE] = "vp does not match the schedule of the training (1f1b: 1, vpp: above 1)",
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
    const struct training *training = &((const struct nd_shared *)shared)->training;
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
    if (!training_allows_chunks(training, (int64_t)value[P_PP], (int64_t)value[P_VP]))
        return OTHER_SCHEDULE;
    return 0;
}

// Fitted on one server of 2023.
double nd_cost(const double *value, const void *shared)
{
    (void)shared;
    return value[P_VP] > 1 ? 350 : 250;
}
