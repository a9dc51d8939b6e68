// SPDX-License-Identifier: Apache-2.0
// Declares the columns of the kernel, and the columns that add up to a total.
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

#define TIME(name_, summary_)                                                                  \
    {                                                                                          \
        .name = name_, .unit = "time", .summary = summary_, .kind = PPS_COLUMN_REAL,           \
        .decimals = 6, .goal = PPS_LOWER                                                       \
    }
#define PART(name_, summary_)                                                                  \
    {                                                                                          \
        .name = name_, .unit = "time", .summary = summary_, .kind = PPS_COLUMN_REAL,           \
        .decimals = 4, .goal = PPS_LOWER, .on_request = true                                   \
    }
// Empty where a rule cannot run the order; bounds also where durations depend on the start.
#define REPLICATED(name_, summary_)                                                            \
    {                                                                                          \
        .name = name_, .unit = "time", .summary = summary_, .kind = PPS_COLUMN_REAL,           \
        .decimals = 4, .goal = PPS_LOWER, .on_request = true, .may_be_empty = true             \
    }
#define RATIO(name_, summary_, on_request_)                                                    \
    {                                                                                          \
        .name = name_, .unit = "%", .summary = summary_, .kind = PPS_COLUMN_REAL,              \
        .decimals = 2, .goal = PPS_LOWER, .size_free = true, .on_request = on_request_         \
    }

const struct pps_column schedule_columns[N_COLUMNS] = {
    [C_MAKESPAN] =
        TIME("makespan", "time of a step without noise; empty if it does not fit in memory"),
    [C_SPAN] = TIME("span", "largest time of a device from its first start to its last end"),
    [C_BUBBLE] = RATIO("bubble", "idle part of all devices in makespan", false),
    [C_BUBBLE_SPAN] = RATIO("bubble_span", "idle part of the busiest device in span", true),
    [C_BUBBLE_IDEAL] =
        RATIO("bubble_ideal", "idle time of the busiest device by its busy time", true),
    [C_THROUGHPUT] = {.name = "throughput",
                      .unit = "1/time",
                      .summary = "micro-batches per time",
                      .kind = PPS_COLUMN_REAL,
                      .decimals = 6,
                      .goal = PPS_HIGHER},
    [C_PEAK] = {.name = "peak",
                .unit = "memory",
                .summary = "largest memory of a device; if it does not fit: the least limit "
                           "that is enough",
                .kind = PPS_COLUMN_REAL,
                .decimals = 4,
                .goal = PPS_LOWER},
    [C_BOUND] = PART("bound", "proven lower bound of the objective under this limit"),
    [C_GAP] = RATIO("gap", "by how much the objective exceeds the bound", true),
    [C_PROVEN] = {.name = "proven",
                  .unit = "",
                  .summary = "yes: no order is better under this limit",
                  .kind = PPS_COLUMN_TEXT,
                  .text_max = 3,
                  .on_request = true},
    [C_CHOSEN] = {.name = "chosen",
                  .unit = "",
                  .summary = "the family whose order it is",
                  .kind = PPS_COLUMN_TEXT,
                  .text_max = 24,
                  .on_request = true},
    [C_EVALUATIONS] = {.name = "evaluations",
                       .unit = "",
                       .summary = "orders or states that a search evaluated",
                       .kind = PPS_COLUMN_INTEGER,
                       .goal = PPS_LOWER,
                       .on_request = true},
    [C_CHUNKS] = {.name = "chunks",
                  .unit = "",
                  .summary = "stages per device",
                  .kind = PPS_COLUMN_INTEGER,
                  .on_request = true},
    [C_BUBBLE_TIME] = PART("bubble_time", "idle time of all devices"),
    [C_IDLE_WARM_UP] = PART("idle_warm_up", "of bubble_time: before the first operation"),
    [C_IDLE_FORWARD] = PART("idle_forward", "of bubble_time: waits for a forward"),
    [C_IDLE_GRADIENT] = PART("idle_gradient", "of bubble_time: waits for a gradient"),
    [C_IDLE_CHANNEL] = PART("idle_channel", "of bubble_time: waits for an occupied channel"),
    [C_IDLE_COOL_DOWN] = PART("idle_cool_down", "of bubble_time: after the last operation"),
    [C_CRITICAL_F] = PART("critical_f", "of makespan: forwards on the critical path"),
    [C_CRITICAL_B] =
        PART("critical_b", "of makespan: backwards of inputs on the critical path"),
    [C_CRITICAL_W] =
        PART("critical_w", "of makespan: backwards of weights on the critical path"),
    [C_CRITICAL_MESSAGES] =
        PART("critical_messages", "of makespan: messages on the critical path"),
    [C_MEAN] = REPLICATED("mean", "mean makespan over all replicates of the noise"),
    [C_MEAN_HALF] = REPLICATED("mean_half", "half-width of the 95 % interval of mean"),
    [C_P50] = REPLICATED("p50", "makespan that half of the replicates do not exceed"),
    [C_P95] = REPLICATED("p95", "makespan that 95 % of the replicates do not exceed"),
    [C_P99] = REPLICATED("p99", "makespan that 99 % of the replicates do not exceed"),
    [C_VS_STATIC] =
        REPLICATED("vs_static", "mean difference to the static order in the same replicates"),
    [C_VS_STATIC_HALF] =
        REPLICATED("vs_static_half", "half-width of the 95 % interval of vs_static"),
    [C_WON] = {.name = "won",
               .unit = "%",
               .summary = "replicates that take less time than the static order",
               .kind = PPS_COLUMN_REAL,
               .decimals = 2,
               .goal = PPS_HIGHER,
               .size_free = true,
               .on_request = true,
               .may_be_empty = true},
    [C_CLAIRVOYANT] = REPLICATED("clairvoyant", "mean of the lower bounds that know all times"),
    [C_MEMORY_BOUND] = REPLICATED("memory_bound",
                                  "mean of the lower bounds that know all times and the limit"),
    [C_MEAN_GAP] = {.name = "mean_gap",
                    .unit = "%",
                    .summary = "by how much mean exceeds clairvoyant",
                    .kind = PPS_COLUMN_REAL,
                    .decimals = 2,
                    .goal = PPS_LOWER,
                    .size_free = true,
                    .on_request = true,
                    .may_be_empty = true},
    [C_UTILISATION] = {.name = "utilisation",
                       .unit = "%",
                       .summary = "busy part of makespan of each device, from device 0",
                       .kind = PPS_COLUMN_TEXT,
                       .text_max = UTILISATION_BYTES * SCHEDULE_DEVICES_MAX,
                       .on_request = true,
                       .by_name = true},
};

const struct pps_stack schedule_stacks[] = {
    {"idle", "idle_warm_up,idle_forward,idle_gradient,idle_channel,idle_cool_down"},
    {"critical", "critical_f,critical_b,critical_w,critical_messages"},
    {NULL, NULL},
};
