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
    "dynamic", "wait-free-cyclic", "1F1B", "interleaved-1F1B", "cyclic", "fifo", NULL};
static const char *const mode_names[] = {"best", "quick", "normal", "fast", "auto", NULL};

#define LARGEST 1e12

#define COUNT(name_, symbol_, summary_, fallback_, min_, max_, work_)                          \
    {                                                                                          \
        .name = name_, .symbol = symbol_, .unit = "", .summary = summary_,                     \
        .kind = PPS_INTEGER, .fallback = fallback_, .min = min_, .max = max_,                  \
        .changes_work = work_                                                                  \
    }
#define CHOICE(name_, summary_, names_, max_)                                                  \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_CHOICE, .max = max_,       \
        .names = names_                                                                        \
    }
#define NUMBER_OF(name_, summary_)                                                             \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_CHOICE, .max = 0x1p20,     \
        .changes_work = true                                                                   \
    }

const struct pps_param dynapipe_params[N_PARAMS] = {
    [P_COSTS] = NUMBER_OF("costs", "the cost tables, if the experiment names several"),
    [P_CLUSTER] = NUMBER_OF("cluster", "the cluster, if the experiment names several"),
    [P_BATCHES] = NUMBER_OF("batches", "the batches, if the experiment names several"),
    [P_PLAN] = NUMBER_OF("plan", "the plan, if the experiment names several"),
    [P_BATCH] = COUNT("batch", NULL, "number of the batch in its document", 0, 0, 1e9, true),
    [P_MICRO_BATCHES] = COUNT("microbatches",
                              "N",
                              "micro-batches of a replica; without batches",
                              16,
                              1,
                              4096,
                              true),
    [P_DEVICES] =
        COUNT("devices", "D", "devices of the pipeline", 4, 1, DYNAPIPE_DEVICES_MAX, false),
    [P_CHUNKS] = COUNT("chunks", "C", "stages of a device", 1, 1, 64, false),
    [P_LAYERS_PER_STAGE] = COUNT("layers_per_stage",
                                 "L",
                                 "layers of a stage; 0: all layers of the network spread "
                                 "evenly, 4 without batches",
                                 0,
                                 0,
                                 NETWORK_LAYERS_MAX,
                                 true),
    [P_DP] = COUNT("dp", NULL, "data-parallel replicas", 1, 1, 4096, false),
    [P_TP] = COUNT("tp", NULL, "tensor-parallel degree of the cost tables", 1, 1, 65536, false),
    [P_ZERO] = COUNT("zero", NULL, "stage of sharding over the replicas", 0, 0, 3, false),
    [P_DISTRIBUTION] = CHOICE("distribution",
                              "of the sizes of micro-batches; without batches",
                              distribution_names,
                              DISTRIBUTION_LOG_NORMAL),
    [P_SPREAD] = {.name = "spread",
                  .unit = "",
                  .summary =
                      "standard deviation of the sizes before they are clipped to 0.1 to "
                      "10 and their mean made 1; without batches",
                  .kind = PPS_REAL,
                  .fallback = 0.5,
                  .max = 1000,
                  .changes_work = true},
    [P_METHOD] = CHOICE("method", "of scheduling; dynamic: the best", method_choices, METHODS),
    [P_MODE] = CHOICE("mode", "of planning", mode_names, PLAN_MODES - 1),
    [P_BUDGET] = COUNT("budget",
                       NULL,
                       "evaluations of schedules; 0: 40000 in mode best, 2000 in quick",
                       0,
                       0,
                       0x1p40,
                       false),
    [P_SEED] = COUNT("seed", NULL, "seed of sizes and of the search", 1, 0, 0x1p52, false),
    [P_MEMORY] = {.name = "memory",
                  .unit = "MB",
                  .summary = "memory of a device; 0: that of the cluster, no limit without one",
                  .kind = PPS_REAL,
                  .max = LARGEST},
    [P_FRACTION] = {.name = "fraction",
                    .unit = "",
                    .summary = "part of the free memory for one micro-batch; 0: 1 / devices",
                    .kind = PPS_REAL,
                    .max = 1},
    [P_COMM_RATIO] = {.name = "comm_ratio",
                      .unit = "",
                      .summary = "transfers, by 200 MB for a micro-batch of size 1; without "
                                 "batches",
                      .kind = PPS_REAL,
                      .fallback = 1,
                      .max = LARGEST},
    [P_ORDER] = CHOICE("order", "of samples before they are divided", order_names, 2),
    [P_PERMUTE] = {.name = "permute",
                   .unit = "",
                   .summary = "micro-batches may change places",
                   .kind = PPS_BOOLEAN,
                   .fallback = 1,
                   .max = 1},
    [P_PACKING] = {.name = "packing",
                   .unit = "",
                   .summary = "several samples may share a row",
                   .kind = PPS_BOOLEAN,
                   .max = 1},
    [P_COMPAT] = CHOICE("compat",
                        "orig: modes normal and fast keep their published faults",
                        compat_names,
                        1),
};
