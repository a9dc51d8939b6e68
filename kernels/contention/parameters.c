// SPDX-License-Identifier: Apache-2.0
// Declares the parameters of the kernel, and converts their values to a point.
#include "kernels/contention/table.h"

#include <math.h>

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

const struct pps_param contention_params[N_PARAMS] = {
    [PARAM_N] = {.name = "n",
                 .unit = "",
                 .summary = "micro-batches",
                 .kind = PPS_INTEGER,
                 .fallback = 8,
                 .min = 1,
                 .max = 1000000,
                 .changes_work = true},
    [PARAM_GPUS] = COUNT("gpus", "", "pipeline stages, one GPU each", 4, 4096),
    [PARAM_SYNC_FREQ] =
        COUNT("sync_freq", "", "micro-batches per gradient synchronisation", 1, 1000000),
    [PARAM_FWD_LEN] = LENGTH("fwd_len", "work of one forward", 1, true),
    [PARAM_BWD_LEN] = LENGTH("bwd_len", "work of one backward", 2, true),
    [PARAM_PROP_LEN] =
        LENGTH("prop_len", "work of one activation or gradient transfer", 1, false),
    [PARAM_SYNC_BASE_LEN] =
        LENGTH("sync_base_len", "synchronisation work per micro-batch covered", 2, false),
    [PARAM_FWD_IMPACT] =
        IMPACT("fwd_impact", "slowdown of a forward by a full-rate synchronisation"),
    [PARAM_BWD_IMPACT] =
        IMPACT("bwd_impact", "slowdown of a backward by a full-rate synchronisation"),
    [PARAM_PIPELINE] =
        {.name = "pipeline",
         .unit = "",
         .summary = "order of forwards and backwards; 1f1b: greedy, not the fixed order",
         .kind = PPS_CHOICE,
         .fallback = CONTENTION_1F1B,
         .max = CONTENTION_GPIPE,
         .names = pipelines},
    [PARAM_CONGESTION] = {.name = "congestion",
                          .unit = "",
                          .summary = "a port receives no more than it can send",
                          .kind = PPS_BOOLEAN,
                          .fallback = 1,
                          .max = 1},
    [PARAM_CHANNELS] = {.name = "channels",
                        .unit = "",
                        .summary = "one port per GPU, one per direction, or no contention",
                        .kind = PPS_CHOICE,
                        .fallback = CONTENTION_SHARED,
                        .max = CONTENTION_IDEAL,
                        .names = channels},
    [PARAM_P_FWD_PROP] = PRIORITY("p_fwd_prop", "weight or tier of activation transfers"),
    [PARAM_P_GRAD_PROP] = PRIORITY("p_grad_prop", "weight or tier of gradient transfers"),
    [PARAM_P_GRAD_SYNC] = PRIORITY("p_grad_sync", "weight or tier of gradient synchronisation"),
};

struct contention_point contention_point_of(const double *value)
{
    return (struct contention_point){
        .n = (int32_t)value[PARAM_N],
        .gpus = (int32_t)value[PARAM_GPUS],
        .sync_freq = (int32_t)value[PARAM_SYNC_FREQ],
        .fwd_len = value[PARAM_FWD_LEN],
        .bwd_len = value[PARAM_BWD_LEN],
        .prop_len = value[PARAM_PROP_LEN],
        .sync_base_len = value[PARAM_SYNC_BASE_LEN],
        .fwd_impact = value[PARAM_FWD_IMPACT],
        .bwd_impact = value[PARAM_BWD_IMPACT],
        .pipeline = (enum contention_pipeline)value[PARAM_PIPELINE],
        .channels = (enum contention_channels)value[PARAM_CHANNELS],
        .congestion = value[PARAM_CONGESTION] != 0,
        .priority = {value[PARAM_P_FWD_PROP], value[PARAM_P_GRAD_PROP],
                     value[PARAM_P_GRAD_SYNC]},
    };
}
