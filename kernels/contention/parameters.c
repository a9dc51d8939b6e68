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

// A row: name, symbol, unit, summary, kind; then what is not 0.
const struct pps_param contention_params[N_PARAMS] = {
    [PARAM_N] = {"n", NULL, "", "micro-batches", PPS_INTEGER, .fallback = 8, .min = 1,
                 .max = 1000000, .changes_work = true},
    [PARAM_GPUS] = {"gpus", NULL, "", "pipeline stages, one GPU each", PPS_INTEGER,
                    .fallback = 4, .min = 1, .max = 4096},
    [PARAM_SYNC_FREQ] = {"sync_freq", NULL, "", "micro-batches per gradient synchronisation",
                         PPS_INTEGER, .fallback = 1, .min = 1, .max = 1000000},
    [PARAM_FWD_LEN] = {"fwd_len", NULL, "time", "work of one forward", PPS_REAL, .fallback = 1,
                       .max = HUGE_VAL, .min_open = true},
    [PARAM_BWD_LEN] = {"bwd_len", NULL, "time", "work of one backward", PPS_REAL, .fallback = 2,
                       .max = HUGE_VAL, .min_open = true},
    [PARAM_PROP_LEN] = {"prop_len", NULL, "time", "work of one activation or gradient transfer",
                        PPS_REAL, .fallback = 1, .max = HUGE_VAL},
    [PARAM_SYNC_BASE_LEN] = {"sync_base_len", NULL, "time",
                             "synchronisation work per micro-batch covered", PPS_REAL,
                             .fallback = 2, .max = HUGE_VAL},
    [PARAM_FWD_IMPACT] = {"fwd_impact", NULL, "",
                          "slowdown of a forward by a full-rate synchronisation", PPS_REAL,
                          .fallback = 0.2, .max = 1, .max_open = true},
    [PARAM_BWD_IMPACT] = {"bwd_impact", NULL, "",
                          "slowdown of a backward by a full-rate synchronisation", PPS_REAL,
                          .fallback = 0.2, .max = 1, .max_open = true},
    [PARAM_PIPELINE] = {"pipeline", NULL, "",
                        "order of forwards and backwards; 1f1b: greedy, not the fixed order",
                        PPS_CHOICE, .fallback = CONTENTION_1F1B, .max = CONTENTION_GPIPE,
                        .names = pipelines},
    [PARAM_CONGESTION] = {"congestion", NULL, "", "a port receives no more than it can send",
                          PPS_BOOLEAN, .fallback = 1, .max = 1},
    [PARAM_CHANNELS] = {"channels", NULL, "",
                        "one port per GPU, one per direction, or no contention", PPS_CHOICE,
                        .fallback = CONTENTION_SHARED, .max = CONTENTION_IDEAL,
                        .names = channels},
    [PARAM_P_FWD_PROP] = {"p_fwd_prop", NULL, "", "weight or tier of activation transfers",
                          PPS_REAL, .max = 1, .names = tiers},
    [PARAM_P_GRAD_PROP] = {"p_grad_prop", NULL, "", "weight or tier of gradient transfers",
                           PPS_REAL, .max = 1, .names = tiers},
    [PARAM_P_GRAD_SYNC] = {"p_grad_sync", NULL, "",
                           "weight or tier of gradient synchronisation", PPS_REAL, .max = 1,
                           .names = tiers},
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
