// SPDX-License-Identifier: Apache-2.0
// Declares the parameters of the kernel.
#include "kernels/dynapipe/costs/network.h"
#include "kernels/dynapipe/search/plan_search.h"
#include "kernels/dynapipe/table.h"

static const char *const distribution_names[] =
    {[DISTRIBUTION_NORMAL] = "normal", [DISTRIBUTION_LOG_NORMAL] = "log-normal", NULL};
static const char *const order_names[] = {"best", "length", "path", NULL};
static const char *const compat_names[] = {"none", "orig", NULL};
// "dynamic", then the methods.
static const char *const method_choices[] = {
    "dynamic", "wait-free-cyclic", "1F1B", "interleaved-1F1B", "cyclic",
    "fifo",    "free-warm-up",     NULL};
static const char *const mode_names[] = {"best", "quick", "normal", "fast", "auto", NULL};

#define LARGEST 1e12

// A row: name, symbol, unit, summary, kind; then what is not 0.
const struct pps_param dynapipe_params[N_PARAMS] = {
    [P_COSTS] = {"costs", NULL, "", "the cost tables, if the experiment names several",
                 PPS_CHOICE, .max = 0x1p20, .changes_work = true},
    [P_CLUSTER] = {"cluster", NULL, "", "the cluster, if the experiment names several",
                   PPS_CHOICE, .max = 0x1p20, .changes_work = true},
    [P_BATCHES] = {"batches", NULL, "", "the batches, if the experiment names several",
                   PPS_CHOICE, .max = 0x1p20, .changes_work = true},
    [P_PLAN] = {"plan", NULL, "", "the plan, if the experiment names several", PPS_CHOICE,
                .max = 0x1p20, .changes_work = true},
    [P_BATCH] = {"batch", NULL, "", "number of the batch in its document", PPS_INTEGER,
                 .max = 1e9, .changes_work = true},
    [P_MICRO_BATCHES] = {"microbatches", "N", "", "micro-batches of a replica; without batches",
                         PPS_INTEGER, .fallback = 16, .min = 1, .max = 4096,
                         .changes_work = true},
    [P_DEVICES] = {"devices", "D", "", "devices of the pipeline", PPS_INTEGER, .fallback = 4,
                   .min = 1, .max = DYNAPIPE_DEVICES_MAX},
    [P_CHUNKS] = {"chunks", "C", "", "stages of a device", PPS_INTEGER, .fallback = 1, .min = 1,
                  .max = 64},
    [P_LAYERS_PER_STAGE] =
        {"layers_per_stage", "L", "",
         "layers of a stage; 0: all layers of the network spread evenly, 4 without batches",
         PPS_INTEGER, .max = NETWORK_LAYERS_MAX, .changes_work = true},
    [P_DP] = {"dp", NULL, "", "data-parallel replicas", PPS_INTEGER, .fallback = 1, .min = 1,
              .max = 4096},
    [P_TP] = {"tp", NULL, "", "tensor-parallel degree of the cost tables", PPS_INTEGER,
              .fallback = 1, .min = 1, .max = 65536},
    [P_ZERO] = {"zero", NULL, "", "stage of sharding over the replicas", PPS_INTEGER, .max = 3},
    [P_DISTRIBUTION] = {"distribution", NULL, "",
                        "of the sizes of micro-batches; without batches", PPS_CHOICE,
                        .max = DISTRIBUTION_LOG_NORMAL, .names = distribution_names},
    [P_SPREAD] =
        {"spread", NULL, "",
         "standard deviation of the sizes before they are clipped to 0.1 to 10 and their "
         "mean made 1; without batches",
         PPS_REAL, .fallback = 0.5, .max = 1000, .changes_work = true},
    [P_METHOD] = {"method", NULL, "", "of scheduling; dynamic: the best", PPS_CHOICE,
                  .max = PLAN_FREE_WARM_UPS + 1, .names = method_choices},
    [P_MODE] = {"mode", NULL, "", "of planning", PPS_CHOICE, .max = PLAN_MODES - 1,
                .names = mode_names},
    [P_BUDGET] =
        {"budget", NULL, "",
         "evaluations of schedules; 0: by size, at most 240000 in mode best, 2000 in quick",
         PPS_INTEGER, .max = 0x1p40},
    [P_SEED] = {"seed", NULL, "", "seed of sizes and of the search", PPS_INTEGER, .fallback = 1,
                .max = 0x1p52},
    [P_MEMORY] = {"memory", NULL, "MB",
                  "memory of a device; 0: that of the cluster, no limit without one", PPS_REAL,
                  .max = LARGEST},
    [P_FRACTION] = {"fraction", NULL, "",
                    "part of the free memory for one micro-batch; 0: 1 / devices", PPS_REAL,
                    .max = 1},
    [P_COMM_RATIO] = {"comm_ratio", NULL, "",
                      "transfers, by 200 MB for a micro-batch of size 1; without batches",
                      PPS_REAL, .fallback = 1, .max = LARGEST},
    [P_ORDER] = {"order", NULL, "", "of samples before they are divided", PPS_CHOICE, .max = 2,
                 .names = order_names},
    [P_PERMUTE] = {"permute", NULL, "", "micro-batches may change places", PPS_BOOLEAN,
                   .fallback = 1, .max = 1},
    [P_PACKING] = {"packing", NULL, "", "several samples may share a row", PPS_BOOLEAN,
                   .max = 1},
    [P_COMPAT] = {"compat", NULL, "", "orig: modes normal and fast keep their published faults",
                  PPS_CHOICE, .max = 1, .names = compat_names},
};
