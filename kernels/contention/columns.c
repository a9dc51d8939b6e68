// SPDX-License-Identifier: Apache-2.0
// Declares the result columns of the kernel, and converts a result to a row.
#include "kernels/contention/table.h"

#define METRIC(name_, unit_, decimals_, goal_, summary_)                                       \
    {                                                                                          \
        .name = name_, .unit = unit_, .summary = summary_, .kind = PPS_COLUMN_REAL,            \
        .decimals = decimals_, .goal = goal_, .on_request = true, .size_free = true            \
    }
#define PART(name_, summary_)                                                                  \
    {                                                                                          \
        .name = "critical_" name_, .unit = "time", .summary = summary_,                        \
        .kind = PPS_COLUMN_REAL, .decimals = 4, .goal = PPS_LOWER, .on_request = true          \
    }
#define TALLY(name_, summary_)                                                                 \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_COLUMN_INTEGER,            \
        .goal = PPS_LOWER, .on_request = true                                                  \
    }

const struct pps_column contention_columns[N_COLUMNS] = {
    [TOTAL_TIME] = {.name = "total_time",
                    .unit = "time",
                    .summary = "completion time of the iteration, synchronisation included",
                    .kind = PPS_COLUMN_REAL,
                    .decimals = 4,
                    .goal = PPS_LOWER},
    [BUBBLE_RATIO] =
        METRIC("bubble_ratio", "", 6, PPS_LOWER, "fraction of GPU time without compute"),
    [COMPUTE_SLOWDOWN] =
        METRIC("compute_slowdown",
               "",
               6,
               PPS_LOWER,
               "compute time relative to compute time without synchronisation"),
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
        TALLY("peak_in_flight", "maximum number of micro-batches in flight on a stage"),
    [IDEAL_TIME] = {.name = "ideal_time",
                    .unit = "time",
                    .summary = "total_time with channels ideal",
                    .kind = PPS_COLUMN_REAL,
                    .decimals = 4,
                    .goal = PPS_NEUTRAL,
                    .on_request = true},
    [CRITICAL_GPU] = {.name = "critical_gpu",
                      .unit = "",
                      .summary =
                          "GPU that ends last, from 0; the next seven columns are parts of "
                          "its time and add up to total_time",
                      .kind = PPS_COLUMN_INTEGER,
                      .goal = PPS_NEUTRAL,
                      .on_request = true},
    [CRITICAL_COMPUTE] = PART("compute", "its forwards and backwards at full rate"),
    [CRITICAL_SLOWDOWN] =
        PART("slowdown", "time that synchronisations add to its forwards and backwards"),
    [CRITICAL_FWD_PROP] = PART("fwd_prop", "time it waits for activation transfers"),
    [CRITICAL_GRAD_PROP] = PART("grad_prop", "time it waits for gradient transfers"),
    [CRITICAL_GRAD_SYNC] =
        PART("grad_sync", "time it waits because synchronisations take bandwidth of transfers"),
    [CRITICAL_BUBBLE] =
        PART("bubble", "time it is idle before its last backward with no transfer on its way"),
    [CRITICAL_FINAL_SYNC] =
        PART("final_sync", "time after its last backward, when it only synchronises"),
    [SENSITIVITY] = {.name = "sensitivity",
                     .unit = "",
                     .summary =
                         "relative change of total_time when a length changes by 1e-15: "
                         "where it is large, digits of total_time have no meaning; takes "
                         "three more simulations of each point",
                     .kind = PPS_COLUMN_REAL,
                     .decimals = 12,
                     .goal = PPS_LOWER,
                     .by_name = true},
    [TIME_PER_MICRO_BATCH] =
        METRIC("time_per_micro_batch", "time", 4, PPS_LOWER, "total_time / n"),
};

struct contention_wish contention_wish_of(const struct pps_batch *batch)
{
    struct contention_wish wish = {.sensitivity = batch->column[SENSITIVITY] != NULL};
    for (int c = BUBBLE_RATIO; c <= CRITICAL_FINAL_SYNC; c++)
        wish.metrics = wish.metrics || batch->column[c] != NULL;
    return wish;
}

static void set_column(const struct pps_batch *batch, int column, size_t i, double value)
{
    if (batch->column[column] != NULL)
        batch->column[column][i] = value;
}

static void set_parts(const struct pps_batch *batch,
                      size_t i,
                      const struct contention_parts *parts)
{
    set_column(batch, CRITICAL_GPU, i, parts->gpu);
    set_column(batch, CRITICAL_COMPUTE, i, parts->compute);
    set_column(batch, CRITICAL_SLOWDOWN, i, parts->slowdown);
    set_column(batch, CRITICAL_FWD_PROP, i, parts->waits[CONTENTION_FWD_PROP]);
    set_column(batch, CRITICAL_GRAD_PROP, i, parts->waits[CONTENTION_GRAD_PROP]);
    set_column(batch, CRITICAL_GRAD_SYNC, i, parts->waits[CONTENTION_GRAD_SYNC]);
    set_column(batch, CRITICAL_BUBBLE, i, parts->bubble);
    set_column(batch, CRITICAL_FINAL_SYNC, i, parts->final_sync);
}

void contention_set_row(const struct pps_batch *batch,
                        struct contention_wish wish,
                        size_t i,
                        const struct contention_result *r)
{
    set_column(batch, TOTAL_TIME, i, r->total_time);
    set_column(batch, SENSITIVITY, i, r->sensitivity);
    set_column(batch, TIME_PER_MICRO_BATCH, i, r->total_time / batch->param[PARAM_N][i]);
    if (!wish.metrics)
        return;
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
    set_parts(batch, i, &r->critical);
}
